package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/runtime/text"
)

const (
	// mostBecame is the maximum number of earlier proposals described in a prompt.
	mostBecame = 5
	// maxWords limits the text that a person wrote about an earlier proposal; maxRefused
	// limits the diff of a refused proposal. Both are in bytes.
	maxWords   = 1000
	maxRefused = 2000
)

// became describes what became of the proposals that earlier searches over a target's
// blocks made; see [describeBecame].
func (r *runner) became(ctx context.Context, target string) (string, error) {
	var list []archive.ProposalRecord
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return "", fmt.Errorf("reading earlier patches: %w", err)
		}
		if p.Patch != nil && p.Patch.Target == target && p.Patch.Origin == review.OriginBlocks && p.Run != r.run.ID {
			list = append(list, p)
		}
	}
	slices.Reverse(list)
	return describeBecame(list[:min(len(list), mostBecame)]), nil
}

// describeBecame describes what became of proposals: first the texts by people, then the
// findings of gates and reviewers, then the diffs of refused proposals. This order
// matters because a brief with little room contains only the beginning. Nothing in the
// result was measured on held-out cases.
func describeBecame(list []archive.ProposalRecord) string {
	var words, reasons, diffs []string
	for _, p := range list {
		if d := p.Decision; d != nil && d.Reason != "" {
			words = append(words, fmt.Sprintf("person on proposal %s, %s: %s", p.ID, d.Action, text.Clip(d.Reason, maxWords, text.Mark)))
		}
		fate := []string{fmt.Sprintf("proposal %s is %s", p.ID, p.State)}
		if refused(p) {
			fate = append(fate, findings(p)...)
			diffs = append(diffs, fmt.Sprintf("diff of proposal %s\n%s", p.ID, text.Clip(unified(p), maxRefused, text.Mark)))
		}
		reasons = append(reasons, strings.Join(fate, "\n"))
	}
	return strings.Join(slices.Concat(words, reasons, diffs), "\n\n")
}
