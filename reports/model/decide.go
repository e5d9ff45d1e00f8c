package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// Decision is the decision that is to be made for one agent.
type Decision struct {
	// Verdict is empty until the run has a verdict for this agent.
	Verdict archive.Verdict `json:"verdict,omitempty"`
	// Sentence is the verdict in words, and Reason is the reason for the verdict that the
	// run itself recorded.
	Sentence string `json:"sentence"`
	Reason   string `json:"reason,omitempty"`
	// Unconfirmed is the reason why nothing is confirmed although the interval of the
	// headline shows its variant to be better than the champion; it is empty if the
	// interval does not show that.
	Unconfirmed string `json:"unconfirmed,omitempty"`
	// Causes are the reasons for the verdict, the decisive one first; the list is empty in
	// runs made before causes were recorded.
	Causes []Cause `json:"causes,omitempty"`
	// Claim is the claim that the evidence supports for the headline's variant; it is empty
	// if the evidence supports none, or if rulings were not sequential.
	Claim    stats.Claim `json:"claim,omitempty"`
	Champion Ref         `json:"champion"`
	// Against is the variant against which candidates were measured. It is nil if that was
	// the champion; otherwise it is the variant of a waiting proposal.
	Against *Ref `json:"against,omitempty"`
	// Reference identifies the waiting proposal and its measured difference from the
	// champion. It is nil if Against is nil, and in runs made before the reference was
	// recorded.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Variant is the variant that would be adopted; it is nil if there is none.
	Variant    *Ref        `json:"variant,omitempty"`
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Proposals  []Proposal  `json:"proposals,omitempty"`
	// Early is "failed" or "interrupted" if the run failed or was interrupted before its work
	// on the agent was completed, and "budget" if a budget ended the run before there was a
	// finalist for the agent. It is empty for any other run.
	Early string `json:"early,omitempty"`
	// Commands are the commands that a person can type next, most likely first.
	Commands []string `json:"commands"`
}

// Cause is one of the reasons for the verdict; see [stats.Cause].
type Cause struct {
	Kind stats.CauseKind `json:"kind"`
	// Variant is the subject of the cause; it is nil if the cause has none.
	Variant *Ref `json:"variant,omitempty"`
	// Figures maps names to figures: differences, gains and intervals in score units, and
	// counts.
	Figures  map[string]float64 `json:"figures,omitempty"`
	Sentence string             `json:"sentence"`
}

// Threshold is one condition of the verdict.
type Threshold struct {
	Name string `json:"name"`
	// Unit is the unit of Observed, Required and Margin: "log_e" (the natural logarithm
	// of evidence), "points" (in score units), "p", "ratio", or the name of what is
	// counted: "tasks" or "domains".
	Unit     string  `json:"unit"`
	Observed float64 `json:"observed"`
	// Sign is the relation that Observed must have to Required: "≤", "≥" or ">".
	Sign     string  `json:"sign"`
	Required float64 `json:"required"`
	// Margin is the distance of Observed from Required; it is negative if the condition is
	// not met.
	Margin float64 `json:"margin"`
	Met    bool    `json:"met"`
	// Open reports whether the condition is neither met nor violated; it then prevents
	// nothing.
	Open bool `json:"open,omitempty"`
}

// Proposal is a proposal that this run made for the agent.
type Proposal struct {
	ID    string                `json:"id"`
	Kind  archive.ProposalKind  `json:"kind"`
	State archive.ProposalState `json:"state"`
	Title string                `json:"title"`
	Gates []archive.GateVerdict `json:"gates,omitempty"`
	// Branch is the branch on a remote whose merge decides on the proposal; if it is empty,
	// a person decides on the proposal here.
	Branch string `json:"branch,omitempty"`
	// Stale has the same meaning as in [Waiting].
	Stale []string `json:"stale,omitempty"`
}

// Awaits reports whether a person may decide on the proposal.
func (p Proposal) Awaits() bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane || p.State == archive.Approved
}

// InQueue reports whether the proposal waits for a decision and no gate flagged anything.
func (p Proposal) InQueue() bool { return p.State == archive.Awaiting }

// decide fills in the decision. It runs after everything to which the decision refers.
func (b *builder) decide() error {
	d := &b.out.Decision
	b.sides()
	d.Verdict = VerdictNow(b.result.Verdict, b.records)
	d.Reason = clip(b.named(b.result.Reason), maxVerdict)
	for _, c := range b.result.Causes {
		out := Cause{Kind: c.Kind, Figures: c.Figures, Sentence: clip(b.named(c.Sentence), MaxReason)}
		if c.Subject != "" {
			v := b.ref(agent.ConfigID(c.Subject))
			out.Variant = &v
		}
		d.Causes = append(d.Causes, out)
	}
	if h := b.out.Headline; h != nil {
		if d.Verdict.Proposes() {
			v := h.Variant
			d.Variant = &v
		}
		d.Thresholds = b.thresholds(b.result.Finalist[b.headline])
		if h.Evidence != nil && d.Verdict != archive.Refused { // the gates contradict the measurement
			d.Claim = h.Evidence.Claim
		}
	}
	d.Early = string(b.early())
	if b.spent() {
		d.Early = "budget"
	}
	d.Sentence, d.Unconfirmed = b.sentence(), b.unconfirmed()
	d.Commands = b.commands()
	return nil
}

// sides fills in the names of the champion and, if the figures compare with a different
// config, of that config.
func (b *builder) sides() {
	d := &b.out.Decision
	d.Champion = b.ref(b.plan.Champion)
	if b.plan.Against != "" {
		against := b.ref(b.plan.Against)
		d.Against, d.Reference = &against, b.result.Reference
	}
}

// VerdictNow returns the verdict of a night, given its proposals in their present state.
// Gates may have run after the night, and the verdict is never better than their findings.
// The verdict is refused if the gates failed all proposals, and waiting if the gates have
// yet to run on all proposals that they have not failed. A proposal that is only outdated
// does not change the verdict.
func VerdictNow(v archive.Verdict, proposals []archive.ProposalRecord) archive.Verdict {
	all := func(of ...archive.ProposalState) bool {
		return len(proposals) > 0 && !slices.ContainsFunc(proposals, func(p archive.ProposalRecord) bool { return p.Outdated() || !slices.Contains(of, p.State) })
	}
	switch {
	case !v.Proposes():
	case all(archive.GateFailed):
		return archive.Refused
	case all(archive.GateFailed, archive.Drafted):
		return archive.Waits
	}
	return v
}

// RefusedLater returns the sentence for a night whose first proposal was refused by the
// gates after the night.
func RefusedLater(id string) string {
	return fmt.Sprintf("the gates refused the proposal %s after the night: `evolve show %s` shows their evidence", id, id)
}

// OutdatedWords returns a phrase that follows the night's sentence and names those of the
// night's proposals that no longer apply; it returns "" if there are none.
func OutdatedWords(proposals []archive.ProposalRecord) string {
	words := ""
	for _, p := range proposals {
		if p.Outdated() {
			words += "; the target has changed since, and " + p.ID + " no longer applies"
		}
	}
	return words
}

// next returns the proposal on which a person decides next. Stale proposals come after the
// others, and proposals that the gates refused come last.
func (d *Decision) next() Proposal {
	passed := func(p Proposal) bool { return p.State != archive.GateFailed }
	at := slices.IndexFunc(d.Proposals, func(p Proposal) bool { return passed(p) && len(p.Stale) == 0 })
	if at < 0 {
		at = slices.IndexFunc(d.Proposals, passed)
	}
	return d.Proposals[max(at, 0)]
}

// trade returns a description of the gain and the price of a trade on which a person must
// decide.
func (b *builder) trade(h Headline) string {
	var prices []string
	for _, g := range b.result.Finalist[b.headline].Ruling.Guards {
		if g.Broken() {
			prices = append(prices, g.Sentence())
		}
	}
	return fmt.Sprintf("%s is better than %s on new tasks like these, %s on %s the search never saw, at a price: %s",
		h.Variant.Name(), b.out.Decision.BaseName(), h.by(" "+number.Interval(h.Lo, h.Hi)), number.Plural(h.Tasks, "task"), strings.Join(prices, "; ")) + b.besides() + b.out.Decision.chained()
}

// by describes how much better a headline's variant is: first in the headline's metric,
// if it has one, then in the score. The bounds follow the gain in the score.
func (h Headline) by(bounds string) string {
	words := "by " + number.Size(h.Difference) + " points" + bounds
	if h.Metric == nil {
		return words
	}
	words = h.Metric.Words() + ", and in the score " + words
	if h.Discord != "" {
		words += " (" + h.Discord + ")"
	}
	return words
}

// besides lists caveats about the headline's gain: the tasks that only the variant fails,
// and the questions that further blocks left open.
func (b *builder) besides() string {
	r := b.result.Finalist[b.headline].Ruling
	if r == nil {
		return ""
	}
	out := number.Signs(text.Visible(r.Undecided()))
	if words := stats.FurtherPrice(r.Further); words != "" {
		out = "; " + number.Signs(text.Visible(words)) + out
	}
	if words := r.Failures.Words(r.Reference); words != "" {
		out = "; " + words + out
	}
	return out
}

// sentence returns the sentence for the verdict. If the verdict only waits for the gates,
// the sentence also describes the measurement.
func (b *builder) sentence() string {
	words := b.inCases(b.measured())
	if !b.out.Decision.Verdict.Proposes() {
		words += b.cause()
	}
	words = SinceDecided(words, b.waited)
	if d := b.out.Decision; d.Verdict == archive.Waits && b.result.Verdict.Proposes() {
		words += fmt.Sprintf("; the gates of %s have not run; a person decides after they have run", d.next().ID)
	}
	return words + OutdatedWords(b.records)
}

func (b *builder) measured() string {
	h := b.out.Headline
	switch {
	case !b.finished:
		switch b.run.State {
		case archive.RunRunning:
			return "the run is still in progress; there is no verdict yet"
		case archive.RunDone:
			return "the run recorded no verdict for this agent"
		}
		return "the run ended before there was a verdict"
	case b.out.Decision.Verdict == archive.Refused && b.result.Verdict != archive.Refused:
		return RefusedLater(b.out.Decision.Proposals[0].ID)
	case b.result.Verdict == archive.Trade && h != nil:
		return b.trade(*h)
	case b.result.Verdict.Proposes() && h != nil && h.Evidence != nil:
		where := "new tasks like these"
		if h.Evidence.Claim == stats.TheseTasks {
			where = "these tasks, but has not been shown to be better on new tasks like these"
		}
		return fmt.Sprintf("%s is better than %s on %s: %s on %s the search never saw",
			h.Variant.Name(), b.out.Decision.BaseName(), where, h.by(""), number.Plural(h.Tasks, "task")) + b.besides() + b.out.Decision.chained()
	case b.result.Verdict.Proposes() && h != nil:
		return fmt.Sprintf("%s is better than %s by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.BaseName(), number.Size(h.Difference), number.Plural(h.Tasks, "task"))
	case b.result.Reason != "":
		return clip(b.named(b.result.Reason), maxVerdict)
	case b.result.Verdict == archive.Keep && h != nil:
		return fmt.Sprintf("nothing tried tonight is better by a margin that this run could detect (%s points at 80 %% power)", number.Size(h.Detectable))
	case b.result.Verdict == archive.Keep:
		return "nothing tried tonight looked better than the champion"
	}
	if b.spent() && b.run.Reason != "" {
		return clip(text.OneLine(b.run.Reason), MaxReason)
	}
	return "the evidence is inconclusive"
}

// maxVerdict is the maximum length of the sentence for a verdict, which may name several
// causes.
const maxVerdict = 3 * MaxReason

// named replaces the ids of finalists and of the subjects of causes with their numbers, and
// writes minus signs as elsewhere in the report.
func (b *builder) named(sentence string) string {
	var list []Ref
	for _, f := range b.out.Finalists {
		list = append(list, f.Variant)
	}
	for _, c := range b.result.Causes {
		if c.Subject != "" {
			list = append(list, b.ref(agent.ConfigID(c.Subject)))
		}
	}
	for _, v := range list {
		for _, noun := range []string{"the candidate ", "variant ", "candidate "} {
			sentence = strings.ReplaceAll(sentence, noun+v.ID.Short(), v.Name())
		}
	}
	sentence = strings.ReplaceAll(sentence, "domain "+memory.GlobalDomain, domainWords(memory.GlobalDomain))
	return number.Signs(b.inCases(sentence))
}

// domainWords returns the phrase that refers to a domain in a sentence.
func domainWords(domain string) string {
	if domain == memory.GlobalDomain {
		return "group of tasks without a domain"
	}
	return "domain " + domain
}

// inCases rewords a sentence about tasks as a sentence about cases if a command scores the
// cases.
func (b *builder) inCases(sentence string) string {
	if b.plan.Metric == nil {
		return sentence
	}
	return stats.OfCases(sentence)
}

// commands returns the commands that a person can type next.
func (b *builder) commands() []string {
	run := strconv.Itoa(b.run.Number)
	if len(b.out.Decision.Proposals) == 0 {
		if list := slices.Concat(b.afterEarly(), b.afterWaiting()); len(list) > 0 {
			return list
		}
		return b.unproposed(run)
	}
	p := b.out.Decision.next()
	switch p.State {
	case archive.Drafted:
		return []string{"evolve show " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	case archive.Awaiting, archive.Approved, archive.Gated, archive.HumanLane:
		first := approveCommand(p.ID, p.State)
		switch {
		case p.Branch != "", len(p.Stale) > 0:
			first = "evolve show " + p.ID
		case b.out.Decision.awaiting() > 1:
			first = "evolve review"
		}
		return []string{first, "evolve diff " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	case archive.Adopted:
		return []string{"evolve rollback " + p.ID, "evolve show " + p.ID}
	}
	return []string{"evolve show " + p.ID, "evolve report " + run}
}

// awaiting returns the number of proposals that a person may approve here: those that are
// not stale and are not decided on through a branch.
func (d *Decision) awaiting() int {
	n := 0
	for _, p := range d.Proposals {
		if p.Awaits() && p.Branch == "" && len(p.Stale) == 0 {
			n++
		}
	}
	return n
}

// approveCommand returns the command that approves a proposal.
func approveCommand(id string, state archive.ProposalState) string {
	if state == archive.HumanLane {
		id += ` --override-reason "…"`
	}
	return "evolve approve " + id
}

// Name returns the variant's display name, such as v12.
func (r Ref) Name() string {
	if r.Number > 0 {
		return "v" + strconv.Itoa(r.Number)
	}
	if r.ID == "" {
		return number.Unknown
	}
	return text.Visible(r.ID.Short())
}
