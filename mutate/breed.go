package mutate

import (
	"fmt"
	"slices"

	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// breeding makes children of selected parents by means of operators. The bandit divides the
// proposals among the operators and the model: the model is one of the bandit's arms, under
// the name modelOperator. Proposals outside the bandit's share also come from the model.
type breeding struct {
	operators []operator.Operator
	names     []string // the bandit's arms
	lexicon   *memory.Lexicon
	bandit    *operator.Bandit
	choose    selection.Selector
	// named reports whether a person chose the selection. bred counts the children that the
	// selection has produced.
	named bool
	bred  int
	// share is the bandit's share of the proposals.
	share float64
	// patient reports whether the selection allows a new child only once the tree has had
	// enough evaluations.
	patient bool
	health  health
	// unrewarded are the bred variants for which the bandit has not yet received a reward.
	unrewarded []*variantStats

	// pool holds the variants that may become parents, and candidates describes each of
	// these variants to the selection. at is the number of the latest result that both
	// take into account.
	pool       []*variantStats
	candidates []selection.Candidate
	at         int
}

const (
	// modelOperator and reflectOperator name the two sources of variants besides the
	// operators.
	modelOperator   = "model"
	reflectOperator = "reflect"
	// bredShare is the bandit's share of the proposals; the rest come from the model. If
	// there are demonstrations, the bandit's share is textShare, so that the share of
	// changes to texts can follow the rewards of the operators.
	bredShare, textShare = 0.1, 0.25
	// namedShare is the share of new variants that are children of parents chosen by a
	// selection that a person named; it is somewhat above half, as a margin. If a child is
	// refused, another attempt is made, up to childTries attempts in all.
	namedShare = 0.55
	childTries = 12
	// patientDesign is the maximum number of variants in the initial design if the
	// selection waits for evaluations.
	patientDesign = 8
	// parentsAtMost is the maximum number of candidates for parents.
	parentsAtMost = 200
	// shownTasks is the maximum number of tasks on which candidates are compared.
	shownTasks = 256
)

func newBreeding(name string, author bool, pool *operator.Pool) (breeding, error) {
	choose, err := selection.Named(name)
	if err != nil {
		return breeding{}, err
	}
	lex := memory.NewLexicon()
	b := breeding{operators: operator.Standard(lex), lexicon: lex, choose: choose, patient: name == selection.HGM, at: -1}
	b.named = name != "" && name != selection.Default
	if b.share = bredShare; pool != nil {
		b.share = textShare
	}
	if pool != nil {
		b.operators = append(b.operators, pool.Operator())
	}
	if !b.named {
		b.names = append(b.names, modelOperator)
	}
	if author {
		b.names = append(b.names, reflectOperator)
	}
	for _, o := range b.operators {
		b.names = append(b.names, o.Name())
	}
	return b, nil
}

// waits reports whether the selection allows no child until there are further evaluations.
func (s *search) waits() bool { return s.breeding.patient && !selection.Expand(s.tree()) }

// children returns children for some of the next proposals, and the number of proposals
// left to the model. The children of a named selection have a fixed share of all new
// variants. While that selection waits for evaluations, the model waits as well.
func (s *search) children(size int) (out []proposal, rest int) {
	for range size {
		if !s.breeding.named {
			if s.rng.Float64() >= s.breeding.share {
				rest++
			} else if p, ok := s.breed(); ok {
				out = append(out, p)
			} else {
				rest++
			}
			continue
		}
		all := len(s.variants) + len(out) + rest // the champion is counted in place of the next variant
		if float64(s.breeding.bred+len(out)) >= namedShare*float64(all) {
			rest++
			continue
		}
		for range childTries {
			p, ok := s.breed()
			if ok && !slices.ContainsFunc(out, func(o proposal) bool { return o.config.Equal(p.config) }) {
				out = append(out, p)
				break
			}
		}
	}
	return out, rest
}

// breed makes a variant with the operator that the bandit picks. It returns false if the
// bandit picked the model or the author, or if there is no new child.
func (s *search) breed() (proposal, bool) {
	b := &s.breeding
	if s.waits() {
		return proposal{}, false
	}
	name, scale := b.bandit.Pick(b.names, s.rng)
	if name == modelOperator {
		return proposal{}, false
	}
	if name == reflectOperator {
		s.author.wanted = true
		return proposal{}, false
	}
	s.refreshParents()
	budget := selection.Budget{Spent: s.spent, Total: s.budget}
	at, why := b.choose(b.candidates, budget, s.rng)
	parent := b.pool[at]
	given := operator.FailureContext{
		Space: s.space, Champion: s.champion.config, Parent: parent.config, Lineage: s.lineage(parent),
		Failures: operator.Cluster(b.lexicon, parent.incidents), Health: b.health.list(), Scale: scale,
	}
	var other *variantStats
	if len(b.pool) > 1 {
		if at, _ := b.choose(b.candidates, budget, s.rng); b.pool[at] != parent {
			other = b.pool[at]
			given.Other = other.config
			if a := s.ancestor(parent, other); a != nil {
				given.Ancestor = a.config
			}
		}
	}
	for _, o := range b.operators {
		if o.Name() != name {
			continue
		}
		child, ok := o.Make(given, s.rng)
		if !ok || s.refused(child.Config.ID()) {
			return proposal{}, false
		}
		if _, refused := operator.Refuse(given, child); refused {
			return proposal{}, false
		}
		p := proposal{
			config: child.Config, parents: []*variantStats{parent}, operator: name, scale: scale,
			rationale: fmt.Sprintf("%s (parent by %s)", child.Rationale, why),
		}
		if child.Both && other != nil {
			p.parents = append(p.parents, other)
		}
		return p, true
	}
	return proposal{}, false
}

// tree returns the number of evaluations of the champion and of bred variants, whether
// finished or pending, and the number of these variants. Proposals from the model are not
// part of the tree.
func (s *search) tree() (evaluations, size int) {
	for _, a := range s.variants {
		if a == s.champion || a.scale > 0 && a.operator != modelOperator {
			evaluations += a.asked
			size++
		}
	}
	return evaluations, size
}

// refreshParents sets the candidates for parents: the champion and the ablest other
// variants.
func (s *search) refreshParents() {
	b := &s.breeding
	if b.at == s.posterior.fitted && len(b.pool) > 0 {
		return
	}
	b.at = s.posterior.fitted
	b.pool = append(b.pool[:0], s.champion)
	for _, a := range s.elite(parentsAtMost) {
		if a != s.champion && a.scored > 0 {
			b.pool = append(b.pool, a)
		}
	}
	index := map[agent.ConfigID]int{}
	for i, a := range b.pool {
		index[a.id] = i
	}
	domains := s.domains()
	b.candidates = b.candidates[:0]
	for _, a := range b.pool {
		c := selection.Candidate{
			Number: a.index, Mean: s.expected(a.ability) - s.posterior.level, SD: a.deviation * s.slope(a.ability),
			Evaluations: a.scored, Sum: a.score, Pending: max(0, a.asked-a.results), Children: a.children,
			Tasks: s.byTask(a), Domains: s.byDomain(a, domains),
		}
		if a == s.champion {
			c.Mean, c.SD = 0, 0
		}
		if a.billed > 0 {
			c.Cost, c.Latency = a.cost/float64(a.billed), a.seconds/float64(max(1, a.timed))
		}
		for _, id := range a.parents {
			if i, ok := index[id]; ok {
				c.Parents = append(c.Parents, i)
			}
		}
		b.candidates = append(b.candidates, c)
	}
}

// lineage returns a variant's chain of first parents, nearest first.
func (s *search) lineage(a *variantStats) []agent.Config {
	const most = 20
	var out []agent.Config
	for len(a.parents) > 0 && len(out) < most {
		next, ok := s.byID[a.parents[0]]
		if !ok || next == a {
			break
		}
		a = next
		out = append(out, a.config)
	}
	return out
}

// ancestor returns the nearest common ancestor of two variants, which may be one of the
// two; nil if none is known. The nearest ancestor is the one with the highest generation.
func (s *search) ancestor(a, b *variantStats) *variantStats {
	above := func(a *variantStats) map[*variantStats]bool {
		seen := map[*variantStats]bool{a: true}
		for list := []*variantStats{a}; len(list) > 0; list = list[1:] {
			for _, id := range list[0].parents {
				if p, ok := s.byID[id]; ok && !seen[p] {
					seen[p] = true
					list = append(list, p)
				}
			}
		}
		return seen
	}
	var nearest *variantStats
	mine := above(a)
	for p := range above(b) {
		if !mine[p] {
			continue
		}
		if nearest == nil || p.generation > nearest.generation || p.generation == nearest.generation && p.index > nearest.index {
			nearest = p
		}
	}
	return nearest
}

// reward updates the bandit for bred variants that have had their first evaluations.
func (s *search) reward() {
	b := &s.breeding
	b.unrewarded = slices.DeleteFunc(b.unrewarded, func(a *variantStats) bool {
		if a.results < min(s.plan.first, a.target) {
			return false
		}
		if a.scored == 0 {
			return true
		}
		reference := s.champion
		for _, id := range a.parents {
			if p, ok := s.byID[id]; ok && p.ability > reference.ability {
				reference = p
			}
		}
		ratio := -1.0 // unknown
		if a.billed > 0 && reference.billed > 0 && reference.cost > 0 {
			ratio = a.cost / float64(a.billed) / (reference.cost / float64(reference.billed))
		}
		gain := s.expected(a.ability) - s.expected(reference.ability)
		b.bandit.Reward(a.operator, a.scale, operator.Credit(gain, ratio))
		return true
	})
}

// Selections returns the names of the selections, the default first.
func Selections() []string { return selection.Names() }
