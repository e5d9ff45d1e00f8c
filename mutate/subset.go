package mutate

import (
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// changeMembers adds a member to a subset, drops one, or swaps one for another,
// within its bounds, in the order of the declaration.
func changeMembers(p agent.Param, old any, rng *rand.Rand) (any, bool) {
	have, ok := old.([]string)
	if !ok {
		return nil, false
	}
	var absent []string
	for _, m := range p.Of {
		if !slices.Contains(have, m) {
			absent = append(absent, m)
		}
	}
	canDrop, canAdd := len(have) > p.MinItems, len(absent) > 0 && len(have) < most(p)
	canSwap := len(have) > 0 && len(absent) > 0
	// A swap now and then, and where the size is fixed.
	swap := canSwap && (!canDrop && !canAdd || rng.IntN(4) == 0)
	drop := swap || canDrop && (!canAdd || rng.IntN(len(p.Of)) < len(have))
	add := swap || canAdd && !drop
	if !drop && !add {
		return nil, false
	}
	gone, come := "", ""
	if drop {
		gone = have[rng.IntN(len(have))]
	}
	if add {
		come = absent[rng.IntN(len(absent))]
	}
	next := []string{}
	for _, m := range p.Of {
		if in := slices.Contains(have, m); in && !(drop && m == gone) || add && m == come {
			next = append(next, m)
		}
	}
	return next, true
}

// most is the largest size of a subset.
func most(p agent.Param) int {
	if p.MaxItems == 0 {
		return len(p.Of)
	}
	return min(p.MaxItems, len(p.Of))
}
