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
	// scale is the scale that the operator had when it made the variant.
	scale float64
	// baseline reports whether the variant belongs to the random baseline. The model uses
	// the results of such variants, but the variants do not depend on the model.
	baseline bool

	// repeats holds the number of the next repeat of each task; fewest is the minimum of
	// these numbers, and atFewest the number of tasks at that minimum.
	repeats []uint16
	// told holds, for each task, the number of repeats that have a result, up to the first
	// repeat without one.
	told     []uint16
	fewest   int
	atFewest int
	// target is the number of evaluations that the variant should get for now; asked is the
	// number of evaluations that were asked for, and results the number of those that have
	// a result.
	target, asked, results int
	// scored is the number of evaluations with a score, and score is the sum of their
	// scores.
	scored int
	score  float64
	cells  []irt.Cell // scores in order of the tasks

	// cost is the cost in USD, summed over billed evaluations, and seconds is the time,
	// summed over evaluations with a known time.
	cost, seconds float64
	billed, timed int
	spends        []spend // cost and time by task, in order of the tasks
	// packed replaces repeats, told, cells and spends while the variant gets no
	// evaluations; see packed.go.
	packed []byte
	// incidents holds failed evaluations, for use by operators; cases holds the latest
	// evaluations, for use in briefs.
	incidents []operator.Incident
	cases     []Case

	// ability is the latest estimate of the variant's ability, in logits, and deviation
	// is the posterior standard deviation of the ability from the last time that the
	// variant was part of the model.
	ability, deviation float64
	// worth is the variant's expected score minus a part of its standard deviation.
	worth float64
	// item is the variant's index in the model, or −1 if it is not part of the model.
	item int
}

// open reports whether a variant can take another evaluation.
func (s *search) open(a *variantStats) bool { return a.fewest < s.repeats }

// pending returns the number of evaluations that the variant should get and that have no
// result yet.
func (a *variantStats) pending() int { return max(a.asked, a.target) - a.results }

// advance marks as used the repeats of a task whose numbers are less than next.
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
