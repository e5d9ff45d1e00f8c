package session

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

// The sections that are not workspace files.
const (
	StrategySection = "STRATEGY"
	NotesSection    = "NOTES"
	WorkingSection  = "WORKING_STATE"
)

// FeedbackFile is the file of a person's feedback on the agent. Its section also has what the
// live turns have shown.
const FeedbackFile = "EVAL_FEEDBACK.md"

// Section is one named part of the system prompt.
type Section struct {
	Name string
	Text string
}

// order lists the sections from the highest priority to the lowest. The files that
// people write precede what changes from turn to turn, so that the prompts of two turns
// begin alike and a provider's prompt cache serves both. Files with other names precede
// the notes, in the order of their names.
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

// Load sorts workspace files (by name, such as SOUL.md) and the sections of this turn
// by priority and keeps those that fit the budget, in [memory.Tokens] of the texts
// together. It drops everything from the first section on that does not fit, so that a
// less important one never displaces a more important one and the kept files do not
// depend on the notes. Dropped names are in the same order. A section replaces a file
// of its name; those without text are left out.
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
