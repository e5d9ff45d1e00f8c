package model

import (
	"testing"

	"evolve/archive"
)

// TestBranchWords checks what a report states about a proposal that is decided at a
// remote, and that the report offers no command that approves it.
func TestBranchWords(t *testing.T) {
	p := archive.ProposalRecord{ID: "P1", State: archive.Awaiting, Branch: &archive.BranchBrief{Remote: "origin", Name: "evolve/P1", Commit: "c"}}
	for _, c := range []struct {
		base, pushed, trouble, want string
	}{
		{"", "", "", "P1 awaits a decision at origin: merging evolve/P1 adopts it, once the branch is pushed"},
		{"", "", "no\x1b network", `P1 awaits a decision at origin: merging evolve/P1 adopts it, once the branch is pushed; the last attempt to push the branch or read its state failed: no\x1b network`},
		{"main", "c", "", "P1 awaits a decision at origin: merging evolve/P1 into main adopts it"},
	} {
		p.Branch.Base, p.Branch.Pushed, p.Branch.Trouble = c.base, c.pushed, c.trouble
		if got := BranchOf(p).Words(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if list := patchCommands(p); list[0] != "evolve show P1" {
		t.Error(list)
	}
	p.State = archive.Rejected
	if BranchOf(p) != nil {
		t.Error("a decided proposal awaits a merge")
	}
}
