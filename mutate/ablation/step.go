package ablation

import (
	"slices"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// step decides what comes next; everything asked for has been told.
func (a *Ablation) step() {
	switch {
	case a.phase == opening && a.exact:
		a.open()
	case a.phase == opening:
		a.screen()
	case a.phase == screening:
		a.choose()
	case a.phase == measuring:
		a.phase = finished
	case a.probe != nil:
		a.look()
	default:
		a.next()
	}
}

// open sees winner and champion on all tasks when each can be known exactly.
func (a *Ablation) open() {
	if len(a.groups) > 0 {
		trials := a.lacking(a.spots, a.sides())
		if len(trials) > 0 && len(trials) <= a.room() {
			a.queue = trials
			return
		}
		a.deciding = slices.Clone(a.spots)
		a.evidence.telling(a.deciding, a.winnerID, a.championID)
	}
	a.phase = grouping
}

// room is what may still be asked for while groups are tried.
func (a *Ablation) room() int { return int(groupShare*float64(a.budget)) - a.spent }

// leastSpots is the least number of spots on which a config takes the winner's place.
const leastSpots = 8

// next starts to try the next group that can be tried.
func (a *Ablation) next() {
	for len(a.groups) > 0 {
		back := a.back.with(a.groups[0]...)
		config, ok := a.setBack(back)
		if !ok || config.ID() == a.championID {
			a.split() // nothing would be left, or nothing that may be
			continue
		}
		p := &probe{back: back, config: config, id: config.ID()}
		if p.id == a.smallID { // nothing of it is active any more
			a.back, a.groups = back, a.groups[1:]
			continue
		}
		share := a.room()
		if !a.exact && len(a.groups[0]) > 1 {
			share /= 2 // half is for less, if this is too much
		}
		p.spots = a.affordable(share, append(a.sides(), p.side()))
		if enough := min(leastSpots, len(a.deciding)); len(p.spots) < enough || a.exact && len(p.spots) < len(a.deciding) {
			a.cut = true
			break
		}
		a.probe = p
		a.tests++
		return
	}
	a.measure()
}

// look rules on the probe as far as it was seen, or sees more of it.
func (a *Ablation) look() {
	p, r := a.probe, undecided
	last := p.seen == len(p.spots)
	switch {
	case a.exact:
		r = a.ruleExactly(p.id, p.spots, last)
	case p.seen > 0:
		r = a.rule(p.id, p.spots[:p.seen], last)
	}
	switch r {
	case acceptable:
		a.back, a.small, a.smallID = p.back, p.config, p.id
		a.groups, a.probe = a.groups[1:], nil
	case refused:
		a.probe = nil
		a.split()
	case undecided:
		// An agent without chance is seen in quarters, another in halves: what is hopeless
		// is not seen to its end.
		parts := 2
		if a.exact {
			parts = 4
		}
		from := p.seen
		p.seen = min(len(p.spots), from+(len(p.spots)+parts-1)/parts)
		a.queue = a.lacking(p.spots[from:p.seen], append(a.sides(), p.side()))
	}
}

// split goes on with less than the first group: both halves of it, or, where it was chosen
// by the screening, the half that seems to matter less. A single unit stays.
func (a *Ablation) split() {
	g, rest := a.groups[0], a.groups[1:]
	a.groups = nil
	if half := (len(g) + 1) / 2; len(g) > 1 {
		a.groups = append(a.groups, g[:half])
		if a.exact {
			a.groups = append(a.groups, g[half:])
		}
	}
	a.groups = append(a.groups, rest...)
}

// measure compares what is left with what is left less one parameter, for each, at as many
// spots as the rest of the budget pays for.
func (a *Ablation) measure() {
	a.phase = measuring
	sides := []side{{a.smallID, a.small}}
	for k, p := range a.params {
		config, ok := a.setBack(a.back.with(a.of(k)...))
		if id := config.ID(); ok && id != a.smallID {
			a.single = append(a.single, single{p.Name, config, id})
			sides = append(sides, side{id, config})
		}
	}
	a.deciding = a.spots // an estimate wants no chosen tasks
	spots := a.affordable(a.budget-a.spent, sides)
	a.measured = len(spots)
	a.queue = a.lacking(spots, sides)
}

// side is a config that is compared.
type side struct {
	id     agent.ConfigID
	config agent.Config
}

// sides are winner and champion.
func (a *Ablation) sides() []side {
	return []side{{a.winnerID, a.winner}, {a.championID, a.champion}}
}

func (p *probe) side() side { return side{p.id, p.config} }

// affordable lists the first spots at which the sides can be compared for a number of
// evaluations.
func (a *Ablation) affordable(evaluations int, sides []side) []spot {
	for n, at := range a.deciding {
		for _, s := range sides {
			if !a.evidence.has(s.id, at) {
				evaluations--
			}
		}
		if evaluations < 0 {
			return a.deciding[:n]
		}
	}
	return a.deciding
}

// lacking are the trials of the sides at the spots that nobody has made.
func (a *Ablation) lacking(spots []spot, sides []side) []mutate.Trial {
	var out []mutate.Trial
	for _, at := range spots {
		for _, s := range sides {
			if a.evidence.has(s.id, at) {
				continue
			}
			t := mutate.Trial{
				Variant: s.id, Config: s.config.Clone(), Task: a.tasks[at.task].ID, Repeat: at.repeat, Stage: bench.StageAblate,
			}
			if s.id != a.winnerID && s.id != a.championID {
				t.Parents, t.Operator, t.Rationale = []agent.ConfigID{a.winnerID}, Operator, a.story(s.config)
			}
			out = append(out, t)
		}
	}
	return out
}

// Operator names what makes the configs that are tried.
const Operator = "ablation"
