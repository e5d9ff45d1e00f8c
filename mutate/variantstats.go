package mutate

import (
	"math"

	"evolve/mutate/irt"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// variantStats is the state of one variant in the search.
type variantStats struct {
	index      int
	id         agent.ConfigID
	config     agent.Config
	point      irt.Point
	parents    []agent.ConfigID
	operator   string
	generation int
	rationale  string
	children   int
	// scale is the operator's setting that produced it.
	scale float64
	// baseline variants belong to the random baseline. Their results feed the model, but do
	// not depend on it.
	baseline bool

	// repeats is the next repeat of each task; fewest is their minimum, and atFewest the
	// number of tasks at it.
	repeats []uint16
	// told is the number of repeats of each task that have a result, up to the first that
	// has none.
	told     []uint16
	fewest   int
	atFewest int
	// target is the number of evaluations that the variant should get for now; asked and
	// results count them.
	target, asked, results int
	// scored is the number of scored evaluations, score the sum of their scores.
	scored int
	score  float64
	cells  []irt.Cell // scores in order of the tasks

	// cost in USD, summed over billed evaluations, and seconds over those with a known time.
	cost, seconds float64
	billed, timed int
	spends        []spend // the same by task, in order of the tasks
	// packed replaces repeats, told, cells and spends while the variant takes no
	// evaluations; see packed.go.
	packed []byte
	// incidents are failed evaluations for operators, cases the latest evaluations for
	// briefs.
	incidents []operator.Incident
	cases     []Case

	// ability is the latest estimate on the scale of logits, deviation its posterior
	// standard deviation when the variant was last part of the model.
	ability, deviation float64
	// worth is its expected score minus a part of its standard deviation.
	worth float64
	// item is the variant's index in the model, −1 when it is not part of it.
	item int
}

// open reports whether a variant can take another evaluation.
func (s *search) open(a *variantStats) bool { return a.fewest < s.repeats }

// pending returns the number of evaluations still to come.
func (a *variantStats) pending() int { return max(a.asked, a.target) - a.results }

// advance marks a task's repeats below next as used.
func (a *variantStats) advance(task, next int) {
	if next <= int(a.repeats[task]) || next > math.MaxUint16 {
		return
	}
	if int(a.repeats[task]) == a.fewest {
		a.atFewest--
	}
	a.repeats[task] = uint16(next)
	if a.atFewest > 0 {
		return
	}
	a.fewest = math.MaxUint16
	for _, n := range a.repeats {
		switch {
		case int(n) < a.fewest:
			a.fewest, a.atFewest = int(n), 1
		case int(n) == a.fewest:
			a.atFewest++
		}
	}
}

// observe adds a score.
func (a *variantStats) observe(task int, score float64) {
	a.cells = irt.AddScore(a.cells, task, score, 1)
	a.scored++
	a.score += score
}
