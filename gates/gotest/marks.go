package gotest

import (
	"encoding/base32"
	"io"
	"math/rand/v2"
	"strings"
)

// marks draws unpredictable names and words. It keeps the first error of its source.
type marks struct {
	from io.Reader
	err  error
}

// word is 16 letters and digits, 80 random bits, beginning with a letter.
func (m *marks) word() string {
	var b [11]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, b[:])
	}
	letter := string('a' + rune(b[10]%26))
	return letter + strings.ToLower(base32.StdEncoding.EncodeToString(b[:10]))
}

// below is a number from 0 to n-1, n at most 256.
func (m *marks) below(n int) int {
	var b [4]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, b[:])
	}
	return int(uint32(b[0])<<16|uint32(b[1])<<8|uint32(b[2])) % n
}

// branch is another source, to be used at the same time as m.
func (m *marks) branch() *marks {
	var seed [32]byte
	if m.err == nil {
		_, m.err = io.ReadFull(m.from, seed[:])
	}
	return &marks{from: rand.NewChaCha8(seed)}
}
