package ablation

import (
	"slices"

	"evolve/mutate/operator"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// unit is the smallest part of a change that can be reverted separately: a parameter, a
// member of a subset, or a line or hunk of a text.
type unit struct {
	param int // index into change.params
	// part describes the part of the parameter that the unit covers; it is empty if the
	// unit is the whole parameter.
	part string
	// member is the member that was added to or removed from a subset.
	member string
	// edits are the indices of edits to a text: a single edit, or the edits in a hunk.
	edits []int
}

// change is the difference between the champion and the winner.
type change struct {
	space            agent.Space
	champion, winner agent.Config
	params           []changed
	units            []unit
	// hunks reports whether texts are reverted in whole hunks rather than in single edits.
	hunks bool
	made  map[string]madeConfig
}

// changed is a parameter whose value differs between the champion and the winner.
type changed struct {
	agent.Param
	// base is the value to which the parameter is reverted: the champion's value, or the
	// default if the parameter is not active in the champion.
	base any
	// edits convert the base into the winner's text. They are nil if the lines cannot be
	// reverted separately.
	edits []edit
}

// whole reports whether a parameter can be reverted only as a whole.
func (c changed) whole() bool { return c.Kind != agent.Subset && c.edits == nil || c.fixedSize() }

// fixedSize reports whether the parameter is a subset of fixed size, whose members
// therefore cannot be reverted separately.
func (c changed) fixedSize() bool {
	most := c.MaxItems
	if most == 0 {
		most = len(c.Of)
	}
	return c.Kind == agent.Subset && c.MinItems == most
}

// newChange returns the change from the champion to the winner, both of which are
// canonical configs. A parameter that is absent from the winner because another parameter
// deactivated it is not part of the change, because reverting the other parameter
// restores it.
func newChange(space agent.Space, champion, winner agent.Config, hunks bool) change {
	c := change{space: space, champion: champion, winner: winner, hunks: hunks, made: map[string]madeConfig{}}
	for _, p := range space.Params {
		now, ok := winner[p.Name]
		if !ok {
			continue
		}
		base, ok := champion[p.Name]
		if !ok {
			base = p.Default
		}
		if (agent.Config{"": base}).Equal(agent.Config{"": now}) {
			continue
		}
		k := len(c.params)
		d := changed{Param: p, base: base}
		if p.Kind == agent.Text {
			most := mostEdits
			switch {
			case hunks:
				most = 2 * longest
			case operator.Demonstrates(p):
				most = 2 * operator.MostDemonstrations // demonstrations are whole lines
			}
			d.edits = editsOf(base, now, most)
		}
		c.params = append(c.params, d)
		switch {
		case d.edits != nil && hunks:
			for _, h := range hunksOf(d.edits) {
				c.units = append(c.units, unit{param: k, part: shownHunk(d.edits, h), edits: h})
			}
		case d.edits != nil:
			for i, e := range d.edits {
				if e.changes() {
					c.units = append(c.units, unit{param: k, part: e.String(), edits: []int{i}})
				}
			}
		case d.whole():
			c.units = append(c.units, unit{param: k})
		default:
			old, new := members(base), members(now)
			for _, m := range p.Of {
				switch {
				case slices.Contains(new, m) && !slices.Contains(old, m):
					c.units = append(c.units, unit{param: k, part: "+ " + m, member: m})
				case slices.Contains(old, m) && !slices.Contains(new, m):
					c.units = append(c.units, unit{param: k, part: "− " + m, member: m})
				}
			}
		}
	}
	return c
}

// demonstrates reports whether the change includes a change to demonstrations.
func (c change) demonstrates() bool {
	return slices.ContainsFunc(c.params, func(p changed) bool { return operator.Demonstrates(p.Param) })
}

func members(v any) []string {
	list, _ := v.([]string)
	return list
}

// setBack returns the canonical config that is the winner with some units reverted. It
// returns false if the combination is invalid in the space, for example because a list
// would be too long or too short, or because a text would contain a moved line twice.
func (c change) setBack(back set) (agent.Config, bool) {
	key := make([]byte, len(c.units))
	for i := range back {
		key[i] = 1
	}
	if made, ok := c.made[string(key)]; ok {
		return made.config, made.ok
	}
	config, ok := c.setBackNew(back)
	c.made[string(key)] = madeConfig{config, ok}
	return config, ok
}

// madeConfig is a cached result of setBack.
type madeConfig struct {
	config agent.Config
	ok     bool
}

func (c change) setBackNew(back set) (agent.Config, bool) {
	out := c.winner.Clone()
	for name, v := range c.champion {
		if _, ok := out[name]; !ok {
			out[name] = v
		}
	}
	for k, p := range c.params {
		v, touched := c.value(k, p, back)
		if !touched {
			continue
		}
		v, err := p.Coerce(v)
		if err != nil || !c.hunks && operator.Repeats(p.base, c.winner[p.Name], v) {
			return nil, false
		}
		out[p.Name] = v
	}
	return c.space.Canonical(out), true
}

// value returns the value that a parameter has once a set of units is reverted, and whether
// any of these units belongs to the parameter.
func (c change) value(k int, p changed, back set) (any, bool) {
	now, touched := c.winner[p.Name], false
	list := slices.Clone(members(now))
	gone := map[int]bool{}
	for i, u := range c.units {
		if u.param != k || !back[i] {
			continue
		}
		touched = true
		switch at := slices.Index(list, u.member); {
		case p.edits != nil:
			for _, e := range u.edits {
				gone[e] = true
			}
		case p.whole():
			now = p.base
		case at >= 0:
			list = slices.Delete(list, at, at+1)
		default:
			list = append(list, u.member)
		}
	}
	switch {
	case p.edits != nil:
		return render(p.edits, gone), touched
	case p.whole():
		return now, touched
	}
	return list, touched
}

// all returns all units.
func (c change) all() []int {
	out := make([]int, len(c.units))
	for i := range out {
		out[i] = i
	}
	return out
}

// of returns the indices of a parameter's units.
func (c change) of(param int) []int {
	var out []int
	for i, u := range c.units {
		if u.param == param {
			out = append(out, i)
		}
	}
	return out
}

// shownPart is the maximum length of a displayed demonstration or hunk, in characters.
const shownPart = 120

// name returns the display name of a unit.
func (c change) name(i int) string {
	u := c.units[i]
	name := c.params[u.param].Name
	if u.part == "" {
		return name
	}
	if c.hunks || operator.Demonstrates(c.params[u.param].Param) {
		return shownName(name, u.part)
	}
	return name + " " + u.part
}

// shownName returns the name of a part of a parameter, shortened.
func shownName(param, part string) string {
	return param + " " + text.Clip(part, shownPart, text.Runes, text.Mark)
}

// set is a set of units, by index.
type set map[int]bool

func (s set) with(units ...int) set {
	out := make(set, len(s)+len(units))
	for i := range s {
		out[i] = true
	}
	for _, i := range units {
		out[i] = true
	}
	return out
}
