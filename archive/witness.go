package archive

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"evolve/runtime/wholefile"
)

// Witness is the head of the ledger, stored in a file beside the archive's folder. The
// file is written and synced after each entry, so the ledger contains the entry that the
// witness names. It contains at most one later entry, and that only if the machine failed
// between the two writes.
type Witness struct {
	// Archive is the id of the archive, 16 hexadecimal digits.
	Archive string `json:"archive"`
	// Seq and Hash are those of the ledger's last entry.
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
	// Next is the head of an archive that is being moved into the place of the archive
	// that the other fields describe. Meanwhile either archive matches the witness.
	Next *Witness `json:"next,omitempty"`
}

// WitnessError means that the ledger does not match its witness: entries were cut off or
// rewritten, or the archive is a different one. It wraps ErrCorrupt.
type WitnessError struct{ Reason string }

func (e *WitnessError) Error() string {
	return "the ledger does not match the head in .evolve/archive.head: " + e.Reason
}

func (e *WitnessError) Unwrap() error { return ErrCorrupt }

// The kinds of ledger entries about the witness.
const (
	// LedgerWitnessed records that the witness was missing and was written again. The
	// entry's data is the Witness computed from the ledger.
	LedgerWitnessed = "ledger.witness"
	// LedgerSucceeds records that the archive replaced another one, for example by a
	// restore. The entry's data is a Succession.
	LedgerSucceeds = "ledger.succeeds"
	// LedgerAccepted records that a person accepted a ledger that does not match the
	// witness. The entry's data is an Acceptance.
	LedgerAccepted = "ledger.accept"
)

// Acceptance records the difference that a person accepted.
type Acceptance struct {
	Reason string `json:"reason"`
	// Witness is the content of the file, or the zero value if the file could not be read.
	Witness Witness `json:"witness"`
	// Fault describes how the ledger differed from the witness.
	Fault string `json:"fault"`
}

// Succession records that one archive replaces another, and which records are lost with the
// replaced archive.
type Succession struct {
	// Witness is the witness of the replaced archive, as far as it could be read.
	Witness
	// Entries counts the entries of the replaced ledger after the last one that both
	// ledgers have, as far as that is known.
	Entries int64 `json:"entries,omitempty"`
	// Lost lists the known decisions that the new archive does not have.
	Lost []LostDecision `json:"lost,omitempty"`
}

// LostDecision is a decision that is not in the ledger, because the archive was replaced by
// an older copy of itself.
type LostDecision struct {
	Proposal string `json:"proposal"`
	// Action is approve, reject or rollback, and By is the person who decided.
	Action string `json:"action"`
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
	// Time is when the decision was made; it is zero if only a commit records it.
	Time time.Time `json:"time,omitzero"`
	// Commit is the commit that records the decision; it is "" if a ledger records it.
	Commit string `json:"commit,omitempty"`
}

// LostDecision returns the last decision on a proposal that the ledger lists as lost. It
// returns nil if the ledger lists none, if the proposal came after the loss, or if it has
// been decided since.
func (a *Archive) LostDecision(ctx context.Context, proposal string) (*LostDecision, error) {
	var lost *LostDecision
	known := false
	for e, err := range a.Ledger(ctx, 1) {
		switch {
		case err != nil:
			return nil, err
		case e.Kind == LedgerSucceeds && known:
			var recorded Succession
			if json.Unmarshal(e.Data, &recorded) != nil {
				continue // written by an older version of evolve, in another form
			}
			for _, d := range recorded.Lost {
				if d.Proposal == proposal {
					lost = &d
				}
			}
		case e.Subject == proposal:
			if known = true; decides(e) {
				lost = nil
			}
		}
	}
	return lost, nil
}

// decides reports whether an entry records a person's decision on a proposal.
func decides(e LedgerEntry) bool {
	return e.Kind == "proposal.approve" || e.Kind == "proposal.reject" || e.Kind == "proposal.rollback"
}

// DecisionsAfter counts the ledger entries that follow the entry seq, and returns the
// decisions recorded in them.
func (a *Archive) DecisionsAfter(ctx context.Context, seq int64) (entries int64, list []LostDecision, err error) {
	for e, err := range a.Ledger(ctx, seq+1) {
		if err != nil {
			return entries, list, err
		}
		entries++
		var d DecisionRecord
		if decides(e) && json.Unmarshal(e.Data, &d) == nil {
			list = append(list, LostDecision{Proposal: e.Subject, Action: d.Action, By: e.Actor, Reason: d.Reason, Time: e.Time, Commit: d.Commit})
		}
	}
	return entries, list, nil
}

// Holds reports whether the ledger contains the entry that a witness names, and whether
// the entry has the hash that the witness states.
func (a *Archive) Holds(ctx context.Context, w Witness) (bool, error) {
	e, err := document[LedgerEntry](ctx, a, ledgerKey(w.Seq))
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && e.Hash == w.Hash, err
}

// maxWitness is the maximum size of the witness file, in bytes.
const maxWitness = 4 << 10

// WitnessFile returns the path of the file that holds the head of the ledger of the archive
// in dir.
func WitnessFile(dir string) string { return dir + ".head" }

// WitnessOf returns the content of the witness file beside the archive in dir, or false if
// there is no file. If the file cannot be read, it returns a *WitnessError.
func WitnessOf(dir string) (Witness, bool, error) {
	var w Witness
	data, err := wholefile.Read(WitnessFile(dir), maxWitness)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w, false, nil
	case errors.Is(err, wholefile.ErrIrregular), errors.As(err, new(*wholefile.TooLargeError)): // not a witness
	case err != nil:
		return w, false, diskError(err)
	}
	if err := json.Unmarshal(data, &w); err != nil || w.Seq < 1 || w.Hash == "" {
		return Witness{}, true, &WitnessError{WitnessFile(dir) + " cannot be read"}
	}
	return w, true, nil
}

// writeWitness replaces the witness file and syncs it to disk.
func writeWitness(dir string, w Witness) error {
	data, err := appendJSON(nil, w)
	if err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(WitnessFile(dir), renameio.WithPermissions(0o600))
	if err != nil {
		return diskError(err)
	}
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(append(data, '\n')); err != nil {
		return diskError(err)
	}
	return diskError(f.CloseAtomicallyReplace())
}

func idKey() key { return newKey(tableMeta).text("id") }

// ID returns the archive's random id: 16 hexadecimal digits. It is "" for an archive in
// memory, and for one that no writer of this version has opened yet.
func (a *Archive) ID(ctx context.Context) (string, error) {
	n, err := a.number(ctx, idKey())
	if err != nil || n == 0 {
		return "", err
	}
	return fmt.Sprintf("%016x", n), nil
}

// identify gives an archive its id when it has none.
func (a *Archive) identify(ctx context.Context) (id string, fresh bool, err error) {
	if id, err = a.ID(ctx); err != nil || id != "" {
		return id, false, err
	}
	var raw [8]byte
	for binary.BigEndian.Uint64(raw[:]) == 0 {
		_, _ = rand.Read(raw[:]) // Read does not fail
	}
	var b batch
	b.put(idKey(), encodeNumber(binary.BigEndian.Uint64(raw[:])))
	if err := a.store.write(&b); err != nil {
		return "", false, err
	}
	id, err = a.ID(ctx)
	return id, true, err
}

// verifyWitness compares the ledger with its witness when the archive is opened for
// writing, and enables updates of the witness. If the witness is missing, it is written
// again, and a ledger entry records that.
func (a *Archive) verifyWitness(ctx context.Context, opts Options) error {
	id, fresh, err := a.identify(ctx)
	if err != nil {
		return err
	}
	a.id = id
	head, err := a.ledgerHead(ctx)
	if err != nil {
		return err
	}
	now := Witness{Archive: id, Seq: head.Seq, Hash: head.Hash}
	w, there, err := WitnessOf(a.dir)
	var kind string
	var data any
	switch {
	case opts.Accept != nil:
		kind, data, err = a.accept(ctx, opts.Accept.Reason, w, err)
	case err != nil:
		return err
	case there:
		err = a.matchWitness(ctx, w)
	case head.Seq > 0 && !fresh:
		kind, data = LedgerWitnessed, now
	}
	if err != nil {
		return err
	}
	a.witness = true
	if opts.Notary != nil {
		if err := opts.Notary.Opened(ctx, a, now); err != nil {
			return err
		}
		a.notary = opts.Notary
	}
	if kind == "" {
		if head.Seq > 0 && w != now {
			return writeWitness(a.dir, now)
		}
		return nil
	}
	e := LedgerEntry{Time: a.now(), Kind: kind, Actor: "evolve", Subject: id}
	if opts.Accept != nil {
		e.Actor = opts.Accept.By
	}
	if err := a.appendData(ctx, e, data); err != nil {
		return err
	}
	return a.witnessErr
}

// accept returns the kind and data of the ledger entry that records the acceptance of the
// ledger. It fails with ErrWitnessed if the ledger matches the witness.
func (a *Archive) accept(ctx context.Context, reason string, w Witness, unread error) (kind string, data any, err error) {
	fault := unread
	if fault == nil && w != (Witness{}) {
		fault = a.matchWitness(ctx, w)
	}
	if !errors.Is(fault, ErrCorrupt) {
		if fault == nil {
			fault = ErrWitnessed
		}
		return "", nil, fault
	}
	return LedgerAccepted, Acceptance{Reason: validText(reason), Witness: w, Fault: fault.Error()}, nil
}

// recordSuccession adds the ledger entry about the archive that this archive replaces,
// unless this archive continues the ledger of the replaced archive.
func (a *Archive) recordSuccession(ctx context.Context, dir string, how Building) error {
	var recorded Succession
	if how.Loses != nil {
		recorded = how.Loses()
	}
	w, there, err := WitnessOf(dir)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	same := !there || err == nil && a.matchWitness(ctx, w) == nil
	if same && len(recorded.Lost) == 0 && recorded.Entries == 0 {
		return nil
	}
	w.Next = nil
	recorded.Witness = w
	return a.appendData(ctx, LedgerEntry{Time: how.Now(), Kind: LedgerSucceeds, Actor: "evolve", Subject: a.id}, recorded)
}

// checkMissing fails with a *WitnessError if dir has a witness but no archive.
func checkMissing(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, storeName)); !errors.Is(err, fs.ErrNotExist) {
		return diskError(err)
	}
	w, there, err := WitnessOf(dir)
	if err != nil || !there {
		return err
	}
	return &WitnessError{fmt.Sprintf("%s records a ledger with %d entries, but there is no ledger", WitnessFile(dir), w.Seq)}
}

// ErrWitnessed means that there is nothing to accept: the ledger matches the witness.
var ErrWitnessed = errors.New("the ledger already matches the head in .evolve/archive.head")

// matchWitness returns nil if the ledger holds the entry that w or w.Next names, with the
// same hash. Otherwise, or if w names another archive, it returns a *WitnessError.
func (a *Archive) matchWitness(ctx context.Context, w Witness) error {
	id, err := a.ID(ctx)
	if err != nil {
		return err
	}
	if w.Next != nil && a.matchWitness(ctx, *w.Next) == nil {
		return nil
	}
	file := WitnessFile(a.dir)
	if id != "" && id != w.Archive {
		return &WitnessError{fmt.Sprintf("%s belongs to the archive %s, but this is the archive %s", file, w.Archive, id)}
	}
	e, err := document[LedgerEntry](ctx, a, ledgerKey(w.Seq))
	switch {
	case errors.Is(err, ErrNotFound):
		return &WitnessError{fmt.Sprintf("entry %d, which %s records, is missing", w.Seq, file)}
	case err != nil:
		return err
	case e.Hash != w.Hash:
		return &WitnessError{fmt.Sprintf("entry %d has a different hash from the one in %s", w.Seq, file)}
	}
	return nil
}

// CheckWitness compares the ledger with the file beside the archive, as OpenRead and Open
// do, and returns a *WitnessError if they differ. It returns the zero Witness if there is
// no file.
func (a *Archive) CheckWitness(ctx context.Context) (Witness, error) {
	if a.dir == "" {
		return Witness{}, nil
	}
	w, there, err := WitnessOf(a.dir)
	if err != nil || !there {
		return w, err
	}
	return w, a.matchWitness(ctx, w)
}

// updateWitness updates the witness to a head that was written. A failure does not undo the
// entry: the next entry tries again, and Close returns the error.
func (a *Archive) updateWitness(head *ledgerHead) {
	if head == nil || !a.witness {
		return
	}
	now := Witness{Archive: a.id, Seq: head.Seq, Hash: head.Hash}
	if a.witnessErr = writeWitness(a.dir, now); a.witnessErr != nil {
		a.witnessErr = fmt.Errorf("store the ledger's head beside the archive: %w", a.witnessErr)
		return
	}
	if a.notary != nil {
		a.notary.Added(now)
	}
}

// moveWithWitness moves a built archive to dir, and its witness with it. During the move the
// witness names both archives, because the process may be killed in between.
func moveWithWitness(built, dir string, move func() error) error {
	now, recorded, err := WitnessOf(built)
	if err != nil {
		return err
	}
	was, there, err := WitnessOf(dir)
	if recorded && there && err == nil {
		was.Next = &now
		err = writeWitness(dir, was)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	if err := move(); err != nil || !recorded {
		return err
	}
	return writeWitness(dir, now)
}

// rewriteWitness writes the witness of an archive whose content was stored all at once, for
// example by a restore.
func (a *Archive) rewriteWitness(ctx context.Context) error {
	if !a.witness {
		return nil
	}
	a.write.Lock()
	defer a.write.Unlock()
	id, _, err := a.identify(ctx)
	if err != nil {
		return err
	}
	a.id = id
	head, err := a.ledgerHead(ctx)
	if err == nil && head.Seq > 0 {
		a.updateWitness(&head)
	}
	return errors.Join(err, a.witnessErr)
}
