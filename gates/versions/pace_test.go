package versions

import (
	"testing"
	"time"
)

// TestPace checks that the time limit of a version depends on the time that the unchanged
// program took on the same case. If the limit for all cases is lower, or if that time is
// unknown, the limit for all cases applies.
func TestPace(t *testing.T) {
	t.Parallel()
	p := pace{took: map[string]time.Duration{}}
	p.add("quick", time.Millisecond)
	p.add("slow", time.Minute)
	p.add("slow", time.Second) // the longest counts
	for _, c := range []struct {
		name      string
		all, want time.Duration
	}{
		{"quick", time.Hour, 10*time.Second + 10*time.Millisecond},
		{"slow", time.Hour, 10*time.Second + 10*time.Minute},
		{"slow", time.Minute, time.Minute},
		{"slow", 0, 10*time.Second + 10*time.Minute},
		{"unknown", time.Hour, time.Hour},
		{"unknown", 0, 0},
	} {
		if got := p.bound(c.name, c.all); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.name, c.all, got, c.want)
		}
	}
}

// TestAgentPacesByTheBase checks that the time limits of all versions follow from the
// times of the unchanged program, and of no other version.
func TestAgentPacesByTheBase(t *testing.T) {
	t.Parallel()
	p, files := target(t)
	a, _ := open(t, p, files)
	clock := time.Time{}
	a.now = func() time.Time {
		clock = clock.Add(3 * time.Second)
		return clock
	}
	p.RunTime = time.Hour
	for _, factor := range []string{"factor=8\n", "factor=3\n"} {
		if got := a.pace.bound("c01", p.RunTime); got != time.Hour {
			t.Errorf("before the base, %v", got)
		}
		run(t, a, factor, "c01")
	}
	if got, want := a.pace.bound("c01", p.RunTime), leastTime+slower*3*time.Second; got != want {
		t.Errorf("after the base, %v, want %v", got, want)
	}
	p.RunTime = 0
	a.pace.took["c01"] = -leastTime/slower + 1 // no program starts in ten nanoseconds
	if r := run(t, a, "factor=8\n", "c01"); r.Outcome != "timeout" {
		t.Errorf("a version without time: %+v", r)
	}
}
