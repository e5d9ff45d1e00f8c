package stats

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// Reference is the side against which candidates are measured if that side is not the
// champion: the variant of a proposal that waits for a decision. Nil stands for the
// champion.
type Reference struct {
	Proposal string `json:"proposal"`
	Variant  string `json:"variant"`
	// Number is the variant's number, and Champion is the champion's number.
	Number   int `json:"number"`
	Champion int `json:"champion"`
	// Steps is the number of comparisons that link the variant to the champion: 1 if it was
	// measured against the champion, more if it was measured against earlier pending
	// proposals, and 0 if its gain over the champion is unknown.
	Steps int `json:"steps"`
	// Difference is the variant's gain over the champion, which is the sum of the gains in
	// the individual comparisons. The interval is the sum of their intervals, at a level of
	// 1 minus .05 per comparison.
	Difference float64 `json:"difference"`
	Interval
}

// Add sets the gain of the reference's variant over the champion. own is the ruling on
// that variant. The result is the sum of the gain in own and the gain of own's reference;
// it is unknown if the gain of own's reference is unknown.
func (r *Reference) Add(own *Ruling) {
	i, _ := own.Shown()
	r.Steps, r.Difference, r.Interval = 1, own.Difference, i
	if before := own.Reference; before != nil {
		if before.Steps == 0 {
			r.Steps, r.Difference, r.Interval = 0, 0, Interval{}
			return
		}
		r.Steps += before.Steps
		scale := Interval{Lo: -1, Hi: 1} // scores are in [0, 1], so no sum of steps can leave this range
		r.Difference = math.Max(scale.Lo, math.Min(scale.Hi, r.Difference+before.Difference))
		r.Interval = Interval{Lo: r.Lo + before.Lo, Hi: r.Hi + before.Hi}.within(scale)
	}
}

// SD returns the standard deviation that corresponds to the interval, half the width of
// which is taken as 1.96 standard deviations, as in a 95 % interval.
func (r *Reference) SD() float64 { return (r.Hi - r.Lo) / (2 * 1.96) }

// Words returns the name of the reference for a sentence.
func (r *Reference) Words() string {
	if r == nil {
		return "the champion"
	}
	return fmt.Sprintf("%s (v%d, awaiting a decision)", r.Proposal, r.Number)
}

// Gain describes the gain of the reference over the champion. It returns "" for the
// champion itself.
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
// before its gain over the champion is lost, given the candidate's comparison with the
// reference. It returns 0 if the share is unknown.
func (r *Reference) BreakEven(c Comparison) float64 {
	gain := r.Difference + c.Difference
	if r.Steps == 0 || gain <= 0 || c.MeanB <= 0 {
		return 0
	}
	return min(1, gain/c.MeanB)
}

// than returns the "than" clause of a comparison, or "" for the champion.
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
