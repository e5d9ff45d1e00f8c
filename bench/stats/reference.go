package stats

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// Reference is the side against which candidates are measured if it is not the champion:
// the variant of a proposal that waits for a decision. Nil stands for the champion.
type Reference struct {
	Proposal string `json:"proposal"`
	Variant  string `json:"variant"`
	// Number is the variant's number, Champion that of the champion.
	Number   int `json:"number"`
	Champion int `json:"champion"`
	// Steps is the number of comparisons that link it to the champion: one if it was
	// measured against the champion, more if it was measured against earlier pending
	// proposals, and 0 if nothing was measured.
	Steps int `json:"steps"`
	// Difference is its gain over the champion, the sum of those of its steps. The
	// interval is the sum of theirs, at a level of 1 minus .05 per step.
	Difference float64 `json:"difference"`
	Interval
}

// Add sets the gain of the reference's variant over the champion: its own ruling plus the
// gain of the ruling's reference. If the latter is unknown, so is the result.
func (r *Reference) Add(own *Ruling) {
	i, _ := own.Shown()
	r.Steps, r.Difference, r.Interval = 1, own.Difference, i
	if before := own.Reference; before != nil {
		if before.Steps == 0 {
			r.Steps, r.Difference, r.Interval = 0, 0, Interval{}
			return
		}
		r.Steps += before.Steps
		scale := Interval{Lo: -1, Hi: 1} // scores are in [0, 1], however many steps there are
		r.Difference = math.Max(scale.Lo, math.Min(scale.Hi, r.Difference+before.Difference))
		r.Interval = Interval{Lo: r.Lo + before.Lo, Hi: r.Hi + before.Hi}.within(scale)
	}
}

// SD returns the standard deviation that belongs to the interval: half of a 95 % interval
// is 1.96 of it.
func (r *Reference) SD() float64 { return (r.Hi - r.Lo) / (2 * 1.96) }

// Words returns the name of the reference for a sentence.
func (r *Reference) Words() string {
	if r == nil {
		return "the champion"
	}
	return fmt.Sprintf("%s (v%d, which waits)", r.Proposal, r.Number)
}

// Gain describes the gain of the reference over the champion; empty for the champion
// itself.
func (r *Reference) Gain() string {
	switch {
	case r == nil:
		return ""
	case r.Steps == 0:
		return fmt.Sprintf("%s was not measured against v%d", r.Proposal, r.Champion)
	}
	words := fmt.Sprintf("%s against v%d: %s points [%s, %s]", r.Proposal, r.Champion, text.Points(r.Difference), text.Points(r.Lo), text.Points(r.Hi))
	if r.Steps > 1 {
		words += fmt.Sprintf(", the sum of %d comparisons", r.Steps)
	}
	return words
}

// BreakEven returns the share of all tasks on which a candidate may fail completely
// before its gain over the champion is lost, given its comparison with the reference; 0
// where it is unknown.
func (r *Reference) BreakEven(c Comparison) float64 {
	gain := r.Difference + c.Difference
	if r.Steps == 0 || gain <= 0 || c.MeanB <= 0 {
		return 0
	}
	return min(1, gain/c.MeanB)
}

// than returns the "than" clause of a comparison; empty for the champion.
func (r *Reference) than() string {
	if r == nil {
		return ""
	}
	return " than " + r.Words()
}

// gain returns the name of the measured gain.
func (r *Reference) gain() string {
	if r == nil {
		return "the gain"
	}
	return "the gain over " + r.Proposal
}
