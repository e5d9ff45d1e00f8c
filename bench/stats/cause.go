package stats

import (
	"fmt"
	"math"
	"strings"
)

// CauseKind names what a [Cause] is about.
type CauseKind string

// What became of a candidate that was confirmed. RuledOut: an improvement of [Practical]
// size on new tasks is ruled out.
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

// Why a variant that was ahead on the search tasks was not confirmed. NoRoom: the budget has
// no room for another block. NoEntry: no entry of the window is free. Enough: as many as may
// have entered tonight. TooLong: a window cannot pay what it would take. NoBlock: none of its
// blocks was complete.
const (
	CauseNoRoom  CauseKind = "no_room"
	CauseNoEntry CauseKind = "no_entry"
	CauseEnough  CauseKind = "enough_tonight"
	CauseTooLong CauseKind = "too_long"
	CauseNoBlock CauseKind = "no_block"
)

// What else a verdict rests on. Stopped: the run ended before the confirmation did. Changed: what
// the evidence is about changed. SearchCut: the search did not come to its planned end.
// Behind: the best variant is not far enough ahead. Judged: what looks better was
// confirmed in an earlier run. LeftOut: what looks better is the same as what a person refused, or
// near to it. Nothing: there is no variant to confirm.
const (
	CauseStopped   CauseKind = "stopped"
	CauseChanged   CauseKind = "changed"
	CauseSearchCut CauseKind = "search_cut"
	CauseBehind    CauseKind = "behind"
	CauseJudged    CauseKind = "judged_before"
	CauseNothing   CauseKind = "nothing_to_confirm"
	CauseLeftOut   CauseKind = "left_out"
)

// Why there was no confirmation at all. Ended: the run ended before there was anything
// to decide.
const (
	CauseNoTasks    CauseKind = "no_search_tasks"
	CauseNoHoldout  CauseKind = "no_holdout"
	CauseSearchOnly CauseKind = "search_only"
	CauseNoBudget   CauseKind = "no_budget"
	CauseEnded      CauseKind = "ended"
)

// Cause is one thing that a verdict rests on.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Subject is the variant that it is about; empty when it is about none.
	Subject string `json:"subject,omitempty"`
	// Open says that it decides nothing: an improvement of [Practical] size is neither shown nor ruled out.
	Open bool `json:"open,omitempty"`
	// Figures by name: differences, gains and intervals in score units, counts as they are.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Sentence says it in plain words, without its end.
	Sentence string `json:"sentence"`
}

// None reports whether there is no cause.
func (c Cause) None() bool { return c.Kind == "" }

// kind of the cause that a ruling is.
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

// cause is what a ruling says, and what comes next for its candidate.
func (r *Ruling) cause(d Design) Cause {
	i, _ := r.Shown()
	c := Cause{Kind: r.kind(), Subject: r.Variant, Figures: finites(map[string]float64{
		"difference": r.Difference, "lo": i.Lo, "hi": i.Hi, "tasks": float64(r.Tasks), "blocks": float64(r.Blocks),
	})}
	switch c.Kind {
	case CauseProven:
		c.Sentence = r.proven()
	case CauseTrade:
		c.Sentence = r.traded()
	case CauseVetoed:
		c.Sentence = fmt.Sprintf("the candidate %s may not replace %s: %s", short(r.Variant), r.Reference.Words(), r.Reason)
	case CauseHarmful:
		if r.Fixed {
			c.Sentence = fmt.Sprintf("the candidate %s is no better than %s on these tasks (%s points), and asking again would say the same", short(r.Variant), r.Reference.Words(), signed(r.Difference))
			break
		}
		c.Sentence = fmt.Sprintf("the candidate %s is proven worse than %s on these tasks (%s points)", short(r.Variant), r.Reference.Words(), signed(r.Difference))
	case CauseRuledOut:
		c.Sentence = fmt.Sprintf("the candidate %s is not better%s on new tasks like these by %s points or more (%s)", short(r.Variant), r.Reference.than(), points(Practical), r.interval())
	default:
		c.Sentence = r.undecided(d)
	}
	if f := r.Failures; f != nil && f.Only > 0 {
		c.Figures["failed_tasks"], c.Figures["failed_tasks_champion"] = float64(f.Variant), float64(f.Champion)
		if c.Kind != CauseProven && c.Kind != CauseTrade { // theirs name them
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

// finites leaves out what no JSON can hold.
func finites(list map[string]float64) map[string]float64 {
	for name, x := range list {
		if !finite(x) {
			delete(list, name)
		}
	}
	return list
}

// heldBack is the cause that a variant which was ahead was not confirmed, in a sentence of
// its own. others says that some were confirmed.
func (c Cause) heldBack(others bool) Cause {
	switch c.Kind {
	case CauseStopped, CauseChanged:
		return c // neither says that any variant was ahead
	}
	who := "a variant"
	switch {
	case c.Subject != "":
		who = "variant " + short(c.Subject)
	case others:
		who = "another variant"
	}
	c.Sentence = who + " looked better on the search tasks and was not confirmed: " + c.Sentence
	return c
}

// clauses bounds the causes that the sentence of a verdict names one by one.
const clauses = 4

// sentence puts causes together.
func sentence(causes []Cause) string {
	var out []string
	for _, c := range causes[:min(len(causes), clauses)] {
		out = append(out, c.Sentence)
	}
	if n := len(causes) - clauses; n > 0 {
		out = append(out, plural(n, "more reason")+" in the record")
	}
	return strings.Join(out, "; ")
}

// searchCut is the cause of a search that did not come to its end.
func searchCut(behind Cause, any bool) Cause {
	c := Cause{Kind: CauseSearchCut, Sentence: "the search was cut short; the next run searches on"}
	switch {
	case !behind.None():
		c.Sentence = "the search was cut short, and so far " + behind.Sentence + "; the next run searches on"
		c.Subject, c.Figures = behind.Subject, behind.Figures
	case !any:
		c.Sentence = "the search was cut short with nothing to confirm yet; the next run searches on"
	}
	return c
}

// visible is what a run could see, in words.
func visible(detectable float64) string {
	if detectable >= 1 {
		return "no difference, however large"
	}
	return points(detectable) + " points at 80 % power"
}

// unlikely is the 95 % quantile of the standard normal distribution: a gain exceeds its mean by so many
// standard deviations with probability .05.
const unlikely = 1.645

// behindBy returns the cause of a night that promotes no prospect because none leads by a standard
// deviation. p is the prospect with the highest mean.
func (p Prospect) behindBy() Cause {
	c := Cause{Kind: CauseBehind, Subject: p.Variant, Figures: p.figures(), Open: p.Mean > 0 && p.Mean+unlikely*p.SD >= Practical}
	verdict := "no variant is far enough ahead of " + p.Reference.Words() + " to be confirmed: the best"
	if !(p.Mean > 0) {
		verdict = "no variant is ahead of " + p.Reference.Words() + ": the best"
	}
	c.Sentence = fmt.Sprintf("%s, variant %s, is estimated at %s points (standard deviation %s%s)", verdict, short(p.Variant), signed(p.Mean), points(p.SD), p.seen())
	return c
}

// seen returns, in words, the difference measured on common search tasks: with few of them the model's
// estimate is shrunk towards 0.
func (p Prospect) seen() string {
	if p.Common == 0 {
		return ""
	}
	return fmt.Sprintf("; measured %s on the %s that it shares with the champion, for which it was selected", signed(p.Measured), plural(p.Common, "search task"))
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

// tooLong is the cause that a window cannot pay what a prospect that is ahead would take.
func (p Prospect) tooLong(projected, room float64) Cause {
	c := Cause{Kind: CauseTooLong, Subject: p.Variant, Figures: p.figures()}
	c.Figures["room"] = math.Max(0, room)
	if finite(projected) {
		c.Figures["projected"] = projected
	}
	c.Sentence = fmt.Sprintf("it is estimated to be ahead by %s points (standard deviation %s), which would take about %s to show, and a month's confirmations can pay %.0f",
		signed(p.Mean), points(p.SD), morePairs(projected), math.Max(0, room))
	return c
}
