package clitest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/pem"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
)

// scriptKey writes an ed25519 key that is determined by its name, in the files that
// ssh-keygen would write: the private key, with a passphrase if one is given, and next to
// it the public key.
func scriptKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: sshkey FILE [PASSPHRASE]")
	}
	seed := sha256.Sum256([]byte(filepath.Base(args[0])))
	private := ed25519.NewKeyFromSeed(seed[:])
	block, err := ssh.MarshalPrivateKey(private, "")
	if len(args) == 2 {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(args[1]))
	}
	ts.Check(err)
	public, err := ssh.NewPublicKey(private.Public())
	ts.Check(err)
	file := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	ts.Check(os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(public), 0o644))
}
