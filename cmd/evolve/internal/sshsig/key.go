package sshsig

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// Key is a private ed25519 key.
type Key struct{ signer ssh.Signer }

// KeyError is the error for a key that cannot sign unattended.
type KeyError struct {
	// Reason describes the fault, in words that follow the name of the file, such as "is a
	// public key".
	Reason string
	// Hint describes a remedy.
	Hint string
}

func (e *KeyError) Error() string { return "the key " + e.Reason }

// makeOne is the hint about a file that must be replaced with a private ed25519 key without
// a passphrase.
const makeOne = "`ssh-keygen -t ed25519 -N '' -f FILE` makes a separate key for this purpose"

// ParseKey parses an OpenSSH private key file, which must hold an ed25519 key without a
// passphrase. Its error is a *KeyError.
func ParseKey(content []byte) (*Key, error) {
	signer, err := ssh.ParsePrivateKey(content)
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)):
		return nil, &KeyError{"has a passphrase, which a night cannot enter", makeOne}
	case err != nil && isPublic(content):
		return nil, &KeyError{"is a public key", "name the private key, which is in the same folder without .pub"}
	case err != nil && bytes.Contains(content, []byte("AGE-SECRET-KEY-")):
		return nil, &KeyError{"is an age key, which can encrypt but not sign", makeOne}
	case err != nil:
		return nil, &KeyError{"is not an OpenSSH private key", makeOne}
	case signer.PublicKey().Type() != ssh.KeyAlgoED25519:
		return nil, &KeyError{fmt.Sprintf("is of the type %s, not %s", signer.PublicKey().Type(), ssh.KeyAlgoED25519), makeOne}
	}
	return &Key{signer}, nil
}

func isPublic(content []byte) bool {
	_, _, _, _, err := ssh.ParseAuthorizedKey(content)
	return err == nil
}

// Fingerprint returns the key's fingerprint, as `ssh-keygen -l` prints it.
func (k *Key) Fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// Allowed returns an allowed signers file that has only this key, under the given name.
func (k *Key) Allowed(name string) []byte {
	return append([]byte(name+" "), ssh.MarshalAuthorizedKey(k.signer.PublicKey())...)
}

// Sign returns the armored signature of a text.
func (k *Key) Sign(text []byte) ([]byte, error) {
	sig, err := k.signer.Sign(rand.Reader, toSign(text))
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	blob := ssh.Marshal(envelope{version, k.signer.PublicKey().Marshal(), Namespace, "", algo, ssh.Marshal(sig)})
	return pem.EncodeToMemory(&pem.Block{Type: block, Bytes: append([]byte(magic), blob...)}), nil
}
