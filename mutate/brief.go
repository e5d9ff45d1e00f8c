package mutate

import (
	"slices"

	"evolve/bench"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// authoring is the state of the requests to a language model for changes.
type authoring struct {
	there  bool
	wanted bool // the bandit chose it
	open   int  // briefs asked and not told
	briefs int
	turn   int // of the components, which take turns
	tried  []draftChange
}

// draftChange is a change from a draft, with the variant that it produced.
type draftChange struct {
	component string
	child     *variantStats
}

const (
	// At most one brief per so many evaluations when the bandit asks for one, and one per
	// twice as many otherwise.
	briefShare = 12
	// briefsOpen bounds the open briefs.
	briefsOpen = 2
	// Numbers of cases in a brief, of failures among them if there are as many, and of
	// earlier changes.
	casesShown    = 5
	failuresShown = 3
	triedShown    = 8
)

// briefDue reports whether a brief is due now.
func (s *search) briefDue() bool {
	w := &s.author
	pace := 2 * briefShare
	if w.wanted {
		pace = briefShare
	}
	return w.there && w.open < briefsOpen && (w.briefs+1)*pace <= s.spent && s.posterior.ready()
}

// brief returns a trial that asks for a change of the next component of a selected
// parent; false when there is no component or no case.
func (s *search) brief() (Trial, bool) {
	w := &s.author
	w.wanted = false
	s.refreshParents()
	at, why := s.breeding.choose(s.breeding.candidates, selection.Budget{Spent: s.spent, Total: s.budget}, s.rng)
	a := s.breeding.pool[at]
	component := s.component(a.config)
	if component == "" || len(a.cases) == 0 {
		return Trial{}, false
	}
	b := Brief{Component: component, Cases: cases(a)}
	for _, t := range slices.Backward(w.tried) {
		if t.component == component && len(b.Tried) < triedShown {
			gain := 0.0
			if t.child.scored > 0 {
				gain = s.expected(t.child.ability) - s.expected(s.reference(t.child).ability)
			}
			b.Tried = append(b.Tried, TriedChange{Rationale: t.child.rationale, Gain: gain})
		}
	}
	t := Trial{
		N: int64(s.asked), Variant: a.id, Config: a.config.Clone(), Parents: slices.Clone(a.parents), Operator: a.operator,
		Generation: a.generation, Rationale: why, Stage: bench.StageSearch, Brief: &b,
	}
	s.asked++
	w.open++
	w.briefs++
	return t, true
}

// reference returns the first parent of a variant, or the champion where it is unknown.
func (s *search) reference(a *variantStats) *variantStats {
	if len(a.parents) > 0 {
		if p, ok := s.byID[a.parents[0]]; ok {
			return p
		}
	}
	return s.champion
}

// component returns the next of a config's texts, subsets and choices; "" when it has
// none.
func (s *search) component(c agent.Config) string {
	var list []string
	for _, p := range s.space.Params {
		if _, active := c[p.Name]; !active {
			continue
		}
		if p.Kind == agent.Text || (p.Kind == agent.Subset || p.Kind == agent.Choice) && !operator.Fixed(p) {
			list = append(list, p.Name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	s.author.turn++
	return list[(s.author.turn-1)%len(list)]
}

// cases returns evaluations of a variant to learn from, failed ones first.
func cases(a *variantStats) []Case {
	var bad, good []Case
	for _, c := range slices.Backward(a.cases) {
		if c.Score < failed {
			bad = append(bad, c)
		} else {
			good = append(good, c)
		}
	}
	take := min(len(bad), max(failuresShown, casesShown-len(good)))
	out := bad[:take]
	return append(out, good[:min(len(good), casesShown-take)]...)
}

// answer processes the result of a brief. A new draft becomes a variant.
func (s *search) answer(o Observation) {
	s.author.open = max(0, s.author.open-1)
	parent, known := s.byID[o.Trial.Variant]
	if !known || o.Draft == nil {
		return
	}
	config, problems := s.space.Parse(o.Draft.Config)
	if len(problems) > 0 || s.byID[config.ID()] != nil {
		return
	}
	given := operator.FailureContext{Space: s.space, Champion: s.champion.config, Parent: parent.config, Lineage: s.lineage(parent)}
	if _, refused := operator.Refuse(given, operator.Child{Config: config, Operator: reflectOperator}); refused {
		return
	}
	a := s.enter(proposal{
		config: config, parents: []*variantStats{parent}, operator: reflectOperator, rationale: o.Draft.Rationale,
		scale: 1, ability: parent.ability,
	})
	s.author.tried = append(s.author.tried, draftChange{o.Trial.Brief.Component, a})
}
