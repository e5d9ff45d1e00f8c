package batch

import (
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// TestLookBound checks that a look at a target gets half of the target's share of the
// night's time, and that if the night has two limits, the earlier limit counts.
func TestLookBound(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
	scored := review.Target{Name: "curve", Scoring: &review.Scoring{Score: []string{"true"}}}
	for name, c := range map[string]struct {
		options Options
		want    time.Duration
	}{
		"no limit of time": {Options{Budget: workspace.Budget{Evaluations: 10}}, 0},
		"time":             {Options{Budget: workspace.Budget{Time: time.Hour}}, 10 * time.Minute},
		"deadline":         {Options{Until: now.Add(2 * time.Hour)}, (2*time.Hour - 2*time.Minute) / 6},
		"both":             {Options{Budget: workspace.Budget{Time: time.Hour}, Until: now.Add(2 * time.Hour)}, 10 * time.Minute},
		"alone":            {Options{Budget: workspace.Budget{Time: time.Hour}, Agents: []string{"curve"}}, 30 * time.Minute},
		"past":             {Options{Until: now.Add(-time.Hour)}, time.Second},
	} {
		o := c.options
		o.Workspace = &workspace.Workspace{Agents: make([]workspace.Agent, 1)}
		o.Patches = &review.Reviewer{Targets: []review.Target{scored, {Name: "other"}, {Name: "tours", Scoring: scored.Scoring}}}
		if got := o.lookBound(now).Time; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestLookIsPartOfTheNight checks that the time of a look at code is deducted from the time
// of the run, and that a resumed run adds its own look.
func TestLookIsPartOfTheNight(t *testing.T) {
	w := toyWorkspace(t, 10)
	store := archive.OpenMemory()
	defer func() { _ = store.Close() }()
	o := toyOptions(w, store, toyAgent(10), 0)
	o.Budget, o.Looked = workspace.Budget{Time: time.Hour}, 20*time.Minute
	r, err := prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	now := o.Now()
	if stop, _ := r.stopAt(now); stop.Sub(now) != 40*time.Minute {
		t.Errorf("%s are left of an hour", stop.Sub(now))
	}
	r.continueRun(r.run)
	if stop, _ := r.stopAt(now); stop.Sub(now) != 20*time.Minute {
		t.Errorf("%s are left of an hour that is taken up", stop.Sub(now))
	}
}
