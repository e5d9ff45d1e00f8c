package archive

import (
	"encoding/binary"
)

// walkValues visits the entries of a value log up to the first byte that is not part of an
// entry, and returns the offset of that byte. An entry is valid only during the visit.
func (l *logFile) walkValues(visit func(e logEntry)) (at int64, err error) {
	at = logHeader
	var buffer []byte
	for size := int64(1 << 20); ; {
		if int64(len(buffer)) < size {
			buffer = make([]byte, size)
		}
		window := buffer[:max(0, min(size, l.written-at))]
		if _, err := l.ReadAt(window, at); err != nil {
			return at, err
		}
		read := 0
		for {
			e, _, ok := parseEntry(window, read)
			if !ok {
				break
			}
			read = e.end()
			e.offset += int(at)
			visit(e)
		}
		whole := at+int64(len(window)) >= l.written
		at += int64(read)
		switch {
		case whole:
			return at, nil
		case read == 0: // the entry is longer than the window, or there is no entry
			size *= 8
		}
	}
}

// valueLog is the result of reading a value log.
type valueLog struct {
	// end is the offset after the last entry that can be reached from the beginning.
	end int64
	// size is the file's size.
	size int64
	// version is the highest version of the entries, or 0 if there are none.
	version uint64
}

// readValues reads a value log. If torn is true, as it is for the newest log after a crash,
// unreadable bytes after the last entry may be the torn end of an entry that was not
// acknowledged. They are damage only if a readable entry after them belongs to a
// transaction up to the version written, or if the search for such entries gave up.
func (l *logFile) readValues(torn bool, written uint64) (valueLog, error) {
	v := valueLog{size: l.size}
	if err := l.header(); err != nil {
		return v, err
	}
	var err error
	v.end, err = l.walkValues(func(e logEntry) { v.version = max(v.version, e.version) })
	if err != nil {
		return v, err
	}
	rest, err := l.bytes(v.end)
	if err != nil {
		return v, err
	}
	if rest = withoutZeros(rest); len(rest) == 0 {
		return v, nil
	}
	behind, whole := searchEntries(rest, 0)
	acknowledged := 0
	for _, e := range behind {
		if e.version <= written {
			acknowledged++
		}
	}
	if !torn || acknowledged > 0 || !whole {
		return v, l.damage(v.end, len(behind), "an entry cannot be read")
	}
	return v, nil
}

// valuePointer locates a value by the number of its log and the offset and length of its
// entry.
type valuePointer struct{ log, size, offset uint32 }

// readPointer decodes the pointer that is stored instead of a value.
func readPointer(value []byte) (valuePointer, bool) {
	if len(value) != 12 {
		return valuePointer{}, false
	}
	return valuePointer{
		binary.NativeEndian.Uint32(value), binary.NativeEndian.Uint32(value[4:]), binary.NativeEndian.Uint32(value[8:]),
	}, true
}

// extents maps the number of a value log to the end of the last entry in it that a
// pointer refers to. Logs without such entries are absent.
type extents map[uint32]int64

func (x extents) add(value []byte) {
	if p, ok := readPointer(value); ok {
		x[p.log] = max(x[p.log], int64(p.offset)+int64(p.size))
	}
}
