package problem

import "evolve/runtime/agent"

// Version changes whenever a family and seed no longer give the same problem.
const Version = 1

// Family is a kind of problem. Every seed gives another problem of the kind.
type Family struct {
	Name string
	// About describes in one line why the family is hard.
	About string
	Make  func(seed int64) *Problem
}

// Families returns the kinds on which the searcher's constants were set.
func Families() []Family { return families(recipes()) }

func families(recipes []recipe) []Family {
	var list []Family
	for _, r := range recipes {
		list = append(list, Family{Name: r.name, About: r.about, Make: r.make})
	}
	return list
}

// span is a range of integers, both ends included.
type span struct{ lo, hi int }

// stretch is a range of numbers.
type stretch struct{ lo, hi float64 }

// recipe holds the distributions for a problem of a family.
type recipe struct {
	name, about string

	// params draws the parameters without their defaults, and compose the terms; nil: those
	// of the catalogue with the numbers below.
	params  func(*maker) []agent.Param
	compose func(*maker, []point)
	// finish draws the parts of a problem that other families do not have; nil: none. The
	// rest of the problem is complete before.
	finish func(*maker, []point)

	// The parameters. lines and tools are numbers of members of a text and a subset, 0:
	// none.
	choices, switches, numbers span
	tools, lines               span

	// The effects. shape draws the effect of a number. matter is the number of single
	// effects that count fully, 0 meaning all; the rest count a fiftieth.
	shape  shapes
	matter int
	// Interactions: their numbers, and the weight of one relative to a single effect.
	pairs, bends, chains, teams, clashes span
	weight                               float64
	// catastrophes is the number of regions, each about a fifth of the space, in which the
	// probability of success is multiplied by remains.
	catastrophes span
	remains      stretch

	// The tasks, for search and holdout each, and their domains.
	tasks, domains span
	weighted       bool
	// conflict in [0,1] is the share of a skill's weights that is specific to its domain.
	conflict float64
	// demands is the number of demands of one task; all must be met together.
	demands span
	// spread is the standard deviation of skill over uniform configs; difficulty that of
	// the tasks' thresholds and level their mean, in multiples of spread.
	spread, difficulty, level stretch
	// quirk is the standard deviation of a task's own preferences, as a share of spread.
	quirk float64
	// guess is the range of the probabilities that a task is passed by chance, slip of those that
	// it is failed by chance.
	guess, slip stretch

	curve   curve
	grading grading
	drifts  bool
	// judged is the number of further tasks on which the true score is measured if scores
	// have no randomness; 0 otherwise.
	judged int
}
