package operator

import (
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// changeMembers adds a member to a subset, drops one, or swaps one for another, within the
// bounds on the subset's size; members stay in the order of declaration.
func changeMembers(p agent.Param, old any, _ float64, rng *rand.Rand) (any, bool) {
	have, ok := old.([]string)
	if !ok {
		return nil, false
	}
	absent := without(p.Of, have)
	canDrop, canAdd := len(have) > p.MinItems, len(absent) > 0 && len(have) < most(p)
	canSwap := len(have) > 0 && len(absent) > 0
	// Swap in a quarter of the cases, and always if the size is fixed.
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
	return members(p, func(m string) bool {
		return add && m == come || slices.Contains(have, m) && !(drop && m == gone)
	}), true
}

// members returns the members of the subset that in(member) selects, in the order of
// declaration.
func members(p agent.Param, in func(string) bool) []string {
	out := []string{}
	for _, m := range p.Of {
		if in(m) {
			out = append(out, m)
		}
	}
	return out
}

// most returns the maximum number of members of a subset.
func most(p agent.Param) int {
	if p.MaxItems == 0 {
		return len(p.Of)
	}
	return min(p.MaxItems, len(p.Of))
}

// without returns the elements of the first list (all) that are not in the second (some).
func without(all, some []string) []string {
	var out []string
	for _, m := range all {
		if !slices.Contains(some, m) {
			out = append(out, m)
		}
	}
	return out
}
