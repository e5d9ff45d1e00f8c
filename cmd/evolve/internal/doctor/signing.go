package doctor

import (
	"context"
	"path/filepath"
	"strings"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/sandbox"
)

// Signing is the result of doctor's checks of the signatures on the ledger's head.
type Signing struct {
	// On reports whether the settings name a key or allowed signers.
	On bool
	// Key is the file of the private key, or empty if heads are not signed. Fingerprint is
	// the key's fingerprint.
	Key, Fingerprint string
	// KeyFault is the reason why the keys cannot be used, and KeyHint describes a remedy.
	KeyFault, KeyHint string
	// Head names the signed head; HeadFault is the reason why the head is not properly
	// signed.
	Head, HeadFault, HeadHint string
	// Wrong reports whether the signature does not belong to a head of this ledger.
	Wrong bool
}

// checkSigning checks the signing key, including whether other users can read it, and the
// signature on the ledger's head.
func checkSigning(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	const name, head = "signing", "signature"
	s, err := p.Signing(ctx)
	if err != nil || !s.On {
		return nil
	}
	if s.KeyFault != "" {
		return []Check{fail(name, s.KeyHint, "%s", s.KeyFault)}
	}
	var checks []Check
	if s.Key != "" {
		const elsewhere = "move it where agents cannot read it and commits cannot include it, such as ~/.ssh"
		place := ""
		if out, err := p.Git(ctx, p.Root, "rev-parse", "--show-toplevel"); err == nil && within(s.Key, out) {
			place = "repository"
		}
		if within(s.Key, p.Root) {
			place = "workspace"
		}
		programs, without := unwalled(w)
		if w.Settings.Patches.Sandbox == "none" && len(w.Settings.Patches.Targets) > 0 {
			without = append(without, "patches")
		}
		_, none := p.Sandbox(ctx)
		switch {
		case place != "":
			checks = append(checks, warn(name, elsewhere, "the key %s lies inside the %s", s.Key, place))
		case none != nil && programs > 0:
			checks = append(checks, warn(name, sandbox.Remedy(none), "agents' programs run without a sandbox and can read the key %s", s.Key))
		case len(without) > 0:
			checks = append(checks, warn(name, "", "the sandbox is switched off for %s, whose programs can read the key %s", strings.Join(without, ", "), s.Key))
		default:
			checks = append(checks, ok(name, "%s, in %s", s.Fingerprint, s.Key))
		}
	}
	switch {
	case s.Wrong:
		checks = append(checks, fail(head, s.HeadHint, "%s", s.HeadFault))
	case s.HeadFault != "":
		checks = append(checks, warn(head, s.HeadHint, "%s", s.HeadFault))
	case s.Head != "":
		checks = append(checks, ok(head, "%s", s.Head))
	}
	return checks
}

// within reports whether a file is inside a folder after symbolic links are resolved.
func within(file, dir string) bool {
	for _, p := range []*string{&file, &dir} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}
