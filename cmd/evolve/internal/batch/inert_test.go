package batch

import (
	"testing"
	"time"

	"evolve/archive"
)

// TestInertParametersOfEarlierNights checks for how long, on which routes and in which
// runs a parameter is left out of the search after the model was found not to accept the
// parameter.
func TestInertParametersOfEarlierNights(t *testing.T) {
	const day = 24 * time.Hour
	found := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		now     time.Time
		model   string // of the agent's route, if it has changed since then
		takenUp string // the run that is resumed; each of these runs began when the parameter was found to be inert
		left    bool
	}{
		"the next night":                   {now: found.Add(day), left: true},
		"a month later":                    {now: found.Add(30 * day)},
		"another model":                    {now: found.Add(day), model: "newer"},
		"the resumed run that found it":    {now: found.Add(time.Hour), takenUp: "1-a"},
		"a run that is resumed much later": {now: found.Add(60 * day), takenUp: "2-b", left: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, a := toyWorkspace(t, 12), archive.OpenMemory()
			toy := &w.Agents[0]
			routes := w.RoutesHash(toy)
			toy.Adapter.Model += c.model
			for n, id := range []string{"1-a", "2-b"} {
				if err := a.PutRun(t.Context(), archive.Run{ID: id, Number: n + 1, State: archive.RunRunning, Started: found, Agents: []string{"toy"}}); err != nil {
					t.Fatal(err)
				}
			}
			e, err := archive.NewLedgerEntry(found, archive.InertKind, "1-a", archive.Inert{Agent: "toy", Routes: routes, Model: "plain", Params: []string{"reach", "unknown"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			r := &runner{o: toyOptions(w, a, nil, 10)}
			r.o.Now = func() time.Time { return c.now }
			why, want := "", ""
			if c.left {
				want = "plain did not accept the parameter on 2026-03-01; the search tries the parameter again from 2026-03-31"
			}
			for range 2 { // a run may be planned twice
				if why, err = r.leaveOutInert(t.Context(), toy, c.takenUp); err != nil {
					t.Fatal(err)
				}
			}
			if got := toy.NotSearched("reach"); got != want || (why == "reach ("+want+")") != c.left {
				t.Errorf("not searched: %q, for the report %q", got, why)
			}
			if p, _ := toy.Space.Lookup("reach"); (len(p.Values) == 1) != c.left || len(toy.Space.Check()) > 0 {
				t.Errorf("searched as %+v", p)
			}
		})
	}
}
