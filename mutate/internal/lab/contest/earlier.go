package contest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/mutate"
	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// earlier returns the earlier nights whose results a search gets.
type earlier func(*Desk) []mutate.Remembered

// changed is the earlier night of a problem that has one, as an archive has it where nothing
// declares the change.
func changed(d *Desk) []mutate.Remembered {
	if d.Problem.Earlier == nil {
		return nil
	}
	return night(d, d.Problem.Earlier, 1)
}

// histories returns by name what a search can get of earlier nights on a problem of the
// family "nights". A declared change takes half of the trust, and each night in between a
// tenth, as in package night.
func histories() map[string]earlier {
	same := func(d *Desk) []mutate.Remembered { return night(d, d.Problem, 1) }
	return map[string]earlier{
		"none":             func(*Desk) []mutate.Remembered { return nil },
		"same":             same,
		"same-declared":    func(d *Desk) []mutate.Remembered { return declared(same(d)) },
		"changed":          changed,
		"changed-declared": func(d *Desk) []mutate.Remembered { return declared(changed(d)) },
		"older-changed": func(d *Desk) []mutate.Remembered {
			older := changed(d)
			for i := range older {
				older[i].Night, older[i].Trust = 2, 0.9
			}
			return append(same(d), older...)
		},
	}
}

// historyNames returns the names of the histories for messages.
func historyNames() string {
	return strings.Join(slices.Sorted(maps.Keys(histories())), ", ")
}

// declared marks results as those of before a known change of the agent.
func declared(list []mutate.Remembered) []mutate.Remembered {
	for i := range list {
		list[i].Trust, list[i].Changed = list[i].Trust/2, true
	}
	return list
}

// night returns the results of an earlier night on a problem, with the desk's budget. The
// night's search is the genetic one, so that a change of the project's searcher does not change
// its history. The noise of its results is not that of tonight.
func night(d *Desk, p *problem.Problem, number int) []mutate.Remembered {
	start := processorTime()
	defer func() { d.worked += processorTime() - start }()
	var list []mutate.Remembered
	desk := NewDesk(p, d.Budget, d.Seed)
	if p == d.Problem {
		desk.Seed = -1 - d.Seed
	}
	desk.sold = func(c agent.Config, task int, r problem.Result) {
		list = append(list, mutate.Remembered{Variant: c.ID(), Config: c, Task: p.Tasks[task].ID, Score: r.Score, Trust: 1, Night: number})
	}
	genetic(desk, 1)
	return list
}

// withHistory returns the project's searcher with a history of a name.
func withHistory(c Contestant, name string) (Contestant, error) {
	h, ok := histories()[name]
	if !ok {
		return c, fmt.Errorf("contestant %q: a history is to follow the colon, one of %s", c.Name, historyNames())
	}
	c.Peer = false
	c.About = "the searcher of package mutate; of earlier nights it gets: " + name
	c.Play = func(d *Desk) (Outcome, error) { return ours(d, 1, "", h) }
	return c, nil
}
