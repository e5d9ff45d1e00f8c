//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/gates/review"
)

// TestKilledBeforeSigning kills a process after it wrote a decision and before it signed
// the ledger's head. The check must fail until the next command that writes signs the head,
// and then it must pass.
func TestKilledBeforeSigning(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Parallel()
	p := offered(t, false)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(t.TempDir(), "key")
	write("evolve.yaml", "audit: {sign: "+key+"}\n")
	if err := os.WriteFile(key, privateKey(t), 0o600); err != nil {
		t.Fatal(err)
	}
	p.git("commit", "--quiet", "--all", "--message=sign")
	p.run(0, "audit", "sign")
	p.run(0, "audit", "verify")

	p.dies(signing.StepSigning, "approve", "P1", "--yes", "--by", "Robin")
	if _, errs := p.run(exit.Integrity, "audit", "verify"); !strings.Contains(errs, "of the ledger is not covered by the signed head") {
		t.Errorf("verify: %s", errs)
	}
	if out, _ := p.run(0, "status"); !strings.Contains(out, "is not covered by the signed head") {
		t.Errorf("status: %s", out)
	}
	if _, errs := p.run(exit.Usage, "propose", "999"); !strings.Contains(errs, "signing entry 2 of the ledger, which a killed process left unsigned") {
		t.Errorf("the next command: %s", errs)
	}
	p.run(0, "audit", "verify")
	p.dies(review.StepMoved, "approve", "P1", "--yes", "--by", "Robin")
	p.run(exit.Usage, "propose", "999")
	if out, errs := p.run(0, "audit", "verify"); !strings.Contains(out, "signed by SHA256:") {
		t.Errorf("verify after the commit was noted: %s%s", out, errs)
	}
}
