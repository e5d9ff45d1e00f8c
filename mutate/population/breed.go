package population

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

const (
	// tries is the maximum number of attempts to make one new variant.
	tries = 200
	// mostParents is the maximum number of candidate parents on an island.
	mostParents = 60
	// exchange is the number of children after which an island gets the best variant of the
	// next island.
	exchange = 25
)

// island is a part of the population that breeds separately.
type island struct {
	members []*member
	bred    int
}

func (i *island) add(m *member) {
	if !slices.Contains(i.members, m) {
		i.members = append(i.members, m)
	}
}

// breed makes a new variant and queues its first stage. It makes the variant on the island
// whose turn it is or, if no variant can be made there, on another island. It returns false
// if no operator made a new variant on any island.
func (s *search) breed() bool {
	if len(s.Operators) == 0 {
		return false
	}
	s.refresh()
	for range s.islands {
		s.turn++
		if s.breedOn(s.turn % len(s.islands)) {
			return true
		}
	}
	return false
}

// breedOn makes a new variant on one island.
func (s *search) breedOn(at int) bool {
	home := &s.islands[at]
	if home.bred > 0 && home.bred%exchange == 0 {
		if m := s.islands[(at+1)%len(s.islands)].best(); m != nil {
			home.add(m)
		}
	}
	pool, list := s.candidates(home)
	budget := selection.Budget{Spent: s.asked, Total: s.Budget}
	for range tries {
		one, why := s.choose(list, budget, s.rng)
		parent := pool[one]
		two, _ := s.choose(list, budget, s.rng)
		name, scale := s.bandit.Pick(s.names, s.rng)
		if name == reflectOperator {
			s.author.wanted = true
			name, scale = s.bandit.Pick(s.names[:len(s.Operators)], s.rng)
		}
		given := operator.FailureContext{Space: s.Space, Champion: s.Champion, Parent: parent.config, Scale: scale}
		if two != one {
			given.Other = pool[two].config
		}
		child, ok := s.Operators[slices.Index(s.names, name)].Make(given, s.rng)
		if !ok {
			continue
		}
		normal := s.Normal(child.Config)
		if _, out := s.barred[normal]; out || s.normals[normal] || s.View != nil && s.View.Tried(child.Config.ID()) {
			continue
		}
		m := s.enter(child.Config)
		m.operator, m.scale = name, scale
		m.rationale = fmt.Sprintf("%s (parent by %s)", child.Rationale, why)
		s.descend(m, parent.id)
		m.generation = parent.generation + 1
		parent.children++
		if child.Both && given.Other != nil {
			s.descend(m, parent.id, pool[two].id)
			m.generation = max(m.generation, pool[two].generation+1)
			pool[two].children++
		}
		home.add(m)
		home.bred++
		s.stage(m)
		return true
	}
	return false
}

// best returns the variant of an island that has the largest gain, or nil if the island is
// empty.
func (i *island) best() *member {
	if len(i.members) == 0 {
		return nil
	}
	return slices.MaxFunc(i.members, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.gain, b.gain), b.index-a.index)
	})
}

// distinct returns only the first of the variants that behave alike. Most changes to a
// program do not change what it does; if the resulting variants were parents, changes would
// accumulate in code that is never reached.
func (s *search) distinct(pool []*member) []*member {
	seen := map[string]bool{}
	return slices.DeleteFunc(pool, func(m *member) bool {
		cases := s.Stages[0]
		if m.left {
			cases = m.issued
		}
		key, known := s.behaviour(m, cases)
		twice := known && seen[key]
		seen[key] = true
		return twice
	})
}

// behaviour returns a key made from [Options.Apart] and a variant's scores on the given
// number of first cases in the common order; known is false while a score is missing.
func (s *search) behaviour(m *member, cases int) (string, bool) {
	var key []byte
	if s.Apart != nil {
		key = append([]byte(s.Apart(m.config)), 0)
	}
	for _, task := range s.order[:cases] {
		if math.IsNaN(m.scores[task]) || m.weights[task] < 1 {
			return "", false
		}
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(m.scores[task]))
	}
	return string(key), true
}

// candidates returns the possible parents on an island, starting with the champion. Of
// variants that behave alike, only the smallest is included.
func (s *search) candidates(home *island) ([]*member, []selection.Candidate) {
	pool := make([]*member, 0, len(home.members)+1)
	for _, m := range home.members {
		if m.common > 0 {
			pool = append(pool, m)
		}
	}
	slices.SortFunc(pool, func(a, b *member) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), a.size-b.size, a.index-b.index)
	})
	pool = s.distinct(slices.Insert(pool, 0, s.members[0]))
	pool = pool[:min(len(pool), mostParents+1)]
	index := map[agent.ConfigID]int{}
	for i, m := range pool {
		index[m.id] = i
	}
	list := make([]selection.Candidate, len(pool))
	for i, m := range pool {
		n, sum := m.sums()
		list[i] = selection.Candidate{
			Number: m.index, Mean: m.gain, SD: m.deviation, Evaluations: n, Sum: sum, Variance: m.squares / max(1, m.common-1), Pending: m.pending, Children: m.children, Tasks: m.scores,
		}
		list[i].Domains = s.profile(m)
		if s.Selection == selection.MapElites { // this selection uses the size of the program instead of its cost
			list[i].Cost = float64(m.size)
			if m.results > 0 {
				list[i].Latency = m.seconds / float64(max(1, m.timed))
			}
		} else if m.results > 0 {
			list[i].Cost, list[i].Latency = m.cost/float64(m.results), m.seconds/float64(max(1, m.timed))
		}
		for _, id := range m.parents {
			if p, here := index[id]; here {
				list[i].Parents = append(list[i].Parents, p)
			}
		}
	}
	return pool, list
}

// groups is the number of groups of cases whose mean scores describe the strengths of a
// variant.
const groups = 3

// profile returns the mean scores of a variant on groups of the cases of the first stage.
// The mean is NaN for a group in which it has no score.
func (s *search) profile(m *member) []float64 {
	sums, counts := make([]float64, groups), make([]float64, groups)
	for at, task := range s.order[:s.Stages[0]] {
		if v := m.scores[task]; !math.IsNaN(v) {
			sums[at%groups] += v
			counts[at%groups]++
		}
	}
	for g := range sums {
		sums[g] /= counts[g] // NaN without a score
	}
	return sums
}
