package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/patch/diff"
)

// Patch is a proposed change to source code that awaits a person, that a gate or a reviewer
// stopped, or whose gates were stopped. All of it is volatile, and so is the evidence of
// its gates.
type Patch struct {
	ID    string                `json:"id"`
	State archive.ProposalState `json:"state"`
	Title string                `json:"title"`
	// Target is the target to be patched; Author and Origin record who wrote the patch and
	// where it comes from.
	Target    string `json:"target"`
	Author    string `json:"author"`
	Origin    string `json:"origin"`
	Rationale string `json:"rationale,omitempty"`
	Gain      string `json:"gain,omitempty"`
	// Further are the differences, on held-out cases, in metrics other than the one that
	// decided.
	Further []stats.Further `json:"further,omitempty"`
	Digest  string          `json:"digest"`
	// Sandbox names the sandbox in which the patch's tests ran.
	Sandbox string                `json:"sandbox,omitempty"`
	Gates   []archive.GateVerdict `json:"gates"`
	Review  *archive.Review       `json:"review,omitempty"`
	// Outdated reports whether the review is a review of an earlier state of the patch.
	Outdated bool `json:"review_outdated,omitempty"`
	// NoReview is the reason why there is no review; it is empty if an agent may still be
	// asked for one.
	NoReview string `json:"no_review,omitempty"`
	// Waits is the reason why a draft waits for its gates; it is empty if a crash ended the
	// gates, or if they are running.
	Waits string `json:"waits,omitempty"`
	// CostUSD is the cost of trying the patch as an agent and of reviewing it.
	CostUSD float64     `json:"cost_usd,omitempty"`
	Files   []PatchFile `json:"files"`
	Created time.Time   `json:"created,omitzero"`
	// Addressed lists the places where the text addresses a reviewer; see [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Decision is a person's decision, if there is one.
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Commands are the commands that a person can type next.
	Commands []string `json:"commands"`
}

// PatchFile is one changed file in display form: escaped, with long lines truncated.
type PatchFile struct {
	Path string `json:"path"`
	// Kind is "new", "removed" or "changed"; Note describes what is not shown.
	Kind    string `json:"kind"`
	Note    string `json:"note,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Lines   []Line `json:"lines,omitempty"`
}

// Limits on the parts of patches that a report shows: lines of one patch over all its
// files, lines of context, and patches that were stopped or that wait for their gates.
const (
	MaxPatchLines = 400
	patchContext  = 3
	maxStopped    = 20
)

// patches returns the patches made after the previous run started and before the next run
// started. First come the patches that await a person, then those that wait for their
// gates, and then those that were stopped; the latest come first in the last two groups.
// The latest run also lists older patches that await a person, or that wait for their gates
// here.
func patches(ctx context.Context, src Source, run archive.Run) ([]Patch, error) {
	var from, to time.Time
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the runs: %w", err)
		}
		switch r.Number {
		case run.Number - 1:
			from = r.Started
		case run.Number + 1:
			to = r.Started
		}
	}
	var awaiting, drafted, stopped []Patch
	for p, err := range src.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Patch == nil || !to.IsZero() && !p.Created.Before(to) {
			continue
		}
		switch p.State {
		case archive.Awaiting, archive.HumanLane, archive.Approved:
			if to.IsZero() || !p.Created.Before(from) {
				awaiting = append(awaiting, patchOf(p))
			}
		case archive.Drafted:
			if to.IsZero() && p.Imported == "" || !p.Created.Before(from) {
				drafted = append(drafted, patchOf(p))
			}
		case archive.GateFailed, archive.Rejected:
			if !p.Created.Before(from) {
				stopped = append(stopped, patchOf(p))
			}
		}
	}
	slices.Reverse(drafted) // the latest first
	slices.Reverse(stopped)
	return slices.Concat(awaiting, drafted[:min(len(drafted), maxStopped)], stopped[:min(len(stopped), maxStopped)]), nil
}

func patchOf(p archive.ProposalRecord) Patch {
	b := p.Patch
	out := Patch{
		ID: p.ID, State: p.State, Title: p.Title, Target: b.Target, Author: b.Author, Origin: b.Origin, Rationale: p.Rationale, Gain: b.Gain,
		Digest: b.Digest, Sandbox: b.Sandbox, Gates: append([]archive.GateVerdict{}, p.Gates...), Review: b.Review,
		Outdated: b.Review != nil && b.Review.Digest != b.Digest, Files: []PatchFile{}, Created: p.Created, Decision: p.Decision, Commands: patchCommands(p),
		Waits: b.Waits, CostUSD: b.CostUSD, Addressed: Addressed(p),
	}
	if b.Confirmed != nil {
		out.Further = b.Confirmed.Further
	}
	if b.Review == nil && b.Unreviewed != nil {
		out.NoReview = b.Unreviewed.String()
	}
	files := make([]diff.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = diff.File{Path: f.Path, Old: f.Old, New: f.New}
	}
	room := MaxPatchLines
	for _, s := range diff.Show(files, patchContext) {
		f := PatchFile{Path: s.Path, Kind: s.Kind, Note: s.Note, Added: s.Added, Removed: s.Removed}
		for _, l := range s.Lines[:min(len(s.Lines), room)] {
			f.Lines = append(f.Lines, Line{Op: patchOp(l.Kind), Text: l.Text})
		}
		if left := len(s.Lines) - len(f.Lines); left > 0 {
			f.Lines = append(f.Lines, Line{Op: "…", Text: fmt.Sprintf("%d more lines; `evolve diff %s` shows them", left, p.ID)})
		}
		room -= min(room, len(s.Lines))
		out.Files = append(out.Files, f)
	}
	return out
}

// patchOp returns the mark for a line; the mark for an unchanged line is a space.
func patchOp(kind byte) string {
	if kind == '+' || kind == '-' {
		return string(kind)
	}
	return " "
}

func patchCommands(p archive.ProposalRecord) []string {
	switch p.State {
	case archive.Awaiting, archive.HumanLane:
		if BranchOf(p) != nil {
			return []string{"evolve show " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
		}
		return []string{approveCommand(p.ID, p.State), "evolve show " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	case archive.Approved: // the commit is missing, and approving again creates it
		return []string{"evolve approve " + p.ID}
	}
	return []string{"evolve show " + p.ID}
}

// Awaits reports whether a person may decide on the patch.
func (p Patch) Awaits() bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane || p.State == archive.Approved
}

// Stopped returns one line that describes what stopped the patch.
func (p Patch) Stopped() string {
	switch {
	case p.State == archive.Drafted && p.Waits != "":
		return "its gates have not run: " + p.Waits + "; the next run runs them"
	case p.State == archive.Drafted:
		return "its gates did not finish; the next run, or submitting the same patch again, starts them again"
	}
	if d := p.Decision; d != nil && p.State == archive.Rejected {
		return d.By + ": " + d.Reason
	}
	if r := p.Review; r != nil && !r.Approve && !p.Outdated {
		return r.Reviewer + " vetoed it: " + r.Reasons
	}
	var waiting []string
	for _, g := range p.Gates {
		switch g.Verdict {
		case "failed":
			return g.Gate + ": " + g.Evidence
		case "not_run":
			waiting = append(waiting, g.Gate)
		}
	}
	if len(waiting) > 0 {
		return "not run: " + strings.Join(waiting, ", ")
	}
	return p.State.Name()
}
