package nights

import (
	"fmt"
	"math"
	"strings"
)

// days is the length of a month, for the rate of false adoptions.
const days = 30

// Tally sums outcomes.
type Tally struct {
	Outcome
	// N is the number of repetitions, and Won is the number of those with a true adoption.
	N, Won int
	// Night and Spent sum the nights and the evaluations up to and including the night of
	// the first true adoption.
	Night, Spent Error
	// newSquares and hereSquares sum the squares of the numbers of false claims per
	// repetition, from which the standard errors are calculated.
	newSquares, hereSquares float64
}

func (t *Tally) add(o Outcome) {
	t.N++
	if o.Adopted > 0 {
		t.Won++
		t.Night.add(float64(o.Adopted))
		t.Spent.add(float64(o.Evaluations))
	}
	t.Nights += o.Nights
	t.FalseNew += o.FalseNew
	t.FalseHere += o.FalseHere
	t.newSquares += float64(o.FalseNew * o.FalseNew)
	t.hereSquares += float64(o.FalseHere * o.FalseHere)
	t.Raw.merge(o.Raw)
	t.Entered += o.Entered
	t.Here.merge(o.Here)
	t.New.merge(o.New)
	t.AdoptedHere.merge(o.AdoptedHere)
	t.AdoptedNew.merge(o.AdoptedNew)
}

func (e *Error) merge(o Error) { e.N, e.Sum, e.Squares = e.N+o.N, e.Sum+o.Sum, e.Squares+o.Squares }
func (s *Share) merge(o Share) { s.N, s.Hits = s.N+o.N, s.Hits+o.Hits }

// Mean returns the mean and its standard error, or NaN if there are no cases.
func (e Error) Mean() (mean, se float64) {
	n := float64(e.N)
	mean = e.Sum / n
	return mean, math.Sqrt(math.Max(0, e.Squares/n-mean*mean) / n)
}

// Rate returns the rate of hits and its standard error, or NaN if there are no cases.
func (s Share) Rate() (rate, se float64) {
	rate = float64(s.Hits) / float64(s.N)
	return rate, math.Sqrt(rate * (1 - rate) / float64(s.N))
}

// False returns the number of false adoptions per month, with its standard error.
func (t Tally) False() (rate, se float64) { return t.monthly(t.FalseNew, t.newSquares) }

// falseHere returns the number of false claims about the holdout tasks per month.
func (t Tally) falseHere() (rate, se float64) { return t.monthly(t.FalseHere, t.hereSquares) }

func (t Tally) monthly(n int, squares float64) (rate, se float64) {
	months := float64(t.Nights) / days
	mean := float64(n) / float64(t.N)
	return float64(n) / months, math.Sqrt(math.Max(0, squares/float64(t.N)-mean*mean)*float64(t.N)) / months
}

// Power returns the share of repetitions with a true adoption.
func (t Tally) Power() (rate, se float64) { return Share{t.Won, t.N}.Rate() }

// entryPower returns the share of better variants that were adopted after their entry, or
// NaN for policies without entries.
func (t Tally) entryPower() (rate, se float64) {
	if t.Entered == 0 {
		return math.NaN(), math.NaN()
	}
	return Share{t.Won, t.Entered}.Rate()
}

// heading has the column names of [Tally.String].
const heading = "  policy\tfalse a month, new tasks\tthese tasks\tpower\tan entry's\tnights\tevaluations" +
	"\tbias\tcoverage, these\tnew\tadopted, these\tnew"

// String returns a line of the table with tab-separated cells.
func (t Tally) String() string {
	points := func(v, se float64) (float64, float64) { return 100 * v, 100 * se }
	return strings.Join([]string{
		cell("%.3f")(t.False()), cell("%.3f")(t.falseHere()), cell("%.2f")(t.Power()), cell("%.2f")(t.entryPower()),
		cell("%.1f")(t.Night.Mean()), cell("%.0f")(t.Spent.Mean()),
		cell("%.1f")(points(t.Raw.Mean())),
		cell("%.3f")(t.Here.Rate()), cell("%.3f")(t.New.Rate()), cell("%.3f")(t.AdoptedHere.Rate()), cell("%.3f")(t.AdoptedNew.Rate()),
	}, "\t")
}

// cell returns a function that formats a figure with its standard error, or a dash if the
// figure is NaN.
func cell(format string) func(v, se float64) string {
	return func(v, se float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format+" ±"+format, v, se)
	}
}
