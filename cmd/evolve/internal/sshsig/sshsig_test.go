package sshsig

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

func keyFile(t *testing.T, private any, passphrase string) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

func seeded(b byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = b
	return ed25519.NewKeyFromSeed(seed)
}

// TestParseKey checks that the error names the kind of an unusable key.
func TestParseKey(t *testing.T) {
	t.Parallel()
	key, err := ParseKey(keyFile(t, seeded(1), ""))
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, public, _ := strings.Cut(string(key.Allowed("x")), " ")
	for name, c := range map[string]struct{ content, reason string }{
		"encrypted": {string(keyFile(t, seeded(1), "secret")), "has a passphrase"},
		"public":    {public, "is a public key"},
		"age":       {"# created\nAGE-SECRET-KEY-1QQQQ\n", "is an age key"},
		"ecdsa":     {string(keyFile(t, other, "")), "is of the type ecdsa-sha2-nistp256"},
		"empty":     {"", "is not an OpenSSH private key"},
		"cut off":   {string(keyFile(t, seeded(1), "")[:100]), "is not an OpenSSH private key"},
	} {
		_, err := ParseKey([]byte(c.content))
		var bad *KeyError
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Reason, c.reason) || bad.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerify checks which lines in an allowed signers file allow a signature, and that a
// signature is valid only for the signed text.
func TestVerify(t *testing.T) {
	t.Parallel()
	key, err := ParseKey(keyFile(t, seeded(1), ""))
	if err != nil {
		t.Fatal(err)
	}
	other, err := ParseKey(keyFile(t, seeded(2), ""))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("entry 1\n")
	sig, err := key.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	_, public, _ := strings.Cut(string(key.Allowed("x")), " ")
	for allowed, want := range map[string]string{
		"kim " + public: "kim",
		"# a comment\n\n" + string(other.Allowed("robin")) + "kim\t" + public: "kim",
		`"kim" namespaces="git,evolve" ` + public:                             "kim",
		`kim namespaces="ev*" ` + public:                                      "kim",
		`kim namespaces="git" ` + public:                                      "",
		`kim valid-before="20200101" ` + public:                               "",
		`kim cert-authority ` + public:                                        "",
		"# kim " + public:                                                     "",
		string(other.Allowed("robin")):                                        "",
		"":                                                                    "",
	} {
		who, err := Verify([]byte(allowed), text, sig)
		if who.Name != want || (err == nil) != (want != "") || want != "" && who.Fingerprint != key.Fingerprint() {
			t.Errorf("%q: %+v, %v", allowed, who, err)
		}
	}
	if _, err := Verify(key.Allowed("kim"), []byte("entry 2\n"), sig); !errors.Is(err, ErrUnfit) {
		t.Errorf("of another text: %v", err)
	}
	if _, err := Verify(key.Allowed("kim"), text, sig[:len(sig)/2]); err == nil {
		t.Error("a signature that was cut off is accepted")
	}
}
