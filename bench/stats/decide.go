package stats

import (
	"fmt"
	"math"
)

// MinClusters is the fewest clusters on which a finalist may be accepted: with six,
// 2^−6 ≤ .025, an exact test over the signs alone could reach the usual level;
// with five none could, and Student's interval would rest on the shape of the
// distribution alone.
const MinClusters = 6

// Finalist is a variant with its fresh pairs against the champion on the holdout.
type Finalist struct {
	Variant string
	Pairs   []Pair
}

// HolmRuling is what the evidence says of one finalist.
type HolmRuling struct {
	Variant string `json:"variant"`
	Comparison
	// Adjusted is P adjusted over all finalists (Holm).
	Adjusted float64 `json:"adjusted"`
	Accepted bool    `json:"accepted"`
	// Open says that an improvement of practical size is neither shown nor ruled out.
	Open   bool   `json:"open"`
	Reason string `json:"reason"`
}

// Decision is the machine's judgement of a run for one agent; a person decides.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	// Winner is the index of the recommended finalist in Rulings, -1 for none.
	Winner  int          `json:"winner"`
	Rulings []HolmRuling `json:"rulings"`
	// Detectable is the smallest true difference that every comparison would have found
	// with 80 % power at the level of the first step of Holm; 1 when none, 0 without finalists.
	Detectable float64 `json:"detectable"`
	// Sentence is the decision in plain words.
	Sentence string `json:"sentence"`
}

// Decide rules on the finalists of a run, at level (such as 0.95). The rule:
//
// A finalist is accepted when its one-sided p-value, adjusted over the finalists,
// is at most (1−level)/2, on at least [MinClusters] clusters; then the two-sided
// interval at the level lies above 0 as well. Any accepted: adopt, the winner
// being the accepted one with the highest lower bound. Otherwise a finalist is open
// when it was measured on fewer than [MinClusters] clusters, or when the upper end of its
// interval reaches [Practical]; any open: undecided. Otherwise, and without
// finalists: keep.
func Decide(finalists []Finalist, level float64) Decision {
	d := Decision{Verdict: Keep, Winner: -1, Rulings: make([]HolmRuling, len(finalists))}
	p := make([]float64, len(finalists))
	for i, f := range finalists {
		d.Rulings[i] = HolmRuling{Variant: f.Variant, Comparison: Compare(f.Pairs, level)}
		p[i] = d.Rulings[i].P
		d.Detectable = math.Max(d.Detectable, d.Rulings[i].Comparison.detectable(len(finalists)))
	}
	for i, adjusted := range Holm(p) {
		r := &d.Rulings[i]
		r.Adjusted = adjusted
		r.judge()
		switch {
		case r.Accepted:
			d.Verdict = Adopt
			if d.Winner < 0 || r.Lo > d.Rulings[d.Winner].Lo {
				d.Winner = i
			}
		case r.Open && d.Verdict == Keep:
			d.Verdict = Undecided
		}
	}
	d.Sentence = d.sentence()
	return d
}

func (r *HolmRuling) judge() {
	alpha := (1 - r.Level) / 2
	interval := fmt.Sprintf("%s points (%s to %s)", signed(r.Difference), signed(r.Lo), signed(r.Hi))
	switch {
	case r.Clusters < MinClusters:
		r.Open = true
		r.Reason = fmt.Sprintf("measured on %s, at least %d are needed", plural(r.Clusters, "independent task"), MinClusters)
	case r.Adjusted <= alpha:
		r.Accepted = true
		r.Reason = fmt.Sprintf("better by %s, adjusted p %.2g", interval, r.Adjusted)
	case r.Hi >= Practical:
		r.Open = true
		r.Reason = fmt.Sprintf("%s, adjusted p %.2g: neither shown better nor ruled out to be better by %s points", interval, r.Adjusted, points(Practical))
	default:
		r.Reason = fmt.Sprintf("%s: not better by %s points or more", interval, points(Practical))
	}
}

// detectable is Detectable with the level shared over so many comparisons, scaled
// by the ratio of the quantiles for equal clusters.
func (c Comparison) detectable(comparisons int) float64 {
	if comparisons <= 1 || c.Clusters < 2 || c.SE == 0 {
		return c.Detectable
	}
	df := float64(c.Clusters - 1)
	plain := tQuantile(1-(1-c.Level)/2, df) + tQuantile(power, df)
	shared := tQuantile(1-(1-c.Level)/2/float64(comparisons), df) + tQuantile(power, df)
	return math.Min(1, c.Detectable*shared/plain)
}

func (d Decision) sentence() string {
	visible := fmt.Sprintf("%s points at 80 %% power", points(d.Detectable))
	if d.Detectable >= 1 {
		visible = "no difference, however large"
	}
	switch {
	case d.Winner >= 0:
		r := d.Rulings[d.Winner]
		return fmt.Sprintf("variant %s is better than the champion by %s points on %s it was never tuned on (%g %% interval %s to %s)",
			short(r.Variant), signed(r.Difference), plural(r.Tasks, "task"), 100*r.Level, signed(r.Lo), signed(r.Hi))
	case d.Verdict == Undecided:
		return fmt.Sprintf("nothing tried tonight is shown to be better, and an improvement of %s points is not ruled out (this run could see %s)", points(Practical), visible)
	case len(d.Rulings) == 0:
		return "nothing tried tonight looked better than the champion on the search tasks, so nothing was confirmed"
	}
	return fmt.Sprintf("nothing tried tonight is better by a margin this run could see (%s)", visible)
}
