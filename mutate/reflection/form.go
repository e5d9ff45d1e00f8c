package reflection

import "evolve/runtime/agent"

// Form is the kind of change that is requested.
type Form string

// The forms. Rewrite and Demonstrate are for texts: a new instruction as a whole (Zhou et
// al., "Large language models are human-level prompt engineers", 2022), and worked
// examples from cases that passed (Opsahl-Ong et al., "Optimizing instructions and
// demonstrations", 2024).
const (
	Change      Form = "change"
	Rewrite     Form = "rewrite"
	Demonstrate Form = "demonstrate"
)

// form returns the form of the next change: a text gets all three in turn, by the number
// of changes tried; examples need a case that passed.
func (m Material) form() Form {
	p, _ := m.Space.Lookup(m.Component)
	if p.Kind != agent.Text || len(p.Lines) > 0 {
		return Change
	}
	switch len(m.Tried) % 3 {
	case 1:
		return Rewrite
	case 2:
		for _, c := range m.shown() {
			if c.Pass {
				return Demonstrate
			}
		}
	}
	return Change
}

// order returns the request, in words that follow "Propose".
func (f Form) order() string {
	switch f {
	case Rewrite:
		return "one other text for the component, written anew as a whole, which would have avoided the failures without losing what passed"
	case Demonstrate:
		return "the component's text with one or two short worked examples added or exchanged, made from cases that passed, " +
			"in the form task, way, result; keep the rest of the text as it is"
	}
	return "one change of the component that would have avoided the failures without losing what passed: " +
		"of a text keep what works and change as little as possible"
}
