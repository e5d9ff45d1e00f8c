package ablation

import (
	"slices"

	"evolve/mutate"
)

// firstFiner is the number of tasks on which a config without a part of a hunk is tried before
// the next one is made from it.
const firstFiner = 4

// leastChecks is the number of checks on all tasks that the evaluations must last for, so that one
// is made before the last one.
const leastChecks = 4

// refine takes back parts of the hunks that stay (delta debugging, Zeller and Hildebrandt
// 2002). At first a few tasks decide whether a part is removed, those on which other parts
// have shown most losses, and the next parts are tried without it. The last config is then
// tried on all tasks. A task that shows a loss there is one of the few from then on, so that
// the part that the task needs stays. refine returns the trials that it needs first, and
// adds the removed parts to the choice.
func (a *Ablation) refine(spots []spot, left int) []mutate.Trial {
	a.taken = nil
	if a.smaller == nil {
		return nil
	}
	r := refinement{Ablation: a, spots: a.showingFirst(spots), failed: map[string]bool{}}
	r.left, r.all = a.share(spots, left)
	r.at = finerPart{side: side{id: a.choice.id, config: a.choice.config}}
	for r.need == nil && r.next() { // each removed part brings the text nearer
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

// share returns the number of evaluations that refine has left, and its total. Neither includes
// the reserve for parts that are tried alone, which is at most a third.
func (a *Ablation) share(spots []spot, left int) (rest, all int) {
	used := 0
	for _, t := range a.made {
		if a.finer[t.Variant] {
			used++
		}
	}
	reserved := 0
	if parts := len(newChange(a.space, a.champion, a.choice.config, true).units); parts > 1 {
		reserved = min(2*parts*len(spots), (left+used)/3)
	}
	return left - reserved, left - reserved + used
}

// showingFirst returns the spots with those first on which a config without a part has lost,
// followed by those that are tried first anyway.
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
	spots []spot // the spots that show most losses first
	// left is the number of remaining evaluations, and all the number at the start.
	left, all int
	// at is the config so far, and went lists the removed parts, with the configs without
	// them.
	at   finerPart
	went []finerPart
	// failed are the parts that had to stay since the last round began; gone reports
	// whether another part was removed since.
	failed map[string]bool
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

// next removes one part; false if none can be removed, or if evaluations are needed. It keeps
// the evaluations for a check on all spots: of the config without the part, and of the config so
// far if the part stays. If the evaluations suffice for [leastChecks] checks, the config so far
// is checked before fewer than two checks are left, so that a failure of the last one does not
// lose everything.
func (r *refinement) next() bool {
	probe := r.probe()
	for f := range r.pieces(r.at.config) {
		if r.failed[f.key] {
			continue
		}
		r.finer[f.id] = true
		same, lack := r.alike(f.id, probe)
		if same && len(lack) > 0 {
			n := min(max(1, len(probe)-len(lack)), len(lack))
			if r.all >= leastChecks*len(r.spots) && r.left < n+2*len(r.spots) && !r.checked() {
				if r.verify(); r.need != nil {
					return false
				}
			}
			if r.left < max(r.lacks(f), n+r.lacks(r.at)) {
				r.cut = true
				return false
			}
			r.need = r.lacking(lack[:n], []side{f.side})
			return false
		}
		if !same {
			r.failed[f.key] = true
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

// lacks returns the number of spots on which a config was not tried; 0 for the winner.
func (r *refinement) lacks(f finerPart) int {
	_, lack := r.alike(f.id, r.spots)
	return len(lack)
}

// checked reports whether nothing was removed, or a config without some parts was tried on all
// spots and loses nothing.
func (r *refinement) checked() bool {
	return len(r.went) == 0 || slices.ContainsFunc(r.went, func(f finerPart) bool {
		same, lack := r.alike(f.id, r.spots)
		return same && len(lack) == 0
	})
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
