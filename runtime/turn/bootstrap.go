package turn

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// priority is a workspace file's place in the prompt; unknown files come last.
// The strategy is a parameter and comes with the config.
func priority(name string) int {
	order := []string{"SOUL", "AGENT", "GOALS", "MEMORY", "TOOLS", "EVAL_FEEDBACK", "PROSOCHE"}
	if i := slices.Index(order, strings.TrimSuffix(name, ".md")); i >= 0 {
		return i
	}
	return len(order)
}

// sections puts the workspace's files in order of priority.
func sections(files map[string]string) []model.Section {
	var out []model.Section
	for name, text := range files {
		if strings.TrimSuffix(name, ".md") != "STRATEGY" && text != "" {
			out = append(out, model.Section{Name: name, Text: text})
		}
	}
	slices.SortFunc(out, func(a, b model.Section) int {
		return cmp.Or(priority(a.Name)-priority(b.Name), strings.Compare(a.Name, b.Name))
	})
	return out
}

// within keeps the sections of highest priority that fit the budget together and
// names those dropped. After the first that does not fit nothing is loaded, so
// that a lower priority never displaces a higher one.
func within(all []model.Section, budget int) (kept []model.Section, dropped []string) {
	spent := 0
	for i, s := range all {
		spent += memory.Tokens(s.Text)
		if spent > budget {
			for _, d := range all[i:] {
				dropped = append(dropped, d.Name)
			}
			return all[:i], dropped
		}
	}
	return all, nil
}
