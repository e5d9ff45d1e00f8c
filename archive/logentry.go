package archive

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"strconv"
)

// The format of Badger's logs: a header of twenty bytes (the id of an encryption key,
// which is always 0 here, and an initialisation vector, which is then unused), followed by
// entries:
//
//	meta, user meta      one byte each; the second is always 0 here
//	key and value length varints
//	expiry               a varint, always 0 here
//	key                  the key, and the inverted version in eight bytes, big endian
//	value
//	CRC-32C              of everything before, four bytes, big endian
//
// In a write-ahead log (.mem) each batch is a transaction: its entries with logTxn, then
// one entry with logEnd whose value is the version. A value stored in a value log is
// replaced by a pointer to it. The entries of a value log (.vlog) have no such marks. The
// files are longer than their content: zeros follow the last entry.
const (
	logHeader = 20
	// logMargin is the minimum number of zeros after the last entry in a file that was not
	// truncated.
	logMargin = 22

	logDelete  = 1 << 0
	logPointer = 1 << 1
	logDiscard = 1 << 2
	logMerge   = 1 << 3
	logTxn     = 1 << 6
	logEnd     = 1 << 7

	maxLogKey = 1 << 16
	// maxVersion is larger than any version in use. The inverted version of a real entry
	// begins with two bytes of ones, which other bytes rarely do.
	maxVersion = 1 << 48
)

// logEndKey is the key of the entry that ends a transaction.
var logEndKey = []byte("!badger!txn")

// logEntry is one entry of a log. Key and value alias the log's bytes.
type logEntry struct {
	offset, size int // of all its bytes
	meta         byte
	key          []byte // without the version
	value        []byte
	version      uint64
}

func (e *logEntry) end() int { return e.offset + e.size }

// parseEntry parses the entry that begins at an offset. It runs cheap checks before it
// computes the checksum; hashed is the number of bytes hashed.
func parseEntry(data []byte, at int) (e logEntry, hashed int, ok bool) {
	rest := data[at:]
	const least = 2 + 3 + 9 + crc32.Size
	if len(rest) < least || rest[1] != 0 {
		return e, 0, false
	}
	e.meta, e.offset = rest[0], at
	if e.meta&^(logDelete|logPointer|logDiscard|logMerge|logTxn|logEnd) != 0 {
		return e, 0, false
	}
	place := 2
	klen, n := binary.Uvarint(rest[place:])
	if n <= 0 || klen < 9 || klen > maxLogKey {
		return e, 0, false
	}
	place += n
	vlen, n := binary.Uvarint(rest[place:])
	if n <= 0 || vlen > math.MaxUint32 {
		return e, 0, false
	}
	place += n
	if place >= len(rest) || rest[place] != 0 {
		return e, 0, false
	}
	place++
	e.size = place + int(klen) + int(vlen) + crc32.Size
	if e.size > len(rest) {
		return e, 0, false
	}
	key := rest[place : place+int(klen)]
	e.key = key[:len(key)-8]
	if e.version = math.MaxUint64 - binary.BigEndian.Uint64(key[len(key)-8:]); e.version > maxVersion {
		return e, 0, false
	}
	e.value = rest[place+int(klen) : e.size-crc32.Size]
	hashed = e.size - crc32.Size
	return e, hashed, crc32.Checksum(rest[:hashed], castagnoli) == binary.BigEndian.Uint32(rest[hashed:e.size])
}

// endEntry returns the entry that ends the transaction with the given version.
func endEntry(version uint64) []byte {
	key := binary.BigEndian.AppendUint64(bytes.Clone(logEndKey), math.MaxUint64-version)
	value := strconv.AppendUint(nil, version, 10)
	e := []byte{logEnd, 0}
	e = binary.AppendUvarint(e, uint64(len(key)))
	e = binary.AppendUvarint(e, uint64(len(value)))
	e = append(e, 0)
	e = append(append(e, key...), value...)
	return binary.BigEndian.AppendUint32(e, crc32.Checksum(e, castagnoli))
}

// searchBytes limits how many bytes a search for entries may hash, as a multiple of the
// number of bytes searched.
const searchBytes = 64

// searchEntries returns the readable entries from an offset on, and skips any other bytes
// between them. Runs of zeros are skipped cheaply. If it has hashed more data than
// searchBytes allows, it gives up and returns false for whole. This happens if bytes
// throughout the data look like entries but are not.
func searchEntries(data []byte, from int) (found []logEntry, whole bool) {
	budget := searchBytes * (len(data) - from + 1)
	for at := from; at < len(data); {
		e, hashed, ok := parseEntry(data, at)
		if ok {
			found = append(found, e)
			at = e.end()
			continue
		}
		if budget -= hashed; budget < 0 {
			return found, false
		}
		at++
		if data[at-1] == 0 {
			// An entry begins with at most two zeros: meta and user meta.
			if run := zeroRun(data[at:]); run > 2 {
				at += run - 2
			}
		}
	}
	return found, true
}

// zeroRun counts the leading zeros of data.
func zeroRun(data []byte) int { return len(data) - len(bytes.TrimLeft(data, "\x00")) }

// withoutZeros returns data without its trailing zeros.
func withoutZeros(data []byte) []byte { return bytes.TrimRight(data, "\x00") }

// logSector is the smallest unit that a disk writes.
const logSector = 512

// unwritten reports whether a whole sector in data[from:to] is zero, which means that it
// was not yet on disk when the power failed. A single altered byte cannot cause that.
func unwritten(data []byte, from, to int) bool {
	for at := (from + logSector - 1) / logSector * logSector; at+logSector <= to; at += logSector {
		if zeroRun(data[at:at+logSector]) == logSector {
			return true
		}
	}
	return false
}

// alteredEnd reports whether data, from the offset at on, must be the end entry of a
// transaction that was altered after it had been written. It compares data with such an
// entry. A process that is killed while it writes the entry would leave a prefix of the
// entry, followed by zeros.
func alteredEnd(data []byte, at int, version uint64) bool {
	rest := withoutZeros(data[at:])
	want := endEntry(version)
	if len(rest) > len(want) || len(rest) == 0 || bytes.HasPrefix(want, rest) {
		return false
	}
	differ := len(want) - len(rest)
	for i := range rest {
		if rest[i] != want[i] {
			differ++
		}
	}
	return differ <= len(want)/4
}
