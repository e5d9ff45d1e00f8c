package ablation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"evolve/mutate"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// Ablation removes those changes of a winner whose effect is not shown. It proposes trials
// and receives their results; the results may arrive in any order, and many trials may be
// in progress. Its answers depend only on its options and the results. It makes decisions
// only when no result is pending. It is not safe for concurrent use.
type Ablation struct {
	change
	tasks                []mutate.Task
	championID, winnerID agent.ConfigID
	exact                bool
	rng                  *rand.Rand
	evidence             *evidence
	model                *mutate.Surrogate
	// spots are the pairs of task and repeat at which configs are compared, in random
	// order.
	spots         []spot
	budget, spent int
	asked         int64

	// queue holds the trials that Ask has yet to return, and pending the trials that Ask
	// has returned and that have no result yet. made lists the trials that Ask has
	// returned, in order. unlearned holds the results that have not been added to the model
	// yet.
	queue     []mutate.Trial
	pending   map[pendingKey]bool
	made      []mutate.Trial
	unlearned map[pendingKey]mutate.Observation
	// fresh reports whether there are results that the choice does not take into account
	// yet.
	fresh bool

	// landmarks are the champion and the configs that were tried, in the order of trial.
	landmarks []landmark
	// choice is the decision based on all evidence so far.
	choice choice
	// model0 is the decision based on the evidence from before the ablation.
	model0 choice
	rounds int
	// byModel is [Options.ByModel].
	byModel bool
	// first is the index of the next unused spot. It is used only if the agent is not
	// deterministic.
	first int
	// bases are the choices that were measured, in the order of measurement.
	bases []base
	done  bool
	// smaller splits a hunk into finer parts. madeFiner holds the finer parts of each
	// config that was split. finer holds those already considered configs that lack one
	// of these parts. taken holds the parts that were removed, by parameter.
	smaller   func(param, base, text string) []tokens.Attempt
	madeFiner map[agent.ConfigID]*pieces
	finer     map[agent.ConfigID]bool
	taken     map[string][]string
	// cut reports whether the budget ended before every remaining change was shown to
	// matter.
	cut bool

	// These fields are for a deterministic agent: the spots at which winner and champion
	// are compared, the mean known score on each task, and the observed effects of the
	// remaining parameters. They are nil if only the model decides.
	base        []spot
	ease        []float64
	seenEffects map[int]seenEffect
}

type pendingKey struct {
	id agent.ConfigID
	at spot
}

// New returns the ablation of a winner.
func New(o Options) (*Ablation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	champion, problems := o.Space.Parse(o.Champion)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the champion: %s", problems[0])
	}
	winner, problems := o.Space.Parse(o.Winner)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the winner: %s", problems[0])
	}
	// A config gets no credit for tasks whose answers it demonstrates.
	c := newChange(o.Space, champion, winner, o.Hunks)
	if left := mutate.Undemonstrated(o.Space, o.Tasks, champion, winner); len(left) > 0 {
		o.Tasks = left
	} else {
		c.units = nil // nothing can be compared
	}
	// Demonstrations act together. The model alone cannot show that any single
	// demonstration matters, and with few evaluations, the gain from demonstrations cannot
	// be separated from that of other changes.
	if c.demonstrates() && o.Budget < fewestPairs*len(c.units) {
		c.units = nil
	}
	a := &Ablation{
		change: c, tasks: o.Tasks, championID: champion.ID(), winnerID: winner.ID(),
		exact: o.MaxRepeats == 1, evidence: newEvidence(o.Tasks, o.known()), budget: o.Budget, pending: map[pendingKey]bool{},
		unlearned: map[pendingKey]mutate.Observation{},
		byModel:   o.ByModel, smaller: o.Smaller, finer: map[agent.ConfigID]bool{}, madeFiner: map[agent.ConfigID]*pieces{},
		rng: rand.New(rand.NewPCG(uint64(o.Seed), 0xab1a7e)), model: o.Model,
	}
	if a.model == nil {
		a.model = Model(o)
	}
	a.model.Fit()
	a.spots = a.evidence.spotsFor(a.winnerID, a.championID, o.MaxRepeats, max(o.Budget, len(o.Tasks)), a.rng)
	a.landmarks = []landmark{{set{}.with(a.all()...), champion}}
	a.decide()
	a.model0 = a.choice
	if a.exact {
		a.basis()
	}
	if a.hunks {
		a.hunked(0) // the decision is based on measurements, not on the model
	}
	return a, nil
}

// Model returns the model for an ablation, which several ablations may share. If there
// are more configs than the model of a search accepts, Model uses only the configs with
// the most evaluations, because the memory for a model grows with the square of the
// number of configs, and the computing time with the cube.
func Model(o Options) *mutate.Surrogate {
	evaluations := map[agent.ConfigID]int{}
	var configs []agent.ConfigID
	for k := range o.known() {
		if evaluations[k.Trial.Variant] == 0 {
			configs = append(configs, k.Trial.Variant)
		}
		evaluations[k.Trial.Variant]++
	}
	if len(configs) > mutate.MaxModelled {
		slices.SortStableFunc(configs, func(a, b agent.ConfigID) int { return cmp.Compare(evaluations[b], evaluations[a]) })
		for _, id := range configs[mutate.MaxModelled:] {
			delete(evaluations, id)
		}
	}
	m := mutate.NewSurrogate(o.Space, o.Champion, o.Tasks)
	for k := range o.known() {
		if evaluations[k.Trial.Variant] > 0 {
			m.Add(k)
		}
	}
	m.Fit()
	return m
}

// Changes returns the number of units that can be reverted separately; a single hunk that
// has finer parts counts as two. If the number is less than two, there is nothing to
// measure.
func (a *Ablation) Changes() int {
	if len(a.units) == 1 && a.hunks {
		for range a.pieces(a.winner) {
			return 2
		}
	}
	return len(a.units)
}

// Ask returns the next trial. The status Wait means that Ask must be called again after
// further results, and Done that the final [Result] is available.
func (a *Ablation) Ask() (mutate.Trial, mutate.Status) {
	for {
		for len(a.queue) > 0 {
			t := a.queue[0]
			a.queue = a.queue[1:]
			key := pendingKey{t.Variant, spot{a.evidence.index[t.Task], t.Repeat}}
			if a.evidence.has(key.id, key.at) || a.pending[key] {
				continue // told without being asked
			}
			t.N = a.asked
			a.asked++
			a.spent++
			a.pending[key] = true
			a.made = append(a.made, t)
			return t, mutate.Ready
		}
		switch {
		case len(a.pending) > 0:
			return mutate.Trial{}, mutate.Wait
		case a.done:
			return mutate.Trial{}, mutate.Done
		}
		a.step()
	}
}

// Tell receives a result. It also uses the result of a trial that Ask did not return; such
// a result does not count against the budget.
func (a *Ablation) Tell(o mutate.Observation) {
	task, ok := a.evidence.index[o.Trial.Task]
	if !ok {
		return
	}
	key := pendingKey{o.Trial.Variant, spot{task, o.Trial.Repeat}}
	if a.evidence.has(key.id, key.at) {
		return
	}
	a.evidence.add(o)
	a.fresh = true
	if a.pending[key] {
		delete(a.pending, key)
		a.unlearned[key] = o
		return
	}
	a.model.Add(o)
}

// learn updates the model and the choice with the results received so far. It adds the
// results in the order in which Ask returned their trials, so that their order of arrival
// does not matter.
func (a *Ablation) learn() {
	if !a.fresh {
		return
	}
	for _, t := range a.made {
		key := pendingKey{t.Variant, spot{a.evidence.index[t.Task], t.Repeat}}
		if o, ok := a.unlearned[key]; ok {
			o.Trial = t // with its config
			a.model.Add(o)
			delete(a.unlearned, key)
		}
	}
	a.fresh = false
	if a.exact {
		a.exactly(a.budget - a.spent)
		return
	}
	a.model.Fit()
	a.decide()
}
