package review

import (
	"testing"

	"evolve/archive"
)

// TestOverrideNeedsWords checks for every kind of proposal that a blank reason does not let
// a flagged proposal pass.
func TestOverrideNeedsWords(t *testing.T) {
	tool := archive.ProposalRecord{Kind: archive.KindTool, Agent: "a", Files: []archive.FileChange{{Path: "agents/a/tools/t.star"}}}
	skill := archive.ProposalRecord{Kind: archive.KindTool, Agent: "a", Files: []archive.FileChange{{Path: "agents/a/skills/s.md"}}}
	for name, p := range map[string]archive.ProposalRecord{
		"config": {Kind: archive.KindConfig}, "tool": tool, "skill": skill, "patch": {Kind: archive.KindPatch, Patch: &archive.PatchBrief{}},
	} {
		t.Run(name, func(t *testing.T) {
			p.ID, p.State = "P1", archive.HumanLane
			for _, reason := range []string{"", " ", "\t\n", "\u00a0"} {
				refused(t, approvable(p, Decision{By: "Robin", OverrideReason: reason}), "flagged")
			}
			if err := approvable(p, Decision{By: "Robin", OverrideReason: "it was read"}); err != nil {
				t.Error(err)
			}
		})
	}
}
