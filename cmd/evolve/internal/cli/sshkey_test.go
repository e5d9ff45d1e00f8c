package cli

import (
	"crypto/ed25519"
	"encoding/pem"
	"testing"

	"golang.org/x/crypto/ssh"
)

// privateKey returns the content of an OpenSSH private key file.
func privateKey(t *testing.T) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), "")
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}
