package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// DamageError describes the first damage found in a file of the store. It wraps ErrCorrupt.
// The damaged file is left as it is.
type DamageError struct {
	// File is the file's name in the store's folder.
	File string `json:"file"`
	// Offset is the byte at which the damage begins, or -1 if the damage concerns the whole
	// file.
	Offset int64 `json:"offset"`
	// Behind is the number of readable entries after the damage.
	Behind int `json:"readable_behind"`
	// Reason describes the damage in a phrase that can follow the file's name, such as "its
	// header was altered".
	Reason string `json:"reason"`
}

func (e *DamageError) Error() string {
	text := fmt.Sprintf("%v: %s", ErrCorrupt, e.File)
	if e.Offset >= 0 {
		text += fmt.Sprintf(" at byte %d", e.Offset)
	}
	text += ": " + e.Reason
	switch {
	case e.Behind == 1:
		text += "; 1 later entry is readable"
	case e.Behind > 1:
		text += fmt.Sprintf("; %d later entries are readable", e.Behind)
	}
	return text
}

// Unwrap returns ErrCorrupt.
func (e *DamageError) Unwrap() error { return ErrCorrupt }

// logFile is a log that is open for reading.
type logFile struct {
	*os.File
	name string
	// size is the length of the file, and written is the length of its content, both in
	// bytes. Only zeros follow the content.
	size, written int64
}

func openLog(dir *os.Root, name string) (*logFile, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &logFile{f, name, info.Size(), dataEnd(f, info.Size())}, nil
}

// bytes returns the written content from an offset on.
func (l *logFile) bytes(from int64) ([]byte, error) {
	data := make([]byte, max(0, l.written-from))
	n, err := l.ReadAt(data, from)
	if errors.Is(err, io.EOF) {
		err = nil // the file was truncated meanwhile
	}
	return data[:n], err
}

func (l *logFile) damage(offset int64, behind int, format string, args ...any) *DamageError {
	return &DamageError{l.name, offset, behind, fmt.Sprintf(format, args...)}
}

// header checks the header of the log.
func (l *logFile) header() error {
	var head [logHeader]byte
	if _, err := l.ReadAt(head[:], 0); errors.Is(err, io.EOF) {
		return l.damage(0, 0, "is truncated to %d bytes", l.size)
	} else if err != nil {
		return err
	}
	if binary.BigEndian.Uint64(head[:]) != 0 {
		return l.damage(0, 0, "its header was altered")
	}
	return nil
}

// transactions is the content of a write-ahead log.
type transactions struct {
	// entries holds the entries of the complete transactions, in order.
	entries []logEntry
	// first and last are the versions of the first and the last complete transaction; both
	// are 0 if there is none.
	first, last uint64
	// open holds the entries of the last transaction if it has no end.
	open []logEntry
	// at is the offset of the first byte that is not part of an entry.
	at int
	// wrong describes why the entry at the offset in the field at must not follow the
	// previous entry; it is empty if there is no such entry.
	wrong string
}

// readTransactions parses a write-ahead log up to the first byte that is not part of an
// entry.
func readTransactions(data []byte) transactions {
	t := transactions{at: logHeader}
	for t.at < len(data) {
		e, _, ok := parseEntry(data, t.at)
		if !ok {
			return t
		}
		switch {
		case e.meta&logEnd != 0 && (len(t.open) == 0 || e.version != t.open[0].version),
			e.meta&logEnd == 0 && len(t.open) > 0 && (e.meta&logTxn == 0 || e.version != t.open[0].version):
			t.wrong = "a transaction has no end, but another entry follows it"
			return t
		case e.meta&logEnd == 0 && len(t.open) == 0 && t.last != 0 && e.version != t.last+1:
			t.wrong = fmt.Sprintf("transactions are out of sequence: %d follows %d", e.version, t.last)
			return t
		case e.meta&logEnd == 0 && e.meta&logTxn != 0:
			t.open = append(t.open, e)
		case e.meta&logEnd != 0:
			t.entries = append(t.entries, t.open...)
			t.open = nil
			if t.last = e.version; t.first == 0 {
				t.first = e.version
			}
		default:
			t.entries = append(t.entries, e)
		}
		t.at = e.end()
	}
	return t
}

// readMem reads a write-ahead log and distinguishes the torn end that a crash leaves from
// damage: no entry after a torn end can be read, and the torn transaction was not
// acknowledged. Only the newest log may have a torn end.
func (l *logFile) readMem(newest bool) (transactions, error) {
	if err := l.header(); err != nil {
		return transactions{}, err
	}
	data, err := l.bytes(0)
	if err != nil {
		return transactions{}, err
	}
	return l.readMemBytes(data, newest)
}

// readMemBytes does the part of readMem that follows the check of the header. data
// contains the bytes written to the log.
func (l *logFile) readMemBytes(data []byte, newest bool) (transactions, error) {
	t := readTransactions(data)
	if bad := l.memDamage(data, &t, newest); bad != nil {
		return t, bad
	}
	return t, nil
}

func (l *logFile) memDamage(data []byte, t *transactions, newest bool) *DamageError {
	at := int64(t.at)
	if t.wrong != "" {
		behind, _ := searchEntries(data, t.at)
		return l.damage(at, len(behind), "%s", t.wrong)
	}
	content := withoutZeros(data)
	if len(content) <= t.at && len(t.open) == 0 {
		return nil
	}
	behind, whole := searchEntries(content, min(t.at, len(content)))
	switch {
	case len(behind) > 0 && !(newest && t.unacknowledged(data, behind)):
		return l.damage(at, len(behind), "an entry cannot be read")
	case !whole:
		return l.damage(at, 0, "an entry cannot be read")
	case !newest:
		return l.damage(at, 0, "its last transaction is incomplete, though a newer log exists")
	case l.size-int64(max(t.at, len(content))) < logMargin:
		return l.damage(at, 0, "is truncated in the middle of a transaction")
	case len(behind) == 0 && len(t.open) > 0 && alteredEnd(data, t.at, t.open[0].version):
		return l.damage(at, 0, "the end of the last transaction cannot be read")
	}
	return nil
}

// unacknowledged reports whether all readable entries after the first unreadable one
// belong to the last transaction, and whether that transaction was not completely on disk
// when the power failed. Sectors between its entries that were never written show this.
func (t *transactions) unacknowledged(data []byte, behind []logEntry) bool {
	version := behind[0].version
	switch {
	case len(t.open) > 0:
		version = t.open[0].version
	case t.last > 0:
		version = t.last + 1
	}
	from, hole := t.at, false
	for _, e := range behind {
		if e.version != version {
			return false
		}
		hole = hole || unwritten(data, from, e.offset)
		from = e.end()
	}
	return hole
}
