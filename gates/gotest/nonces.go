package gotest

import (
	"encoding/base32"
	"io"
	"math/rand/v2"
	"strings"
)

// nonces draws unpredictable names and words. It retains the first error of its source.
type nonces struct {
	from io.Reader
	err  error
}

// word returns a random word of 17 letters and digits that begins with a letter and
// contains at least 80 random bits.
func (m *nonces) word() string {
	var b [11]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, b[:])
	}
	letter := string('a' + rune(b[10]%26))
	return letter + strings.ToLower(base32.StdEncoding.EncodeToString(b[:10]))
}

// below returns a number from 0 to n-1. n must be at most 256.
func (m *nonces) below(n int) int {
	var b [4]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, b[:])
	}
	return int(uint32(b[0])<<16|uint32(b[1])<<8|uint32(b[2])) % n
}

// branch returns a separate source that can be used concurrently with m.
func (m *nonces) branch() *nonces {
	var seed [32]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, seed[:])
	}
	return &nonces{from: rand.NewChaCha8(seed)}
}
