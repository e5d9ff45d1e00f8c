package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeConfirmed is what the nights on one state of the code found about a version on
// held-out cases.
type codeConfirmed struct {
	// Confirmed reports whether a confirmation showed the version to be better. Ruling is
	// the ruling of the confirmation, as in a report; it is empty if the version did not
	// enter a confirmation.
	Confirmed bool        `json:"confirmed"`
	Ruling    stats.State `json:"ruling,omitempty"`
	// Unconfirmed is the reason why the version is not confirmed, if nights recorded one.
	Unconfirmed string `json:"unconfirmed,omitempty"`
	// Gain is the difference in the metric, and Score is the difference in the scores,
	// which decides; both were measured in the confirmation. Both are nil without a
	// confirmation, and Gain is nil if the versions are scored by tasks. Against is the
	// waiting version that was the reference for both; it is empty if the reference was the
	// unchanged code.
	Gain    *stats.Gain `json:"gain,omitempty"`
	Score   *codeScore  `json:"score,omitempty"`
	Against string      `json:"against,omitempty"`
	// Further are the differences in the other metrics in the confirmation.
	Further []stats.Further `json:"further,omitempty"`

	entered bool // into the confirmation
}

// codeScore is a difference in scores, with the interval of its claim.
type codeScore struct {
	Difference float64     `json:"difference"`
	Lo         float64     `json:"lo"`
	Hi         float64     `json:"hi"`
	Of         stats.Claim `json:"of"`
}

// confirmed returns what the nights that ran on a given state of the code found about a
// version. alike lists the versions that have the same values.
func (b *codeBook) confirmed(hash string, id agent.ConfigID, alike []agent.ConfigID) (codeConfirmed, error) {
	var out codeConfirmed
	var ruling *stats.Ruling
	judged := ""
	for n, err := range b.nights(hash) {
		if err != nil {
			return out, err
		}
		out.Confirmed = out.Confirmed || n.Winner == id
		out.entered = out.entered || slices.ContainsFunc(n.Finalist, func(f archive.Finalist) bool { return f.Variant == id })
		if r := codeRuling(n.AgentResult, id); ruling == nil {
			ruling = r
		}
		judged = cmp.Or(judged, b.judged(n.AgentResult, id))
		out.Unconfirmed = cmp.Or(out.Unconfirmed, b.unconfirmed(n.AgentResult, id, alike))
	}
	out.Unconfirmed = cmp.Or(judged, out.Unconfirmed)
	if out.Confirmed {
		out.Unconfirmed = ""
	}
	if ruling == nil {
		return out, nil
	}
	i, of := ruling.Shown()
	out.Ruling, out.Gain, out.Further, out.Score = ruling.State, ruling.Metric, ruling.Further, &codeScore{ruling.Difference, i.Lo, i.Hi, of}
	if ruling.Reference != nil {
		out.Against = ruling.Reference.Words()
	}
	return out, nil
}

// codeRuling returns a night's ruling on a version, or nil if the version did not enter the
// confirmation.
func codeRuling(n archive.AgentResult, id agent.ConfigID) *stats.Ruling {
	for _, f := range n.Finalist {
		if f.Variant == id {
			return f.Ruling
		}
	}
	return nil
}

// judged returns the finding of a night that rules out a version and that later nights will
// not revise. It returns "" if the night found nothing against the version, or if the
// confirmation was to continue.
func (b *codeBook) judged(n archive.AgentResult, id agent.ConfigID) string {
	for _, f := range n.Refused {
		switch {
		case agent.ConfigID(f.Variant) != id:
		case f.Proposal == "":
			return "no gate judged it: " + f.Reason
		case f.NotRun:
			return fmt.Sprintf("the gate %s of %s did not run", text.Quote(f.Gate), f.Proposal)
		default:
			return fmt.Sprintf("the gate %s of %s refused it", text.Quote(f.Gate), f.Proposal)
		}
	}
	if r := codeRuling(n, id); r != nil && r.State != stats.Open && r.State != stats.Parked {
		return b.notShown(r)
	}
	return ""
}

// unconfirmed returns the reason why a night did not confirm a version; it returns "" if
// the night did not concern the version.
func (b *codeBook) unconfirmed(n archive.AgentResult, id agent.ConfigID, alike []agent.ConfigID) string {
	if why := b.judged(n, id); why != "" {
		return why
	}
	if r := codeRuling(n, id); r != nil {
		return b.notShown(r)
	}
	for _, l := range n.LeftOut {
		if l.Variant == id {
			return l.Reason
		}
	}
	for _, c := range n.Causes {
		if agent.ConfigID(c.Subject) == id {
			return b.clause(c.Sentence)
		}
	}
	if words := b.stoodIn(n, id, alike); words != "" {
		return words
	}
	if n.Search.Recommended.Variant != id {
		return ""
	}
	if n.Verdict != archive.Waits && len(n.Causes) > 0 {
		return b.clause(n.Causes[0].Sentence)
	}
	return b.clause(n.Reason)
}

// notShown describes what a ruling shows for the cases that were measured, and what is
// missing for a claim about new cases.
func (b *codeBook) notShown(r *stats.Ruling) string {
	if r.Claim != stats.TheseTasks || r.State == stats.Vetoed {
		return b.lacking(r)
	}
	found := r.Claim.Finding()
	if b.Own() == "" {
		found = stats.OfCases(found)
	}
	return found + ": " + b.lacking(r)
}

// lacking describes what is missing in a ruling for a claim about new cases.
func (b *codeBook) lacking(r *stats.Ruling) string {
	noun := "held-out " + b.Cases() + "s"
	switch {
	case r.State == stats.Harmful && r.Fixed:
		return "it is not better on " + noun
	case r.State == stats.Harmful:
		return "it is worse on " + noun
	case r.State == stats.Vetoed:
		return b.clause(r.Reason)
	case r.State == stats.Proven, r.State == stats.Trade:
		return "it is better on " + noun + ", but another version was proposed"
	case r.Independent > 0 && r.Independent < float64(r.Least):
		return fmt.Sprintf("it needs %d independent %s, but there are only %.3g", r.Least, noun, r.Independent)
	case r.New.Lo <= 0:
		return "the interval for its score difference on new " + b.Cases() + "s includes 0" + goesOn(r)
	case r.NewLower <= 0:
		return fmt.Sprintf("the lower bound of its score difference is not above 0 at %s, the confidence level of a confirmation", number.Percent(r.BoundLevel())) + goesOn(r)
	}
	return "the evidence is not complete" + goesOn(r)
}

// goesOn returns a clause that announces the continuation of the confirmation if the ruling
// is still open; it returns "" for other rulings.
func goesOn(r *stats.Ruling) string {
	if r.State == stats.Open {
		return "; the next night continues its confirmation"
	}
	return ""
}

// stoodIn describes the version that was judged instead of the given one: a reduced form of
// it, or a version with the same values. It returns "" if there was no such version.
func (b *codeBook) stoodIn(n archive.AgentResult, id agent.ConfigID, alike []agent.ConfigID) string {
	for _, f := range n.Finalist {
		how := ""
		switch {
		case f.Ruling == nil:
			continue
		case slices.ContainsFunc(n.Minimised(), func(a archive.Ablation) bool { return a.Winner == id && a.Small == f.Variant }):
			how = "its reduced form"
		case slices.Contains(alike, f.Variant):
			how = "which has equal values"
		default:
			continue
		}
		found := b.notShown(f.Ruling)
		if f.Variant == n.Winner {
			found = "it is confirmed"
		}
		return fmt.Sprintf("v%d, %s, was judged instead: %s", b.numberOf(f.Variant), how, found)
	}
	return ""
}

// clause extracts the reason from a sentence written by a night, and replaces names with
// those that people see.
func (b *codeBook) clause(sentence string) string {
	if _, after, found := strings.Cut(sentence, "was not confirmed: "); found {
		sentence = after
	}
	sentence = strings.TrimPrefix(sentence, "nothing was confirmed: ")
	if b.Own() == "" {
		sentence = stats.OfCases(sentence)
	}
	return number.Signs(named(b.ctx, b.archive, b.Target.Name, sentence))
}

// print shows the confirmation of a version on held-out cases: the names of the compared
// versions (whose), the difference in the metric with its interval, and the difference in
// the scores. It returns false if no gain is known.
func (c codeConfirmed) print(con *console, indent, whose, noun string) bool {
	if c.Gain == nil {
		return false
	}
	words, _ := strings.CutPrefix(c.Gain.Words(), c.Gain.Title()+" ")
	if c.Against == "" {
		words = whose + words
	}
	con.printf("%s%s, the means of %s%s\n", indent, words, strings.Replace(c.Gain.Size(), "case", "held-out case", 1), orElse(", against "+c.Against, "", c.Against != ""))
	if s := c.Score; s != nil {
		con.printf("%sscore %s points %s for %s; the verdict is based on the score\n", indent, number.Points(s.Difference), number.Interval(s.Lo, s.Hi), strings.Replace(s.Of.Words(), "task", noun, 1))
	}
	printFurther(con, indent, c.Further)
	return true
}
