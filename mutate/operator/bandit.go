package operator

import (
	"maps"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bandit shares the proposals among operators by what their children gained: Thompson
// sampling with Beta posteriors (Agrawal and Goyal, "Analysis of Thompson sampling for
// the multi-armed bandit problem", COLT 2012; rewards in [0,1] are added as
// fractions of a success), discounted because an operator that helps at first may
// be exhausted later (Raj and Kalyani, "Taming non-stationary bandits", 2017). It
// bears late rewards, so that many children may be under way. Each operator's Scale
// adapts itself in the manner of evolution strategies: a child is made with a
// varied scale, and one that gained draws the operator's own towards its.
//
// It has no clock and no randomness of its own; equal states, calls and random
// numbers give equal answers. It is not safe for concurrent use.
type Bandit struct{ state State }

// State is what a bandit knows, to be carried over from night to night.
type State struct {
	// Top is the gain, in score units, that counts as a full success.
	Top float64 `json:"top"`
	// Arms by the operator's name.
	Arms map[string]Arm `json:"arms,omitempty"`
}

// Arm is what is known of one operator.
type Arm struct {
	// Success is the discounted sum of rewards, each in [0,1], of Children, the
	// discounted number of children that were judged.
	Success  float64 `json:"success"`
	Children float64 `json:"children"`
	// Scale is the operator's own setting, in [LeastScale,1].
	Scale float64 `json:"scale"`
}

const (
	// FloorShare of the picks is shared evenly among the operators at hand, so that none
	// is ever forgotten.
	FloorShare = 0.2
	// LeastScale bounds how timid an operator may become; 1 how bold.
	LeastScale = 0.05
	// firstScale is that of an operator never seen before.
	firstScale = 0.7
	// horizon is about how many judged children count: of what is known, keep stays with
	// each new one.
	horizon = 200
	keep    = 1 - 1.0/horizon
	// leastTop keeps gains within the noise from counting as successes: two points.
	leastTop = 0.02
	// vary is the standard deviation of the logarithm of a child's scale around its
	// operator's; follow is how far a full success draws that towards the child's.
	vary   = 0.3
	follow = 0.3
)

// NewBandit starts from a state, which may be the zero one. Figures of the state that
// are out of their ranges are brought back into them.
func NewBandit(s State) *Bandit {
	b := &Bandit{State{Top: leastTop, Arms: map[string]Arm{}}}
	if s.Top > leastTop && s.Top <= 1 {
		b.state.Top = s.Top
	}
	for name, a := range s.Arms {
		fresh := Arm{Scale: firstScale}
		if a.Children > 0 && !math.IsInf(a.Children, 1) && a.Success >= 0 {
			fresh.Success, fresh.Children = math.Min(a.Success, a.Children), a.Children
			if a.Children > horizon { // more than it can have remembered
				fresh.Success, fresh.Children = horizon*(fresh.Success/a.Children), horizon
			}
		}
		if a.Scale >= LeastScale && a.Scale <= 1 {
			fresh.Scale = a.Scale
		}
		b.state.Arms[name] = fresh
	}
	return b
}

// Export is a copy of the state.
func (b *Bandit) Export() State {
	return State{Top: b.state.Top, Arms: maps.Clone(b.state.Arms)}
}

// Pick chooses one of the operators at hand, which must not be empty, and the Scale
// for its child.
func (b *Bandit) Pick(names []string, rng *rand.Rand) (name string, scale float64) {
	at := rng.IntN(len(names))
	if rng.Float64() >= FloorShare {
		best := math.Inf(-1)
		for i, n := range names {
			a := b.arm(n)
			v := distuv.Beta{Alpha: 1 + a.Success, Beta: 1 + a.Children - a.Success, Src: rng}.Rand()
			if v > best {
				at, best = i, v
			}
		}
	}
	a := b.arm(names[at])
	return names[at], clamp(a.Scale*math.Exp(vary*rng.NormFloat64()), LeastScale, 1)
}

// Credit is what a child is worth to its operator: its gain in score over the better
// of its parent and the champion, 0 when it is none, times 2/(1+r), where r is the
// ratio of its cost to that config's: 2 for a child that costs nothing, 1 at equal
// or unknown cost, towards 0 as it gets dearer.
func Credit(gain, ratio float64) float64 {
	if !(gain > 0) {
		return 0
	}
	if !(ratio >= 0) {
		ratio = 1
	}
	return gain * 2 / (1 + ratio)
}

// Reward tells what became of a child that was made with this scale. The credit is
// that of [Credit].
func (b *Bandit) Reward(name string, scale, credit float64) {
	if !(credit >= 0) || !(scale >= LeastScale && scale <= 1) {
		return // no judgement
	}
	b.state.Top = math.Max(leastTop, b.state.Top*keep)
	b.state.Top = math.Max(b.state.Top, math.Min(credit, 1))
	for n, a := range b.state.Arms {
		a.Success, a.Children = a.Success*keep, a.Children*keep
		b.state.Arms[n] = a
	}
	a := b.arm(name)
	won := math.Min(credit/b.state.Top, 1)
	a.Success, a.Children = a.Success+won, a.Children+1
	step := follow * won
	a.Scale = clamp(math.Exp((1-step)*math.Log(a.Scale)+step*math.Log(scale)), LeastScale, 1)
	b.state.Arms[name] = a
}

func (b *Bandit) arm(name string) Arm {
	if a, ok := b.state.Arms[name]; ok {
		return a
	}
	return Arm{Scale: firstScale}
}
