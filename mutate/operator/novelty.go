package operator

import (
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// RevivalLimit is the largest share of a change that may restore parts that its lineage
// gave up. A change with a larger share is refused.
const RevivalLimit = 0.5

// Refuse returns the reason why a child is not new enough, or lengthens a text too much in
// one change; refused is false if there is no such reason. A reset restores values on
// purpose and is never refused.
func Refuse(s FailureContext, c Child) (reason string, refused bool) {
	if c.Operator == Reset {
		return "", false
	}
	if why := overlong(s.Space, s.Parent, c.Config); why != "" {
		return why, true
	}
	share, back := Revival(s.Space, s.Parent, c.Config, s.Lineage)
	if share <= RevivalLimit {
		return "", false
	}
	return fmt.Sprintf("%.0f %% of the change restores what its lineage had removed: %s", 100*share, strings.Join(back, ", ")), true
}

// Revival returns the share, in [0,1], of the change from parent to child that restores
// parts that the lineage once had and the parent lacks. Parts are the lines of texts and
// the members of subsets; any other value is a single part. A line or member that replaces
// another counts once. Revival also returns the names of the restored parts. If nothing
// changed, it returns 0.
func Revival(space agent.Space, parent, child agent.Config, lineage []agent.Config) (share float64, back []string) {
	size := 0
	for _, p := range space.Params {
		before, after := parts(p, parent[p.Name]), parts(p, child[p.Name])
		came, went := without(after, before), without(before, after)
		size += max(len(came), len(went))
		for _, part := range came {
			if slices.ContainsFunc(lineage, func(c agent.Config) bool { return slices.Contains(parts(p, c[p.Name]), part) }) {
				back = append(back, p.Name+" "+part)
			}
		}
	}
	if size == 0 {
		return 0, nil
	}
	return float64(len(back)) / float64(size), back
}

// parts returns the parts of a value: lines, members, or the value itself.
func parts(p agent.Param, v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return v
	case string:
		if p.Kind != agent.Text {
			break
		}
		var out []string
		for _, l := range SplitLines(v) {
			if l = strings.TrimSpace(l); l != "" && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
		return out
	}
	return []string{formatValue(v)}
}
