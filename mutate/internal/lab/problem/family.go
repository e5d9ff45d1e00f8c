package problem

import "evolve/runtime/agent"

// Version changes whenever a family and seed no longer result in the same problem.
const Version = 1

// Family is a kind of problem. Every seed results in a different problem of that kind.
type Family struct {
	Name string
	// About is a one-line description of why the family is hard.
	About string
	Make  func(seed int64) *Problem
}

// Families returns the families of problems with which the searcher's constants were
// tuned.
func Families() []Family { return families(recipes()) }

func families(recipes []recipe) []Family {
	var list []Family
	for _, r := range recipes {
		list = append(list, Family{Name: r.name, About: r.about, Make: r.make})
	}
	return list
}

// span is a range of integers, both ends inclusive.
type span struct{ lo, hi int }

// stretch is a range of numbers.
type stretch struct{ lo, hi float64 }

// recipe holds the distributions from which a problem in a family is drawn.
type recipe struct {
	name, about string

	// params draws the parameters without their defaults, and compose draws the terms. If
	// params is nil, parameters are drawn from the catalogue, and if compose is nil, the
	// usual terms are drawn. The catalogue and the usual terms use the numbers below.
	params  func(*maker) []agent.Param
	compose func(*maker, []point)
	// finish draws the parts of a problem that other families do not have; nil means that
	// there are none. The rest of the problem is complete before finish is called.
	finish func(*maker, []point)

	// These fields are the numbers of parameters of each kind. lines and tools are the
	// numbers of members of a text and of a subset; 0 means that there is no such
	// parameter.
	choices, switches, numbers span
	tools, lines               span

	// These fields describe the effects of single parameters. shape draws the effect of a
	// number. matter is the number of effects that count fully, where 0 means all; each
	// of the others counts a fiftieth.
	shape  shapes
	matter int
	// These fields are the numbers of interactions of each kind, and the weight of an
	// interaction relative to a single effect.
	pairs, bends, chains, teams, clashes span
	weight                               float64
	// catastrophes is the number of regions in which the probability of success is
	// multiplied by a factor; the factor is drawn from the range in remains. Each region
	// is about a fifth of the space.
	catastrophes span
	remains      stretch

	// tasks is the number of search tasks, and also the number of holdout tasks. domains is
	// the number of domains of the tasks.
	tasks, domains span
	weighted       bool
	// conflict in [0,1] is the share of a skill's weights that is specific to the skill's
	// domain.
	conflict float64
	// demands is the number of demands that one task makes; all of them must be met.
	demands span
	// spread is the standard deviation of skill over uniform configs. difficulty is the
	// standard deviation of the tasks' thresholds and level is their mean, both in
	// multiples of spread.
	spread, difficulty, level stretch
	// quirk is the standard deviation of the task-specific part of skill, relative to
	// spread.
	quirk float64
	// guess is the range of the probabilities that a task is passed by chance, and slip the
	// range of the probabilities that it is failed by chance.
	guess, slip stretch

	curve   curve
	grading grading
	drifts  bool
	// judged is the number of additional tasks on which the true score is measured if
	// scores have no randomness; otherwise it is 0.
	judged int
}
