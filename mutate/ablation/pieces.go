package ablation

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// finerPart is a config without a part of a hunk.
type finerPart struct {
	side
	param, takes string
	// key identifies the part among those of other configs.
	key string
}

// pieces are the configs without a part of a hunk of a config. They are made when they are
// asked for, since making one takes long and most are not reached.
type pieces struct {
	attempts []pieceOf
	made     []finerPart
	// times counts equal parts.
	times map[string]int
}

// pieceOf is an attempt at a part of a parameter.
type pieceOf struct {
	param agent.Param
	tokens.Attempt
}

// pieces yields the configs without a part of a hunk of a config, in the order of trial; none
// without [Options.Smaller].
func (a *Ablation) pieces(config agent.Config) iter.Seq[finerPart] {
	return func(yield func(finerPart) bool) {
		if a.smaller == nil {
			return
		}
		list := a.piecesOf(config)
		for k := 0; k < len(list.made) || a.more(config, list); k++ {
			if !yield(list.made[k]) {
				return
			}
		}
	}
}

// piecesOf returns the pieces of a config, which may not be made yet.
func (a *Ablation) piecesOf(config agent.Config) *pieces {
	of := config.ID()
	if out, ok := a.madeFiner[of]; ok {
		return out
	}
	out := &pieces{times: map[string]int{}}
	for _, p := range a.params {
		base, ok := p.base.(string)
		if _, active := config[p.Name]; !ok || !active || p.Kind != agent.Text {
			continue
		}
		for _, attempt := range a.smaller(p.Name, base, config.String(p.Name)) {
			out.attempts = append(out.attempts, pieceOf{p.Param, attempt})
		}
	}
	slices.SortStableFunc(out.attempts, func(x, y pieceOf) int { return cmp.Compare(x.Order, y.Order) })
	a.madeFiner[of] = out
	return out
}

// more makes the next piece of a config; false if there is none.
func (a *Ablation) more(config agent.Config, list *pieces) bool {
	for len(list.attempts) > 0 {
		next := list.attempts[0]
		list.attempts = list.attempts[1:]
		piece, ok := next.Make()
		if !ok {
			continue
		}
		v, err := next.param.Coerce(piece.Text)
		if err != nil {
			continue
		}
		part := config.Clone()
		part[next.param.Name] = v
		part = a.space.Canonical(part)
		if id := part.ID(); id != a.championID && id != config.ID() {
			key := next.param.Name + "\x00" + piece.Takes
			list.made = append(list.made, finerPart{side{id: id, config: part}, next.param.Name, piece.Takes, fmt.Sprint(key, "\x00", list.times[key])})
			list.times[key]++
			return true
		}
	}
	return false
}
