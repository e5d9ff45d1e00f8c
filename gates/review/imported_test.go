package review

import (
	"testing"

	"evolve/archive"
)

// TestImportedTargets checks that an imported patch is gated only for a target that the
// settings name: an import could name any repository, and any command as its benchmark.
func TestImportedTargets(t *testing.T) {
	for name, c := range map[string]struct {
		named bool
		state archive.ProposalState
	}{
		"named by the settings": {true, archive.Awaiting},
		"named by the import":   {false, archive.Drafted},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.stopAt("gates")
			if _, err := b.submit(OriginAgent, "aide", turned("64", "128")); err == nil {
				t.Fatal("the gates were not stopped")
			}
			b.Reached = nil
			p := b.must(b.Find(t.Context(), "P1"))
			p.Imported, p.Patch.Named = "sha256:1", c.named
			if err := b.store.PutProposal(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if _, err := b.targetOf(p); (err == nil) != c.named {
				t.Errorf("its target: %v", err)
			}
			done, err := b.Resume(t.Context())
			if err != nil || (len(done) == 1) != c.named {
				t.Errorf("%d were taken up: %v", len(done), err)
			}
			if p := b.must(b.Find(t.Context(), "P1")); p.State != c.state {
				t.Errorf("it is %s", p.State)
			}
		})
	}
}
