package ablation

import (
	"slices"

	"evolve/mutate"
)

// firstFiner is the minimum number of tasks on which a config without part of a hunk must
// be tried before further parts are removed from that config.
const firstFiner = 4

// leastChecks is the minimum number of checks on all tasks for which the evaluations must
// suffice; if they do not, refine makes only the last check.
const leastChecks = 4

// refine removes parts of the remaining hunks (delta debugging, Zeller and Hildebrandt
// 2002). At first, only a few tasks decide whether a part is removed: those on which the
// removal of other parts has shown losses. The next parts are tried on the config without
// it. The last config is then tried on all tasks. If a task shows a loss there, it becomes
// one of the few deciding tasks, so the part that it needs stays. If refine first needs
// evaluations, it returns their trials. It adds the removed parts to the choice.
func (a *Ablation) refine(spots []spot, left int) []mutate.Trial {
	a.taken = nil
	if a.smaller == nil {
		return nil
	}
	r := refinement{Ablation: a, spots: a.showingFirst(spots), failed: map[string]bool{}}
	r.left, r.all = a.share(spots, left)
	r.at = finerPart{side: side{id: a.choice.id, config: a.choice.config}}
	for r.need == nil && r.next() { // this ends, because each removed part brings the text nearer to the base
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

// share returns the number of evaluations that refine may still use, and the number that it
// may use in total. Both exclude a reserve, of at most a third, for trying parts alone.
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

// showingFirst returns the spots, beginning with those at which the removal of a part has
// shown a loss. The others follow in their usual order.
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

// showsLoss reports whether any config without a part of a hunk scored less than the winner
// at a spot.
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
	spots []spot // those at which losses were seen come first
	// left is the number of remaining evaluations, and all is their number at the start.
	left, all int
	// at is the current config. went lists the parts removed so far, each with the config
	// that resulted.
	at   finerPart
	went []finerPart
	// failed holds the parts that had to stay in the current round. gone reports whether
	// another part was removed during the round.
	failed map[string]bool
	gone   bool
	need   []mutate.Trial
}

// probe returns the spots at which a part is tried first.
func (r *refinement) probe() []spot {
	n := min(firstFiner, len(r.spots))
	for n < len(r.spots) && r.showsLoss(r.spots[n]) {
		n++
	}
	return r.spots[:n]
}

// next removes one part. It returns false if no part can be removed, or if evaluations
// are needed. It reserves enough evaluations for a check on all spots, either of the
// config without the part or, if the part stays, of the current config. If the
// evaluations suffice for [leastChecks] checks, the current config is checked before
// fewer than two checks remain affordable, so that a failure of the last check does not
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
	r.gone, r.failed = false, map[string]bool{} // a part that had to stay may have no effect now that others are gone
	return true
}

// lacks returns the number of spots at which a config was not tried; it is 0 for the
// winner.
func (r *refinement) lacks(f finerPart) int {
	_, lack := r.alike(f.id, r.spots)
	return len(lack)
}

// checked reports whether nothing has been removed yet, or one of the reduced configs was
// tried at all spots and loses nothing.
func (r *refinement) checked() bool {
	return len(r.went) == 0 || slices.ContainsFunc(r.went, func(f finerPart) bool {
		same, lack := r.alike(f.id, r.spots)
		return same && len(lack) == 0
	})
}

// verify checks the current config at all spots: it puts the next missing trials into
// need.
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
