// Package sshsig signs and verifies texts with SSH keys in the format of `ssh-keygen -Y`.
// It reads no files.
package sshsig

import (
	"bytes"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"path"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Namespace is the signature namespace (see `ssh-keygen -Y verify -n`). It prevents
// evolve's signatures from being valid for other uses.
const Namespace = "evolve"

const (
	magic   = "SSHSIG"
	version = 1
	algo    = "sha512"
	block   = "SSH SIGNATURE"
)

// envelope is a signature without its magic bytes, and signed is the data that the key
// signs, also without its magic bytes.
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

// Signer is the owner of the key that made a signature.
type Signer struct {
	// Name is the key's name in the allowed signers file.
	Name string
	// Fingerprint is the key's fingerprint, as `ssh-keygen -l` prints it.
	Fingerprint string
}

// ErrUnfit reports that an allowed key made the signature, but for another text.
var ErrUnfit = errors.New("the signature does not match")

// Verify checks that a text was signed with one of the keys in an allowed signers file, and
// returns the signer. It ignores lines with options that evolve does not check, such as
// valid-before or cert-authority.
func Verify(allowed, text, armored []byte) (Signer, error) {
	p, _ := pem.Decode(armored)
	if p == nil || p.Type != block || !bytes.HasPrefix(p.Bytes, []byte(magic)) {
		return Signer{}, errors.New("this is not an SSH signature")
	}
	var e envelope
	if err := ssh.Unmarshal(p.Bytes[len(magic):], &e); err != nil || e.Version != version || e.Namespace != Namespace || e.Hash != algo {
		return Signer{}, errors.New("the signature is of an unsupported kind")
	}
	var sig ssh.Signature
	if err := ssh.Unmarshal(e.Signature, &sig); err != nil || sig.Format == ssh.KeyAlgoRSA { // RSA with SHA-1
		return Signer{}, errors.New("the signature is malformed")
	}
	for line := range strings.Lines(string(allowed)) {
		name, key := allowedLine(line)
		if key == nil || !bytes.Equal(key.Marshal(), e.PublicKey) {
			continue
		}
		if err := key.Verify(toSign(text), &sig); err != nil {
			return Signer{}, ErrUnfit
		}
		return Signer{name, ssh.FingerprintSHA256(key)}, nil
	}
	return Signer{}, errors.New("the key that made the signature is not among the allowed signers")
}

// allowedLine returns the name and the key on a line. The key is nil if the line does not
// allow signatures by evolve.
func allowedLine(line string) (string, ssh.PublicKey) {
	line = strings.TrimSpace(line)
	i := strings.IndexAny(line, " \t")
	if i < 0 || line[0] == '#' {
		return "", nil
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line[i:]))
	if err != nil {
		return "", nil
	}
	for _, o := range options {
		names, ok := strings.CutPrefix(strings.ToLower(o), "namespaces=")
		if !ok || !slices.ContainsFunc(strings.Split(strings.Trim(names, `"`), ","), covers) {
			return "", nil
		}
	}
	return strings.Trim(line[:i], `"`), key
}

// covers reports whether a namespace pattern matches evolve's namespace.
func covers(pattern string) bool {
	ok, err := path.Match(pattern, Namespace)
	return ok && err == nil
}
