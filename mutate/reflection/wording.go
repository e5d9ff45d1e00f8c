package reflection

import (
	"fmt"

	"evolve/mutate"
)

// wording is one way to word the request. The rules for the answer are the same in all
// wordings.
type wording struct {
	name string
	// approach is the paragraph that follows the rules.
	approach string
	// cases is the maximum number of cases that are shown, and events the maximum number of
	// events shown of each transcript.
	cases, events int
}

// wordings returns the wordings, of which the first is the default. The search chooses
// among them by the gains of their drafts, so improving the agent also improves the request
// (Zelikman et al., "Self-taught optimizer (STOP)", 2024). The set is fixed: no model
// writes a request.
func wordings() []wording {
	return []wording{
		{"diagnose", "Find out why tasks failed, and change the component so that the agent does better on all tasks of these kinds.", maxCases, maxEvents},
		{"contrast", "Compare the cases that passed with those that failed. Find the difference that decides, and write it into the component as a rule.", maxCases, 4},
		{"rules", "Derive from the goals, the expected answers and the graders' reasons what a right answer looks like: its form, its length, the values it may have. Write this into the component as short rules, the most important one first.", maxCases, 0},
		{"describe", "Write for an agent that sees such a task for the first time: what these tasks have in common, how they are solved step by step, and what the answer looks like.", 2, 0},
	}
}

// Wordings returns the names of the wordings, starting with the default.
func Wordings() []string {
	var names []string
	for _, w := range wordings() {
		names = append(names, w.name)
	}
	return names
}

// wording returns the material's wording, or the default if no wording has that name.
func (m Material) wording() wording {
	all := wordings()
	for _, w := range all {
		if w.name == m.Wording {
			return w
		}
	}
	return all[0]
}

// order returns what the request asks for, in words that follow "Propose".
func (m Material) order() string {
	switch {
	case m.demonstrates():
		return fmt.Sprintf(`a list of one to %d demonstrations as the value of the component: JSON objects {"task": TEXT, "answer": TEXT}, made from cases that passed, `+
			"each short and as different from the others as the tasks allow; keep those of the present value that help", maxDemonstrations)
	case m.Form == mutate.Rewrite:
		return "one other text for the component, written anew as a whole, which would have avoided the failures without losing what passed"
	case m.Form == mutate.Demonstrate:
		return "the component's text with one or two short worked examples added or exchanged, made from cases that passed, " +
			"in the form task, way, result; keep the rest of the text as it is"
	}
	return "one change of the component that would have avoided the failures without losing what passed: " +
		"of a text keep what works and change as little as possible"
}
