package stats

import (
	"fmt"
	"math"
	"strings"

	"evolve/runtime/text"
)

// CauseKind is the kind of a [Cause].
type CauseKind string

// The outcomes of a candidate. CauseRuledOut means that an improvement of [Practical] size
// on new tasks is ruled out.
const (
	CauseProven   CauseKind = "proven"
	CauseTrade    CauseKind = "trade"
	CauseHereOnly CauseKind = "here_only"
	CauseOpen     CauseKind = "open"
	CauseParked   CauseKind = "parked"
	CauseVetoed   CauseKind = "vetoed"
	CauseHarmful  CauseKind = "harmful"
	CauseRuledOut CauseKind = "ruled_out"
)

// The reasons why a variant that was ahead on the search tasks was not confirmed:
//
//   - CauseNoRoom: the budget does not suffice for another block.
//   - CauseNoEntry: the window has no free entry.
//   - CauseEnough: the maximum number of entries for the night is reached.
//   - CauseTooLong: confirming the variant would exceed the budget of a window.
//   - CauseNoBlock: none of the variant's blocks was complete.
const (
	CauseNoRoom  CauseKind = "no_room"
	CauseNoEntry CauseKind = "no_entry"
	CauseEnough  CauseKind = "enough_tonight"
	CauseTooLong CauseKind = "too_long"
	CauseNoBlock CauseKind = "no_block"
)

// Other reasons for a verdict:
//
//   - CauseStopped: the run ended before the confirmation did.
//   - CauseChanged: the subject of the evidence changed.
//   - CauseSearchCut: the search did not reach its planned end.
//   - CauseBehind: the best variant is not far enough ahead.
//   - CauseJudged: the variant that looks better was judged in an earlier run.
//   - CauseLeftOut: the variants that look better are the same as, or similar to, a refused
//     proposal.
//   - CauseNothing: there is no variant to confirm.
const (
	CauseStopped   CauseKind = "stopped"
	CauseChanged   CauseKind = "changed"
	CauseSearchCut CauseKind = "search_cut"
	CauseBehind    CauseKind = "behind"
	CauseJudged    CauseKind = "judged_before"
	CauseNothing   CauseKind = "nothing_to_confirm"
	CauseLeftOut   CauseKind = "left_out"
)

// The reasons why there was no confirmation at all. CauseEnded means that the run ended
// before there was anything to decide. CauseVaries means that repeats differ, although
// the night was planned for a fixed agent.
const (
	CauseVaries     CauseKind = "repeats_differ"
	CauseNoTasks    CauseKind = "no_search_tasks"
	CauseNoHoldout  CauseKind = "no_holdout"
	CauseSearchOnly CauseKind = "search_only"
	CauseNoBudget   CauseKind = "no_budget"
	CauseEnded      CauseKind = "ended"
)

// Cause is one reason for a verdict.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Subject is the variant that the cause is about; it is empty if there is none.
	Subject string `json:"subject,omitempty"`
	// Open reports whether the cause is inconclusive: an improvement of [Practical] size
	// is neither shown nor ruled out.
	Open bool `json:"open,omitempty"`
	// Figures maps names to figures: differences, gains and intervals in score units, and
	// counts.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Sentence is the cause in words, without the final full stop.
	Sentence string `json:"sentence"`
}

// None reports whether there is no cause.
func (c Cause) None() bool { return c.Kind == "" }

// kind returns the kind of cause for a ruling.
func (r *Ruling) kind() CauseKind {
	switch {
	case r.State == Proven:
		return CauseProven
	case r.State == Trade:
		return CauseTrade
	case r.State == Vetoed:
		return CauseVetoed
	case r.State == Harmful:
		return CauseHarmful
	case r.settled():
		return CauseRuledOut
	case r.State == HereOnly:
		return CauseHereOnly
	case r.State == Parked:
		return CauseParked
	}
	return CauseOpen
}

// cause returns the cause for a ruling, with the next step for its candidate.
func (r *Ruling) cause(d Design) Cause {
	i, _ := r.Shown()
	c := Cause{Kind: r.kind(), Subject: r.Variant, Figures: finites(map[string]float64{
		"difference": r.Difference, "lo": i.Lo, "hi": i.Hi, "tasks": float64(r.Tasks), "blocks": float64(r.Blocks),
	})}
	if n := r.missingPairs(); c.Kind == CauseOpen && r.LogE < r.Threshold && finite(n) {
		c.Figures["more_pairs"] = math.Ceil(n)
	}
	switch c.Kind {
	case CauseProven:
		c.Sentence = r.proven()
	case CauseTrade:
		c.Sentence = r.traded()
	case CauseVetoed:
		c.Sentence = fmt.Sprintf("the candidate %s must not replace %s: %s", short(r.Variant), r.Reference.Words(), r.Reason)
	case CauseHarmful:
		if r.Fixed {
			c.Sentence = fmt.Sprintf("the candidate %s is no better than %s on these tasks (%s points), and a repeat would give the same result", short(r.Variant), r.Reference.Words(), text.Points(r.Difference))
			break
		}
		c.Sentence = fmt.Sprintf("the candidate %s is proven worse than %s on these tasks (%s points)", short(r.Variant), r.Reference.Words(), text.Points(r.Difference))
	case CauseRuledOut:
		c.Sentence = fmt.Sprintf("the candidate %s is not better%s by %s points or more on new tasks like these (%s)", short(r.Variant), r.Reference.than(), text.Size(Practical), r.interval())
	default:
		c.Sentence = r.undecided(d)
	}
	if f := r.Failures; f != nil && f.Only > 0 {
		c.Figures["failed_tasks"], c.Figures["failed_tasks_champion"] = float64(f.Variant), float64(f.Champion)
		if c.Kind != CauseProven && c.Kind != CauseTrade { // the sentences of these kinds include the crashes
			c.Sentence += r.crashes()
		}
	}
	for _, g := range r.Guards {
		if g.Broken() {
			c.Figures[g.Name+"_ratio"], c.Figures[g.Name+"_most"] = g.Ratio, g.Most
		}
	}
	for _, p := range r.Parts {
		if p.Verdict == DomainVeto {
			c.Figures["domain "+p.Domain] = p.Difference
		}
	}
	return c
}

// finites removes the figures that JSON cannot represent.
func finites(list map[string]float64) map[string]float64 {
	for name, x := range list {
		if !finite(x) {
			delete(list, name)
		}
	}
	return list
}

// heldBack returns a cause whose sentence states that a variant that was ahead in the
// search was not confirmed. others reports whether some variants were confirmed.
func (c Cause) heldBack(others bool) Cause {
	switch c.Kind {
	case CauseStopped, CauseChanged:
		return c // neither implies that a variant was ahead
	}
	who := "a variant"
	switch {
	case c.Subject != "":
		who = "variant " + short(c.Subject)
	case others:
		who = "another variant"
	}
	c.Sentence = who + " looked better on the search tasks but was not confirmed: " + c.Sentence
	return c
}

// clauses limits the number of causes in the sentence of a verdict.
const clauses = 4

// sentence joins the sentences of causes.
func sentence(causes []Cause) string {
	var out []string
	for _, c := range causes[:min(len(causes), clauses)] {
		out = append(out, c.Sentence)
	}
	if n := len(causes) - clauses; n > 0 {
		out = append(out, text.Count(n, "more reason")+" in the record")
	}
	return strings.Join(out, "; ")
}

// searchCut returns the cause for a search that did not reach its end.
func searchCut(behind Cause, any bool) Cause {
	c := Cause{Kind: CauseSearchCut, Sentence: "the search was cut short; the next run continues it"}
	switch {
	case !behind.None():
		c.Sentence = "the search was cut short, and so far " + behind.Sentence + "; the next run continues the search"
		c.Subject, c.Figures = behind.Subject, behind.Figures
	case !any:
		c.Sentence = "the search was cut short before there was anything to confirm; the next run continues the search"
	}
	return c
}

// visible describes the smallest difference that a run could detect.
func visible(detectable float64) string {
	if detectable >= 1 {
		return "no difference, however large"
	}
	return text.Size(detectable) + " points at 80 % power"
}

// unlikely is the 95 % quantile of the standard normal distribution: a gain exceeds its
// mean by this many standard deviations with probability .05.
const unlikely = 1.645

// behindBy returns the cause for a night that promotes no prospect, because none is ahead
// by at least a standard deviation. p is the prospect with the highest mean.
func (p Prospect) behindBy() Cause {
	c := Cause{Kind: CauseBehind, Subject: p.Variant, Figures: p.figures(), Open: p.Mean > 0 && p.Mean+unlikely*p.SD >= Practical}
	verdict := "no variant is far enough ahead of " + p.Reference.Words() + " to be confirmed: the best"
	if !(p.Mean > 0) {
		verdict = "no variant is ahead of " + p.Reference.Words() + ": the best"
	}
	c.Sentence = fmt.Sprintf("%s, variant %s, is estimated at %s points (standard deviation %s%s)", verdict, short(p.Variant), text.Points(p.Mean), text.Size(p.SD), p.seen())
	return c
}

// seen returns, in words, the difference measured on the search tasks that the prospect
// shares with the champion. The model's estimate differs from this difference, because
// the estimate is shrunk towards 0 if there are few such tasks.
func (p Prospect) seen() string {
	if p.Common == 0 {
		return ""
	}
	return fmt.Sprintf("; measured %s on the %s that it shares with the champion, a result that may be too high, because the variant was selected for it", text.Points(p.Measured), text.Count(p.Common, "search task"))
}

func (p Prospect) figures() map[string]float64 {
	f := map[string]float64{"estimated": p.Mean, "sd": p.SD}
	if p.Common > 0 {
		f["measured"], f["search_tasks"] = p.Measured, float64(p.Common)
	}
	if p.Pairs > 0 {
		f["pairs"] = p.Pairs
	}
	return finites(f)
}

// tooLong returns the cause for a prospect that is ahead and needs more pairs than a window
// can pay for.
func (p Prospect) tooLong(projected, room float64) Cause {
	c := Cause{Kind: CauseTooLong, Subject: p.Variant, Figures: p.figures()}
	c.Figures["room"] = math.Max(0, room)
	if finite(projected) {
		c.Figures["projected"] = projected
	}
	c.Sentence = fmt.Sprintf("it is estimated to be ahead by %s points (standard deviation %s), which would take about %s to show, but a month's confirmations allow only %s",
		text.Points(p.Mean), text.Size(p.SD), morePairs(projected), text.Whole(int(math.Max(0, room))))
	return c
}
