package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/gates/review"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// patchView is a patch in JSON form.
type patchView struct {
	ID    string                `json:"id"`
	State archive.ProposalState `json:"state"`
	Gates []archive.GateVerdict `json:"gates"`
	Kind  archive.ProposalKind  `json:"kind"`
	Title string                `json:"title"`
	// Target is the name of the patched target, and Repository is the target's folder.
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Author     string `json:"author"`
	Origin     string `json:"origin"`
	Rationale  string `json:"rationale,omitempty"`
	Gain       string `json:"gain,omitempty"`
	// Further are the differences in the metrics other than the deciding metric, on
	// held-out cases.
	Further []stats.Further `json:"further,omitempty"`
	// MadeSmall describes which parts of a finalist remain in this patch, which was
	// reduced from the finalist, and whether there were enough evaluations to try all
	// parts. It is empty for other patches. Only `evolve show` looks it up.
	MadeSmall string `json:"made_small,omitempty"`
	// Digest is the hash to which a review refers and which a person approves.
	Digest     string `json:"digest"`
	BaseCommit string `json:"base_commit"`
	Tree       string `json:"tree,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Ref        string `json:"ref,omitempty"`
	// Sandbox is the name of the sandbox in which the tests ran.
	Sandbox string          `json:"sandbox,omitempty"`
	Review  *archive.Review `json:"review,omitempty"`
	// Outdated reports whether the review is about another digest. NoReview is the reason
	// why no agent can review the patch.
	Outdated bool                   `json:"review_outdated,omitempty"`
	NoReview string                 `json:"no_review,omitempty"`
	Files    []string               `json:"files"`
	NewTests []string               `json:"new_tests,omitempty"`
	Diff     string                 `json:"diff,omitempty"` // escaped
	Created  time.Time              `json:"created"`
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Decisions are all decisions on the patch, the oldest first. Only `evolve show` looks
	// them up.
	Decisions     []archive.DecisionRecord `json:"decisions,omitempty"`
	AdoptedCommit string                   `json:"adopted_commit,omitempty"`
	// Stale is the reason why the patch would have to pass its gates again before its
	// adoption.
	Stale string `json:"stale,omitempty"`
	// Waits is the reason why a draft waits for its gates.
	Waits string `json:"waits,omitempty"`
	// Interrupted is the number of times that the patch's gates were stopped and restarted.
	// CostUSD is the cost of the patch's trial and review.
	Interrupted int     `json:"interrupted,omitempty"`
	CostUSD     float64 `json:"cost_usd,omitempty"`
	// Workspace is the location of the ledger if the workspace is a temporary one.
	Workspace string `json:"workspace,omitempty"`
	// Addressed names the locations of texts that address a reviewer.
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Branch is the branch on a remote under which the patch awaits a person.
	Branch *model.Branch `json:"branch,omitempty"`
	// Notes describe how far a decision on the patch can be trusted if the ledger here did
	// not record it.
	Notes []string `json:"notes,omitempty"`

	// filed is the state in the record, without regard to staleness.
	filed archive.ProposalState
	// branch is the branch in the record.
	branch *archive.BranchBrief
	// imported is the imported state in the record.
	imported archive.ProposalState
	// waited is how long the patch has waited for a decision; it is empty for less than a
	// day.
	waited string
}

// stale is the state of a patch that was gated on a base that no longer exists.
const stale archive.ProposalState = "stale"

func patchViewOf(d *review.Reviewer, p archive.ProposalRecord, whole bool) patchView {
	b := p.Patch
	v := patchView{
		ID: p.ID, State: p.State, Gates: p.Gates, Kind: p.Kind, Title: p.Title, Target: b.Target, Repository: b.Repository,
		Author: b.Author, Origin: b.Origin, Rationale: p.Rationale, Gain: b.Gain, Digest: b.Digest, BaseCommit: b.BaseCommit, Tree: b.Tree,
		Commit: p.Commit, Ref: p.Ref, Sandbox: b.Sandbox, Review: b.Review, Files: []string{}, NewTests: b.NewTests,
		Created: p.Created, Decision: p.Decision, AdoptedCommit: p.AdoptedCommit, Interrupted: b.Interrupted, CostUSD: b.CostUSD, filed: p.State, imported: p.Imported, Branch: model.BranchOf(p), branch: p.Branch,
	}
	if b.Confirmed != nil {
		v.Further = b.Confirmed.Further
	}
	if p.State == archive.Drafted {
		v.Waits = b.Waits
	}
	if v.Gates == nil {
		v.Gates = []archive.GateVerdict{}
	}
	for _, f := range p.Files {
		v.Files = append(v.Files, f.Path)
	}
	v.Outdated = b.Review != nil && b.Review.Digest != b.Digest
	if b.Review == nil {
		v.NoReview = noReview(d, b)
	}
	if v.Stale = d.StalePatch(p); v.Stale != "" {
		v.State = stale
	}
	if whole {
		v.Addressed = model.Addressed(p)
		v.Diff = review.Unified(p)
	}
	return v
}

// patch returns a patch in full detail.
func (p claimed) patch(d *review.Reviewer) patchView {
	v := patchViewOf(d, p.ProposalRecord, true)
	v.Notes, v.MadeSmall, v.waited, v.Decisions = p.notes, p.small, p.waited, p.decisions
	return v
}

// madeSmall describes the result of reducing a finalist to the version in a patch; it
// returns "" for patches without such a reduction.
func madeSmall(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (string, error) {
	if p.Patch == nil || p.Patch.Variant == "" || p.Run == "" {
		return "", nil
	}
	result, err := a.Result(ctx, p.Run, p.Patch.Target)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return "", fmt.Errorf("reading the result that %s is based on: %w", p.ID, err)
	}
	for _, small := range result.Minimised() {
		if small.Small == p.Patch.Variant {
			plan, err := a.Plan(ctx, p.Run, p.Patch.Target)
			if err != nil {
				return "", fmt.Errorf("reading the plan that %s is based on: %w", p.ID, err)
			}
			return orElse(stats.OfCases(small.Reason), small.Reason, plan.Metric != nil), nil
		}
	}
	return "", nil
}

// noReview returns the reason why a patch has no review: no reviewer is left, or a reviewer
// was called and did not give a verdict. It returns "" if a review is still possible.
func noReview(d *review.Reviewer, b *archive.PatchBrief) string {
	if len(d.CodeReviewers) > 0 || b.Unreviewed == nil {
		if why := review.NoReview(d.CodeReviewers, b.Author); why != "" {
			return why
		}
	}
	if u := b.Unreviewed; u != nil && (u.Reviewer != "" || len(d.CodeReviewers) == 0) {
		return u.String()
	}
	return ""
}

// printPatch shows a patch as a person must read it before approving it. If all is set, it
// lists each gate.
func printPatch(con *console, v patchView, all bool) {
	con.printf("%s  %s  %s\n", v.ID, text.Visible(v.Title), v.State.Name())
	if v.waited != "" {
		con.printf("    %s\n", v.waited)
	}
	con.printLines("    ", v.Rationale)
	for _, line := range v.standing() {
		con.printf("    %s\n", line)
	}
	printFurther(con, "    ", v.Further)
	if v.MadeSmall != "" {
		con.printf("    reduced: %s\n", text.Visible(v.MadeSmall))
	}
	printFlags(con, v.Gates)
	con.printAddressed("  ", v.Addressed)
	if v.Diff != "" {
		con.printf("\n%s\n", escapedDiff)
		out := unfolded(con.stdout)
		for line := range strings.Lines(v.Diff) {
			_, _ = fmt.Fprintf(out, "  %s", line) // the line is already escaped, except for tabs
		}
	}
	printGates(con, v.ID, v.Gates, all)
	con.printf("\n")
	printReview(con, v)
	con.printf("\nprovenance\n")
	con.printFacts(v.provenance())
	printDecisions(con, orLatest(v.Decisions, v.ID, v.Decision))
	con.printFacts(v.limits())
	printBranch(con, "  ", v.Branch)
	printCommands(con, v.commands())
}

// standing describes how far a patch has come, and the patch's gain.
func (v patchView) standing() (list []string) {
	if v.Stale != "" {
		list = append(list, "stale: "+text.Visible(v.Stale)+"; approving runs its gates again first")
	}
	if v.State == archive.Drafted {
		why := "its gates are running or were interrupted"
		if v.Waits != "" {
			why = "its gates have not run: " + text.Visible(v.Waits)
		}
		list = append(list, why+"; the next night resumes the patch, and so does `evolve patch propose`")
	}
	if v.Interrupted > 0 {
		list = append(list, "its gates were restarted "+count(v.Interrupted, "time")+": they were stopped, or their process ended")
	}
	if v.Gain != "" {
		list = append(list, "measured: "+text.Visible(v.Gain))
	}
	return list
}

const escapedDiff = "what changes, with every deceptive character escaped"

// provenance names the origins of a patch; empty values are left out.
func (v patchView) provenance() [][2]string {
	return [][2]string{
		{"author", v.Author + " (" + v.Origin + ")"},
		{"target", v.Target + ", " + v.Repository},
		{"sandbox", v.Sandbox},
		{"base", v.BaseCommit},
		{"commit", v.Commit},
		{"ref", v.Ref},
		{"digest", v.Digest},
		{"adopted as", v.AdoptedCommit},
		{"gates cost", dollars(v.CostUSD)},
	}
}

func (v patchView) limits() [][2]string {
	return [][2]string{{"limits", review.Limits}, {"ledger", v.Workspace}}
}

func (v patchView) commands() []string {
	return decisionsOn(archive.ProposalRecord{ID: v.ID, Kind: v.Kind, State: v.filed, Imported: v.imported, Branch: v.branch})
}

// dollars formats an amount; it returns "" if nothing was paid.
func dollars(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return number.Dollars(usd)
}

// printReview shows the review by another agent, or the reason why there is none.
func printReview(con *console, v patchView) {
	words, reasons := v.reviewed(con)
	con.printf("review: %s\n", words)
	con.printLines("    ", reasons)
}

// reviewed describes the review of a patch, with its reasons.
func (v patchView) reviewed(con *console) (words, reasons string) {
	switch r := v.Review; {
	case r != nil:
		words = text.Visible(r.Reviewer) + " " + orElse("approves", "vetoes it", r.Approve)
		if v.Outdated {
			words += ", but the review is outdated: it covers an earlier state"
		}
		return words, r.Reasons
	case v.NoReview != "":
		return "none, because " + text.Visible(v.NoReview), ""
	}
	return "none yet    " + con.command("evolve patch review "+v.ID), ""
}
