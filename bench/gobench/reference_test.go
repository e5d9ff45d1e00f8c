package gobench

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestReference(t *testing.T) {
	x, y, speed := Key{"X", sec}, Key{"Y", sec}, Key{"X", "B/s"}
	base := []Run{{x: {2}, y: {5}, speed: {100}}, {x: {1}, y: {5}, speed: {100}}, {x: {9}, y: {5}, speed: {100}}}
	time, err := NewReference(base, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	throughput, err := NewReference(base, Rule{Metric: "B/s"})
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Benchmarks(); !slices.Equal(got, []string{"X", "Y"}) {
		t.Error(got)
	}
	for _, c := range []struct {
		y    *Reference
		run  Run
		name string
		want float64
		ok   bool
	}{
		{time, Run{x: {2}}, "X", .5, true}, // the median of 2, 1 and 9
		{time, Run{x: {1}}, "X", 256. / 257, true},
		{time, Run{x: {4}}, "X", 1. / 257, true},
		{time, Run{x: {8, 2, 1}}, "X", .5, true},
		{time, Run{x: {0}}, "X", 1, true},
		{throughput, Run{speed: {200}}, "X", 256. / 257, true},
		{throughput, Run{speed: {0}}, "X", 0, true},
		{time, Run{y: {2}}, "X", 0, false},
		{time, Run{{"Z", sec}: {2}}, "Z", 0, false},
	} {
		if got, ok := c.y.Score(c.run, c.name); math.Abs(got-c.want) > 1e-12 || ok != c.ok {
			t.Errorf("%v: %v and %v, want %v and %v", c.run, got, ok, c.want, c.ok)
		}
	}
	for _, c := range []struct {
		base []Run
		rule Rule
		want string
	}{
		{nil, Rule{}, "no results in sec/op"},
		{base, Rule{Metric: "hits/op"}, "no setting specifies"},
		{[]Run{{x: {0}}}, Rule{}, "above 0"},
	} {
		if _, err := NewReference(c.base, c.rule); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
