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

// earlier returns the results from earlier nights that are given to a search.
type earlier func(*Desk) []mutate.Remembered

// changed returns the results of a problem's earlier night, if it has one, as an archive
// would contain them if the change to the agent had not been declared.
func changed(d *Desk) []mutate.Remembered {
	if d.Problem.Earlier == nil {
		return nil
	}
	return night(d, d.Problem.Earlier, 1)
}

// histories returns the kinds of results from earlier nights that a search can be given
// on a problem in the family "nights", keyed by name. A declared change halves the trust
// in a result, and each night in between reduces it by a tenth, as in package night.
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

// historyNames returns the names of the histories, for messages.
func historyNames() string {
	return strings.Join(slices.Sorted(maps.Keys(histories())), ", ")
}

// declared sets Changed in the results, as if they came from before a known change to the
// agent, and halves the trust in them.
func declared(list []mutate.Remembered) []mutate.Remembered {
	for i := range list {
		list[i].Trust, list[i].Changed = list[i].Trust/2, true
	}
	return list
}

// night returns the results of an earlier night on a problem, with the desk's budget. That
// night's search is the genetic search, so a change to the project's searcher does not
// change its own history. The noise in these results differs from tonight's.
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

// withHistory returns the project's searcher with the named history.
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
