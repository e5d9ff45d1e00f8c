package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// TestSigningKeys: a file that is no key to sign with is named for what it is, with what to
// do, before anything is spent.
func TestSigningKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := privateKey(t)
	write := func(name string, content []byte, mode os.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	key := write("key", good, 0o600)
	mine, err := signingKeys(workspace.Audit{Sign: key})
	if err != nil || mine.key == nil {
		t.Fatal(err)
	}
	_, public, _ := strings.Cut(string(mine.key.Allowed("x")), " ")
	signers := write("signers", []byte("kim "+public), 0o644)
	if both, err := signingKeys(workspace.Audit{Sign: key, AllowedSigners: signers}); err != nil || !strings.HasPrefix(string(both.allowed), "kim ") {
		t.Errorf("with allowed signers: %v", err)
	}
	for _, c := range []struct {
		set       workspace.Audit
		err, hint string
	}{
		{workspace.Audit{Sign: filepath.Join(dir, "none")}, "is missing: there is no file ", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: dir}, " is no file", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: write("group", good, 0o640)}, "may be read or changed by other users (mode 0640)", "chmod 600 "},
		{workspace.Audit{Sign: write("world", good, 0o604)}, "(mode 0604)", "chmod 600 "},
		{workspace.Audit{Sign: write("key.pub", []byte(public), 0o644)}, " is a public key", "without .pub"},
		{workspace.Audit{Sign: write("text", []byte("hello\n"), 0o600)}, " is no OpenSSH private key", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: write("large", make([]byte, mostKey+1), 0o600)}, "has more than 1048576 bytes", "ssh-keygen"},
		{workspace.Audit{Sign: key, AllowedSigners: filepath.Join(dir, "none")}, "audit.allowed_signers of evolve.yaml is missing", "a name and a public key"},
		{workspace.Audit{Sign: key, AllowedSigners: write("others", []byte("# none\n"), 0o644)}, "is not in audit.allowed_signers", "add a line"},
	} {
		_, err := signingKeys(c.set)
		code, hint := classify(err)
		if err == nil || code != exitUsage || !strings.Contains(err.Error(), c.err) || !strings.Contains(hint, c.hint) {
			t.Errorf("%+v: exit %d, %v\nhint: %s", c.set, code, err, hint)
		}
	}
}

// TestKeyDisappears: a process that has opened the archive signs on when the key is gone. The
// next one adds an entry without a signature, and the one after it, which has the key, signs.
func TestKeyDisappears(t *testing.T) {
	t.Parallel()
	root, ctx := t.TempDir(), t.Context()
	key := filepath.Join(t.TempDir(), "key")
	for file, content := range map[string][]byte{key: privateKey(t), filepath.Join(root, workspace.SettingsFile): []byte("audit: {sign: " + key + "}\n")} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mine, err := signingKeys(workspace.Audit{Sign: key})
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	sh := &shell{process: process{env: os.Environ(), now: time.Now, stderr: &told}, ctx: ctx}
	adds := func(between func()) {
		t.Helper()
		a, err := sh.openWriter(root, "a test")
		if err != nil {
			t.Fatal(err)
		}
		between()
		_, err = a.Append(ctx, archive.LedgerEntry{Time: time.Unix(1, 0), Kind: "test", Actor: "evolve"})
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	signed := func(want int64, says string) {
		t.Helper()
		a, err := archive.OpenRead(archiveDir(root))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
		if h, err := readSigned(ctx, a, root, mine.allowed); err != nil || h.Seq != want {
			t.Errorf("entry %d is signed, not %d: %v", h.Seq, want, err)
		}
		if !strings.Contains(told.String(), says) || says == "" && told.Len() > 0 {
			t.Errorf("standard error: %q, without %q", told.String(), says)
		}
		told.Reset()
	}
	adds(func() {})
	adds(func() {
		if err := os.Rename(key, key+".away"); err != nil {
			t.Fatal(err)
		}
	})
	signed(2, "")
	adds(func() {})
	signed(2, "warning: what is recorded is not signed: the key that signs is missing")
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	adds(func() {})
	signed(4, "entry 3 of the ledger, which a killed process left unsigned, is signed now")
}
