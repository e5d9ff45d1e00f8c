package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/runtime/authored"
	"evolve/runtime/experience"
)

// forgeReason returns the beginning of the rationale of a proposal for a tool that was
// rewritten.
func forgeReason(remedy experience.Remedy, tool string) string {
	return fmt.Sprintf("the advice was to %s %s: ", remedy, tool)
}

// unnoted returns the undecided proposal for a draft that a killed process did not note; it
// returns nil if there is none.
func (r *runner) unnoted(ctx context.Context, n archive.ToolNote, past []pastForge) (*archive.ProposalRecord, error) {
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Kind != archive.KindTool || p.Agent != n.Agent || p.Imported != "" || !review.Undecided(p.State) || p.State == archive.GateFailed {
			continue
		}
		asked := func(remedy experience.Remedy) bool {
			return strings.HasPrefix(p.Rationale, forgeReason(remedy, n.Tool))
		}
		noted := func(f pastForge) bool { return f.Proposal == p.ID }
		if slices.ContainsFunc([]experience.Remedy{experience.Split, experience.Recompose, experience.Tighten}, asked) && !slices.ContainsFunc(past, noted) {
			return &p, nil
		}
	}
	return nil, nil
}

// takeUp completes the proposal of a killed process: it takes the proposal through its
// gates and notes it like a new one. No model is asked.
func (r *runner) takeUp(ctx context.Context, job forgeJob, note *ForgeNote) (*archive.ProposalRecord, error) {
	p := *job.killed
	note.Text = "a draft from a process that was killed"
	if p.State == archive.Drafted {
		var star, manifest []byte
		for _, f := range p.Files {
			if strings.HasSuffix(f.Path, ".star") {
				star = f.New
			} else {
				manifest = f.New
			}
		}
		d, err := authored.Parse(star, manifest)
		if err != nil {
			return nil, fmt.Errorf("reading the draft of proposal %s: %w", p.ID, err)
		}
		if p, err = r.o.Forge.Propose(ctx, job.agent, p.Run, d, p.Rationale); err != nil {
			return nil, err
		}
	}
	note.Proposal, note.State = p.ID, p.State
	return &p, nil
}
