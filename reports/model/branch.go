package model

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/runtime/text"
)

// Branch is a proposal that awaits a person as a branch of a remote: a merge there adopts it.
type Branch struct {
	Proposal string `json:"proposal"`
	Remote   string `json:"remote"`
	Branch   string `json:"branch"`
	// Base is the branch that the proposal is to be merged into, and Commit the commit that
	// the remote has; both are empty until the proposal was pushed.
	Base   string `json:"base,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Trouble is the reason why the last attempt to push the branch or to read its state
	// failed.
	Trouble string `json:"trouble,omitempty"`
}

// BranchOf returns the branch as which a proposal awaits a person; nil if it awaits no one, or a
// person here.
func BranchOf(p archive.ProposalRecord) *Branch {
	if p.Branch == nil || p.State != archive.Awaiting && p.State != archive.HumanLane {
		return nil
	}
	b := p.Branch
	return &Branch{p.ID, b.Remote, b.Name, b.Base, b.Pushed, b.Trouble}
}

// Words describes the way in which the proposal is decided, and the obstacle to that.
func (b Branch) Words() string {
	words := fmt.Sprintf("%s is decided at %s: merging %s adopts it", b.Proposal, b.Remote, b.Branch)
	if b.Base != "" {
		words = fmt.Sprintf("%s is decided at %s: merging %s into %s adopts it", b.Proposal, b.Remote, b.Branch, b.Base)
	}
	if b.Commit == "" {
		words += ", once it is pushed"
	}
	if b.Trouble != "" {
		words += "; the last attempt failed: " + clip(b.Trouble, 400)
	}
	return text.Visible(words)
}

// branches lists the branches of a workspace that await a person.
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
