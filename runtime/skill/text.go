package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

// text returns the text of the skill.
func (g *group) text(triggers []string, steps []general, c Candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Use when the goal speaks of: %s.\n\nSteps:\n", strings.Join(triggers, ", "))
	placeholders := false
	for i, s := range steps {
		fmt.Fprintf(&b, "%d. `%s`", i+1, s.tool)
		for j, a := range s.arguments {
			b.WriteString(map[bool]string{true: " with ", false: ", "}[j == 0])
			switch a.from {
			case literal:
				fmt.Fprintf(&b, "%s = `%s`", a.key, a.value)
			case goal:
				fmt.Fprintf(&b, "%s = <%s> from the goal", a.key, a.key)
			default:
				fmt.Fprintf(&b, "%s = <%s> from the goal and earlier results", a.key, a.key)
			}
			placeholders = placeholders || a.from != literal
		}
		if s.repeated {
			b.WriteString("; as often as needed")
		}
		fmt.Fprintf(&b, ". Expect ok and %s.\n", strings.Join(s.kinds, " or "))
	}
	if placeholders {
		b.WriteString("\nWork out each <placeholder> anew.")
	}
	answers, failed := map[string]bool{}, map[agent.Outcome]int{}
	for _, r := range g.solved {
		answers[kind(r.Answer)] = true
		for o, n := range r.path.failed {
			failed[o] += n
		}
	}
	fmt.Fprintf(&b, "\nThe answer is %s.", strings.Join(slices.Sorted(maps.Keys(answers)), " or "))
	if len(failed) > 0 {
		var kinds []string
		for _, o := range slices.Sorted(maps.Keys(failed)) {
			kinds = append(kinds, fmt.Sprintf("%s (%d)", o, failed[o]))
		}
		fmt.Fprintf(&b, "\nCalls failed on the way: %s; go on with the next step that works.", strings.Join(kinds, ", "))
	}
	fmt.Fprintf(&b, "\nSeen on %d tasks of %d clusters.", c.Solved, c.Clusters)
	return b.String()
}

// kind returns a description of the form of a text, such as "a number" or "JSON".
func kind(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "nothing"
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return "a number"
	}
	if strings.ContainsRune("{[", rune(text[0])) && json.Valid([]byte(text)) {
		return "JSON"
	}
	if strings.Contains(text, "\n") {
		return "several lines"
	}
	return "one line"
}

// name returns a name made from the domain, the tools and a hash of the shape, so the same
// shape always has the same name.
func (g *group) name() string {
	sum := sha256.Sum256([]byte(g.domain + " " + g.shape))
	var parts []string
	for _, s := range g.solved[0].path.steps {
		parts = append(parts, s.tool)
	}
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(strings.TrimLeft(g.domain, "_")+"-"+strings.Join(parts, "-")))
	return strings.TrimLeft(word[:min(len(word), 60)], "-_0123456789") + "-" + hex.EncodeToString(sum[:4])
}
