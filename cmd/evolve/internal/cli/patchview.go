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

// patchView is a patch in JSON.
type patchView struct {
	ID    string                `json:"id"`
	State archive.ProposalState `json:"state"`
	Gates []archive.GateVerdict `json:"gates"`
	Kind  archive.ProposalKind  `json:"kind"`
	Title string                `json:"title"`
	// Target names what is patched, Repository is its folder.
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Author     string `json:"author"`
	Origin     string `json:"origin"`
	Rationale  string `json:"rationale,omitempty"`
	Gain       string `json:"gain,omitempty"`
	// Further are the differences in metrics beside the one that decided, on held-out cases.
	Further []stats.Further `json:"further,omitempty"`
	// MadeSmall describes what is left of the finalist that it is, and whether the evaluations
	// lasted for all parts of it; empty for other patches. `evolve show` alone looks it up.
	MadeSmall string `json:"made_small,omitempty"`
	// Digest is the hash that a review refers to and a person approves.
	Digest     string `json:"digest"`
	BaseCommit string `json:"base_commit"`
	Tree       string `json:"tree,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Ref        string `json:"ref,omitempty"`
	// Sandbox names the sandbox that the tests ran in.
	Sandbox string          `json:"sandbox,omitempty"`
	Review  *archive.Review `json:"review,omitempty"`
	// Outdated reports whether the review is of another digest; NoReview is why no agent
	// can review.
	Outdated      bool                   `json:"review_outdated,omitempty"`
	NoReview      string                 `json:"no_review,omitempty"`
	Files         []string               `json:"files"`
	NewTests      []string               `json:"new_tests,omitempty"`
	Diff          string                 `json:"diff,omitempty"` // escaped
	Created       time.Time              `json:"created"`
	Decision      *archive.DecisionBrief `json:"decision,omitempty"`
	AdoptedCommit string                 `json:"adopted_commit,omitempty"`
	// Stale is the reason why it would be gated again before its adoption.
	Stale string `json:"stale,omitempty"`
	// Waits is the reason why a draft waits for its gates.
	Waits string `json:"waits,omitempty"`
	// Interrupted counts how often its gates were stopped and restarted; CostUSD is the
	// cost of its trial and review.
	Interrupted int     `json:"interrupted,omitempty"`
	CostUSD     float64 `json:"cost_usd,omitempty"`
	// Workspace is where the ledger is, when it is a temporary one.
	Workspace string `json:"workspace,omitempty"`
	// Addressed names places that address a reviewer.
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Branch is the branch of a remote as which it awaits a person.
	Branch *model.Branch `json:"branch,omitempty"`
	// Notes say what a decision on it is worth that the ledger here did not see.
	Notes []string `json:"notes,omitempty"`

	// filed is the state in the record, stale or not.
	filed archive.ProposalState
	// branch is that of the record.
	branch *archive.BranchBrief
	// imported is that of the record.
	imported archive.ProposalState
	// waited is how long it has waited for a decision; empty below a day.
	waited string
}

// stale is the state of a patch that was gated on what is no longer there.
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

// patch returns a patch in full.
func (p claimed) patch(d *review.Reviewer) patchView {
	v := patchViewOf(d, p.ProposalRecord, true)
	v.Notes, v.MadeSmall, v.waited = p.notes, p.small, p.waited
	return v
}

// madeSmall describes what making a finalist small found, of which a patch is left; empty for
// another patch.
func madeSmall(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (string, error) {
	if p.Patch == nil || p.Patch.Variant == "" || p.Run == "" {
		return "", nil
	}
	result, err := a.Result(ctx, p.Run, p.Patch.Target)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return "", fmt.Errorf("reading the result behind %s: %w", p.ID, err)
	}
	for _, small := range result.Minimised() {
		if small.Small == p.Patch.Variant {
			plan, err := a.Plan(ctx, p.Run, p.Patch.Target)
			if err != nil {
				return "", fmt.Errorf("reading the plan behind %s: %w", p.ID, err)
			}
			return orElse(stats.OfCases(small.Reason), small.Reason, plan.Metric != nil), nil
		}
	}
	return "", nil
}

// noReview returns why a patch has no review: no reviewer is left, or one was asked and gave
// no verdict; empty when one may be asked.
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

// printPatch shows a patch as a person must read it before approving; all lists each gate.
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
		con.printf("    made small: %s\n", text.Visible(v.MadeSmall))
	}
	printFlags(con, v.Gates)
	con.printAddressed("  ", v.Addressed)
	if v.Diff != "" {
		con.printf("\n%s\n", escapedDiff)
		out := unfolded(con.stdout)
		for line := range strings.Lines(v.Diff) {
			_, _ = fmt.Fprintf(out, "  %s", line) // escaped already, but for tabs
		}
	}
	printGates(con, v.ID, v.Gates, all)
	con.printf("\n")
	printReview(con, v)
	con.printf("\nprovenance\n")
	con.printFacts(v.provenance())
	printDecision(con, v.Decision)
	con.printFacts(v.limits())
	printBranch(con, "  ", v.Branch)
	printCommands(con, v.commands())
}

// standing describes how far a patch has come, and its gain.
func (v patchView) standing() (list []string) {
	if v.Stale != "" {
		list = append(list, "stale: "+text.Visible(v.Stale)+"; approving runs its gates again first")
	}
	if v.State == archive.Drafted {
		why := "its gates are running or were interrupted"
		if v.Waits != "" {
			why = "its gates have not run: " + text.Visible(v.Waits)
		}
		list = append(list, why+"; the next night takes it up, and so does `evolve patch propose`")
	}
	if v.Interrupted > 0 {
		list = append(list, "its gates began anew "+count(v.Interrupted, "time")+": they were stopped, or their process ended")
	}
	if v.Gain != "" {
		list = append(list, "measured: "+text.Visible(v.Gain))
	}
	return list
}

const escapedDiff = "what changes, every deceptive character escaped"

// provenance names what a patch comes from; an empty value is left out.
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

// dollars is an amount; empty when nothing was paid.
func dollars(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return number.Dollars(usd)
}

// printReview shows what another agent said, or why none did.
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
			words += ", of an earlier state: outdated"
		}
		return words, r.Reasons
	case v.NoReview != "":
		return "none, because " + text.Visible(v.NoReview), ""
	}
	return "none yet    " + con.command("evolve patch review "+v.ID), ""
}
