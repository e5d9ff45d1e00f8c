package signing

import (
	"crypto/ed25519"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
)

// TestSigningKeys checks that a file that cannot be used as a signing key is reported
// before anything is spent, with the reason and what to do about it.
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
	mine, err := Load(workspace.Audit{Sign: key})
	if err != nil || mine.Key == nil {
		t.Fatal(err)
	}
	_, public, _ := strings.Cut(string(mine.Key.Allowed("x")), " ")
	signers := write("signers", []byte("kim "+public), 0o644)
	if both, err := Load(workspace.Audit{Sign: key, AllowedSigners: signers}); err != nil || !strings.HasPrefix(string(both.Allowed), "kim ") {
		t.Errorf("with allowed signers: %v", err)
	}
	for _, c := range []struct {
		set       workspace.Audit
		err, hint string
	}{
		{workspace.Audit{Sign: filepath.Join(dir, "none")}, "is missing: the file ", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: dir}, " is not a file", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: write("group", good, 0o640)}, "can be read or changed by other users (mode 0640)", "chmod 600 "},
		{workspace.Audit{Sign: write("world", good, 0o604)}, "(mode 0604)", "chmod 600 "},
		{workspace.Audit{Sign: write("key.pub", []byte(public), 0o644)}, " is a public key", "without .pub"},
		{workspace.Audit{Sign: write("text", []byte("hello\n"), 0o600)}, " is not an OpenSSH private key", "ssh-keygen -t ed25519"},
		{workspace.Audit{Sign: write("large", make([]byte, maxKey+1), 0o600)}, "has more than 1048576 bytes", "ssh-keygen"},
		{workspace.Audit{Sign: key, AllowedSigners: filepath.Join(dir, "none")}, "the allowed signers file (audit.allowed_signers in evolve.yaml) is missing", "a name and a public key"},
		{workspace.Audit{Sign: key, AllowedSigners: write("others", []byte("# none\n"), 0o644)}, "is not in the allowed signers file (audit.allowed_signers", "add to that file a line"},
	} {
		_, err := Load(c.set)
		code, hint := exit.Of(err)
		if err == nil || code != exit.Usage || !strings.Contains(err.Error(), c.err) || !strings.Contains(hint, c.hint) {
			t.Errorf("%+v: exit %d, %v\nhint: %s", c.set, code, err, hint)
		}
	}
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
