package experience

import (
	"fmt"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Wanted returns the feedback that applies to a use of any tool, for programs that choose
// their tools themselves: prohibitions first, then other feedback, each with the newest
// first. Of the entries that match a tool, the first is the one by which
// [Experience.Weigh] changes the tool's score.
func (e *Experience) Wanted(use Use) []agent.Feedback {
	var out []agent.Feedback
	for _, s := range e.standing(use) {
		if s.stands {
			out = append(out, agent.Feedback{ID: s.ID, Action: string(s.Action), Tool: s.Tool, With: s.With, Factor: s.Action.factor()})
		}
	}
	slices.SortStableFunc(out, func(a, b agent.Feedback) int {
		return rank(a.Factor) - rank(b.Factor)
	})
	return out
}

// rank returns the sort key of a factor: prohibitions precede other feedback.
func rank(factor float64) int {
	if factor == 0 {
		return 0
	}
	return 1
}

// forbiddenBy returns the id of the feedback that forbids a use of a tool, or "" if there
// is none.
func (e *Experience) forbiddenBy(use Use) string {
	effects := e.effects(use, noHistory)
	if len(effects) == 0 || effects[0].Factor != 0 {
		return ""
	}
	return effects[0].Feedback
}

// Violations describes a turn's calls to tools that feedback forbade, with one text per
// tool, in the order of the calls. A call that was denied is not a violation.
func (e *Experience) Violations(t Turn) []string {
	var tools []string
	calls, by := map[string]int{}, map[string]string{}
	for _, c := range t.Calls {
		if c.Outcome == agent.Denied {
			continue
		}
		if id := e.forbiddenBy(t.use(c)); id != "" {
			if calls[c.Tool]++; calls[c.Tool] == 1 {
				tools, by[c.Tool] = append(tools, c.Tool), id
			}
		}
	}
	for i, name := range tools {
		tools[i] = fmt.Sprintf("%s despite feedback %s, which forbids the tool %s", text.Count(calls[name], "call"), by[name], named(name))
	}
	return tools
}

// Ignored returns the number of turns with a call to a tool that earlier feedback forbade,
// and the number of these calls. A call that was denied does not count.
func (e *Experience) Ignored(turns []Turn) (inTurns, calls int) {
	for _, t := range turns {
		then := *e
		then.Feedback = slices.DeleteFunc(slices.Clone(e.Feedback), func(f Feedback) bool { return f.Time.After(t.Time) })
		n := 0
		for _, c := range t.Calls {
			if c.Outcome != agent.Denied && then.forbiddenBy(t.use(c)) != "" {
				n++
			}
		}
		if calls += n; n > 0 {
			inTurns++
		}
	}
	return inTurns, calls
}
