package workspace

import (
	"evolve/bench"
	"evolve/mutate/evidence"
)

// Rules returns the rules by which claims about an agent's variants are recomputed.
func (w *Workspace) Rules(a *Agent) evidence.Rules {
	r := evidence.Rules{Fixed: a.Deterministic && !a.UsesSeed, Bounds: w.Bounds(a), Alpha: w.Settings.Confirm.Control().Alpha()}
	for _, name := range a.Suites {
		if s := w.Suites[name]; s != nil {
			r.Holdout = append(r.Holdout, s.Side(bench.Holdout)...)
		}
	}
	return r
}
