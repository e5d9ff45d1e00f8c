package wire

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"evolve/archive"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/workspace"
)

// TestKeyDisappears checks that a process that has opened the archive continues to sign
// after the key is gone. The next process adds an entry without a signature, and the one
// after it, which has the key, signs.
func TestKeyDisappears(t *testing.T) {
	t.Parallel()
	root, ctx := t.TempDir(), t.Context()
	key := filepath.Join(t.TempDir(), "key")
	for file, content := range map[string][]byte{key: privateKey(t), filepath.Join(root, workspace.SettingsFile): []byte("audit: {sign: " + key + "}\n")} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mine, err := signing.Load(workspace.Audit{Sign: key})
	if err != nil {
		t.Fatal(err)
	}
	var warnings bytes.Buffer
	h := &Host{Env: os.Environ(), Now: time.Now, Stderr: &warnings, Ctx: ctx, Command: func(c string) string { return c }}
	adds := func(between func()) {
		t.Helper()
		a, err := h.openUnswept(root, "a test")
		if err != nil {
			t.Fatal(err)
		}
		between()
		_, err = a.Append(ctx, archive.LedgerEntry{Time: time.Unix(1, 0), Kind: "test", Actor: "evolve"})
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	signed := func(seq int64, want string) {
		t.Helper()
		a, err := archive.OpenRead(ArchiveDir(root))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
		if head, err := signing.Read(ctx, a, root, mine.Allowed); err != nil || head.Seq != seq {
			t.Errorf("entry %d is signed, not %d: %v", head.Seq, seq, err)
		}
		if !strings.Contains(warnings.String(), want) || want == "" && warnings.Len() > 0 {
			t.Errorf("standard error: %q, without %q", warnings.String(), want)
		}
		warnings.Reset()
	}
	adds(func() {})
	adds(func() {
		if err := os.Rename(key, key+".away"); err != nil {
			t.Fatal(err)
		}
	})
	signed(2, "")
	adds(func() {})
	signed(2, "warning: new ledger entries are not signed: the signing key is missing")
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	adds(func() {})
	signed(4, "entry 3 of the ledger, which a killed process left unsigned")
}

// privateKey returns the content of an OpenSSH private key file.
func privateKey(t *testing.T) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), "")
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}
