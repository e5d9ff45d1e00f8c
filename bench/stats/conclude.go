package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/runtime/text"
)

// Verdict is the verdict of a run for an agent.
type Verdict string

// The verdicts:
//
//   - Adopt: a candidate is proven better on new tasks like these.
//   - TradeOff: a candidate is proven better but breaks a guard, so a person decides whether
//     its gain is worth the price.
//   - Keep: an improvement of practical size is ruled out for all candidates of the
//     confirmation, or a finished search found nothing to confirm.
//   - Undecided: an improvement of practical size is neither shown nor ruled out.
const (
	Adopt     Verdict = "adopt"
	Keep      Verdict = "keep"
	Undecided Verdict = "undecided"
	TradeOff  Verdict = "trade"
)

// Proposes reports whether the verdict proposes a variant.
func (v Verdict) Proposes() bool { return v == Adopt || v == TradeOff }

// Practical is the smallest improvement, in score units, that is worth a change to the
// agent. A run that cannot rule out such an improvement is undecided.
const Practical = 0.05

// MinClusters is the minimum number of clusters for a comparison that rests on Student's t
// alone. With six clusters, an exact sign test could reach the usual level, because 2^−6 ≤
// .025; with five it could not, and the interval would depend on the assumed distribution.
const MinClusters = 6

// Circumstances are the inputs of a night's verdict, other than the rulings.
type Circumstances struct {
	// Searched reports whether the search stage reached its planned end.
	Searched bool
	// Blocked is the reason why a variant that was ahead did not enter the confirmation: no
	// entry was left in the window, the budget did not suffice for a block, or more pairs
	// were needed than a window can pay for. It is empty if no variant was held back.
	Blocked Cause
	// Behind describes how far the best variant is from confirmation; it is empty if there
	// is no such variant.
	Behind Cause
	// Judged describes a variant that looks better and was judged in an earlier run; it is
	// empty if there is no such variant.
	Judged Cause
	// LeftOut is the reason why variants that look better could not enter the confirmation;
	// it is empty if there are no such variants.
	LeftOut Cause
	// Refused lists the candidates' proposals that the gates refused.
	Refused []Refusal
	// Reference is the version that candidates are compared with; nil means the champion.
	Reference *Reference
	// Design is the confirmation's budget. If nothing was confirmed, it determines the
	// difference that the night could have detected, and the number of tasks needed to
	// detect a smaller one.
	Design Design
}

// Conclusion is the automatic verdict of a night for one agent; the decision is left to a
// person.
type Conclusion struct {
	Verdict Verdict `json:"verdict"`
	// Winner is the index of the ruling on the recommended candidate, or -1 if there is
	// none.
	Winner int `json:"winner"`
	// Detectable is the smallest true improvement on new tasks, in score units, that the
	// evidence on every candidate would have shown with 80 % power. Without candidates,
	// it is the smallest improvement that the design could show tonight. It is 1 if there
	// is no such improvement.
	Detectable float64 `json:"detectable"`
	// Causes are the reasons for the verdict: first the deciding cause, then the causes
	// of the other candidates, of variants that were held back, and of an unfinished
	// search.
	Causes []Cause `json:"causes"`
	// Sentence is the verdict in words: the claim, and the next step.
	Sentence string `json:"sentence"`
}

// Conclude derives the verdict of a night from the rulings on its candidates. If any
// candidate is proven, the verdict is to adopt, and the winner is the one with the highest
// bound for new tasks. Otherwise, if any ruling is a trade, the verdict is a trade, and the
// winner is chosen in the same way. A candidate that the gates refused cannot be the
// winner; if there is no other, the verdict is [Refused]. Otherwise the verdict is to keep
// the champion in two cases: if every ruling rules out an improvement of [Practical] size
// on new tasks or ended against its candidate, or if there are no rulings after a complete
// search that held no variant back and left no such improvement open ([Cause].Open). In all
// other cases it is undecided.
func Conclude(rulings []Ruling, c Circumstances) Conclusion {
	out := Conclusion{Winner: -1, Detectable: math.Min(1, c.Design.Detectable(c.Design.Tonight))}
	if len(rulings) > 0 {
		out.Detectable = 0
	}
	trade, refused := -1, -1
	undecided := -1 // the undecided ruling nearest to a proof
	for i := range rulings {
		r := &rulings[i]
		out.Detectable = math.Max(out.Detectable, math.Min(1, c.Design.learned(r).Detectable(float64(r.Pairs))))
		switch {
		case (r.State == Proven || r.State == Trade) && c.refused(r):
			if f := c.refusal(r); f != nil && (refused < 0 || f == &c.Refused[0]) { // Refused begins with the best candidate
				refused = i
			}
		case r.State == Proven:
			if out.Winner < 0 || r.NewLower > rulings[out.Winner].NewLower {
				out.Winner = i
			}
		case r.State == Trade:
			if trade < 0 || r.NewLower > rulings[trade].NewLower {
				trade = i
			}
		case r.settled():
		case undecided < 0 || r.State.hope() > rulings[undecided].State.hope() ||
			r.State == rulings[undecided].State && r.Difference > rulings[undecided].Difference:
			undecided = i
		}
	}
	lead := undecided
	switch {
	case out.Winner >= 0:
		out.Verdict, lead = Adopt, out.Winner
	case trade >= 0:
		out.Winner, out.Verdict, lead = trade, TradeOff, trade
	case refused >= 0:
		out.Verdict, lead = Refused, refused
	case undecided >= 0, !c.Blocked.None(), !c.Searched, len(rulings) == 0 && c.nothing().Open:
		out.Verdict = Undecided
	default:
		out.Verdict = Keep
	}
	out.Causes = c.causes(rulings, lead)
	switch {
	case out.Verdict.Proposes():
		out.Sentence = out.Causes[0].Sentence
	case lead >= 0:
		// The next step of one candidate suffices; vetoes, proofs of harm and refusals are
		// named for all candidates.
		said := slices.DeleteFunc(slices.Clone(out.Causes[1:]), func(c Cause) bool { return c.Kind != CauseVetoed && c.Kind != CauseHarmful && c.Kind != CauseRefused })
		out.Sentence = sentence(append(out.Causes[:1:1], said...))
		if out.Verdict == Refused && !c.Refused[0].NotRun {
			out.Sentence += "; nothing else was confirmed"
		}
	case out.Verdict == Keep && len(rulings) > 0:
		out.Sentence = kept(out.Causes, out.Detectable, c.Reference)
	default:
		out.Sentence = sentence(out.Causes)
	}
	return out
}

// causes returns the causes of a verdict, starting with the cause of the leading ruling.
// lead is the index of that ruling, or -1 if there is none.
func (c Circumstances) causes(rulings []Ruling, lead int) []Cause {
	var out []Cause
	if lead >= 0 {
		out = append(out, c.cause(&rulings[lead]))
	}
	for i := range rulings {
		if i == lead {
			continue
		}
		other := c.cause(&rulings[i])
		if lead >= 0 && (rulings[lead].State == Proven || rulings[lead].State == Trade) && !c.refused(&rulings[lead]) {
			// An adoption invalidates evidence against the old champion.
			next := "its confirmation continues unless the champion is replaced"
			if c.Reference != nil {
				next = "its confirmation does not continue, because candidates must now beat this winner"
			}
			other.Sentence = strings.Replace(other.Sentence, "its confirmation continues tomorrow", next, 1)
		}
		out = append(out, other)
	}
	if !c.Blocked.None() {
		out = append(out, c.Blocked.heldBack(len(rulings) > 0))
	}
	if !c.Searched {
		out = append(out, searchCut(c.Behind, len(rulings) > 0 || !c.Blocked.None()))
	}
	if len(out) > 0 && !c.LeftOut.None() && len(rulings) == 0 {
		out = append(out, c.LeftOut)
	}
	if len(out) > 0 {
		return out
	}
	return []Cause{c.nothing()}
}

// The method called nothing returns the reason why nothing was confirmed although no
// variant was held back.
func (c Circumstances) nothing() Cause {
	switch {
	case !c.LeftOut.None():
		return c.LeftOut
	case !c.Behind.None():
		behind := c.Behind
		behind.Sentence = "nothing was confirmed: on the search tasks " + behind.Sentence
		return behind
	case !c.Judged.None():
		return c.Judged
	}
	return Cause{Kind: CauseNothing, Sentence: "nothing tried so far looks better than " + c.Reference.Words() + " on the search tasks, so nothing was confirmed"}
}

// settled reports whether a ruling rules out an improvement of [Practical] size on new
// tasks, or ended against its candidate.
func (r *Ruling) settled() bool {
	return r.State == Harmful || r.State == Vetoed || r.New.Hi < Practical
}

// hope ranks the undecided states by how near they are to a proof.
func (s State) hope() int {
	switch s {
	case HereOnly:
		return 2
	case Open:
		return 1
	}
	return 0
}

func (r *Ruling) proven() string {
	return r.better() + r.Undecided()
}

// traded returns the sentence about a trade, with its gain and its price.
func (r *Ruling) traded() string {
	return r.better() + "; it breaks a guard: " + strings.Join(r.prices(), "; ") + r.Undecided() + "; whether the gain is worth it is for a person to decide"
}

func (r *Ruling) better() string {
	words := fmt.Sprintf("variant %s is better than %s on new tasks like these: %s, measured on %s it was never tuned on%s",
		short(r.Variant), r.Reference.Words(), r.interval(), text.Count(r.Tasks, "task"), r.price()+r.leavesOpen())
	if gain := r.Reference.Gain(); gain != "" {
		words += "; " + gain
	}
	return words
}

// interval describes the difference with the interval that belongs to the claim, preceded
// by the difference in the metric if there is one.
func (r *Ruling) interval() string {
	words := r.inMetric() + r.inScore()
	if discord := r.Discord(); discord != "" {
		words += " (" + discord + ")"
	}
	return words
}

// inMetric returns the words about the difference in the metric, which are placed before
// the words about the score, or "" if there is no metric.
func (r *Ruling) inMetric() string {
	if r.Metric == nil {
		return ""
	}
	return r.Metric.recorded() + ", on " + r.Metric.Size() + "; in the score "
}

// inScore returns a phrase with the difference in scores and the interval of the claim.
func (r *Ruling) inScore() string {
	i, about := r.Shown()
	if r.exact() {
		return text.Points(r.Difference) + " points on these tasks; this is exact, because a repeat would give the same result"
	}
	return fmt.Sprintf("%s points, %s interval for %s %s to %s", text.Points(r.Difference), text.Percent(r.Level), about.Words(), text.Points(i.Lo), text.Points(i.Hi))
}

// missingPairs returns the expected number of further pairs until an open candidate is
// shown to be better on these tasks. It returns +Inf if the candidate cannot be shown to be
// better.
func (r *Ruling) missingPairs() float64 {
	pairs := float64(r.Pairs)
	mean, _ := Posterior(Differences{}, Differences{N: pairs, Sum: pairs * r.Difference, Variance: r.Within})
	return ProjectedPairs(mean, r.LogE, math.Exp(-r.Threshold), r.Within)
}

func (r *Ruling) undecided(d Design) string {
	interval := r.interval()
	name := short(r.Variant)
	switch r.State {
	case HereOnly:
		more := ""
		gain := math.Max(r.Difference, Practical)
		if n := d.learned(r).Needed(gain); n > 0 {
			more = fmt.Sprintf("; about %s would be needed to show %s points", text.Count(n, "independent task"), text.Size(gain))
		}
		return fmt.Sprintf("variant %s is proven better%s on these tasks only (%s): %s cannot show that it is better on new tasks like these%s",
			name, r.Reference.than(), interval, r.independent(), more)
	case Parked:
		return fmt.Sprintf("variant %s is neither shown to be better%s nor ruled out (%s) after twice the projected number of pairs: it is parked, and its evidence is kept", name, r.Reference.than(), interval)
	}
	next := "its confirmation continues tomorrow"
	if r.LogE < r.Threshold {
		if n := r.missingPairs(); !math.IsInf(n, 1) {
			next += ": about " + morePairs(n)
		}
		return fmt.Sprintf("variant %s is not shown to be better%s, nor is a gain of %s points ruled out (%s); %s", name, r.Reference.than(), text.Size(Practical), interval, next)
	}
	return fmt.Sprintf("variant %s is proven better%s on these tasks, but not yet on new tasks like these (%s); %s", name, r.Reference.than(), interval, next)
}

// kept returns the sentence for a night that keeps the champion after a confirmation. It
// names each candidate whose ruling is final, and the gain that the evidence rules out for
// the others.
func kept(causes []Cause, detectable float64, against *Reference) string {
	var ended []Cause
	others := false
	for _, c := range causes {
		if c.Kind == CauseRuledOut {
			others = true
		} else {
			ended = append(ended, c)
		}
	}
	if !others {
		return sentence(ended)
	}
	who := "nothing in the confirmation"
	if len(ended) > 0 {
		who = sentence(ended) + "; nothing else in the confirmation"
	}
	return fmt.Sprintf("%s is better%s by %s points or more on new tasks like these (this run could detect %s)", who, against.than(), text.Size(Practical), visible(detectable))
}
