package skill

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

const heading = "## Skills\n\nWays that solved tasks like these before. A person approved them; the task at hand decides.\n"

// Section returns the part of the prompt that holds the approved skills of a domain and
// those that apply to all domains, the domain's own first, then ordered by name. The
// section has at most budget tokens, and a skill that does not fit is left out entirely;
// if there are no skills, the section is empty.
func Section(skills []Definition, domain string, budget int) string {
	fit := slices.Clone(skills)
	fit = slices.DeleteFunc(fit, func(d Definition) bool { return d.Domain != domain && d.Domain != globalDomain })
	slices.SortFunc(fit, func(a, b Definition) int {
		return cmp.Or(foreign(a, domain)-foreign(b, domain), strings.Compare(a.Name, b.Name))
	})
	text := heading
	for _, d := range fit {
		if more := text + "\n### " + d.Name + "\n\n" + d.Text + "\n"; memory.Tokens(more) <= budget {
			text = more
		}
	}
	if text == heading {
		return ""
	}
	return text
}

func foreign(d Definition, domain string) int {
	if d.Domain == domain {
		return 0
	}
	return 1
}
