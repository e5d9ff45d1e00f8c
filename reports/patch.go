package reports

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/patch/diff"
)

// Patch is a change of source code that was proposed: it awaits a person, or a gate or
// a reviewer stopped it, or its gates were stopped. All of it is volatile, as the evidence of its gates is.
type Patch struct {
	ID    string                `json:"id"`
	State archive.ProposalState `json:"state"`
	Title string                `json:"title"`
	// Target is what is patched, Author and Origin say who proposes it and how.
	Target    string `json:"target"`
	Author    string `json:"author"`
	Origin    string `json:"origin"`
	Rationale string `json:"rationale,omitempty"`
	Gain      string `json:"gain,omitempty"`
	Digest    string `json:"digest"`
	// Sandbox names the walls that its tests ran behind.
	Sandbox string                `json:"sandbox,omitempty"`
	Gates   []archive.GateVerdict `json:"gates"`
	Review  *archive.Review       `json:"review,omitempty"`
	// Outdated says that the review is of an earlier state of the patch.
	Outdated bool `json:"review_outdated,omitempty"`
	// NoReview says why there is none; empty where an agent may still be asked.
	NoReview string `json:"no_review,omitempty"`
	// CostUSD is what trying it as an agent and having it reviewed has cost.
	CostUSD float64     `json:"cost_usd,omitempty"`
	Files   []PatchFile `json:"files"`
	Created time.Time   `json:"created,omitzero"`
	// Addressed names places that address a reviewer: see [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Decision is a person's, where there is one.
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Commands are what to type next.
	Commands []string `json:"commands"`
}

// PatchFile is one changed file as it is shown: escaped, long lines cut.
type PatchFile struct {
	Path string `json:"path"`
	// Kind is "new", "removed" or "changed"; Note says what is not shown.
	Kind    string `json:"kind"`
	Note    string `json:"note,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Lines   []Line `json:"lines,omitempty"`
}

// The bounds of what a report shows of patches: lines of all files of one, and the
// stopped ones that are listed.
const (
	patchLines   = 400
	patchContext = 3
	stoppedKept  = 20
)

// patches are those that await a person now, when this is the latest run, and those of
// the time from the run before it to the run after it that were stopped.
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
	var awaiting, stopped []Patch
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
		case archive.GateFailed, archive.Rejected, archive.Drafted:
			if !p.Created.Before(from) {
				stopped = append(stopped, patchOf(p))
			}
		}
	}
	slices.Reverse(stopped) // the latest first
	return append(awaiting, stopped[:min(len(stopped), stoppedKept)]...), nil
}

func patchOf(p archive.ProposalRecord) Patch {
	b := p.Patch
	out := Patch{
		ID: p.ID, State: p.State, Title: p.Title, Target: b.Target, Author: b.Author, Origin: b.Origin, Rationale: p.Rationale, Gain: b.Gain,
		Digest: b.Digest, Sandbox: b.Sandbox, Gates: append([]archive.GateVerdict{}, p.Gates...), Review: b.Review,
		Outdated: b.Review != nil && b.Review.Digest != b.Digest, Files: []PatchFile{}, Created: p.Created, Decision: p.Decision, Commands: patchCommands(p),
		CostUSD: b.CostUSD, Addressed: Addressed(p),
	}
	if b.Review == nil && b.Unreviewed != nil {
		out.NoReview = b.Unreviewed.String()
	}
	files := make([]diff.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = diff.File{Path: f.Path, Old: f.Old, New: f.New}
	}
	room := patchLines
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

// patchOp is the mark of a line; what is neither added nor removed stands as it is.
func patchOp(kind byte) string {
	if kind == '+' || kind == '-' {
		return string(kind)
	}
	return " "
}

func patchCommands(p archive.ProposalRecord) []string {
	reject := "evolve reject " + p.ID + ` --reason "…"`
	switch p.State {
	case archive.Awaiting:
		return []string{"evolve approve " + p.ID, "evolve show " + p.ID, reject}
	case archive.HumanLane:
		return []string{"evolve approve " + p.ID + ` --override-reason "…"`, "evolve show " + p.ID, reject}
	case archive.Approved: // the commit is missing: the same command makes it
		return []string{"evolve approve " + p.ID}
	}
	return []string{"evolve show " + p.ID}
}

// Awaits reports whether a person may decide on it.
func (p Patch) Awaits() bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane || p.State == archive.Approved
}

// Stopped says in a line what stopped it.
func (p Patch) Stopped() string {
	if p.State == archive.Drafted {
		return "its gates did not come to their end; the next run, or the same patch handed in again, takes it up"
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
	return strings.ReplaceAll(string(p.State), "_", " ")
}
