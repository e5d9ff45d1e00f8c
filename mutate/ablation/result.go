package ablation

import (
	"fmt"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Result is the result of an ablation.
type Result struct {
	Winner agent.ConfigID
	// Small is the reduced winner, or the winner itself if nothing was reverted.
	Small  agent.ConfigID
	Config agent.Config
	// Reverted names the values that were set back to the champion's: whole parameters,
	// or only members of a subset or lines of a text if the rest of the parameter's
	// change is retained.
	Reverted []string
	// Effects lists the effects of the remaining parameters, in the order of the space.
	Effects []Effect
	// Parts lists the parts of the small config's change, with [Options.Hunks]; see
	// [Parts].
	Parts []Part
	// Loss is the estimated difference between the winner and the small config. Gain is the
	// estimated difference between the small config and the champion. Both are on the
	// search tasks. For an agent with randomness they come from the model.
	Loss, Gain Posterior
	// Seen is the number of evaluations of the small config that have a score. Evaluations
	// is the number of evaluations that were asked for.
	Seen, Evaluations int
	// Compared reports whether the small config of an agent with randomness was compared
	// with the winner at fresh spots.
	Compared bool
	// Short reports whether the budget was too small to try anything.
	Short bool
	// Done reports whether no further trials need to be asked for.
	Done bool
	// Reason describes the result in words.
	Reason string
}

// Effect is the effect of one parameter: the score of the small config minus its score
// without the parameter's change. The 95 % interval treats clusters as the units of
// sampling. All values are in score units.
type Effect struct {
	Param              string
	Difference, Lo, Hi float64
	// Shown reports whether the effect counts as shown ([Belief]). Changes whose effect is
	// not shown stay only if all of them together were shown to matter.
	Shown bool
	// Untried reports whether no difference is known, because the evaluations ended
	// before the config without the parameter's change was compared with the small
	// config.
	Untried bool
	// Evaluations is how often the config without the change was evaluated for the
	// comparison.
	Evaluations int
}

// Part is a hunk of a change, or a changed parameter that is not a text.
type Part struct {
	Name string
	// Param is the changed parameter. Line is the line of the champion's text, counted
	// from 1, at which the hunk begins; for a hunk that only adds lines, it is the line
	// before which they are added. Line is 0 for a parameter that is not a text.
	Param string
	Line  int
	// Alone identifies the champion with only this part, and Without identifies the
	// changed config without this part, whether or not they were evaluated. Each is empty
	// if its config is invalid, is the champion, or is the changed config itself.
	Alone, Without agent.ConfigID
}

// Result returns the result so far, even if the ablation is unfinished.
func (a *Ablation) Result() Result {
	a.learn()
	shown := *a // an unfinished ablation continues with its own choice
	shown.choice = a.held()
	return shown.result(shown.choice.id == a.winnerID && a.choice.id != a.winnerID)
}

// result describes the choice. whole is true if no comparison showed that the reduced
// config would keep the gain, so that nothing was reverted.
func (a *Ablation) result(whole bool) Result {
	c := a.choice
	r := Result{Winner: a.winnerID, Small: c.id, Config: c.config.Clone(), Evaluations: a.spent, Done: a.done, Short: a.short(), Loss: c.loss, Gain: c.gain}
	r.Seen = a.evidence.scored(c.id)
	_, _, r.Compared = a.between(c.id, a.winnerID)
	for k, p := range a.params {
		gone, names := a.gone(k)
		if gone {
			r.Reverted = append(r.Reverted, p.Name)
			continue
		}
		r.Reverted = append(r.Reverted, names...)
	}
	singles := a.singles()
	for i, b := range a.differences(c, singles).list {
		k := a.units[singles[i].units[0]].param
		e := Effect{Param: a.params[k].Name, Shown: b.shown(), Evaluations: a.evidence.scored(singles[i].id)}
		switch {
		case !a.exact:
			var measured bool
			b, e.Evaluations, measured = a.beside(singles[i].id)
			e.Untried = !measured
		case a.seenEffects != nil:
			seen, tried := a.seenEffects[k]
			e.Shown, e.Untried = tried && seen.Mean > rounding, !tried
			if tried {
				b, e.Evaluations = seen.Posterior, seen.evaluations
			}
		default:
			e.Untried = !b.Measured
		}
		if !e.Untried {
			e.Difference, e.Lo, e.Hi = b.Mean, b.Lo, b.Hi
		}
		r.Effects = append(r.Effects, e)
	}
	if a.hunks {
		r.Parts = Parts(a.space, a.champion, c.config)
	}
	r.Reason = a.reason(r, whole)
	return r
}

// short reports whether the budget is too small to try anything: for a walk, or for a
// comparison with the winner.
func (a *Ablation) short() bool {
	if a.exact {
		return a.budget < leastWalk
	}
	return a.budget < 2*a.leastPairs()
}

// gone reports whether a parameter's change was reverted completely. If it was reverted
// only in part, gone returns the names of the reverted parts.
func (a *Ablation) gone(param int) (all bool, names []string) {
	units := a.of(param)
	for _, i := range units {
		if a.choice.back[i] {
			names = append(names, a.name(i))
		}
	}
	p := a.params[param]
	now, active := a.choice.config[p.Name]
	if len(names) == len(units) || a.hunks && active && (agent.Config{"": now}).Equal(agent.Config{"": p.base}) {
		return true, nil
	}
	for _, takes := range a.taken[p.Name] {
		names = append(names, shownName(p.Name, takes))
	}
	return !active, names
}

// rationale describes what a tried config reverts.
func (a *Ablation) rationale(config agent.Config) string {
	var names []string
	for _, p := range a.params {
		now, before := config[p.Name], a.winner[p.Name]
		if !(agent.Config{"": now}).Equal(agent.Config{"": before}) {
			names = append(names, p.Name)
		}
	}
	return "undone: " + strings.Join(names, ", ")
}

// reason describes results that the lists of reverted and remaining changes do not show:
// the loss, and the questions that remain open.
func (a *Ablation) reason(r Result, whole bool) string {
	if a.Changes() < 2 {
		return "the winner contains only one change"
	}
	var parts []string
	switch {
	case whole && len(a.bases) == 0:
		return "no change is undone, because too few evaluations were left to compare a reduced variant with the winner"
	case whole:
		parts = append(parts, "no change is undone, because no comparison showed that a reduced variant keeps the gain")
	}
	if a.hunks && r.Small != r.Winner {
		parts = append(parts, fmt.Sprintf("the reduced variant scores no less than the variant found by the search on each of %d search tasks", r.Seen))
	} else if loss, n, ok := a.lossSeen(); ok && r.Small != r.Winner {
		parts = append(parts, fmt.Sprintf("the reduced variant scored %s points [%s, %s] relative to the variant found by the search, with %d evaluations of each",
			text.Points(-loss.Mean), text.Points(-loss.Hi), text.Points(-loss.Lo), n))
	}
	if a.hunks && a.cut {
		parts = append(parts, "the evaluations ran out before every part had been tried on every search task")
	}
	if !r.Done {
		parts = append(parts, "the ablation was cut short")
	}
	untried, unshown := 0, 0
	for _, e := range r.Effects {
		switch {
		case e.Untried:
			untried++
		case e.Lo <= 0:
			unshown++
		}
	}
	switch {
	case untried == 0 && unshown > 0 && a.cut:
		parts = append(parts, "the evaluations ran out before every remaining change was shown to matter by itself")
	case untried > 0 && r.Short && r.Evaluations == 0: // the table of changes states it
	case untried > 0 && r.Evaluations == 0:
		parts = append(parts, "the evaluations of the search were enough to decide which changes to keep")
	case untried > 0:
		parts = append(parts, fmt.Sprintf("the evaluations ran out before %d of the %d remaining changed parameters had been tried alone", untried, len(r.Effects)))
	}
	return strings.Join(parts, "; ")
}

// lossSeen returns the observed loss of the small config relative to the winner, and the
// number of evaluations of each of the two.
func (a *Ablation) lossSeen() (loss Posterior, evaluations int, ok bool) {
	if a.exact {
		return a.choice.loss, a.evidence.scored(a.choice.id), a.seenEffects != nil
	}
	b, n, ok := a.beside(a.winnerID)
	b.Mean, b.Lo, b.Hi = -b.Mean, -b.Hi, -b.Lo
	return b, n, ok
}
