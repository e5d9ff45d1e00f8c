package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// merge applies to Parent the changes that lead from Ancestor to Other.
type merge struct{}

func (merge) Name() string { return "merge" }

func (o merge) Make(s FailureContext, _ *rand.Rand) (Child, bool) {
	if s.Other == nil || s.Ancestor == nil {
		return Child{}, false
	}
	c, conflicts := Merge(s.Space, s.Parent, s.Other, s.Ancestor)
	if same(c, s.Parent) || same(c, s.Other) {
		return Child{}, false
	}
	var told []string
	for _, p := range s.Space.Params {
		if v, ok := c[p.Name]; ok && !equal(v, s.Parent[p.Name]) {
			told = append(told, describeChange(p.Name, s.Parent[p.Name], v))
		}
	}
	if len(told) == 0 {
		told = []string{"some parameters were switched off"}
	}
	why := fmt.Sprintf("what %s changed since %s: %s", s.Other.ID().Short(), s.Ancestor.ID().Short(), strings.Join(told, " · "))
	if len(conflicts) > 0 {
		why += "; both changed " + strings.Join(conflicts, ", ")
	}
	return Child{Config: c, Operator: o.Name(), Rationale: why, Both: true}, true
}

// Merge performs a three-way merge of two configs with their common ancestor, parameter
// by parameter. A change made by only one of them is applied. Subsets are merged by
// members and texts by lines. If both changed the same thing, the parent's change is
// used, and the conflict is listed, worded to follow "both changed". Without conflicts
// the result does not depend on which config is the parent. All three configs must be
// canonical in the space; none is changed.
func Merge(space agent.Space, parent, other, ancestor agent.Config) (agent.Config, []string) {
	c := make(agent.Config, len(parent))
	conflicts := map[string]string{}
	for _, p := range space.Params {
		v, conflict := mergeValue(p, parent[p.Name], other[p.Name], ancestor[p.Name])
		if v != nil {
			c[p.Name] = clone(v)
		}
		if conflict != "" {
			conflicts[p.Name] = conflict
		}
	}
	c = Canonical(space, c)
	var told []string
	for _, p := range space.Params {
		if _, active := c[p.Name]; active && conflicts[p.Name] != "" {
			told = append(told, p.Name+" ("+conflicts[p.Name]+")")
		}
	}
	return c, told
}

const parentHasIt = "as in the parent"

// mergeValue merges one parameter. A present value takes precedence over the absent value
// of an inactive parameter.
func mergeValue(p agent.Param, a, b, old any) (v any, conflict string) {
	switch {
	case a == nil:
		return b, ""
	case b == nil, equal(a, b), equal(b, old):
		return a, ""
	case equal(a, old):
		return b, ""
	case p.Kind == agent.Subset:
		return mergeMembers(p, a, b, old)
	case p.Kind == agent.Text:
		if text, ok := old.(string); ok {
			return mergeTexts(p, a.(string), b.(string), text)
		}
	}
	return a, parentHasIt
}

// mergeMembers returns the members that both subsets kept and those that either of them
// added.
func mergeMembers(p agent.Param, a, b, old any) (any, string) {
	mine, _ := a.([]string)
	theirs, _ := b.([]string)
	was, _ := old.([]string)
	if old == nil {
		return a, parentHasIt
	}
	merged := members(p, func(m string) bool {
		in, also, before := slices.Contains(mine, m), slices.Contains(theirs, m), slices.Contains(was, m)
		if before {
			return in && also
		}
		return in || also
	})
	if len(merged) < p.MinItems || len(merged) > most(p) {
		return a, parentHasIt + ", because min and max leave no room for both"
	}
	return merged, ""
}
