package ablation

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// finerPart is a config without part of a hunk.
type finerPart struct {
	side
	param, takes string
	// key identifies the removed part, independently of the config from which the part is
	// removed.
	key string
}

// pieces holds the configs that result from removing part of a hunk from a config. Each
// config is made only on request, because making one takes a long time and most of them
// are never reached.
type pieces struct {
	attempts []pieceOf
	made     []finerPart
	// times counts equal parts.
	times map[string]int
}

// pieceOf is an attempt to remove a part of the change to a parameter.
type pieceOf struct {
	param agent.Param
	tokens.Attempt
}

// pieces yields the configs that result from removing part of a hunk from a config, in the
// order in which they are tried. It yields none without [Options.Smaller].
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

// piecesOf returns the pieces of a config, some of which may not have been made yet.
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

// more makes the next piece of a config, or returns false if there is none.
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
