package operator

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
)

const (
	// leastGrowth is the number of characters by which any change may lengthen a text; a
	// text that is already longer than this may double in length.
	leastGrowth = 800
	// PricePerChar is the gain in score that each further character of a free text must
	// bring: 2,000 characters must bring one point. Of two configs with equal scores, the
	// shorter one wins.
	PricePerChar = 0.01 / 2000
)

// overlong returns the reason why a change lengthens a text more than one change may: too
// much growth, a repeated line, or too many demonstrations. It returns "" if there is no
// such reason.
func overlong(space agent.Space, parent, child agent.Config) string {
	for _, p := range space.Params {
		before, _ := parent[p.Name].(string)
		after, active := child[p.Name].(string)
		if p.Kind != agent.Text || !active || before == after {
			continue
		}
		if Demonstrates(p) {
			if n := len(demonstrationLines(after)); n > max(MostDemonstrations, len(demonstrationLines(before))) {
				return fmt.Sprintf("%s has %d demonstrations, but at most %d are allowed", p.Name, n, MostDemonstrations)
			}
		} else if was, is := utf8.RuneCountInString(before), utf8.RuneCountInString(after); is-was > max(leastGrowth, was) {
			return fmt.Sprintf("%s grows by %d characters in one change, but at most %d are allowed", p.Name, is-was, max(leastGrowth, was))
		}
		if Repeats(before, before, after) {
			return fmt.Sprintf("%s contains the same line twice", p.Name)
		}
	}
	return ""
}

// Repeats reports whether text repeats a line although neither a nor b repeats that line.
func Repeats(a, b, text any) bool {
	t, ok := text.(string)
	if !ok {
		return false
	}
	first, _ := a.(string)
	second, _ := b.(string)
	line := repeated(t)
	return line != "" && line != repeated(first) && line != repeated(second)
}

// repeated returns the first line of a text that has at least four characters and occurs
// a second time, or "" if there is none. Spaces around lines are ignored.
func repeated(text string) string {
	var seen []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) < 4 { // a bracket, a rule, or a blank line
			continue
		}
		if slices.Contains(seen, line) {
			return line
		}
		seen = append(seen, line)
	}
	return ""
}
