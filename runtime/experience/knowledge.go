package experience

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/text"
)

const (
	// shownTools is the number of tools that a text names as working, and as failing.
	shownTools = 5
	// worksFrom and failsBelow are the success rates of calls from which a tool is named as
	// working and below which as failing.
	worksFrom, failsBelow = .8, .5
	// maxCause is the length of a failure's cause in a text, in characters.
	maxCause = 120
)

// KnowledgeText describes what the agent has shown in a domain: its competence, its turns,
// and the tools and methods that work (at least .8 of the calls) and fail (less than .5)
// there, five of each by calls, in at most 4,000 bytes. Tools are those of all domains where
// the domain has no calls, and for [Global] and an empty domain. It returns false if the
// domain has neither turns nor calls.
func (e *Experience) KnowledgeText(domain string) (string, bool) {
	domain = domainOrGlobal(domain)
	competence, capsules := e.competence(domain), e.capsulesIn(domain)
	if competence == nil && len(capsules) == 0 {
		return "", false
	}
	var b strings.Builder
	if c := competence; c != nil {
		fmt.Fprintf(&b, "Competence in %s: %.2f (from .1 to 1; .5 without history), after %s, %d of them successful and %d corrected by people.\n",
			name(domain), c.Score, counted(c.Turns, "turn"), c.Successes, c.Corrected)
	}
	where := "here"
	if domain == Global {
		where = "in all domains"
	} else if len(capsules) == 0 {
		capsules, where = e.capsulesIn(Global), "in all domains, as none was called here"
	}
	for _, group := range []struct {
		title string
		in    func(rate float64) bool
	}{
		{"Tools that work", func(rate float64) bool { return rate >= worksFrom }},
		{"Tools that fail", func(rate float64) bool { return rate < failsBelow }},
	} {
		var some []Capsule
		for _, c := range capsules {
			if group.in(float64(c.Success()) / float64(c.Calls)) {
				some = append(some, c)
			}
		}
		if len(some) == 0 {
			continue
		}
		slices.SortStableFunc(some, func(x, y Capsule) int { return cmp.Compare(y.Calls, x.Calls) })
		fmt.Fprintf(&b, "%s %s:\n", group.title, where)
		for _, c := range some[:min(len(some), shownTools)] {
			b.WriteString(toolLine(c))
		}
	}
	return text.Clip(b.String(), maxText, text.Ellipsis), true
}

// capsulesIn returns the capsules of a domain that have calls.
func (e *Experience) capsulesIn(domain string) []Capsule {
	var out []Capsule
	for _, c := range e.Capsules {
		if c.Domain == domain && c.Calls > 0 {
			out = append(out, c)
		}
	}
	return out
}

// toolLine describes a capsule: its successes, corrections and last failure.
func toolLine(c Capsule) string {
	tool := c.Tool
	if c.Method != "" {
		tool += " " + c.Method
	}
	line := fmt.Sprintf("  %s: %d of %s succeeded", brief(tool, 100), c.Success(), counted(c.Calls, "call"))
	if c.Corrected > 0 {
		line += fmt.Sprintf(", %d corrected by people", c.Corrected)
	}
	if n := len(c.Failures); n > 0 {
		f := c.Failures[n-1]
		line += fmt.Sprintf("; last failure %s", f.Outcome)
		if f.Cause != "" {
			line += ", " + brief(f.Cause, maxCause)
		}
	}
	return line + "\n"
}
