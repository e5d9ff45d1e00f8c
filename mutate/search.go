package mutate

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate/irt"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// search is the model-based searcher; see the package documentation.
type search struct {
	space agent.Space
	view  View
	seed  uint64
	rng   *rand.Rand
	codec *codec
	plan  plan

	tasks     []Task
	taskIndex map[string]int
	weights   []float64 // weights of the tasks; their sum is 1
	budget    int
	repeats   int
	finalists int
	guards    []stats.Bound

	variants     []*variantStats
	byID         map[agent.ConfigID]*variantStats
	points       map[string]bool // of the variants
	champion     *variantStats
	queue        []*variantStats // variants that have fewer evaluations than their targets, in order
	demonstrated demonstrated
	demoPool     *operator.Pool // the pool of demonstrations; nil for a space without demonstrations
	design       []proposal
	baseline     baseline
	breeding     breeding
	author       authoring
	history      []*past
	nights       []pastNight
	nightsTested int        // the number of results when the nights were last tested
	replaced     []proposal // the last part of the design, which the history replaces

	asked, spent int // asked counts trials and briefs asked for here, spent all evaluations of this run, including those from before a resume
	results      int
	raced        int // evaluations of the race that precedes the final race
	races        int // evaluations of the race in a small space
	made         int // variants that the search made itself
	exhausted    bool
	// ahead holds the trials that have a result while an earlier repeat does not have one
	// yet; pending holds the trials without a result.
	ahead, pending map[trialKey]bool
	freshAt        int // no new variant is sought before this number of asks

	// values and counted hold the state of the enumeration of a small space; see
	// enumerate.go.
	values  [][]any
	counted int

	posterior posterior
}

type trialKey struct{ variant, task, repeat int }

// unbounded is the number of repeats that is used if the repeats have no bound.
const unbounded = math.MaxUint16 - 1

// New returns a searcher.
func New(o Options) (Searcher, error) {
	if problems := o.Space.Check(); len(problems) > 0 {
		return nil, fmt.Errorf("the space: %s", problems[0])
	}
	if len(o.Tasks) == 0 {
		return nil, errors.New("a search needs tasks")
	}
	if o.Budget < 1 {
		return nil, errors.New("a search needs a budget of at least one evaluation")
	}
	champion, problems := o.Space.Parse(o.Champion)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the champion: %s", problems[0])
	}
	s := &search{
		space: o.Space, view: o.View, seed: uint64(o.Seed),
		rng: rand.New(rand.NewPCG(uint64(o.Seed), 0x5ea4c4)), codec: newCodec(o.Space, champion),
		tasks: o.Tasks, taskIndex: map[string]int{}, budget: o.Budget, repeats: o.MaxRepeats, finalists: o.Finalists, guards: o.Guards,
		byID: map[agent.ConfigID]*variantStats{}, points: map[string]bool{}, ahead: map[trialKey]bool{}, pending: map[trialKey]bool{},
	}
	s.demonstrated = newDemonstrated(s.space, s.tasks)
	s.stock()
	var err error
	if s.breeding, err = newBreeding(o.Selection, o.Author != nil, s.demoPool); err != nil {
		return nil, err
	}
	s.breeding.bandit = operator.NewBandit(o.Operators)
	s.author = newAuthoring(o.Author)
	if s.repeats <= 0 || s.repeats > unbounded {
		s.repeats = unbounded
	}
	if s.finalists <= 0 {
		s.finalists = 3
	}
	if err := s.weigh(); err != nil {
		return nil, err
	}
	s.baseline.share = baselineShare(o.BaselineShare)
	s.posterior.model = irt.New(s.codec.dims, len(s.tasks))
	s.plan = s.planned()
	s.champion = s.add(proposal{config: champion, operator: "champion"}, false)
	s.champion.target = min(2*s.plan.first, s.capacity())
	s.queue = append(s.queue, s.champion)
	s.addDesign()
	if s.recall(o.History); len(s.history) > 0 && len(s.codec.dims) > 0 {
		s.fit(2)
		s.resume()
	}
	s.recallDrafts(o.History)
	return s, nil
}

// weigh sets the tasks' weights.
func (s *search) weigh() error {
	s.weights = normalizedWeights(s.tasks)
	for j, t := range s.tasks {
		if _, twice := s.taskIndex[t.ID]; twice {
			return fmt.Errorf("two tasks are called %q", t.ID)
		}
		s.taskIndex[t.ID] = j
	}
	return nil
}

// normalizedWeights returns the tasks' weights, scaled to the sum 1. Invalid weights count
// as 1.
func normalizedWeights(tasks []Task) []float64 {
	weights, sum := make([]float64, len(tasks)), 0.0
	for j, t := range tasks {
		weights[j] = t.Weight
		if !(t.Weight > 0) || math.IsInf(t.Weight, 1) {
			weights[j] = 1
		}
		sum += weights[j]
	}
	for j := range weights {
		weights[j] /= sum
	}
	return weights
}

// capacity returns the maximum number of evaluations that a variant can get.
func (s *search) capacity() int {
	if s.repeats > math.MaxInt32/len(s.tasks) {
		return math.MaxInt32
	}
	return s.repeats * len(s.tasks)
}

// add makes a variant from a proposal, or returns the existing variant with the same
// config.
func (s *search) add(p proposal, baseline bool) *variantStats {
	id := p.config.ID()
	if a, ok := s.byID[id]; ok {
		return a
	}
	a := &variantStats{
		index: len(s.variants), id: id, config: p.config, point: s.codec.encode(p.config), operator: p.operator, rationale: p.rationale,
		baseline: baseline, repeats: make([]uint16, len(s.tasks)), told: make([]uint16, len(s.tasks)), atFewest: len(s.tasks), ability: p.ability, item: -1, deviation: 1, scale: p.scale,
	}
	for _, q := range p.parents {
		a.parents = append(a.parents, q.id)
		a.generation = max(a.generation, q.generation+1)
		q.children++
	}
	for _, j := range s.demonstrated.of(a.config) {
		a.advance(j, closed)
	}
	s.variants = append(s.variants, a)
	s.byID[id] = a
	s.points[key(a.point)] = true
	return a
}

// key returns a map key for a point.
func key(x irt.Point) string {
	b := make([]byte, 0, 2*len(x))
	for _, v := range x {
		b = append(b, byte(v), byte(v>>8))
	}
	return string(b)
}

// Ask returns the next trial.
func (s *search) Ask() (Trial, Status) {
	if s.spent >= s.budget || s.exhausted {
		return Trial{}, Done
	}
	if s.briefDue() {
		if t, ok := s.brief(); ok {
			return t, Ready
		}
	}
	a := s.choose()
	if a == nil {
		s.exhausted = true
		s.finalFit()
		return Trial{}, Done
	}
	a.unpack()
	task := s.task(a)
	repeat := int(a.repeats[task])
	a.advance(task, repeat+1)
	a.asked++
	s.pending[trialKey{a.index, task, repeat}] = true
	stage := bench.StageSearch
	if a.baseline {
		stage = bench.StageBaseline
		s.baseline.asked++
	}
	t := Trial{
		N: int64(s.asked), Variant: a.id, Config: a.config.Clone(), Parents: slices.Clone(a.parents), Operator: a.operator,
		Generation: a.generation, Rationale: a.rationale, Task: s.tasks[task].ID, Repeat: repeat, Stage: stage,
	}
	s.asked++
	s.spent++
	return t, Ready
}

// choose returns the variant that gets the next evaluation, or nil if no variant can take
// one.
func (s *search) choose() *variantStats {
	if s.baseline.due(s.spent) && s.asked > 0 {
		if a := s.nextRandom(); a != nil {
			return a
		}
	}
	for {
		if a := s.queued(); a != nil {
			return a
		}
		if s.raceDue() {
			if a := s.race(); a != nil {
				s.raced++
				return a
			}
		}
		if !s.enlarge() {
			break
		}
	}
	if a := s.race(); a != nil {
		return a
	}
	for _, a := range s.variants {
		if s.open(a) {
			return a
		}
	}
	return nil
}

// queued returns the first variant in the queue that is below its target.
func (s *search) queued() *variantStats {
	for len(s.queue) > 0 {
		a := s.queue[0]
		if a.asked < a.target && s.open(a) {
			return a
		}
		s.queue = s.queue[1:]
	}
	return nil
}

// enter turns a proposal into a variant and queues its first evaluations.
func (s *search) enter(p proposal) *variantStats {
	a := s.add(p, false)
	a.target = max(a.target, s.plan.first)
	s.queue = append(s.queue, a)
	s.made++
	if a.scale > 0 {
		s.breeding.unrewarded = append(s.breeding.unrewarded, a)
		if a.operator != modelOperator {
			s.breeding.bred++
		}
	}
	return a
}

// enlarge adds new variants: the next variant of the design, or proposals. If there are
// none, it returns false and pauses before the next attempt, because failed attempts are
// expensive.
func (s *search) enlarge() bool {
	if len(s.design) == 0 && len(s.replaced) > 0 {
		s.refresh() // the refresh may restore a part of the design
	}
	if len(s.design) > 0 {
		s.enter(s.design[0])
		s.design = s.design[1:]
		return true
	}
	if s.asked < s.freshAt {
		return false
	}
	before := len(s.variants)
	for _, p := range s.propose() {
		s.enter(p)
	}
	if len(s.variants) == before && s.breeding.named && s.waits() {
		s.freshAt = s.asked + 4
		return false
	}
	if len(s.variants) == before {
		if c := s.untried(); c != nil {
			s.enter(proposal{config: c, operator: "random", rationale: "the next config that has not been tried yet"})
		}
	}
	if len(s.variants) == before {
		s.freshAt = s.asked + 64 + s.asked/8
		return false
	}
	return true
}

// refused reports whether a config belongs to this run, or to the three quarters of
// earlier nights' configs that are refused. Whether an earlier config is refused depends
// only on the seed and the config: if the refusal were drawn at random on each call,
// configs that are proposed often would eventually be accepted.
func (s *search) refused(id agent.ConfigID) bool {
	if _, known := s.byID[id]; known {
		return true
	}
	if s.view == nil {
		return false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return (h.Sum64()+s.seed)%4 != 0 && s.view.Tried(id)
}

// random draws a config.
func (s *search) random() proposal {
	c := s.drawDemonstrations(operator.Random(s.space, s.champion.config, s.rng))
	return proposal{config: c, operator: "random", rationale: "chosen at random"}
}
