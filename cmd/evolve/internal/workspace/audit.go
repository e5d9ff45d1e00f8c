package workspace

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Audit holds the keys that sign and check heads of the ledger; the zero value holds none.
type Audit struct {
	// Sign is the file of the private key that signs heads; it is empty if heads are not
	// signed.
	Sign string
	// AllowedSigners is the file of the keys whose signatures on heads are accepted; if
	// it is empty, only signatures by the key in Sign are accepted.
	AllowedSigners string
}

// in returns a copy of the settings with the paths resolved: a leading ~/ stands for the
// home folder, and a relative path is relative to the workspace.
func (a Audit) in(root, home string) Audit {
	for _, p := range []*string{&a.Sign, &a.AllowedSigners} {
		switch rest, inHome := strings.CutPrefix(*p, "~/"); {
		case *p == "":
		case inHome && home != "":
			*p = filepath.Join(home, filepath.FromSlash(rest))
		case !filepath.IsAbs(filepath.FromSlash(*p)):
			*p = filepath.Join(root, filepath.FromSlash(*p))
		default:
			*p = filepath.FromSlash(*p)
		}
	}
	return a
}

// AuditSettings reads only the setting `audit` of the workspace at root, and resolves its
// paths with the given home folder. Its error is a *Errors if evolve.yaml has issues.
func AuditSettings(root, home string) (Audit, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Audit{}, fmt.Errorf("reading the settings: %w", err)
	}
	l := &loader{root: root}
	l.settings()
	if err := l.errs.err(); err != nil {
		return Audit{}, err
	}
	return l.set.Audit.in(root, home), nil
}

// filePattern does not match paths that a shell would expand, except those with a leading
// ~/, which stands for the home folder.
var filePattern = regexp.MustCompile(`^(~/)?[^~$\x00-\x1f][^\x00-\x1f]*$`)

func auditKeys(a *Audit) object {
	file := func(to *string) text {
		return text{to: to, pattern: filePattern, rule: "a path without $, which may begin with ~/ for the home folder"}
	}
	return object{keys: []key{
		{name: "sign", doc: "file with an OpenSSH private key (ed25519, without a passphrase) that signs the head of the ledger after each entry; keep it outside the repository", field: file(&a.Sign), example: "~/.ssh/evolve_audit"},
		{name: "allowed_signers", doc: "file with the keys that are allowed to sign, in the format of ssh-keygen -Y verify; if omitted, only the key of sign", field: file(&a.AllowedSigners), example: "~/.ssh/evolve_allowed_signers"},
	}}
}
