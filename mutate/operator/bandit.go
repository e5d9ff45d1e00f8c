package operator

import (
	"maps"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bandit divides the proposals among operators by the gains of their children. It uses
// Thompson sampling with Beta posteriors (Agrawal and Goyal, "Analysis of Thompson sampling
// for the multi-armed bandit problem", COLT 2012), where rewards in [0,1] are added as
// fractions of a success. Rewards are discounted, because an operator that helps at first
// may be exhausted later (Raj and Kalyani, "Taming non-stationary bandits", 2017). Rewards
// may be delayed, so that many children can be in progress. Each operator's Scale adapts as
// in evolution strategies: a child is made with a varied scale, and a gain moves the
// operator's own scale towards the child's.
//
// Bandit has no clock and no random source of its own; equal states, calls and random
// numbers give equal results. It is not safe for concurrent use.
type Bandit struct{ state State }

// State is the state of a bandit, carried over from night to night.
type State struct {
	// Top is the gain, in score units, that counts as a full success.
	Top float64 `json:"top"`
	// Arms holds the state of each operator, by name.
	Arms map[string]Arm `json:"arms,omitempty"`
}

// Arm is the state of one operator.
type Arm struct {
	// Success is the discounted sum of rewards, each in [0,1]; Children is the discounted
	// number of rewarded children.
	Success  float64 `json:"success"`
	Children float64 `json:"children"`
	// Scale is the operator's own scale, in [LeastScale,1].
	Scale float64 `json:"scale"`
}

const (
	// FloorShare is the share of the picks that is divided evenly among the available
	// operators, so that each remains in use.
	FloorShare = 0.2
	// LeastScale is the lower bound of scales; the upper bound is 1.
	LeastScale = 0.05
	// firstScale is the scale of a new operator.
	firstScale = 0.7
	// horizon is the approximate effective number of rewarded children: each new child
	// discounts the earlier ones by the factor keep.
	horizon = 200
	keep    = 1 - 1.0/horizon
	// leastTop is the lower bound of Top: two points. It prevents gains that are within the
	// noise from counting as full successes.
	leastTop = 0.02
	// vary is the standard deviation of the logarithm of a child's scale around its
	// operator's scale; follow is how far a full success moves the operator's scale towards
	// the child's.
	vary   = 0.3
	follow = 0.3
)

// NewBandit returns a bandit with the given state, which may be zero. Values outside their
// ranges are corrected.
func NewBandit(s State) *Bandit {
	b := &Bandit{State{Top: leastTop, Arms: map[string]Arm{}}}
	if s.Top > leastTop && s.Top <= 1 {
		b.state.Top = s.Top
	}
	for name, a := range s.Arms {
		fresh := Arm{Scale: firstScale}
		if a.Children > 0 && !math.IsInf(a.Children, 1) && a.Success >= 0 {
			fresh.Success, fresh.Children = math.Min(a.Success, a.Children), a.Children
			if a.Children > horizon { // more than the discount allows
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

// Export returns a copy of the state.
func (b *Bandit) Export() State {
	return State{Top: b.state.Top, Arms: maps.Clone(b.state.Arms)}
}

// Pick returns one of the available operators, and the Scale for its child. There must be
// at least one available operator.
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

// Credit returns the reward for a child's operator: gain × 2/(1+ratio), or 0 if there is no
// gain. gain is the child's gain in score over the better of its parent and the champion,
// and ratio is the child's cost divided by the cost of that config. The factor is 2 for a
// free child, 1 at equal or unknown cost, and approaches 0 as the cost grows.
func Credit(gain, ratio float64) float64 {
	if !(gain > 0) {
		return 0
	}
	if !(ratio >= 0) {
		ratio = 1
	}
	return gain * 2 / (1 + ratio)
}

// Reward updates an operator for a child made with the given scale. The credit comes from
// [Credit].
func (b *Bandit) Reward(name string, scale, credit float64) {
	if !(credit >= 0) || !(scale >= LeastScale && scale <= 1) {
		return // not a valid reward
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
