package hub

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"evolve/bench"
)

// jobName names a job within its run.
type jobName struct {
	// seq is the sequence number of the evaluation, try is the number of its attempt, and
	// turn is the number of the request within the attempt.
	seq       int64
	try, turn int
}

// request returns the name without the attempt, because another attempt makes the same
// request.
func (n jobName) request() jobName { n.try = 0; return n }

// names converts job names to ids and back. The ids reveal nothing about the names, because
// the sequence number of an evaluation would show the evaluation's stage.
type names struct{ block cipher.Block }

// newNames returns the names of a run. The key is the coordinator's secret and is the same
// for all processes of a run.
func newNames(key []byte, token string) (names, error) {
	sum := sha256.Sum256(append([]byte(token+"\x00"), key...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return names{}, fmt.Errorf("naming jobs: %w", err)
	}
	return names{block}, nil
}

// nameOf names a request within an attempt.
func nameOf(a bench.Attempt, turn int) jobName { return jobName{a.Seq, a.Try, turn} }

// id returns the id of a job: 32 hexadecimal digits.
func (s names) id(n jobName) string {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(n.seq))
	binary.BigEndian.PutUint32(b[8:], uint32(min(n.try, math.MaxInt32)))
	binary.BigEndian.PutUint32(b[12:], uint32(min(n.turn, math.MaxInt32)))
	s.block.Encrypt(b[:], b[:])
	return hex.EncodeToString(b[:])
}

// parse returns the name of the job with the given id, and reports whether the id is valid.
// Every id of the right length has a name.
func (s names) parse(id string) (jobName, bool) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != aes.BlockSize {
		return jobName{}, false
	}
	s.block.Decrypt(b, b)
	return jobName{
		int64(binary.BigEndian.Uint64(b)), int(binary.BigEndian.Uint32(b[8:]) & math.MaxInt32), int(binary.BigEndian.Uint32(b[12:]) & math.MaxInt32),
	}, true
}
