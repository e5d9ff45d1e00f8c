package population

import (
	"math"
	"math/rand/v2"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// search is the state of a search.
type search struct {
	Options
	rng    *rand.Rand
	choose selection.Selector
	bandit *operator.Bandit
	names  []string // of the operators
	// order holds the indices of the tasks in the order in which every variant runs them.
	order []int
	index map[string]int // the indices of the tasks, by id

	members []*member // the champion is the first
	// earlier marks the tasks on which an earlier night measured the champion but tonight
	// has not yet.
	earlier []bool
	byID    map[agent.ConfigID]*member
	normals map[string]bool
	// barred holds the reasons why programs are left out, by the programs' normal forms.
	barred map[string]string
	// alike maps each behaviour to the variants that show it. A behaviour is observed on
	// the cases of the probe or on those of the first stage.
	alike   map[string][]*member
	audits  audits
	islands []island
	author  authoring
	turn    int   // of the islands
	queue   []run // evaluations still to be made, in order
	// ready holds the variants whose stage is complete; waiting holds the variants of
	// earlier nights until the champion's first results of tonight have arrived.
	ready, waiting []*member
	asked, told    int    // evaluations
	trials         int    // evaluations and briefs asked for
	spent          [2]int // evaluations received: for variants without a language model's work, and for variants with such work
	// fresh reports whether the gains take all results so far into account.
	fresh     bool
	exhausted bool
}

// run is the evaluation of a variant on a case; at is the position of the case in the
// common order.
type run struct {
	of *member
	at int
}

// New returns a search. The same options and the same calls result in the same search.
func New(o Options) (mutate.Searcher, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	choose, err := selection.Within(o.Selection)
	if err != nil {
		return nil, err
	}
	s := &search{
		Options: o, choose: choose, bandit: operator.NewBandit(o.Options.Operators),
		rng:  rand.New(rand.NewPCG(uint64(o.Seed), 0x636f6465)), //nolint:gosec // a search needs no secret numbers
		byID: map[agent.ConfigID]*member{}, normals: map[string]bool{}, barred: map[string]string{}, alike: map[string][]*member{}, index: map[string]int{},
		islands: make([]island, o.Islands), earlier: make([]bool, len(o.Tasks)),
	}
	for _, op := range o.Operators {
		s.names = append(s.names, op.Name())
	}
	if s.author = newAuthoring(o.Author); o.Author != nil {
		s.names = append(s.names, reflectOperator)
	}
	s.order = s.rng.Perm(len(o.Tasks))
	for i, t := range o.Tasks {
		s.index[t.ID] = i
	}
	for _, l := range o.LeftOut {
		s.barred[s.Normal(l.Config)] = l.Reason
	}
	champion := s.enter(o.Champion)
	champion.operator = "champion"
	for _, r := range o.Measured {
		s.record(r)
	}
	s.remember()
	if s.stage(champion); champion.pending == 0 { // this run has already measured the champion
		s.ready, s.waiting = append(s.ready, s.waiting...), nil
	}
	s.recall()
	return s, nil
}

// enter adds a variant to the population, unless it is already a member.
func (s *search) enter(c agent.Config) *member {
	id := c.ID()
	if m, known := s.byID[id]; known {
		return m
	}
	m := &member{index: len(s.members), id: id, config: c, size: s.Size(c), scores: make([]float64, len(s.Tasks)), weights: make([]float64, len(s.Tasks))}
	for i := range m.scores {
		m.scores[i] = math.NaN()
	}
	s.members = append(s.members, m)
	s.byID[id] = m
	s.normals[s.Normal(c)] = true
	return m
}

// remember enters the variants of earlier nights with their results, each on one island. It
// also stores results of the champion, because they allow variants to be compared on cases
// on which the champion has not been measured yet tonight.
func (s *search) remember() {
	for _, h := range s.History {
		task, known := s.index[h.Task]
		if !known {
			continue
		}
		old := len(s.members)
		m := s.enter(h.Config)
		if len(s.members) > old {
			m.operator, m.rationale = "history", "a variant from an earlier night"
			s.islands[m.index%len(s.islands)].add(m)
		}
		m.set(task, h.Score, h.Trust)
		s.earlier[task] = s.earlier[task] || m == s.members[0]
	}
	s.waiting = s.members[1:len(s.members):len(s.members)]
}

// Ask returns the next trial: a brief that is due, or an evaluation. The evaluation belongs
// to a stage that was begun, to the next stage of a variant that deserves it, or to a new
// variant.
func (s *search) Ask() (mutate.Trial, mutate.Status) {
	if s.asked >= s.Budget {
		return mutate.Trial{}, mutate.Done
	}
	if s.briefDue() {
		return s.brief(), mutate.Ready
	}
	for len(s.queue) == 0 {
		if s.complete() || s.advance() || s.breed() {
			continue
		}
		switch {
		case s.briefIdle():
			return s.brief(), mutate.Ready
		case s.asked > s.told || s.author.open > 0:
			return mutate.Trial{}, mutate.Wait
		}
		s.exhausted = true
		return mutate.Trial{}, mutate.Done
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	t := mutate.Trial{
		N: int64(s.trials), Variant: next.of.id, Config: next.of.config, Parents: next.of.parents, Operator: next.of.operator,
		Generation: next.of.generation, Rationale: next.of.rationale, Task: s.Tasks[s.order[next.at]].ID, Stage: bench.StageSearch,
	}
	s.trials++
	s.asked++
	return t, mutate.Ready
}

// stage queues the first case of a variant's probe, the rest of the probe, or the next
// stage. Cases of the champion come first, because every gain is measured against it.
func (s *search) stage(m *member) {
	champion, until := s.members[0], s.Probe
	switch {
	case m == champion || m.probed && m.issued >= s.Probe || s.Probe == s.Stages[0]:
		until = s.Stages[m.stages]
		m.stages++
	case m.issued == 0:
		until = 1
	}
	m.probed = true
	for m != champion && champion.stages < max(1, m.stages) {
		s.stage(champion)
	}
	for ; m.issued < until; m.issued++ {
		if s.lacking(m, s.order[m.issued]) {
			s.queue = append(s.queue, run{m, m.issued})
			m.pending++
		}
	}
	if m.pending == 0 {
		s.ready = append(s.ready, m)
	}
}

// Tell adds a result. The result of a trial that was not asked for also counts for its
// variant.
func (s *search) Tell(o mutate.Observation) {
	if o.Trial.Brief != nil {
		s.answer(o)
		return
	}
	m := s.record(o)
	if m == nil {
		return
	}
	s.told++
	if m.pending > 0 {
		if m.pending--; m.pending == 0 {
			s.ready = append(s.ready, m)
		}
		if champion := s.members[0]; m == champion && m.pending == 0 {
			s.ready = append(s.ready, s.waiting...)
			s.waiting = nil
		}
	}
}

// record adds a result to its variant, and enters the variant if it is not a member. It
// returns nil for an unknown task.
func (s *search) record(o mutate.Observation) *member {
	task, known := s.index[o.Trial.Task]
	if !known {
		return nil
	}
	m, member := s.byID[o.Trial.Variant]
	if !member {
		m = s.enter(o.Trial.Config)
		m.operator, m.generation, m.rationale = o.Trial.Operator, o.Trial.Generation, o.Trial.Rationale
		s.descend(m, o.Trial.Parents...)
		s.islands[m.index%len(s.islands)].add(m)
	}
	m.results++
	s.spent[m.camp()]++
	m.cost += max(0, o.CostUSD)
	if !math.IsNaN(o.Seconds) {
		m.seconds += max(0, o.Seconds)
		m.timed++
	}
	if o.Scored && !math.IsNaN(o.Score) {
		m.set(task, min(max(o.Score, 0), 1), 1)
		s.earlier[task] = s.earlier[task] && m != s.members[0]
	}
	s.fresh = false
	return m
}

// Resize implements [mutate.Searcher].
func (s *search) Resize(budget int) { s.Budget = max(1, budget) }
