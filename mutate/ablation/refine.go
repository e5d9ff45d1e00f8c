package ablation

import (
	"evolve/mutate"
	"evolve/runtime/agent"
)

const (
	// mostFiner is the maximum number of configs without a part of a hunk that are tried.
	mostFiner = 64
	// firstFiner is the number of tasks on which such a config is tried before the next one
	// is made from it. The last one is tried on all tasks.
	firstFiner = 4
	// mostMade is the maximum number of times that the parts are made anew.
	mostMade = 200
)

// finerPart is a config without a part of a hunk.
type finerPart struct {
	side
	param, takes string
}

// key identifies the part among those of other configs.
func (f finerPart) key() string { return f.param + "\x00" + f.takes }

// pieces returns the configs without a part of a hunk of a config; none without
// [Options.Smaller].
func (a *Ablation) pieces(config agent.Config) []finerPart {
	if a.smaller == nil {
		return nil
	}
	of := config.ID()
	if out, ok := a.madeFiner[of]; ok {
		return out
	}
	var out []finerPart
	for _, p := range a.params {
		base, ok := p.base.(string)
		if _, active := config[p.Name]; !ok || !active || p.Kind != agent.Text {
			continue
		}
		for _, piece := range a.smaller(p.Name, base, config.String(p.Name)) {
			next := config.Clone()
			v, err := p.Coerce(piece.Text)
			if err != nil {
				continue
			}
			next[p.Name] = v
			next = a.space.Canonical(next)
			if id := next.ID(); id != a.championID && id != of {
				out = append(out, finerPart{side{id: id, config: next}, p.Name, piece.Takes})
			}
		}
	}
	a.madeFiner[of] = out
	return out
}

// refine takes back parts of the hunks that stay (delta debugging, Zeller and Hildebrandt
// 2002). A part goes at first by a few tasks, on which others have shown most, and the next
// ones are tried without it. The last config is then tried on all tasks. A task that shows a
// loss there is one of the few from then on, so that the part which needs it stays. refine
// returns the trials that it needs first, and adds to the choice what goes.
func (a *Ablation) refine(spots []spot, left int) []mutate.Trial {
	a.taken = nil
	if a.smaller == nil {
		return nil
	}
	r := refinement{Ablation: a, spots: a.showingFirst(spots), failed: map[string]bool{}}
	r.left = left - a.reserved(spots, left)
	r.at = finerPart{side: side{id: a.choice.id, config: a.choice.config}}
	for made := 0; made < mostMade && r.need == nil && r.next(); made++ {
		continue
	}
	if r.need == nil {
		r.verify()
	}
	for i := len(r.went) - 1; i >= 0 && r.need == nil; i-- {
		f := r.went[i]
		if same, lack := a.alike(f.id, spots); !same || len(lack) > 0 {
			continue
		}
		a.choice.config, a.choice.id, a.taken = f.config, f.id, map[string][]string{}
		for _, f := range r.went[:i+1] {
			a.taken[f.param] = append(a.taken[f.param], f.takes)
		}
		break
	}
	return r.need
}

// reserved returns the evaluations that refine leaves to the parts that are tried alone: what
// they need, or a third of the evaluations that were left before it.
func (a *Ablation) reserved(spots []spot, left int) int {
	used := 0
	for _, t := range a.made {
		if a.finer[t.Variant] {
			used++
		}
	}
	parts := len(newChange(a.space, a.champion, a.choice.config, true).units)
	if parts < 2 {
		return 0
	}
	return min(2*parts*len(spots), (left+used)/3)
}

// showingFirst returns the spots with those first on which a config without a part has lost,
// and those after them that are tried first anyway.
func (a *Ablation) showingFirst(spots []spot) (out []spot) {
	var others []spot
	for _, at := range spots {
		if a.showsLoss(at) {
			out = append(out, at)
		} else {
			others = append(others, at)
		}
	}
	return append(out, others...)
}

// showsLoss reports whether a config without a part has lost at a spot.
func (a *Ablation) showsLoss(at spot) bool {
	won, _ := a.evidence.score(a.winnerID, at)
	for id := range a.finer {
		if score, ok := a.evidence.score(id, at); a.evidence.has(id, at) && (!ok || score < won-rounding) {
			return true
		}
	}
	return false
}

// refinement is one pass over all evidence from the start, like [walk].
type refinement struct {
	*Ablation
	spots []spot // those that show most first
	left  int
	// at is the config so far, and went what has gone, with the configs without it.
	at   finerPart
	went []finerPart
	// failed are the parts that had to stay since the last round began, and tries their number
	// in all rounds; gone reports that another part has gone since.
	failed map[string]bool
	tries  int
	gone   bool
	need   []mutate.Trial
}

// probe returns the spots on which a part is tried first.
func (r *refinement) probe() []spot {
	n := min(firstFiner, len(r.spots))
	for n < len(r.spots) && r.showsLoss(r.spots[n]) {
		n++
	}
	return r.spots[:n]
}

// next takes back one part; false if none goes, or evaluations are needed.
func (r *refinement) next() bool {
	probe := r.probe()
	for _, f := range r.pieces(r.at.config) {
		if r.failed[f.key()] {
			continue
		}
		r.finer[f.id] = true
		same, lack := r.alike(f.id, probe)
		if same && len(lack) > 0 {
			n := min(max(1, len(probe)-len(lack)), len(lack))
			if r.tries >= mostFiner || r.left < n+len(r.spots) {
				r.cut = true
				return false
			}
			r.need = r.lacking(lack[:n], []side{f.side})
			return false
		}
		r.tries++
		if !same {
			r.failed[f.key()] = true
			continue
		}
		r.at, r.gone = f, true
		r.went = append(r.went, f)
		return true
	}
	if !r.gone || len(r.failed) == 0 {
		return false
	}
	r.gone, r.failed = false, map[string]bool{} // a part that was needed may do nothing now
	return true
}

// verify tries the config on all spots.
func (r *refinement) verify() {
	same, lack := r.alike(r.at.id, r.spots)
	if len(r.went) == 0 || !same || len(lack) == 0 {
		return
	}
	if r.left < len(lack) {
		r.cut = true
		return
	}
	r.need = r.lacking(lack[:min(max(1, len(r.spots)-len(lack)), len(lack))], []side{r.at.side})
}
