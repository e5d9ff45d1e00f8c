package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

// memOf writes a write-ahead log as Badger does, with transactions of a few entries each.
// It returns the log, the position at which each entry begins, and the end.
func memOf(transactions int) (data []byte, starts []int) {
	data = make([]byte, logHeader)
	for version := uint64(1); version <= uint64(transactions); version++ {
		for n := range 1 + version%4 {
			starts = append(starts, len(data))
			data = append(data, rawEntry(logTxn, fmt.Sprint("k", version, n), fmt.Sprint("value\x00", version*n), version)...)
		}
		starts = append(starts, len(data))
		data = append(data, endEntry(version)...)
	}
	return data, append(starts, len(data))
}

func rawEntry(meta byte, k, value string, version uint64) []byte {
	e := []byte{meta, 0}
	e = binary.AppendUvarint(e, uint64(len(k)+8))
	e = binary.AppendUvarint(e, uint64(len(value)))
	e = append(append(e, 0), k...)
	e = append(binary.BigEndian.AppendUint64(e, math.MaxUint64-version), value...)
	return binary.BigEndian.AppendUint32(e, crc32.Checksum(e, castagnoli))
}

// readMemOf reads a log of the given size that begins with data.
func readMemOf(data []byte, size int64, newest bool) (transactions, error) {
	return (&logFile{name: "00001.mem", size: size}).readMemBytes(data, newest)
}

// TestTornEnd checks that the log of a process killed at any byte of its last transaction
// does not count as damaged, and that all transactions before it are read.
func TestTornEnd(t *testing.T) {
	const count = 8
	data, starts := memOf(count)
	before, _ := memOf(count - 1)
	for end := len(before); end < len(data); end++ {
		got, err := readMemOf(data[:end], 1<<20, true)
		if err != nil || got.last != count-1 {
			t.Fatalf("written up to byte %d of %v: %v, version %d", end, starts, err, got.last)
		}
		// In a log that is not the newest, no transaction may be unfinished.
		if _, err := readMemOf(data[:end], 1<<20, false); end > len(before) && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("an older log, up to byte %d: %v", end, err)
		}
		// A log file is longer than what was written to it, so a file that ends with its
		// data was cut.
		if _, err := readMemOf(data[:end], int64(end), true); end > len(before) && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at byte %d: %v", end, err)
		}
	}
}

// TestEveryFlip checks that every flipped bit in a write-ahead log is detected. The only
// exception is a bit that makes the end of the last transaction look like what a kill
// leaves.
func TestEveryFlip(t *testing.T) {
	for _, count := range []int{1, 6} {
		data, starts := memOf(count)
		end := starts[len(starts)-2]
		for bit := 8 * logHeader; bit < 8*len(data); bit++ {
			altered := append([]byte(nil), data...)
			altered[bit/8] ^= 1 << (bit % 8)
			got, err := readMemOf(altered, 1<<20, true)
			switch at := bit / 8; {
			case at == len(data)-1 && altered[at] == 0 && at >= end:
				if err != nil || got.last != uint64(count-1) {
					t.Fatalf("the exception: %v, version %d", err, got.last)
				}
			default:
				var damage *DamageError
				if !errors.As(err, &damage) || !errors.Is(err, ErrCorrupt) {
					t.Fatalf("%d transactions, bit %d of byte %d of %v: %v", count, bit%8, at, starts, err)
				}
				if damage.Offset > int64(at) || damage.Offset < int64(at)-100 {
					t.Fatalf("byte %d altered, named is byte %d", at, damage.Offset)
				}
			}
		}
	}
}

// TestPowerLoss checks that a transaction of which a power loss left only some sectors is
// dropped if it is the last one, because it was not acknowledged, and counts as damage if
// another transaction follows.
func TestPowerLoss(t *testing.T) {
	data, _ := memOf(5)
	before := len(data)
	for n := range 200 {
		data = append(data, rawEntry(logTxn, fmt.Sprint("big", n), "0123456789", 6)...)
	}
	data = append(data, endEntry(6)...)
	for sector := before/logSector + 1; sector < len(data)/logSector; sector++ {
		torn := append([]byte(nil), data...)
		clear(torn[sector*logSector : (sector+1)*logSector])
		if got, err := readMemOf(torn, 1<<20, true); err != nil || got.last != 5 {
			t.Fatalf("sector %d: %v, version %d", sector, err, got.last)
		}
		// If another transaction follows the torn one, the torn one had been
		// acknowledged.
		torn = append(append(torn, rawEntry(logTxn, "k", "v", 7)...), endEntry(7)...)
		if _, err := readMemOf(torn, 1<<20, true); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("sector %d of the transaction before the last: %v", sector, err)
		}
	}
}

// TestSearchBound checks that bytes that look like entries at every position do not delay
// the search, and that zeros are skipped cheaply.
func TestSearchBound(t *testing.T) {
	trap := []byte{logTxn, 0, 9, 0xff, 0xff, 0x7f, 0, 'k', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}
	data := make([]byte, 0, 4<<20)
	for len(data)+len(trap) < cap(data) {
		data = append(data, trap...)
	}
	if found, whole := searchEntries(data, 0); len(found) != 0 || whole {
		t.Errorf("%d entries found, whole %v", len(found), whole)
	}
	data = make([]byte, 64<<20)
	e := rawEntry(0, "k", "v", 3)
	copy(data[40<<20:], e)
	if found, whole := searchEntries(data, 0); len(found) != 1 || !whole || found[0].offset != 40<<20 {
		t.Errorf("behind zeros: %v %v", found, whole)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range data[:8<<20] {
		data[i] = byte(random.Uint32())
	}
	if found, whole := searchEntries(data, 0); len(found) != 1 || !whole {
		t.Errorf("behind noise: %v %v", len(found), whole)
	}
}
