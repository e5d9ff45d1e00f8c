package experience

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/text"
)

const (
	// shownTools is the maximum number of tools that a text lists as working, and also the
	// maximum number that it lists as failing.
	shownTools = 5
	// shownDomains is the maximum number of domains whose competence a text lists.
	shownDomains = 10
	// failsBelow is the success rate below which a tool is listed as failing. preferredFrom
	// is the minimum success rate of a tool that is listed as working.
	failsBelow = .5
	// maxCause is the maximum length of a failure's cause in a text, in characters.
	maxCause = 120
)

// KnowledgeText describes what the agent has shown in a domain, in at most 4,000 bytes: its
// competence, its turns, and the tools and methods that work (at least .8 of the judged
// calls succeeded, see [Capsule.Judged]) or fail (fewer than .5 succeeded). It lists the
// five of each kind with the most calls. If no call in the domain was judged, it lists the
// tools of all domains. For [Global] and an empty domain it describes the ten domains with
// the most turns and the tools of all domains. It returns false if the domain has neither
// turns nor judged calls.
func (e *Experience) KnowledgeText(domain string) (string, bool) {
	domain = domainName(domain)
	capsules := e.capsulesIn(domain)
	var b strings.Builder
	switch c := e.competence(domain); {
	case domain == Global:
		domains := slices.Clone(e.Domains)
		slices.SortStableFunc(domains, func(x, y Competence) int { return cmp.Compare(y.Turns, x.Turns) })
		for _, c := range domains[:min(len(domains), shownDomains)] {
			b.WriteString(e.competenceText(c))
		}
	case c != nil:
		b.WriteString(e.competenceText(*c))
	case len(capsules) == 0:
		return "", false
	}
	where := "here"
	if domain == Global {
		where = "(over all domains)"
	} else if len(capsules) == 0 {
		capsules, where = e.capsulesIn(Global), "(over all domains, because no call here was judged)"
	}
	for _, group := range []struct {
		title string
		in    func(rate float64) bool
	}{
		{"Tools that work", func(rate float64) bool { return rate >= preferredFrom }},
		{"Tools that fail", func(rate float64) bool { return rate < failsBelow }},
	} {
		var some []Capsule
		for _, c := range capsules {
			if rate, ok := c.Rate(); ok && group.in(rate) {
				some = append(some, c)
			}
		}
		if len(some) == 0 {
			continue
		}
		slices.SortStableFunc(some, func(x, y Capsule) int { return cmp.Compare(y.Judged(), x.Judged()) })
		fmt.Fprintf(&b, "%s %s:\n", group.title, where)
		for _, c := range some[:min(len(some), shownTools)] {
			b.WriteString(toolLine(c))
		}
	}
	b.WriteString(e.Lessons.waysText(domain))
	return text.Clip(b.String(), maxText, text.Ellipsis), b.Len() > 0
}

// text describes a competence on one line.
func (c Competence) text() string {
	limit := ""
	if c.Day != "" && c.capped() {
		limit = fmt.Sprintf(" On %s it can change by at most %.1f from %.2f.", c.Day, changePerDay, c.DayStart)
	}
	return fmt.Sprintf("Competence in %s: %.2f (from .1 to 1; .5 without history), after %s, %d of them successful and %d corrected by people.%s\n",
		name(c.Domain), c.Score, text.Count(c.Turns, "turn"), c.Successes, c.Corrected, limit)
}

// competenceText describes a competence. If feedback changes its value, the text also gives
// the value after the feedback is applied.
func (e *Experience) competenceText(c Competence) string {
	if s := e.regarded(c.Domain, c.Score); s != c.Score {
		return c.text() + fmt.Sprintf("With people's feedback on the domain it counts as %.2f.\n", s)
	}
	return c.text()
}

// capsulesIn returns the capsules of a domain that have judged calls.
func (e *Experience) capsulesIn(domain string) []Capsule {
	var out []Capsule
	for _, c := range e.Capsules {
		if c.Domain == domain && c.Judged() > 0 {
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
	line := fmt.Sprintf("  %s: %s of %s succeeded, confidence %.2f", brief(tool, 100), text.Whole(c.Success()), text.Count(c.Judged(), "call"), sure(c.Judged()))
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
