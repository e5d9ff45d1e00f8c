package diff

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// leastHash is the minimum number of hexadecimal digits that an abbreviated hash must have
// to count as evidence: with 7 digits, wrong content matches by chance once in 268 million.
const leastHash = 7

// blobHash returns the hash by which git names a file's content, computed with one of git's
// hash functions.
func blobHash(h hash.Hash, content []byte) string {
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// hasHash reports whether content has the given hash, which may be abbreviated. SHA-1 is
// used because git names contents by it; it serves only to detect mistakes.
func hasHash(content []byte, abbreviated string) bool {
	return strings.HasPrefix(blobHash(sha1.New(), content), abbreviated) || strings.HasPrefix(blobHash(sha256.New(), content), abbreviated)
}

// known reports whether the index line gives the hash of exactly this base, which means
// that the diff was made from it.
func (s section) known(old []byte) bool {
	if len(s.oldHash) < leastHash || len(s.newHash) < leastHash {
		return false
	}
	if old == nil {
		return strings.Trim(s.oldHash, "0") == ""
	}
	return hasHash(old, s.oldHash)
}

// proven reports whether the index line proves that base and result are the base and the
// result of the original change.
func (s section) proven(old, result []byte) bool {
	return s.known(old) && hasHash(result, s.newHash)
}

// prove returns an error if the index line contradicts the result.
func (s section) prove(old, result []byte) error {
	if !s.known(old) || s.removed || hasHash(result, s.newHash) {
		return nil
	}
	return &RefusedError{
		Reason: Contradiction,
		Text:   "the diff was made from this file, but applying its hunks does not produce the hash in its `index` line: " + s.newHash,
		Hint:   "if the diff was edited by hand, remove the `index` line; otherwise it was damaged in transit",
	}
}
