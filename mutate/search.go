package mutate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// search is an evolutionary searcher: operators on parents, asynchronous
// successive halving for the evaluations, additive effects for the estimates, and
// a final race among the leaders.
type search struct {
	space  agent.Space
	params []agent.Param // those with more than one value
	// conditional names the parameters that are not always active.
	conditional []string
	operators   []operator
	selector    Selector
	view        View
	rng         *rand.Rand

	tasks     []Task
	taskIndex map[string]int
	weights   []float64
	weightSum float64
	budget    int
	repeats   int
	share     float64 // of the budget for the random baseline
	finalists int

	arms     []*arm
	byID     map[agent.ConfigID]*arm
	champion *arm
	main     *ladder
	base     *ladder
	made     int // variants the search has made, the champion and the baseline's left out

	asked, spent int // asked counts own trials, spent those of this run told from elsewhere as well
	baseAsked    int
	exhausted    bool
	// heard holds every trial that was told.
	heard      map[uint64]bool
	pending    map[trialKey]bool
	leading    []*arm // in the final race, regrouped at regroupAt asks
	regroupAt  int
	pool       []*arm // of parents, looked up anew at poolAt arms
	poolAt     int
	candidates []Candidate
	freshAt    int // asks before which no new variant is looked for

	// A small space gone through value by value; see enumerate.go.
	values  [][]any
	counted int

	// What is believed; see effects.go.
	seen       []observation
	refitAt    int
	difficulty []float64
	level      float64 // the champion's expected mean score
	noise      float64 // variance of a score around its expectation
	encoder    encoder
	model      surrogate
	trained    bool
	shift      float64 // of the model's scale to the champion's
}

type trialKey struct{ arm, task, repeat int }

// packed is the key in eight bytes, for the many that are remembered.
func (k trialKey) packed() uint64 {
	return uint64(k.arm)<<40 | uint64(k.task)<<16 | uint64(k.repeat)
}

// unbounded stands for repeats without a bound.
const unbounded = math.MaxUint16 - 1

// raceShare of the budget goes to the final race among the leaders.
const raceShare = 0.2

// New makes the searcher of this version.
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
	name := o.Selection
	if name == "" {
		name = DefaultSelection
	}
	selector, ok := selectors()[name]
	if !ok {
		return nil, fmt.Errorf("there is no selection %q; there are %s", name, strings.Join(Selections(), ", "))
	}
	champion, problems := o.Space.Parse(o.Champion)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the champion: %s", problems[0])
	}
	s := &search{
		space: o.Space, operators: operators(), selector: selector, view: o.View,
		rng: rand.New(rand.NewPCG(uint64(o.Seed), 0x5ea4c4)), tasks: o.Tasks, taskIndex: map[string]int{}, budget: o.Budget,
		repeats: o.MaxRepeats, share: o.BaselineShare, finalists: o.Finalists, byID: map[agent.ConfigID]*arm{},
		heard: map[uint64]bool{}, pending: map[trialKey]bool{}, difficulty: make([]float64, len(o.Tasks)), noise: 0.15, refitAt: 8,
	}
	if s.repeats <= 0 || s.repeats > unbounded {
		s.repeats = unbounded
	}
	switch {
	case s.share == 0:
		s.share = 0.1
	case !(s.share > 0): // negative, or no number
		s.share = 0
	}
	s.share = math.Min(s.share, 1)
	if s.finalists <= 0 {
		s.finalists = 3
	}
	for j, t := range o.Tasks {
		if _, twice := s.taskIndex[t.ID]; twice {
			return nil, fmt.Errorf("two tasks are called %q", t.ID)
		}
		s.taskIndex[t.ID] = j
		w := t.Weight
		if !(w > 0) || math.IsInf(w, 1) {
			w = 1
		}
		s.weights = append(s.weights, w)
		s.weightSum += w
		s.difficulty[j] = 0.5
	}
	s.level = 0.5
	for _, p := range o.Space.Params {
		if len(p.When) > 0 {
			s.conditional = append(s.conditional, p.Name)
		}
		if !fixed(p) {
			s.params = append(s.params, p)
		}
	}
	s.encoder = newEncoder(s.params)
	s.model = newProcess(s.encoder)
	s.plan()
	s.champion, _ = s.add(child{champion, "champion", ""}, nil, false)
	s.main.enter(s.champion)
	s.champion.target = min(2*s.main.rungs[0], s.main.top())
	return s, nil
}

// plan fits the rungs to the budget. With one in four lifted, a variant costs about
// two and a half times its first rung on average.
func (s *search) plan() {
	rungs := func(budget float64) *ladder {
		most := len(s.tasks) * min(s.repeats, 16)
		first := int(math.Min(clamp(0.12*math.Sqrt(budget), 2, 40), float64(most)))
		return newLadder(first, max(first, min(16*first, most, int(budget/4))))
	}
	random := float64(s.budget) * s.share
	s.main, s.base = rungs(float64(s.budget)-random), rungs(random)
}

// Ask is the next trial.
func (s *search) Ask() (Trial, Status) {
	if s.spent >= s.budget || s.exhausted {
		return Trial{}, Done
	}
	a := s.choose()
	if a == nil {
		s.exhausted = true
		return Trial{}, Done
	}
	task := s.task(a)
	repeat := int(a.repeats[task])
	a.advance(task, repeat+1)
	a.asked++
	s.pending[trialKey{a.index, task, repeat}] = true
	stage := bench.StageSearch
	if a.baseline {
		stage = bench.StageBaseline
		s.baseAsked++
	}
	t := Trial{
		N: int64(s.asked), Variant: a.id, Config: a.config.Clone(), Parents: slices.Clone(a.parents), Operator: a.operator,
		Generation: a.generation, Rationale: a.rationale, Task: s.tasks[task].ID, Repeat: repeat, Stage: stage,
	}
	s.asked++
	s.spent++
	return t, Ready
}

// choose picks the arm that gets the next evaluation; nil when no arm can take one.
func (s *search) choose() *arm {
	if float64(s.baseAsked) < s.share*float64(s.spent+1)-0.5 && s.asked > 0 {
		if a := s.climb(s.base, true); a != nil {
			return a
		}
	}
	if float64(s.spent) < (1-raceShare)*float64(s.budget) {
		if a := s.climb(s.main, false); a != nil {
			return a
		}
	}
	if a := s.race(); a != nil {
		return a
	}
	// Whatever can still take one: a new variant, or the oldest that is open.
	s.freshAt = 0
	if a := s.fresh(false); a != nil {
		return a
	}
	for _, a := range s.arms {
		if s.open(a) {
			return a
		}
	}
	return nil
}

// climb serves a ladder: queued work, then promotions, then a new variant.
func (s *search) climb(l *ladder, baseline bool) *arm {
	for {
		if a := l.next(s); a != nil {
			return a
		}
		if a := l.promote(); a != nil {
			if !baseline && s.champion.target < a.target {
				// The champion keeps up with whoever climbs.
				s.champion.target = a.target
				l.queue = append(l.queue, s.champion)
			}
			continue
		}
		if s.fresh(baseline) == nil {
			return nil
		}
	}
}

// fresh makes a new variant and puts it on its ladder; nil when none is found. Then
// it waits a while before it looks again: looking in vain is costly.
func (s *search) fresh(baseline bool) *arm {
	if s.asked < s.freshAt {
		return nil
	}
	for range 60 {
		c, parents := s.propose(baseline)
		if c.config == nil || s.refused(c.config.ID(), baseline) {
			continue
		}
		return s.take(c, parents, baseline)
	}
	if c := s.untried(); c != nil {
		return s.take(child{c, "random", "the next that was never tried"}, nil, baseline)
	}
	s.freshAt = s.asked + 64 + s.asked/8
	return nil
}

func (s *search) take(c child, parents []*arm, baseline bool) *arm {
	a, _ := s.add(c, parents, baseline)
	s.enter(a)
	return a
}

// refused are configs of this run, and three in four of those of earlier nights.
func (s *search) refused(id agent.ConfigID, baseline bool) bool {
	if _, known := s.byID[id]; known {
		return true
	}
	return !baseline && s.view != nil && s.rng.IntN(4) != 0 && s.view.Tried(id)
}

// enter puts a new arm on its ladder.
func (s *search) enter(a *arm) {
	if a.baseline {
		s.base.enter(a)
		return
	}
	s.made++
	s.main.enter(a)
}
