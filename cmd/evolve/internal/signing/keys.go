// Package signing signs the head of the ledger with an SSH key and checks signed heads. It
// writes .evolve/head.signed and its signature, .evolve/head.signed.sig. A [Notary] signs
// each entry that a process adds.
package signing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/sshsig"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
	"evolve/runtime/wholefile"
)

// maxKey limits the size of a key file, in bytes.
const maxKey = 1 << 20

// KeyError is the error for a key or a list of keys that cannot be used.
type KeyError struct{ error }

func (k KeyError) Unwrap() error { return k.error }

func badKey(hint, format string, args ...any) error {
	return KeyError{exit.Errorf(exit.Usage, hint, format, args...)}
}

// ReadKeys reads a small regular file; purpose names it in errors, and absent is the hint if
// there is no such file. Its error is a KeyError.
func ReadKeys(purpose, path, absent string) ([]byte, fs.FileInfo, error) {
	failed := func(err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return badKey(absent, "%s is missing: the file %s does not exist", purpose, path)
		case errors.Is(err, fs.ErrPermission):
			return badKey("the file must be readable by the user who runs evolve", "%s cannot be read: %w", purpose, err)
		}
		return badKey("", "%s cannot be read: %w", purpose, err)
	}
	data, err := wholefile.Read(path, maxKey)
	var large *wholefile.TooLargeError
	switch {
	case errors.Is(err, wholefile.ErrIrregular):
		return nil, nil, badKey(absent, "%s cannot be read: %s is not a file", purpose, path)
	case errors.As(err, &large):
		return nil, nil, badKey(absent, "%s cannot be read: %s has more than %d bytes", purpose, path, large.Most)
	case err != nil:
		return nil, nil, failed(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, failed(err)
	}
	return data, info, nil
}

// signingKey reads the private key from a file that others cannot read. Its error is a
// KeyError.
func signingKey(path string) (*sshsig.Key, error) {
	data, info, err := ReadKeys("the signing key", path, "`ssh-keygen -t ed25519 -N '' -f "+text.ShellQuote(path)+"` makes one")
	if err != nil {
		return nil, err
	}
	key, err := sshsig.ParseKey(data)
	var bad *sshsig.KeyError
	if errors.As(err, &bad) {
		return nil, badKey(bad.Hint, "the signing key %s %s", path, bad.Reason)
	}
	if err != nil {
		return nil, badKey("", "the signing key %s: %w", path, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, badKey("chmod 600 "+text.ShellQuote(path), "the signing key %s can be read or changed by other users (mode %#o)", path, mode)
	}
	return key, nil
}

// Keys holds the keys that the settings under audit name. Key is nil if heads are not
// signed; Allowed is nil if signatures are not checked.
type Keys struct {
	Key     *sshsig.Key
	Allowed []byte
}

// Load reads the files that the setting audit names. Its error is a KeyError.
func Load(set workspace.Audit) (k Keys, err error) {
	if set.AllowedSigners != "" {
		k.Allowed, _, err = ReadKeys("the allowed signers file (audit.allowed_signers in evolve.yaml)", set.AllowedSigners, "each line of that file is a name and a public key: `man ssh-keygen` describes the format")
		if err != nil {
			return k, err
		}
	}
	if set.Sign == "" {
		return k, nil
	}
	if k.Key, err = signingKey(set.Sign); err != nil {
		return k, err
	}
	if set.AllowedSigners == "" {
		k.Allowed = k.Key.Allowed(filepath.Base(set.Sign))
		return k, nil
	}
	const probe = "may this key sign?"
	sig, err := k.Key.Sign([]byte(probe))
	if err == nil {
		_, err = sshsig.Verify(k.Allowed, []byte(probe), sig)
	}
	if err != nil {
		return Keys{}, badKey("add to that file a line with a name and the content of "+set.Sign+".pub", "the signing key %s is not in the allowed signers file (audit.allowed_signers in evolve.yaml), %s", k.Key.Fingerprint(), set.AllowedSigners)
	}
	return k, nil
}

// Allowed returns the keys that may have signed the ledger; it returns nil if the settings
// require no check. The private key is not needed if audit.allowed_signers names the keys.
func Allowed(set workspace.Audit) ([]byte, error) {
	if set.AllowedSigners != "" {
		set.Sign = ""
	}
	k, err := Load(set)
	return k.Allowed, err
}

// Current returns the signed head of a ledger. If audit.sign is set, it fails with an
// UnsignedError if there are entries after the head, unless another process is about to
// sign the last of them.
func Current(ctx context.Context, a *archive.Archive, root string, set workspace.Audit, allowed []byte) (Head, error) {
	n, _, err := a.LedgerHead(ctx) // read first, because a run may continue meanwhile
	if err != nil {
		return Head{}, err
	}
	h, err := Read(ctx, a, root, allowed)
	if err != nil || set.Sign == "" || h.Seq >= n {
		return h, err
	}
	if h.Seq == n-1 {
		if _, alive, err := a.Writer(ctx); alive || err != nil {
			return h, err
		}
	}
	return h, UnsignedError{h.Seq + 1, n}
}

// Explain adds an exit code and a hint to the error of a command that found the head
// unsigned or wrongly signed. It returns any other error unchanged.
func Explain(err error) error {
	switch {
	case errors.Is(err, ErrUnsigned):
		return exit.Errorf(exit.Integrity, "`evolve audit sign` signs the current head, with --key FILE if evolve.yaml names no key; `evolve help trust` explains what a signed head proves", "%w", err)
	case errors.As(err, new(UnsignedError)):
		return exit.Errorf(exit.Integrity, "inspect these entries with `evolve audit log`, then sign them with `evolve audit sign`", "%w", err)
	case errors.As(err, new(*archive.AuditError)):
		return exit.Errorf(exit.Integrity, Hint, "%w", err)
	}
	return err
}

// UnsignedError is the error for ledger entries after the signed head.
type UnsignedError struct{ from, to int64 }

func (e UnsignedError) Error() string {
	if e.from == e.to {
		return fmt.Sprintf("entry %d of the ledger is not covered by the signed head", e.from)
	}
	return fmt.Sprintf("entries %d to %d of the ledger are not covered by the signed head", e.from, e.to)
}
