package archive

import (
	"encoding/binary"
	"encoding/hex"
	"errors"

	"evolve/bench"
)

// Every key begins with the letter of its table. The parts that follow are text (its bytes,
// with 0 written as 0 255, ended by 0 1, so that a part sorts before its extensions and no
// text can run into the next part) and numbers (eight bytes, big endian). So keys sort in
// the order of their parts.
//
//	table  key                              value
//	m      name                             meta: schema version, state of an import
//	c      counter, agent or ""             the last number assigned
//	v      agent, number                    variant
//	i      agent, variant id                number of the variant
//	e      run, agent, seq                  evaluation, or a reference to an equal one
//	b      run, agent                       tally: the sum over the evaluations
//	k      evaluation key                   where that evaluation is: an e key
//	t      evaluation key                   transcript, compressed
//	r      2^64-1 - number                  run; the latest first
//	n      run id                           number of the run
//	p      run, agent                       plan of a run for an agent
//	q      run, agent                       result of a run for an agent
//	o      number                           proposal
//	d      ledger seq                       decision, by its ledger entry
//	l      seq                              ledger entry
//	x      agent, number                    holdout exposure
//	a      agent, number                    candidate: an entry into the confirmation
//	u      agent, child, parent, run, operator  mutation tried
//	g      number                           change request
//	h      agent, hash of the wish          number of the change request
//	w      number                           turn
//	y      number                           transcript of the turn, compressed
//	s      agent, name                      session
//	f      agent, tool                      health of a tool that an agent wrote
//	j      number of a proposal             remaining work of a decision on the proposal
//	z      suite hash, task                 question of a holdout task
//	B      run                              account: the money spent and reserved
//	E      agent                            experience: what its live turns have shown
//	F      agent                            experience that evaluations read, as at the start of a run
//	L      agent                            level of autonomy, with its history
const (
	tableMeta       = 'm'
	tableCounter    = 'c'
	tableVariant    = 'v'
	tableVariantID  = 'i'
	tableEvaluation = 'e'
	tableTally      = 'b'
	tableKey        = 'k'
	tableTranscript = 't'
	tableRun        = 'r'
	tableRunID      = 'n'
	tablePlan       = 'p'
	tableResult     = 'q'
	tableProposal   = 'o'
	tableDecision   = 'd'
	tableLedger     = 'l'
	tableExposure   = 'x'
	tableCandidate  = 'a'
	tableMutation   = 'u'

	tableRequest        = 'g'
	tableRequestHash    = 'h'
	tableTurn           = 'w'
	tableTurnTranscript = 'y'
	tableSession        = 's'
	tableToolHealth     = 'f'
	tableIntent         = 'j'
	tableQuestion       = 'z'
	tableAccount        = 'B'
	tableExperience     = 'E'
	tableFrozen         = 'F'
	tableAutonomy       = 'L'
)

// errKey means that stored bytes are not a key of their table.
var errKey = errors.New("the key is malformed")

// key is a key under construction.
type key []byte

func newKey(table byte) key { return append(make(key, 0, 64), table) }

func (k key) text(s string) key {
	for i := range len(s) {
		if s[i] == 0 {
			k = append(k, 0, 255)
			continue
		}
		k = append(k, s[i])
	}
	return append(k, 0, 1)
}

// open adds the beginning of a text part without its terminator, for a scan over all texts
// that begin with s.
func (k key) open(s string) key {
	k = k.text(s)
	return k[:len(k)-2]
}

func (k key) number(n uint64) key { return binary.BigEndian.AppendUint64(k, n) }

// next returns the smallest key that is greater than k.
func (k key) next() key { return append(append(make(key, 0, len(k)+1), k...), 0) }

// reading decodes a key. The first malformed part sets err, and all later parts are read as
// empty.
type reading struct {
	rest []byte
	err  error
}

func readKey(table byte, k []byte) *reading {
	if len(k) == 0 || k[0] != table {
		return &reading{err: errKey}
	}
	return &reading{rest: k[1:]}
}

func (r *reading) text() string {
	var out []byte
	for i := 0; i+1 < len(r.rest); i++ {
		c := r.rest[i]
		if c != 0 {
			out = append(out, c)
			continue
		}
		i++
		switch r.rest[i] {
		case 1:
			r.rest = r.rest[i+1:]
			return string(out)
		case 255:
			out = append(out, 0)
		default:
			r.fail()
			return ""
		}
	}
	r.fail()
	return ""
}

func (r *reading) number() uint64 {
	if len(r.rest) < 8 {
		r.fail()
		return 0
	}
	n := binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return n
}

func (r *reading) fail() { r.rest, r.err = nil, errKey }

// done returns an error if a part was malformed or bytes are left over.
func (r *reading) done() error {
	if r.err == nil && len(r.rest) > 0 {
		return errKey
	}
	return r.err
}

// contentKey returns the archive's key for an evaluation key, in one of the two tables that
// are indexed by evaluation keys. Most evaluation keys are hexadecimal hashes, which are
// packed into half as many bytes; other forms work too.
func contentKey(table byte, k bench.Key) key {
	return append(newKey(table), packHex(string(k))...)
}

func evaluationKey(run, agentID string, seq int64) key {
	return newKey(tableEvaluation).text(run).text(agentID).number(uint64(seq))
}

// seqBytes is the length of the seq at the end of an evaluation's key.
const seqBytes = 8

func readEvaluationKey(k []byte) (run, agentID string, seq int64, err error) {
	r := readKey(tableEvaluation, k)
	run, agentID, seq = r.text(), r.text(), int64(r.number())
	return run, agentID, seq, r.done()
}

// packHex encodes lower-case hexadecimal of even length as the byte 1 and the bytes that
// the digits represent, and any other text as the byte 0 and the text. unpackHex reverses
// the encoding.
func packHex(s string) []byte {
	if len(s)%2 == 0 && len(s) > 0 {
		raw := make([]byte, 1, 1+len(s)/2)
		raw[0] = 1
		raw, err := hex.AppendDecode(raw, []byte(s))
		if err == nil && hex.EncodeToString(raw[1:]) == s {
			return raw
		}
	}
	return append([]byte{0}, s...)
}

func unpackHex(b []byte) (string, error) {
	switch {
	case len(b) > 0 && b[0] == 0:
		return string(b[1:]), nil
	case len(b) > 1 && b[0] == 1:
		return string(hex.AppendEncode(make([]byte, 0, 2*longestText), b[1:])), nil
	}
	return "", errKey
}
