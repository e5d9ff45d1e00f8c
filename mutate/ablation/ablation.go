package ablation

import (
	"fmt"
	"math/rand/v2"

	"evolve/bench"
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
	// spots are where configs are compared, in an order of chance; deciding are the same,
	// for an agent without chance those first that decide most.
	spots, deciding []spot
	budget, spent   int
	asked           int64

	// queue is to be asked, pending was and is not told yet.
	queue   []mutate.Trial
	pending map[pendingKey]bool

	// screened are the configs that tell of all units together; see screen.go.
	screened []screened
	// groups of units are to be tried, in order; back are the units that went back, and
	// small what is left of the winner.
	groups  [][]int
	back    set
	small   agent.Config
	smallID agent.ConfigID
	// probe is the group that is being tried; nil for none.
	probe *probe
	// tests counts the configs that were tried in the winner's place; cut says that the
	// budget ended it before every group was.
	tests int
	cut   bool
	phase phase
	// single are the small config's parameters, each with the small config without it;
	// they are compared at the first measured spots.
	single   []single
	measured int
}

type pendingKey struct {
	id agent.ConfigID
	at spot
}

// probe is a smaller config under trial.
type probe struct {
	back   set
	config agent.Config
	id     agent.ConfigID
	spots  []spot // where it is compared
	seen   int    // of the spots: how many were asked for
}

// single is the small config with one parameter set back.
type single struct {
	param  string
	config agent.Config
	id     agent.ConfigID
}

type phase int

// The phases: of an agent without chance both sides are seen on all tasks, of another all
// units are screened; then groups are tried, and the effects of what is left are measured.
const (
	opening phase = iota
	screening
	grouping
	measuring
	finished
)

// groupShare of the budget goes to finding the small config; what is left of it and the
// rest to the effects of its parameters.
const groupShare = 0.6

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
		back: set{}, small: winner, smallID: winner.ID(), rng: rand.New(rand.NewPCG(uint64(o.Seed), 0xab1a7e)),
	}
	for _, k := range o.Known {
		a.evidence.add(k)
		if k.Trial.Stage == bench.StageAblate {
			a.spent++
		}
	}
	a.spots = a.evidence.spotsFor(a.winnerID, a.championID, o.MaxRepeats, max(o.Budget, len(o.Tasks)), a.rng)
	a.deciding = a.spots
	if units := a.order(o.Known); a.exact && len(units) > 1 {
		a.groups = [][]int{units[:(len(units)+1)/2], units[(len(units)+1)/2:]}
	}
	return a, nil
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
			at := spot{a.evidence.index[t.Task], t.Repeat}
			if a.evidence.has(t.Variant, at) || a.pending[pendingKey{t.Variant, at}] {
				continue // told without being asked for
			}
			t.N = a.asked
			a.asked++
			a.spent++
			a.pending[pendingKey{t.Variant, at}] = true
			return t, mutate.Ready
		}
		switch {
		case len(a.pending) > 0:
			return mutate.Trial{}, mutate.Wait
		case a.phase == finished:
			return mutate.Trial{}, mutate.Done
		}
		a.step()
	}
}

// Tell takes a result. One that was not asked for is known from then on and costs
// nothing.
func (a *Ablation) Tell(o mutate.Observation) {
	a.evidence.add(o)
	if task, ok := a.evidence.index[o.Trial.Task]; ok {
		delete(a.pending, pendingKey{o.Trial.Variant, spot{task, o.Trial.Repeat}})
	}
}
