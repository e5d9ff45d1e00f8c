package signing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/sshsig"
	"evolve/runtime/wholefile"
)

// Head is a head of the ledger that was signed with a key.
type Head struct {
	Archive string
	Seq     int64
	Hash    string
	Signer  sshsig.Signer
}

// ErrUnsigned reports that there is no signed head.
var ErrUnsigned = errors.New("there is no signed head")

// Files returns the paths of the signed text and its signature, which are next to the
// archive.
func Files(root string) (text, signature string) {
	text = filepath.Join(root, ".evolve", "head.signed")
	return text, text + ".sig"
}

const signedForm = "evolve ledger\narchive %s\nentry %d\nhash %s\n"

func signedText(id string, seq int64, hash string) []byte {
	return fmt.Appendf(nil, signedForm, id, seq, hash)
}

// Write signs a head. It writes the signature before the text. If the process is killed
// in between, the text still names the previous head. Read therefore also checks the
// signature against the entry that follows that head.
func Write(root string, key *sshsig.Key, id string, seq int64, hash string) error {
	text := signedText(id, seq, hash)
	sig, err := key.Sign(text)
	if err != nil {
		return err
	}
	name, signature := Files(root)
	if err := renameio.WriteFile(signature, sig, 0o600); err != nil {
		return fmt.Errorf("writing the signature: %w", err)
	}
	if err := renameio.WriteFile(name, text, 0o600); err != nil {
		return fmt.Errorf("writing the signed head: %w", err)
	}
	return nil
}

// Read returns the head that one of the allowed keys has signed. It fails with ErrUnsigned
// if there is none, and with an *archive.AuditError if the signature does not belong to a
// head of this ledger.
func Read(ctx context.Context, a *archive.Archive, root string, allowed []byte) (Head, error) {
	name, signature := Files(root)
	wrong := func(format string, args ...any) error {
		return &archive.AuditError{Subject: name, Reason: fmt.Sprintf(format, args...)}
	}
	var h Head
	text, err := wholefile.Read(name, maxKey)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, fmt.Errorf("reading the signed head: %w", err)
	}
	sig, missing := wholefile.Read(signature, maxKey)
	switch {
	case errors.Is(missing, fs.ErrNotExist):
		return h, fmt.Errorf("%w: %w", ErrUnsigned, missing)
	case missing != nil:
		return h, fmt.Errorf("reading the signature: %w", missing)
	}
	mine, err := a.ID(ctx)
	if err != nil {
		return h, err
	}
	var signer sshsig.Signer
	if len(text) > 0 {
		signer, err = sshsig.Verify(allowed, text, sig)
		if _, bad := fmt.Sscanf(string(text), signedForm, &h.Archive, &h.Seq, &h.Hash); err == nil && bad != nil {
			return h, wrong("it does not identify a head of the ledger")
		}
	}
	if len(text) == 0 || errors.Is(err, sshsig.ErrUnfit) { // the process was killed between writing the two files
		next := h.Seq + 1
		hash, ledger := entryHash(ctx, a, next)
		if ledger != nil {
			return h, ledger
		}
		if h.Archive = mine; hash != "" {
			signer, err = sshsig.Verify(allowed, signedText(mine, next, hash), sig)
			h.Seq, h.Hash = next, hash
		}
		if len(text) == 0 && hash == "" {
			err = sshsig.ErrUnfit
		}
	}
	if err != nil {
		return h, wrong("%s", err)
	}
	hash, err := entryHash(ctx, a, h.Seq)
	if err != nil {
		return h, err
	}
	if h.Archive != mine || hash == "" || hash != h.Hash {
		return h, wrong("it names entry %d with the hash %.12s, which this ledger does not have", h.Seq, h.Hash)
	}
	h.Signer = signer
	return h, nil
}

// entryHash returns the hash of a ledger entry, or "" if there is no such entry.
func entryHash(ctx context.Context, a *archive.Archive, seq int64) (string, error) {
	if seq < 1 {
		return "", nil
	}
	for e, err := range a.Ledger(ctx, seq) {
		if err != nil {
			return "", fmt.Errorf("reading the ledger: %w", err)
		}
		if e.Seq == seq {
			return e.Hash, nil
		}
		break
	}
	return "", nil
}
