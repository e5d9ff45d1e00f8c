package ablation

import (
	"fmt"
	"math/rand/v2"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// Ablation makes a winner small. It is asked for trials and told their results, in any
// order and with many in flight; its answers depend on nothing but its options and the
// results. It decides only when nothing that it asked for is outstanding. It is not safe
// for concurrent use.
type Ablation struct {
	change
	tasks                []mutate.Task
	championID, winnerID agent.ConfigID
	exact                bool
	rng                  *rand.Rand
	evidence             *evidence
	model                *mutate.Surrogate
	// spots are where configs are compared, in an order of chance.
	spots         []spot
	budget, spent int
	asked         int64

	// queue is to be asked, pending was and is not told yet; made lists what was asked for,
	// in order, and told is what came back that the model was not fitted to yet.
	queue   []mutate.Trial
	pending map[pendingKey]bool
	made    []mutate.Trial
	told    map[pendingKey]mutate.Observation
	// fresh says that there are results which the choice does not rest on yet.
	fresh bool

	// landmarks are the champion and the configs that were tried, in order.
	landmarks []landmark
	// choice is the decision on all evidence so far.
	choice choice
	// model0 is what the evidence of before decides.
	model0 choice
	rounds int
	// configs counts the smaller configs that were tried.
	configs map[agent.ConfigID]bool
	// first is the first spot of the next round, for an agent with chance.
	first int
	// bases are the choices that were measured, in order.
	bases []base
	done  bool
	// cut says that the budget ended it before every change that is left was shown.
	cut bool

	// Of an agent without chance: the spots where winner and champion are compared, the mean
	// score on each task of what was known, and what was seen of each parameter that stays;
	// nil where the model alone decides.
	base        []spot
	ease        []float64
	seenEffects map[int]seenEffect
}

type pendingKey struct {
	id agent.ConfigID
	at spot
}

// New makes the minimisation of a winner.
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
	a := &Ablation{
		change: newChange(o.Space, champion, winner), tasks: o.Tasks, championID: champion.ID(), winnerID: winner.ID(),
		exact: o.MaxRepeats == 1, evidence: newEvidence(o.Tasks), budget: o.Budget, pending: map[pendingKey]bool{},
		told: map[pendingKey]mutate.Observation{}, configs: map[agent.ConfigID]bool{},
		rng: rand.New(rand.NewPCG(uint64(o.Seed), 0xab1a7e)), model: o.Model,
	}
	for _, k := range o.Known {
		a.evidence.add(k)
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
	return a, nil
}

// Model is the model of a minimisation, for those that share one.
func Model(o Options) *mutate.Surrogate {
	m := mutate.NewSurrogate(o.Space, o.Champion, o.Tasks)
	for _, k := range o.Known {
		m.Add(k)
	}
	m.Fit()
	return m
}

// Changes counts what could go back by itself: with fewer than two there is nothing to
// find out.
func (a *Ablation) Changes() int { return len(a.units) }

// Ask returns the next trial. Wait says that results are outstanding, Done that there is
// a [Result].
func (a *Ablation) Ask() (mutate.Trial, mutate.Status) {
	for {
		for len(a.queue) > 0 {
			t := a.queue[0]
			a.queue = a.queue[1:]
			key := pendingKey{t.Variant, spot{a.evidence.index[t.Task], t.Repeat}}
			if a.evidence.has(key.id, key.at) || a.pending[key] {
				continue // told without being asked for
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

// Tell takes a result. One that was not asked for is known from then on and costs
// nothing.
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
		a.told[key] = o
		return
	}
	a.model.Add(o)
}

// learn takes what was told into the model, in the order in which it was asked for, so
// that the order of arrival plays no part.
func (a *Ablation) learn() {
	if !a.fresh {
		return
	}
	for _, t := range a.made {
		key := pendingKey{t.Variant, spot{a.evidence.index[t.Task], t.Repeat}}
		if o, ok := a.told[key]; ok {
			o.Trial = t // with its config
			a.model.Add(o)
			delete(a.told, key)
		}
	}
	a.fresh = false
	if a.exact {
		a.walk(a.budget - a.spent)
		return
	}
	a.model.Fit()
	a.decide()
}
