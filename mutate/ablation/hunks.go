package ablation

import (
	"strings"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// mostHunks is the maximum number of hunks in one text; if there are more, neighbouring
// hunks are joined.
const mostHunks = 12

// hunksOf returns the indices of the edits in each hunk. A hunk consists of consecutive
// changed lines. If there are more than mostHunks, neighbouring hunks are joined.
func hunksOf(edits []edit) [][]int {
	var out [][]int
	for i, e := range edits {
		switch {
		case !e.changes():
		case i > 0 && edits[i-1].changes():
			out[len(out)-1] = append(out[len(out)-1], i)
		default:
			out = append(out, []int{i})
		}
	}
	if each := (len(out) + mostHunks - 1) / mostHunks; each > 1 {
		var joined [][]int
		for i, h := range out {
			if i%each == 0 {
				joined = append(joined, nil)
			}
			joined[len(joined)-1] = append(joined[len(joined)-1], h...)
		}
		out = joined
	}
	return out
}

// shownHunk describes a hunk by its removed and its added lines.
func shownHunk(edits []edit, hunk []int) string {
	var removed, added []string
	for _, i := range hunk {
		if e := edits[i]; e.wasThere {
			removed = append(removed, strings.TrimSpace(e.old))
		}
		if e := edits[i]; e.here {
			added = append(added, strings.TrimSpace(e.now))
		}
	}
	var parts []string
	if len(removed) > 0 {
		parts = append(parts, "− "+strings.Join(removed, "; "))
	}
	if len(added) > 0 {
		parts = append(parts, "+ "+strings.Join(added, "; "))
	}
	return strings.Join(parts, " ")
}

// line returns the line of the champion's text, counted from 1, at which a unit begins; 0
// if the unit is not part of a text.
func (c change) line(i int) int {
	u := c.units[i]
	if len(u.edits) == 0 {
		return 0
	}
	line := 1
	for _, e := range c.params[u.param].edits[:u.edits[0]] {
		if e.wasThere {
			line++
		}
	}
	return line
}

// exactly is for an agent without randomness: it sets the choice based on all evidence.
// It returns the trials to ask for next, or none if there is nothing left to try.
func (a *Ablation) exactly(left int) []mutate.Trial {
	if a.hunks {
		return a.hunked(left)
	}
	return a.walk(left)
}

// hunked does for hunks what walk does for other units, but it removes a part only if no
// task has a lower score without it. It tries one task after another, because most parts
// that matter show a loss on the first task. Then it tries to remove parts smaller than
// hunks. With the remaining evaluations, it tries each remaining part alone, and then the
// choice without that part, on as many tasks as the budget allows for all of these
// configs.
func (a *Ablation) hunked(left int) []mutate.Trial {
	a.seenEffects, a.cut = nil, false
	a.choice = choice{back: set{}, config: a.winner, id: a.winnerID, loss: Posterior{Measured: true}}
	if trials := a.lacking(a.base, a.ends()); len(trials) > 0 {
		return trials[:min(left, len(trials))]
	}
	var spots []spot
	for _, at := range a.base {
		if score, ok := a.evidence.score(a.winnerID, at); ok && score > 0 {
			spots = append(spots, at)
		}
	}
	if len(spots) == 0 {
		return nil
	}
	if trials := a.dropHunks(spots, left); len(trials) > 0 {
		return trials
	}
	if trials := a.refine(spots, left); len(trials) > 0 {
		return trials
	}
	a.choice.gain = a.difference(a.choice.id, a.championID, spots)
	a.wholeEffects(spots)
	// The hunks of the remaining change can differ from those of the winner's change.
	small := newChange(a.space, a.champion, a.choice.config, true)
	var alone, without []side
	for i := range small.units {
		if s, ok := small.alone(i); ok {
			alone = append(alone, s)
		}
		if s, ok := small.without(i); ok {
			without = append(without, s)
		}
	}
	for _, sides := range [][]side{alone, without} {
		if trials := a.together(spots, sides, left); len(trials) > 0 {
			return trials
		}
	}
	return nil
}

// dropHunks sets the choice to the winner without the hunks that have no effect. If it
// first needs evaluations, it returns their trials.
func (a *Ablation) dropHunks(spots []spot, left int) []mutate.Trial {
	for before := -1; before != len(a.choice.back); {
		before = len(a.choice.back)
		for i := range a.units {
			if a.choice.back[i] {
				continue
			}
			back := a.choice.back.with(i)
			config, ok := a.setBack(back)
			if !ok || config.ID() == a.championID {
				continue
			}
			same, lack := a.alike(config.ID(), spots)
			switch tried := len(spots) - len(lack); {
			case !same:
				continue
			case len(lack) > 0 && left == 0:
				a.cut = true
				continue
			case len(lack) > 0:
				return a.lacking(lack[:min(max(1, tried), len(lack), left)], []side{{config.ID(), config, back}})
			}
			a.choice.back, a.choice.config, a.choice.id = back, config, config.ID()
		}
	}
	return nil
}

// alike reports whether a config scores no less than the winner at every spot where the
// config was tried, and returns the spots where it was not tried.
func (a *Ablation) alike(id agent.ConfigID, spots []spot) (same bool, lack []spot) {
	for _, at := range spots {
		if !a.evidence.has(id, at) {
			lack = append(lack, at)
			continue
		}
		score, ok := a.evidence.score(id, at)
		if won, _ := a.evidence.score(a.winnerID, at); !ok || score < won-rounding {
			return false, nil
		}
	}
	return true, lack
}

// together returns the next trials of several configs: one spot after another, as long as
// the budget allows evaluations of all of the configs at the spot. A config that scored 0
// or was evaluated without a score at any spot, for example because its code does not
// compile, is not tried again.
func (a *Ablation) together(spots []spot, sides []side, left int) []mutate.Trial {
	for _, at := range spots {
		var valid []side
		for _, s := range sides {
			if !a.failed(s.id, spots) {
				valid = append(valid, s)
			}
		}
		if trials := a.lacking([]spot{at}, valid); len(trials) > left {
			a.cut = true
			return nil
		} else if len(trials) > 0 {
			return trials
		}
	}
	return nil
}

// failed reports whether there is a spot at which a config scored 0 or was evaluated
// without a score.
func (a *Ablation) failed(id agent.ConfigID, spots []spot) bool {
	for _, at := range spots {
		if score, ok := a.evidence.score(id, at); a.evidence.has(id, at) && (!ok || score <= 0) {
			return true
		}
	}
	return false
}

// alone returns the champion with only part i of the change, or false if that config is
// invalid or equals the champion or the winner.
func (c change) alone(i int) (side, bool) {
	back := set{}.with(c.all()...)
	delete(back, i)
	return c.part(back)
}

// without returns the winner without part i of the change, or false if that config is
// invalid, the champion or the winner.
func (c change) without(i int) (side, bool) { return c.part(set{i: true}) }

func (c change) part(back set) (side, bool) {
	config, ok := c.setBack(back)
	if !ok {
		return side{}, false
	}
	id := config.ID()
	return side{id, config, back}, id != c.winner.ID() && id != c.champion.ID()
}

// wholeEffects sets the effect of each parameter that stays, if the choice without that
// parameter's change was evaluated. If there is only one block, the choice without its
// change is the champion.
func (a *Ablation) wholeEffects(spots []spot) {
	a.seenEffects = map[int]seenEffect{}
	for k := range a.params {
		config, ok := a.withoutParam(k)
		if n := a.evidence.scored(config.ID()); ok && n > 0 {
			a.seenEffects[k] = seenEffect{a.difference(a.choice.id, config.ID(), spots), n}
		}
	}
}

// withoutParam returns the choice without the change to a parameter, or false if that
// config is invalid or is the choice itself.
func (a *Ablation) withoutParam(k int) (agent.Config, bool) {
	p := a.params[k]
	if !a.hunks {
		config, ok := a.setBack(a.choice.back.with(a.of(k)...))
		return config, ok && config.ID() != a.choice.id
	}
	config := a.choice.config.Clone()
	config[p.Name] = p.base
	config = a.space.Canonical(config)
	return config, config.ID() != a.choice.id
}

// Parts returns the parts of a change to source code, which are its hunks and the changed
// parameters that are not texts, in the order of the space. It returns none for a change
// with only one part, or for a version that is not in the space.
func Parts(space agent.Space, champion, version agent.Config) []Part {
	from, problems := space.Parse(champion)
	if len(problems) > 0 {
		return nil
	}
	to, problems := space.Parse(version)
	if len(problems) > 0 {
		return nil
	}
	c := newChange(space, from, to, true)
	if len(c.units) < 2 {
		return nil
	}
	out := make([]Part, len(c.units))
	for i := range c.units {
		out[i].Name, out[i].Param, out[i].Line = c.name(i), c.params[c.units[i].param].Name, c.line(i)
		if s, ok := c.alone(i); ok {
			out[i].Alone = s.id
		}
		if s, ok := c.without(i); ok {
			out[i].Without = s.id
		}
	}
	return out
}
