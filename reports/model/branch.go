package model

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/runtime/text"
)

// Branch is a proposal that awaits a person's decision as a branch on a remote; merging the
// branch there adopts the proposal.
type Branch struct {
	Proposal string `json:"proposal"`
	Remote   string `json:"remote"`
	Branch   string `json:"branch"`
	// Base is the branch into which the proposal is to be merged, and Commit is the
	// commit of the proposal's branch on the remote; both are empty until the proposal
	// has been pushed.
	Base   string `json:"base,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Trouble is the reason why the last attempt to push the branch or to read its state
	// failed.
	Trouble string `json:"trouble,omitempty"`
}

// BranchOf returns the branch on a remote whose merge decides on a proposal. It returns nil
// if the proposal does not await a person, or if the decision is to be made here and not on
// a remote.
func BranchOf(p archive.ProposalRecord) *Branch {
	if p.Branch == nil || p.State != archive.Awaiting && p.State != archive.HumanLane {
		return nil
	}
	b := p.Branch
	return &Branch{p.ID, b.Remote, b.Name, b.Base, b.Pushed, b.Trouble}
}

// Words returns a description of how the proposal is decided on, and of what prevents the
// decision.
func (b Branch) Words() string {
	words := fmt.Sprintf("%s awaits a decision at %s: merging %s adopts it", b.Proposal, b.Remote, b.Branch)
	if b.Base != "" {
		words = fmt.Sprintf("%s awaits a decision at %s: merging %s into %s adopts it", b.Proposal, b.Remote, b.Branch, b.Base)
	}
	if b.Commit == "" {
		words += ", once the branch is pushed"
	}
	if b.Trouble != "" {
		words += "; the last attempt to push the branch or read its state failed: " + clip(b.Trouble, 400)
	}
	return text.Visible(words)
}

// branches lists the workspace's proposals that await a person's decision as branches on a
// remote.
func branches(ctx context.Context, src Source) ([]Branch, error) {
	var out []Branch
	for p, err := range src.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the branches: %w", err)
		}
		if b := BranchOf(p); b != nil {
			out = append(out, *b)
		}
	}
	return out, nil
}
