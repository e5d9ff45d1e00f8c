package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"evolve/archive"
	"evolve/cmd/evolve/internal/sshsig"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports"
	"evolve/runtime/wholefile"
)

// mostKey bounds a file of keys, in bytes.
const mostKey = 1 << 20

// keyFailure is the error for a key or a list of keys that cannot be used.
type keyFailure struct{ error }

func (k keyFailure) Unwrap() error { return k.error }

func badKey(hint, format string, args ...any) error {
	return keyFailure{hinted(exitUsage, hint, format, args...)}
}

// auditSettings is the setting audit of a workspace.
func (sh *shell) auditSettings(root string) (workspace.Audit, error) {
	home := sh.getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	return workspace.AuditSettings(root, home)
}

// readKeys reads a small regular file; what names its purpose, and absent is the hint where
// there is no such file. Its error is a keyFailure.
func readKeys(what, path, absent string) ([]byte, fs.FileInfo, error) {
	failed := func(err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return badKey(absent, "%s is missing: there is no file %s", what, path)
		case errors.Is(err, fs.ErrPermission):
			return badKey("it must be readable by the user who runs evolve", "%s cannot be read: %w", what, err)
		}
		return badKey("", "%s cannot be read: %w", what, err)
	}
	data, err := wholefile.Read(path, mostKey)
	var large *wholefile.TooLargeError
	switch {
	case errors.Is(err, wholefile.ErrIrregular):
		return nil, nil, badKey(absent, "%s cannot be read: %s is no file", what, path)
	case errors.As(err, &large):
		return nil, nil, badKey(absent, "%s cannot be read: %s has more than %d bytes", what, path, large.Most)
	case err != nil:
		return nil, nil, failed(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, failed(err)
	}
	return data, info, nil
}

// signingKey reads the private key in a file that others cannot read. Its error is a
// keyFailure.
func signingKey(path string) (*sshsig.Key, error) {
	data, info, err := readKeys("the key that signs", path, "`ssh-keygen -t ed25519 -N '' -f "+quoted(path)+"` makes one")
	if err != nil {
		return nil, err
	}
	key, err := sshsig.ParseKey(data)
	var bad *sshsig.KeyError
	if errors.As(err, &bad) {
		return nil, badKey(bad.Hint, "the key that signs, %s, %s", path, bad.Reason)
	}
	if err != nil {
		return nil, badKey("", "the key that signs, %s: %w", path, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, badKey("chmod 600 "+quoted(path), "the key that signs, %s, may be read or changed by other users (mode %#o)", path, mode)
	}
	return key, nil
}

// keys are those of the setting audit. key is nil if heads are not signed; allowed is nil
// if nothing is checked.
type keys struct {
	key     *sshsig.Key
	allowed []byte
}

// signingKeys reads the files that the setting audit names. Its error is a keyFailure.
func signingKeys(set workspace.Audit) (k keys, err error) {
	if set.AllowedSigners != "" {
		k.allowed, _, err = readKeys("audit.allowed_signers of evolve.yaml", set.AllowedSigners, "each of its lines is a name and a public key: `man ssh-keygen` shows the form")
		if err != nil {
			return k, err
		}
	}
	if set.Sign == "" {
		return k, nil
	}
	if k.key, err = signingKey(set.Sign); err != nil {
		return k, err
	}
	if set.AllowedSigners == "" {
		k.allowed = k.key.Allowed(filepath.Base(set.Sign))
		return k, nil
	}
	const probe = "may this key sign?"
	sig, err := k.key.Sign([]byte(probe))
	if err == nil {
		_, err = sshsig.Verify(k.allowed, []byte(probe), sig)
	}
	if err != nil {
		return keys{}, badKey("add a line with a name and the content of "+set.Sign+".pub", "the key that signs, %s, is not in audit.allowed_signers of evolve.yaml, %s", k.key.Fingerprint(), set.AllowedSigners)
	}
	return k, nil
}

// checkingKeys returns the keys that may have signed; nil if the settings require no
// check. The private key is not needed if audit.allowed_signers names the others.
func checkingKeys(set workspace.Audit) ([]byte, error) {
	if set.AllowedSigners != "" {
		set.Sign = ""
	}
	k, err := signingKeys(set)
	return k.allowed, err
}

// headSigned is the signed head of a ledger. With audit.sign it fails with an unsignedError
// where entries came after it, unless another process is about to sign the last of them.
func headSigned(ctx context.Context, a *archive.Archive, root string, set workspace.Audit, allowed []byte) (signedHead, error) {
	n, _, err := a.LedgerHead(ctx) // read first: a run goes on meanwhile
	if err != nil {
		return signedHead{}, err
	}
	h, err := readSigned(ctx, a, root, allowed)
	if err != nil || set.Sign == "" || h.Seq >= n {
		return h, err
	}
	if h.Seq == n-1 {
		if _, alive, err := a.Writer(ctx); alive || err != nil {
			return h, err
		}
	}
	return h, unsignedError{h.Seq + 1, n}
}

// signedFailure is the error of a command that found the head unsigned, or wrongly signed.
func signedFailure(err error) error {
	switch {
	case errors.Is(err, errUnsigned):
		return hinted(exitIntegrity, "`evolve audit sign` signs one, with --key FILE where evolve.yaml names no key; `evolve help trust` says what it is worth", "%w", err)
	case errors.As(err, new(unsignedError)):
		return hinted(exitIntegrity, "see `evolve audit log`; `evolve audit sign` signs them", "%w", err)
	case errors.As(err, new(*archive.AuditError)):
		return hinted(exitIntegrity, signedHint, "%w", err)
	}
	return err
}

// notary signs each head of the ledger that this process adds, and the one entry that a
// process can leave unsigned when it is killed. It signs no other entry that it finds: anyone
// who can write the archive may have added it.
type notary struct {
	sh   *shell
	root string
	keys keys
	// fault is why nothing is signed; told is set when it was printed.
	fault error
	told  bool
	// own is set when this process added the entry that it finds unsigned.
	own bool
}

// notary returns the notary of a workspace; nil where its settings name no key. Where the
// key cannot be used it returns the reason as well, and the notary signs nothing and warns
// when an entry is added.
func (sh *shell) notary(root string) (*notary, error) {
	set, err := sh.auditSettings(root)
	if err == nil && set.Sign == "" {
		return nil, nil
	}
	n := &notary{sh: sh, root: root}
	if err == nil {
		n.keys, err = signingKeys(set)
	}
	n.fault = err
	return n, err
}

// signedHint is what to do about a ledger that does not have the signed head.
const signedHint = "compare the archive with a backup, and see `evolve audit log`; `evolve audit sign --anew` signs the ledger as it is"

// Opened compares the ledger with the signed head. It fails where the ledger does not have it.
func (n *notary) Opened(ctx context.Context, a *archive.Archive, head archive.Witness) error {
	if n.keys.key == nil { // what is added is warned of
		return nil
	}
	n.fault = nil
	signed, err := readSigned(ctx, a, n.root, n.keys.allowed)
	if head.Hash == "" && errors.Is(err, errUnsigned) {
		err = nil // the ledger is new
	}
	switch {
	case errors.As(err, new(*archive.AuditError)):
		return hinted(exitIntegrity, signedHint, "the ledger does not go on from what was signed: %w", err)
	case err != nil:
		n.fault = err
	case head.Seq > signed.Seq+1:
		n.fault = unsignedError{signed.Seq + 1, head.Seq}
	case head.Seq == signed.Seq+1:
		if !n.own {
			_, _ = fmt.Fprintf(n.sh.stderr, "entry %d of the ledger, which a killed process left unsigned, is signed now\n", head.Seq)
		}
		n.Added(head)
	}
	n.warn()
	return nil
}

// stepSigning is the step of a decision between an entry of the ledger and its signature.
const stepSigning = "signing"

// Added signs a head.
func (n *notary) Added(head archive.Witness) {
	if n.fault == nil {
		if n.sh.reached != nil {
			_ = n.sh.reached(stepSigning)
		}
		if err := writeSigned(n.root, n.keys.key, head.Archive, head.Seq, head.Hash); err != nil {
			// The next entry is tried again.
			_, _ = fmt.Fprintf(n.sh.stderr, "warning: entry %d of the ledger is not signed: %s\n", head.Seq, reports.Visible(err.Error()))
		}
		return
	}
	n.warn()
}

// warn prints once that nothing is signed.
func (n *notary) warn() {
	if n.fault == nil || n.told {
		return
	}
	n.told = true
	_, hint := classify(n.fault)
	text := n.fault.Error()
	if !errors.As(n.fault, new(keyFailure)) {
		hint = n.sh.typed("evolve audit sign") + " signs it, once you have looked at it"
	}
	if hint != "" {
		text += "; " + hint
	}
	_, _ = fmt.Fprintf(n.sh.stderr, "warning: what is recorded is not signed: %s\n", reports.Visible(text))
}

// unsignedError names the entries after the signed head.
type unsignedError struct{ from, to int64 }

func (e unsignedError) Error() string {
	if e.from == e.to {
		return fmt.Sprintf("entry %d of the ledger came after the signed head", e.from)
	}
	return fmt.Sprintf("entries %d to %d of the ledger came after the signed head", e.from, e.to)
}
