package decide

import (
	"os"
	"path/filepath"
	"testing"

	"evolve/archive"
)

// TestAlteredProposals: an archive that was altered leads an approval to no file but the
// champion's, and to no content but its variant's.
func TestAlteredProposals(t *testing.T) {
	settings := []byte("adoption: {after: touch owned}\n")
	for name, c := range map[string]struct {
		alter   func(*archive.ProposalRecord)
		refusal string
	}{
		"another file": {func(p *archive.ProposalRecord) {
			p.Files = append(p.Files, archive.FileChange{Path: "evolve.yaml", New: settings})
		}, "changes evolve.yaml"},
		"the agent's program": {func(p *archive.ProposalRecord) {
			p.Files = append(p.Files, archive.FileChange{Path: "agents/solver/agent.sh", New: []byte("#!/bin/sh\n")})
		}, "changes agents/solver/agent.sh"},
		"another agent's file": {func(p *archive.ProposalRecord) {
			p.Files[0].Path = "agents/other/config.yaml"
		}, "changes agents/other/config.yaml"},
		"another content": {func(p *archive.ProposalRecord) {
			p.Files[0].New = append([]byte("# harmless\n"), p.Files[0].New...)
		}, "something else"},
		"another list": {func(p *archive.ProposalRecord) {
			p.Changes[0].New = "lower"
		}, "other changes"},
		"approved by its record": {func(p *archive.ProposalRecord) {
			p.State = archive.Approved
			p.Files = append(p.Files, archive.FileChange{Path: "evolve.yaml", New: settings})
		}, "changes evolve.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, true)
			p := o.propose()
			c.alter(&p)
			if err := o.archive.PutProposal(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			_, err := o.desk().Approve(t.Context(), p.ID, alice)
			refused(t, err, c.refusal)
			if status := o.git("status", "--porcelain"); status != "" || o.git("rev-list", "--count", "HEAD") != "1" {
				t.Errorf("the refused approval changed the repository: %q", status)
			}
		})
	}
}

// TestProposalsStayInside: a record with a path out of the workspace cannot be stored, and
// one that is rehearsed writes nothing outside its folder.
func TestProposalsStayInside(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	outside := filepath.Join(t.TempDir(), "owned")
	for _, path := range []string{"../owned", "../../../../../../../../" + outside, outside, "a/../../owned", ".git/hooks/post-commit", "a/.GIT/x", `a\..\b`, "", ".", "a//b", "a\nb"} {
		q := p
		q.Files = []archive.FileChange{{Path: path, New: []byte("x")}}
		if err := o.archive.PutProposal(t.Context(), q); err == nil {
			t.Errorf("a proposal of %q was stored", path)
		}
		q.State = archive.Drafted
		d := o.desk()
		if scratch, err := d.lay(&d.Workspace.Agents[0], q, after); !filepath.IsLocal(path) && path != "" && err == nil {
			t.Errorf("%q was laid in %s", path, scratch)
		} else if err := os.RemoveAll(scratch); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Fatalf("%q was written", path)
		}
	}
}
