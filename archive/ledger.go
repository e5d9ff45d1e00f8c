package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
)

// LedgerError names the first entry at which the ledger's chain breaks. It wraps
// ErrCorrupt.
type LedgerError struct {
	Seq    int64
	Reason string
}

func (e *LedgerError) Error() string {
	return fmt.Sprintf("ledger entry %d: %s", e.Seq, e.Reason)
}

func (e *LedgerError) Unwrap() error { return ErrCorrupt }

// ledgerHead is the number and the hash of the ledger's last entry. It is stored separately
// from the entries, so that a ledger whose last entries are missing is not mistaken for a
// shorter ledger that is complete.
type ledgerHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

func ledgerKey(seq int64) key { return newKey(tableLedger).number(uint64(seq)) }

func (a *Archive) ledgerHead(ctx context.Context) (ledgerHead, error) {
	h, err := document[ledgerHead](ctx, a, counterKey(countLedger, ""))
	if errors.Is(err, ErrNotFound) {
		return ledgerHead{}, nil
	}
	return h, err
}

// Append adds an entry to the ledger, filling in Seq (from 1), Prev and Hash, and syncs it
// to disk.
func (a *Archive) Append(ctx context.Context, e LedgerEntry) (LedgerEntry, error) {
	err := a.change(ctx, "append to the ledger", func(b *batch) (err error) {
		e, err = a.chain(ctx, b, e)
		return err
	})
	return e, err
}

// chain adds the next entry and the new head to a batch.
func (a *Archive) chain(ctx context.Context, b *batch, e LedgerEntry) (LedgerEntry, error) {
	head, err := a.ledgerHead(ctx)
	if err != nil {
		return e, err
	}
	return chainTo(b, head, e)
}

// chainData does what chain does, with the JSON form of data as the entry's data.
func (a *Archive) chainData(ctx context.Context, b *batch, e LedgerEntry, data any) (_ LedgerEntry, err error) {
	if e.Data, err = appendJSON(nil, data); err != nil {
		return e, err
	}
	return a.chain(ctx, b, e)
}

// appendData does what Append does, with the JSON form of data as the entry's data.
func (a *Archive) appendData(ctx context.Context, e LedgerEntry, data any) (err error) {
	if e.Data, err = appendJSON(nil, data); err == nil {
		_, err = a.Append(ctx, e)
	}
	return err
}

// chainTo adds to a batch an entry that follows the given head.
func chainTo(b *batch, head ledgerHead, e LedgerEntry) (_ LedgerEntry, err error) {
	if err := normalizeEntry(&e); err != nil {
		return e, err
	}
	e.Seq, e.Prev = head.Seq+1, head.Hash
	if e.Hash, err = hashEntry(e); err != nil {
		return e, err
	}
	return e, putEntry(b, e)
}

func putEntry(b *batch, e LedgerEntry) error {
	b.head = &ledgerHead{e.Seq, e.Hash}
	if err := putDocument(b, counterKey(countLedger, ""), *b.head); err != nil {
		return err
	}
	return putDocument(b, ledgerKey(e.Seq), e)
}

// normalizeEntry normalises an entry to the form that is hashed: valid text, UTC, data without
// white space.
func normalizeEntry(e *LedgerEntry) error {
	e.Kind, e.Actor, e.Subject = validText(e.Kind), validText(e.Actor), validText(e.Subject)
	e.Time = normalizeTime(e.Time)
	if len(e.Data) == 0 {
		e.Data = nil
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, bytes.ToValidUTF8(e.Data, []byte("\uFFFD"))); err != nil {
		return fmt.Errorf("the entry's data is not JSON: %w", err)
	}
	e.Data = b.Bytes()
	return nil
}

// hashEntry returns the SHA-256, in hexadecimal, of the entry's canonical form: one JSON
// object without white space, without HTML escapes and without the hash. Its names are in
// the order actor, data (if there is any), kind, prev, seq, subject, time. The time is in
// UTC, in the format of RFC 3339, with only as many fractional digits as it needs.
func hashEntry(e LedgerEntry) (string, error) {
	data, err := appendJSON(nil, struct {
		Actor   string          `json:"actor"`
		Data    json.RawMessage `json:"data,omitempty"`
		Kind    string          `json:"kind"`
		Prev    string          `json:"prev"`
		Seq     int64           `json:"seq"`
		Subject string          `json:"subject"`
		Time    time.Time       `json:"time"`
	}{e.Actor, e.Data, e.Kind, e.Prev, e.Seq, e.Subject, e.Time})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Ledger yields the entries of the ledger, starting at the entry from; entries are numbered
// from 1.
func (a *Archive) Ledger(ctx context.Context, from int64) iter.Seq2[LedgerEntry, error] {
	return documents[LedgerEntry](ctx, a, "read the ledger", newKey(tableLedger), ledgerKey(max(from, 0)))
}

// LedgerHead returns the ledger's length and the hash of its last entry, as
// stored, without checking the chain.
func (a *Archive) LedgerHead(ctx context.Context) (n int64, head string, err error) {
	h, err := a.ledgerHead(ctx)
	return h.Seq, h.Hash, err
}

// VerifyLedger checks the chain and returns its length and head hash; a
// *LedgerError names the first bad entry.
func (a *Archive) VerifyLedger(ctx context.Context) (n int64, head string, err error) {
	return a.verifyFrom(ctx, 1)
}

// VerifyLatest is like [Archive.VerifyLedger], but checks only the given number (most) of
// the latest entries, and the entry before them. Its running time does not grow with the
// ledger.
func (a *Archive) VerifyLatest(ctx context.Context, most int64) error {
	head, err := a.ledgerHead(ctx)
	if err == nil {
		_, _, err = a.verifyFrom(ctx, head.Seq-most+1)
	}
	return err
}

// verifyFrom checks the chain from the given entry (first) to its end. It also checks
// that this entry follows from the one before it, but checks nothing about earlier
// entries.
func (a *Archive) verifyFrom(ctx context.Context, first int64) (n int64, head string, err error) {
	// The head is read first, because entries appended during the check extend the chain
	// beyond it.
	want, err := a.ledgerHead(ctx)
	if err != nil {
		return 0, "", err
	}
	last := ledgerHead{}
	if first > 1 {
		before, err := document[LedgerEntry](ctx, a, ledgerKey(first-1))
		if errors.Is(err, ErrNotFound) {
			return 0, "", &LedgerError{first - 1, "is missing"}
		}
		if err != nil {
			return 0, "", err
		}
		if broken := checkEntry(before, ledgerHead{first - 2, before.Prev}); broken != nil {
			return 0, "", broken
		}
		last = ledgerHead{before.Seq, before.Hash}
	}
	for e, err := range a.Ledger(ctx, first) {
		var broken *LedgerError
		switch {
		case errors.Is(err, ErrCorrupt):
			broken = &LedgerError{last.Seq + 1, "cannot be read"}
		case err != nil:
			return last.Seq, last.Hash, err
		default:
			broken = checkEntry(e, last)
		}
		if broken != nil {
			return last.Seq, last.Hash, broken
		}
		last = ledgerHead{e.Seq, e.Hash}
		if e.Seq == want.Seq && e.Hash != want.Hash {
			return last.Seq, last.Hash, &LedgerError{e.Seq, "its hash differs from the one stored as the head"}
		}
	}
	if last.Seq < want.Seq {
		return last.Seq, last.Hash, &LedgerError{
			last.Seq + 1,
			fmt.Sprintf("is missing; the ledger had %d entries", want.Seq),
		}
	}
	if want, err = a.ledgerHead(ctx); err == nil && want.Seq < last.Seq {
		return last.Seq, last.Hash, &LedgerError{want.Seq + 1, "comes after the entry that is stored as the head"}
	}
	return last.Seq, last.Hash, err
}

// checkEntry checks an entry against the one before it.
func checkEntry(e LedgerEntry, last ledgerHead) *LedgerError {
	hash, err := hashEntry(e)
	switch {
	case e.Seq > last.Seq+1:
		return &LedgerError{last.Seq + 1, "is missing"}
	case e.Seq != last.Seq+1:
		return &LedgerError{last.Seq + 1, fmt.Sprintf("has the number %d", e.Seq)}
	case e.Prev != last.Hash:
		return &LedgerError{e.Seq, "does not follow from the previous entry"}
	case err != nil || hash != e.Hash:
		return &LedgerError{e.Seq, "its content does not match its hash"}
	}
	return nil
}
