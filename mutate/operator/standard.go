package operator

import (
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Standard returns the operators of a search, in a fixed order. The lexicon stems the words
// of failures and of offered lines; it must be the lexicon with which the failures were
// clustered.
func Standard(lex *memory.Lexicon) []Operator {
	return append(Single(), crossover{}, merge{}, amend{lex}, tools{})
}

// Single returns the operators that change parameters one by one, in a fixed order. They
// need only the space and the parent.
func Single() []Operator {
	return []Operator{
		single{"perturb", func(p agent.Param) bool { return p.Numeric() && !Fixed(p) }, perturb},
		single{"flip", func(p agent.Param) bool { return p.Kind == agent.Bool || p.Kind == agent.Choice && !Fixed(p) }, flip},
		single{"subset", func(p agent.Param) bool { return p.Kind == agent.Subset && !Fixed(p) }, changeMembers},
		single{"directive", func(p agent.Param) bool { return p.Kind == agent.Text && !Fixed(p) }, changeLine},
		single{Reset, func(p agent.Param) bool { return !Fixed(p) }, reset},
	}
}
