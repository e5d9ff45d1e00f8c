package cli

import (
	"fmt"
	"slices"
	"time"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeAct is an event in the history of a version: its proposal, its refusal by gates, or a
// person's decision on it.
type codeAct struct {
	Proposal string  `json:"proposal"`
	Act      actKind `json:"act"`
	// Time is unknown for a refusal, and in some records written by an older version of
	// evolve.
	Time time.Time `json:"time,omitzero"`
	// By is the person who made the decision. Reason is what that person wrote, the
	// evidence from the gate, or the reason why the proposal waits for its gates.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Gate is the gate that refused the version, or "review".
	Gate string `json:"gate,omitempty"`
	// Commit is the commit of an adoption or a rollback.
	Commit string `json:"commit,omitempty"`

	state archive.ProposalState // the proposal's present state
}

type actKind string

// The kinds of acts. Approved means that no commit of the adoption is recorded. Replaced
// means that a newer version replaced a waiting version.
const (
	actProposed   actKind = "proposed"
	actRefused    actKind = "refused"
	actApproved   actKind = "approved"
	actAdopted    actKind = "adopted"
	actRejected   actKind = "rejected"
	actRolledBack actKind = "rolled_back"
	actReplaced   actKind = "replaced"
	actWithdrawn  actKind = "withdrawn"
)

// gateReview is the name under which the review by another agent is listed among the gates.
const gateReview = "review"

// histories returns the acts on each version of the target, in the order of the version's
// proposals.
func (b *codeBook) histories() (map[agent.ConfigID][]codeAct, error) {
	decisions := map[string][]archive.DecisionBrief{}
	for d, err := range b.archive.Decisions(b.ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the decisions: %w", err)
		}
		decisions[d.Proposal] = append(decisions[d.Proposal], archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit})
	}
	out := map[agent.ConfigID][]codeAct{}
	for p, err := range b.archive.Proposals(b.ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if id, ok := p.VariantOf(b.Target.Name); ok && p.Patch != nil {
			out[id] = append(out[id], actsOn(p, decisions[p.ID])...)
		}
	}
	return out, nil
}

// actsOn returns the acts on a proposal. An imported proposal has only its latest decision.
func actsOn(p archive.ProposalRecord, decisions []archive.DecisionBrief) []codeAct {
	first := codeAct{Proposal: p.ID, Act: actProposed, Time: p.Created, state: p.State}
	if p.State == archive.Drafted {
		first.Reason = p.Patch.Waits
	}
	out := []codeAct{first}
	add := func(a codeAct) {
		a.Proposal, a.state = p.ID, p.State
		out = append(out, a)
	}
	if gate, why := refusedBy(p); gate != "" {
		add(codeAct{Act: actRefused, Gate: gate, Reason: why})
	}
	if len(decisions) == 0 && p.Decision != nil {
		decisions = []archive.DecisionBrief{*p.Decision}
	}
	for _, d := range decisions {
		a := codeAct{Time: d.Time, By: d.By, Reason: d.Reason, Commit: d.Commit}
		switch d.Action {
		case "approve":
			if a.Act, a.Commit = actAdopted, p.AdoptedCommit; a.Commit == "" {
				a.Act = actApproved
			}
		case "reject":
			a.Act = actRejected
		case "rollback":
			a.Act = actRolledBack
		}
		add(a)
	}
	switch p.State {
	case archive.Superseded:
		add(codeAct{Act: actReplaced})
	case archive.Expired:
		add(codeAct{Act: actWithdrawn})
	}
	return out
}

// refusedBy returns the gate that refused a proposal, with its evidence. This is a gate
// that failed, the review or, for a proposal without a decision, a gate that did not run.
// It returns "" for a proposal that no gate refused.
func refusedBy(p archive.ProposalRecord) (gate, why string) {
	if at := slices.IndexFunc(p.Gates, func(g archive.GateVerdict) bool { return g.Verdict == "failed" }); at >= 0 {
		return p.Gates[at].Gate, p.Gates[at].Evidence
	}
	if r := p.Patch.Review; r != nil && !r.Approve && r.Digest == p.Patch.Digest {
		return gateReview, r.Reviewer + ": " + r.Reasons
	}
	if at := slices.IndexFunc(p.Gates, func(g archive.GateVerdict) bool { return g.Verdict == "not_run" }); at >= 0 && p.State == archive.GateFailed {
		return p.Gates[at].Gate, "it did not run: " + p.Gates[at].Evidence
	}
	return "", ""
}

// label returns the label of the line that shows the act.
func (a codeAct) label() string {
	switch a.Act {
	case actProposed, actRefused:
		return string(a.Act)
	}
	return "decided"
}

// mostActReason is the maximum number of characters of an act's reason that are shown.
const mostActReason = 300

// String returns a description of the act, escaped for display.
func (a codeAct) String() string {
	words, why := a.Proposal, text.Visible(oneLine(a.Reason, mostActReason))
	if a.Act != actProposed && a.Act != actRefused {
		words += " " + stateName(a.Act)
	}
	if !a.Time.IsZero() {
		words += " " + a.Time.Local().Format("2006-01-02")
	}
	if a.By != "" {
		words += " by " + text.Visible(a.By)
	}
	switch a.Act {
	case actProposed:
		return words + a.standing(why)
	case actRefused:
		return words + " by " + orElse("the reviewer ", "the gate "+text.Quote(a.Gate)+": ", a.Gate == gateReview) + why
	case actApproved:
		return words + ", but its commit is missing: `evolve approve " + a.Proposal + "` makes it"
	case actReplaced:
		return words + " by a newer version"
	case actAdopted, actRolledBack:
		if a.Commit != "" {
			words += fmt.Sprintf(", commit %.12s", a.Commit)
		}
	}
	if a.Act == actAdopted || why == "" {
		return words
	}
	return words + ": " + why
}

// standing describes what an open proposal waits for; it returns "" for other proposals.
func (a codeAct) standing(why string) string {
	switch a.state {
	case archive.Awaiting:
		return ", waits for a person to decide"
	case archive.HumanLane:
		return ", waits for a person to decide, because gates flagged it"
	case archive.Drafted, archive.Gated:
		return ", waits for its gates" + orElse(": "+why, "", why != "")
	}
	return ""
}

// printHistory prints the acts on a version, one a line. Labels are padded to a width of
// cells.
func printHistory(con *console, indent string, cells int, list []codeAct) {
	for _, a := range list {
		con.printf("%s%s%s\n", indent, padded(a.label(), cells), a)
	}
}
