// Package sshsig signs and verifies texts with SSH keys in the form of `ssh-keygen -Y`. It
// reads no file.
package sshsig

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Namespace keeps signatures of evolve from standing for others: `ssh-keygen -Y verify -n`.
const Namespace = "evolve"

const (
	magic   = "SSHSIG"
	version = 1
	algo    = "sha512"
	block   = "SSH SIGNATURE"
)

// envelope is a signature without its magic; signed is what the key signs.
type envelope struct {
	Version   uint32
	PublicKey []byte
	Namespace string
	Reserved  string
	Hash      string
	Signature []byte
}

type signed struct {
	Namespace string
	Reserved  string
	Hash      string
	Digest    []byte
}

func toSign(text []byte) []byte {
	sum := sha512.Sum512(text)
	return append([]byte(magic), ssh.Marshal(signed{Namespace, "", algo, sum[:]})...)
}

// Sign signs a text with an OpenSSH private key file's content, an ed25519 one without a
// passphrase.
func Sign(key, text []byte) ([]byte, error) {
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	if signer.PublicKey().Type() != ssh.KeyAlgoED25519 {
		return nil, fmt.Errorf("the key is of the type %s, not %s", signer.PublicKey().Type(), ssh.KeyAlgoED25519)
	}
	sig, err := signer.Sign(rand.Reader, toSign(text))
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	blob := ssh.Marshal(envelope{version, signer.PublicKey().Marshal(), Namespace, "", algo, ssh.Marshal(sig)})
	return pem.EncodeToMemory(&pem.Block{Type: block, Bytes: append([]byte(magic), blob...)}), nil
}

// Verify checks a signature of a text by one of the keys in the content of an allowed
// signers file. It returns the name that the file gives the key.
func Verify(allowed, text, armored []byte) (who string, err error) {
	p, _ := pem.Decode(armored)
	if p == nil || p.Type != block || !bytes.HasPrefix(p.Bytes, []byte(magic)) {
		return "", errors.New("this is no SSH signature")
	}
	var e envelope
	if err := ssh.Unmarshal(p.Bytes[len(magic):], &e); err != nil || e.Version != version || e.Namespace != Namespace || e.Hash != algo {
		return "", errors.New("the signature is of another kind")
	}
	var sig ssh.Signature
	if err := ssh.Unmarshal(e.Signature, &sig); err != nil {
		return "", errors.New("the signature is malformed")
	}
	for line := range strings.Lines(string(allowed)) {
		who, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(who, "#") {
			continue
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(rest))
		if err != nil || !bytes.Equal(key.Marshal(), e.PublicKey) {
			continue
		}
		if err := key.Verify(toSign(text), &sig); err != nil {
			return "", errors.New("the signature does not fit")
		}
		return who, nil
	}
	return "", errors.New("the key that signed is not among the allowed signers")
}
