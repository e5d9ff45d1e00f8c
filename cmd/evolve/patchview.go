package main

import (
	"fmt"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/patching"
	"evolve/reports"
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
	// Digest is what a review is of and a person approves.
	Digest     string `json:"digest"`
	BaseCommit string `json:"base_commit"`
	Tree       string `json:"tree,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Ref        string `json:"ref,omitempty"`
	// Sandbox names the walls that the tests ran behind.
	Sandbox string          `json:"sandbox,omitempty"`
	Review  *archive.Review `json:"review,omitempty"`
	// Outdated says that the review is of another digest, NoReview why no agent can.
	Outdated      bool                   `json:"review_outdated,omitempty"`
	NoReview      string                 `json:"no_review,omitempty"`
	Files         []string               `json:"files"`
	NewTests      []string               `json:"new_tests,omitempty"`
	Diff          string                 `json:"diff,omitempty"` // escaped
	Created       time.Time              `json:"created"`
	Decision      *archive.DecisionBrief `json:"decision,omitempty"`
	AdoptedCommit string                 `json:"adopted_commit,omitempty"`
	// Stale says why it would be gated again before it is adopted.
	Stale string `json:"stale,omitempty"`
	// Workspace is where the ledger is, when it is a temporary one.
	Workspace string `json:"workspace,omitempty"`
}

// stale is the state of a patch that was gated on what is no longer there.
const stale archive.ProposalState = "stale"

func patchViewOf(d *patching.Desk, p archive.ProposalRecord, whole bool) patchView {
	b := p.Patch
	v := patchView{
		ID: p.ID, State: p.State, Gates: p.Gates, Kind: p.Kind, Title: p.Title, Target: b.Target, Repository: b.Repository,
		Author: b.Author, Origin: b.Origin, Rationale: p.Rationale, Gain: b.Gain, Digest: b.Digest, BaseCommit: b.BaseCommit, Tree: b.Tree,
		Commit: p.Commit, Ref: p.Ref, Sandbox: b.Sandbox, Review: b.Review, Files: []string{}, NewTests: b.NewTests,
		Created: p.Created, Decision: p.Decision, AdoptedCommit: p.AdoptedCommit,
	}
	if v.Gates == nil {
		v.Gates = []archive.GateVerdict{}
	}
	for _, f := range p.Files {
		v.Files = append(v.Files, f.Path)
	}
	v.Outdated = b.Review != nil && b.Review.Digest != b.Digest
	if b.Review == nil {
		v.NoReview = patching.NoReview(d.Reviewers, b.Author)
	}
	if v.Stale = d.Stale(p); v.Stale != "" {
		v.State = stale
	}
	if whole {
		v.Diff = patching.Unified(p)
	}
	return v
}

// printPatch shows a patch as a person must read it before approving.
func (sh *shell) printPatch(v patchView) {
	out := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stdout, format, args...) }
	out("%s  %s  %s\n", v.ID, reports.Visible(v.Title), stateName(v.State))
	for line := range strings.Lines(v.Rationale) {
		out("    %s\n", reports.Visible(strings.TrimRight(line, "\n")))
	}
	if v.Stale != "" {
		out("    stale: %s; approving gates it again first\n", reports.Visible(v.Stale))
	}
	if v.Gain != "" {
		out("    measured: %s\n", reports.Visible(v.Gain))
	}
	if v.Diff != "" {
		out("\nwhat changes, every deceptive character escaped\n")
		for line := range strings.Lines(v.Diff) {
			out("  %s", line) // escaped already, but for tabs
		}
	}
	sh.printGates(v.Gates)
	out("\n")
	sh.printReview(v)
	out("\nprovenance\n")
	for _, kv := range [][2]string{
		{"author", v.Author + " (" + v.Origin + ")"},
		{"target", v.Target + ", " + v.Repository},
		{"sandbox", v.Sandbox},
		{"base", v.BaseCommit},
		{"commit", v.Commit},
		{"ref", v.Ref},
		{"digest", v.Digest},
		{"adopted as", v.AdoptedCommit},
	} {
		if kv[1] != "" {
			out("  %-10s %s\n", kv[0], reports.Visible(kv[1]))
		}
	}
	sh.printDecision(v.Decision)
	out("  %-10s %s\n", "limits", patching.Limits)
	if v.Workspace != "" {
		out("  %-10s %s\n", "ledger", v.Workspace)
	}
	sh.printCommands(decisionsOn(archive.ProposalRecord{ID: v.ID, Kind: v.Kind, State: v.State}))
}

// printReview shows what another agent said, or why none did.
func (sh *shell) printReview(v patchView) {
	out := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stdout, format, args...) }
	switch r := v.Review; {
	case r != nil:
		word := orElse("approves", "vetoes it", r.Approve)
		if v.Outdated {
			word += ", of an earlier state: outdated"
		}
		out("review: %s %s\n", reports.Visible(r.Reviewer), word)
		for line := range strings.Lines(r.Reasons) {
			out("    %s\n", reports.Visible(strings.TrimRight(line, "\n")))
		}
	case v.NoReview != "":
		out("review: none, because %s\n", reports.Visible(v.NoReview))
	default:
		out("review: none yet    %s\n", sh.typed("evolve patch review "+v.ID))
	}
}
