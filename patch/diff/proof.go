package diff

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// leastHash is the number of hexadecimal digits from which an abbreviated hash says
// something: at 7, a wrong content has it by chance once in 268 million.
const leastHash = 7

// blobHash is git's name for a file's content, by either of its hash functions.
func blobHash(h hash.Hash, content []byte) string {
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// bears reports whether a content has a hash, perhaps abbreviated. The SHA-1 here
// names contents as git does; nothing rests on it but that a mistake is noticed.
func bears(content []byte, abbreviated string) bool {
	return strings.HasPrefix(blobHash(sha1.New(), content), abbreviated) || strings.HasPrefix(blobHash(sha256.New(), content), abbreviated)
}

// known reports whether the index line names exactly this base, so that the diff
// was made from it.
func (s section) known(old []byte) bool {
	if len(s.oldHash) < leastHash || len(s.newHash) < leastHash {
		return false
	}
	if old == nil {
		return strings.Trim(s.oldHash, "0") == ""
	}
	return bears(old, s.oldHash)
}

// proven reports whether the index line shows that base and result are exactly
// those which the diff was made from.
func (s section) proven(old, result []byte) bool {
	return s.known(old) && bears(result, s.newHash)
}

// prove refuses a result that the index line contradicts.
func (s section) prove(old, result []byte) error {
	if !s.known(old) || s.removed || bears(result, s.newHash) {
		return nil
	}
	return &RefusedError{
		Reason: Contradiction,
		Text:   "the diff was made from this very file, but its hunks make something else than its `index` line says: " + s.newHash,
		Hint:   "if the diff was edited by hand, remove the `index` line; if not, it was damaged on its way",
	}
}
