package session

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

// The names of the sections that do not come from workspace files.
const (
	StrategySection = "STRATEGY"
	NotesSection    = "NOTES"
	WorkingSection  = "WORKING_STATE"
)

// FeedbackFile is the file with a person's feedback on the agent. In the prompt, the
// section of this file also contains the lessons of the agent's live turns.
const FeedbackFile = "EVAL_FEEDBACK.md"

// Section is one named part of the system prompt.
type Section struct {
	Name string
	Text string
}

// order lists the sections from the highest to the lowest priority. The files that people
// write precede what changes from turn to turn, so the prompts of two turns begin alike and
// a provider's prompt cache serves both. Files with other names come before the notes,
// ordered by name.
var order = [...]string{
	"SOUL", "AGENT", "GOALS", "MEMORY", "TOOLS", "EVAL_FEEDBACK", StrategySection, "PROSOCHE", "", NotesSection, WorkingSection,
}

func priority(name string) int {
	if i := slices.Index(order[:], base(name)); i >= 0 {
		return i
	}
	return slices.Index(order[:], "")
}

func base(name string) string { return strings.TrimSuffix(name, ".md") }

// Load sorts workspace files, which are given by name, such as SOUL.md, and the sections of
// this turn by priority, and keeps those that fit the budget. The budget limits the sum of
// the [memory.Tokens] of all kept texts. Load drops the first section that does not fit and
// all sections after it, so a less important section never displaces a more important one,
// and which files are kept does not depend on the notes. The dropped names are in the same
// order. A section replaces the file with its name; sections without text are left out.
func Load(files map[string]string, extra []Section, budget int) (kept []Section, dropped []string) {
	var all []Section
	for name, text := range files {
		if !slices.ContainsFunc(extra, func(s Section) bool { return base(s.Name) == base(name) }) {
			all = append(all, Section{Name: name, Text: text})
		}
	}
	all = append(all, extra...)
	all = slices.DeleteFunc(all, func(s Section) bool { return s.Text == "" })
	slices.SortStableFunc(all, func(a, b Section) int {
		return cmp.Or(priority(a.Name)-priority(b.Name), strings.Compare(a.Name, b.Name))
	})
	spent := 0
	for i, s := range all {
		if spent += memory.Tokens(s.Text); spent <= budget {
			continue
		}
		for _, d := range all[i:] {
			dropped = append(dropped, d.Name)
		}
		return all[:i], dropped
	}
	return all, nil
}
