package stats

import "fmt"

// Reference is what candidates are measured against where it is not the champion: the variant
// of a proposal that waits for a decision. A nil one stands for the champion.
type Reference struct {
	Proposal string `json:"proposal"`
	Variant  string `json:"variant"`
	// Number is the variant's, Champion that of the agent's champion.
	Number   int `json:"number"`
	Champion int `json:"champion"`
	// Steps counts the comparisons by which it is known against the champion: one where it was measured
	// against that, more where it was measured against proposals that waited before it; 0 where
	// nothing was measured.
	Steps int `json:"steps"`
	// Difference is its gain over the champion, the sum of those of its steps; the interval is
	// the sum of theirs, at a level of 1 less .05 a step.
	Difference float64 `json:"difference"`
	Interval
}

// Add puts the ruling on the reference's variant in: its own gain, and that of what it was measured
// against. Where that is not known against the champion, neither is this.
func (r *Reference) Add(own *Ruling) {
	i, _ := own.Shown()
	r.Steps, r.Difference, r.Interval = 1, own.Difference, i
	if before := own.Reference; before != nil {
		if before.Steps == 0 {
			r.Steps, r.Difference, r.Interval = 0, 0, Interval{}
			return
		}
		r.Steps += before.Steps
		r.Difference += before.Difference
		r.Lo += before.Lo
		r.Hi += before.Hi
	}
}

// SD is the standard deviation that belongs to the interval: half of one at 95 % is 1.96 of it.
func (r *Reference) SD() float64 { return (r.Hi - r.Lo) / (2 * 1.96) }

// Words name the reference in a sentence.
func (r *Reference) Words() string {
	if r == nil {
		return "the champion"
	}
	return fmt.Sprintf("%s (v%d, which waits)", r.Proposal, r.Number)
}

// Gain says in words how the reference stands to the champion; empty for the champion itself.
func (r *Reference) Gain() string {
	switch {
	case r == nil:
		return ""
	case r.Steps == 0:
		return fmt.Sprintf("%s was not measured against v%d", r.Proposal, r.Champion)
	}
	words := fmt.Sprintf("%s against v%d: %s points [%s, %s]", r.Proposal, r.Champion, signed(r.Difference), signed(r.Lo), signed(r.Hi))
	if r.Steps > 1 {
		words += fmt.Sprintf(", the sum of %d comparisons", r.Steps)
	}
	return words
}

// BreakEven is the share of all tasks that takes the gain of a candidate over the champion away when it
// fails them altogether, for the comparison of the candidate with the reference; 0 where it is not known.
func (r *Reference) BreakEven(c Comparison) float64 {
	gain := r.Difference + c.Difference
	if r.Steps == 0 || gain <= 0 || c.MeanB <= 0 {
		return 0
	}
	return min(1, gain/c.MeanB)
}

// than ends a comparison whose other side is the champion unless it is named.
func (r *Reference) than() string {
	if r == nil {
		return ""
	}
	return " than " + r.Words()
}

// gain names the measured gain.
func (r *Reference) gain() string {
	if r == nil {
		return "the gain"
	}
	return "the gain over " + r.Proposal
}
