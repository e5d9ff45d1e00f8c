package mutate

import (
	"math/rand/v2"

	"evolve/mutate/operator"
)

// arms is one choice in a brief. Each option is tried once; after that, a bandit divides
// the briefs among the options by the gains of their drafts.
type arms struct {
	bandit *operator.Bandit
	picks  int
	last   map[string]int // the number of an option's last pick, from 1
}

// longestPause is the maximum number of picks between two picks of an option, as a
// multiple of the number of options.
const longestPause = 6

func newArms() *arms {
	return &arms{bandit: operator.NewBandit(operator.State{}), last: map[string]int{}}
}

// pick returns one of the options, of which there must be one or more.
func (a *arms) pick(options []string, rng *rand.Rand) string {
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
	a.picked(chosen)
	return chosen
}

// picked counts a pick.
func (a *arms) picked(option string) {
	a.picks++
	a.last[option] = a.picks
}

// forget removes all rewards.
func (a *arms) forget() { a.bandit = operator.NewBandit(operator.State{}) }

// reward credits an option with a draft; see [operator.Credit].
func (a *arms) reward(option string, credit float64) {
	a.bandit.Reward(option, 1, credit)
}
