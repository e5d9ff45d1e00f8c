package operator

import "math/rand/v2"

// Arms makes one of the choices in a brief, such as the choice of a route. Each option is
// tried once; after that, a bandit divides the briefs among the options by the gains of
// their drafts.
type Arms struct {
	bandit *Bandit
	picks  int
	last   map[string]int // the number of the last pick of each option, counted from 1
}

// longestPause is the maximum number of picks between two picks of the same option, as a
// multiple of the number of options.
const longestPause = 6

// NewArms returns an Arms without any results.
func NewArms() *Arms {
	return &Arms{bandit: NewBandit(State{}), last: map[string]int{}}
}

// Pick returns one of the options. There must be at least one.
func (a *Arms) Pick(options []string, rng *rand.Rand) string {
	chosen := ""
	for _, o := range options {
		if at, tried := a.last[o]; !tried || a.picks-at >= longestPause*len(options) {
			chosen = o
			break
		}
	}
	if chosen == "" {
		chosen, _ = a.bandit.Pick(options, rng)
	}
	a.Picked(chosen)
	return chosen
}

// Picked counts a pick.
func (a *Arms) Picked(option string) {
	a.picks++
	a.last[option] = a.picks
}

// Forget removes all rewards.
func (a *Arms) Forget() { a.bandit = NewBandit(State{}) }

// Reward credits an option with the result of a draft; see [Credit].
func (a *Arms) Reward(option string, credit float64) {
	a.bandit.Reward(option, 1, credit)
}
