package patch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndex searches the index of a pack on disk. The decoder of package idxfile reads
// all of it, which costs as much as starting native git for a repository of 100,000
// objects, while a proposal needs a few entries.
//
// The format is version 2 of gitformat-pack: a header of 8 bytes, 256 cumulative counts
// by first byte, the sorted names of 20 bytes each, checksums of 4 bytes, offsets of 4
// bytes, and offsets of 8 bytes for packs over 2 GiB.
type packIndex struct {
	file   *os.File
	fanout [256]uint32
	// names maps offsets to the objects found so far; misses counts the lookups of other
	// offsets; all reports that names is complete.
	names  map[int64]plumbing.Hash
	misses int
	all    bool
}

const (
	indexNames = 8 + 256*4
	// fewMisses is how many delta bases are read without their names before the whole
	// index is inverted.
	fewMisses = 200
)

func openIndex(path string) (*packIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the index of a pack: %w", err)
	}
	x := &packIndex{file: f, names: map[int64]plumbing.Hash{}}
	var head [indexNames]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the index of a pack: %w", err), f.Close())
	}
	if !bytes.Equal(head[:8], []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return nil, errors.Join(errors.New("an index of a pack is not of version 2: `git repack -ad` writes it anew"), f.Close())
	}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && x.fanout[i] < x.fanout[i-1] {
			return nil, errors.Join(errors.New("an index of a pack is damaged: `git fsck` tells more"), f.Close())
		}
	}
	return x, nil
}

func (x *packIndex) count() int64 { return int64(x.fanout[255]) }

// position returns the position of a name, or plumbing.ErrObjectNotFound.
func (x *packIndex) position(h plumbing.Hash) (int64, error) {
	low, high := int64(0), int64(x.fanout[h[0]])
	if h[0] > 0 {
		low = int64(x.fanout[h[0]-1])
	}
	const atOnce = 256 // names in one read
	for high-low > atOnce {
		mid := low + (high-low)/2
		var name [20]byte
		if _, err := x.file.ReadAt(name[:], indexNames+20*mid); err != nil {
			return 0, fmt.Errorf("reading the index of a pack: %w", err)
		}
		if bytes.Compare(name[:], h[:]) <= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	names := make([]byte, 20*(high-low))
	if _, err := x.file.ReadAt(names, indexNames+20*low); err != nil {
		return 0, fmt.Errorf("reading the index of a pack: %w", err)
	}
	n := int(high - low)
	at := sort.Search(n, func(i int) bool { return bytes.Compare(names[20*i:20*i+20], h[:]) >= 0 })
	if at == n || !bytes.Equal(names[20*at:20*at+20], h[:]) {
		return 0, plumbing.ErrObjectNotFound
	}
	return low + int64(at), nil
}

// offset returns the offset in the pack of the object at a position.
func (x *packIndex) offset(position int64) (int64, error) {
	var b [8]byte
	if _, err := x.file.ReadAt(b[:4], indexNames+24*x.count()+4*position); err != nil {
		return 0, fmt.Errorf("reading the index of a pack: %w", err)
	}
	small := binary.BigEndian.Uint32(b[:4])
	if small>>31 == 0 {
		return int64(small), nil
	}
	if _, err := x.file.ReadAt(b[:], indexNames+28*x.count()+8*int64(small&^(1<<31))); err != nil {
		return 0, fmt.Errorf("reading the index of a pack: %w", err)
	}
	return int64(binary.BigEndian.Uint64(b[:])), nil
}

// Contains reports whether the pack has an object.
func (x *packIndex) Contains(h plumbing.Hash) (bool, error) {
	_, err := x.position(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil, err
}

// FindOffset returns the offset of an object in the pack.
func (x *packIndex) FindOffset(h plumbing.Hash) (int64, error) {
	at, err := x.position(h)
	if err != nil {
		return 0, err
	}
	o, err := x.offset(at)
	if err == nil {
		x.names[o] = h
	}
	return o, err
}

// FindHash returns the name of the object at an offset. The decoder of packs uses it only
// to look up the base of a delta in its cache. For the first few unknown offsets it
// therefore returns a name that no object has, which is a cache miss, so that only a
// caller that reads many objects pays for inverting the index.
func (x *packIndex) FindHash(offset int64) (plumbing.Hash, error) {
	if h, ok := x.names[offset]; ok {
		return h, nil
	}
	if x.misses++; x.misses <= fewMisses || x.all {
		var none plumbing.Hash
		binary.BigEndian.PutUint64(none[8:], uint64(offset))
		return none, nil
	}
	err := x.turn()
	return x.names[offset], err
}

// turn fills names from the whole index.
func (x *packIndex) turn() error {
	n := x.count()
	names, offsets := make([]byte, 20*n), make([]byte, 4*n)
	if _, err := x.file.ReadAt(names, indexNames); err != nil {
		return fmt.Errorf("reading the index of a pack: %w", err)
	}
	if _, err := x.file.ReadAt(offsets, indexNames+24*n); err != nil {
		return fmt.Errorf("reading the index of a pack: %w", err)
	}
	for i := range n {
		offset := int64(binary.BigEndian.Uint32(offsets[4*i:]))
		if offset>>31 != 0 {
			var err error
			if offset, err = x.offset(i); err != nil {
				return err
			}
		}
		x.names[offset] = plumbing.Hash(names[20*i : 20*i+20])
	}
	x.all = true
	return nil
}

// Count returns the number of objects.
func (x *packIndex) Count() (int64, error) { return x.count(), nil }

// errNotServed is the error of the methods of idxfile.Index that reading single objects
// does not need.
var errNotServed = errors.New("the index of a pack is not read as a whole")

// FindCRC32 is not supported.
func (x *packIndex) FindCRC32(plumbing.Hash) (uint32, error) { return 0, errNotServed }

// Entries is not supported.
func (x *packIndex) Entries() (idxfile.EntryIter, error) { return nil, errNotServed }

// EntriesByOffset is not supported.
func (x *packIndex) EntriesByOffset() (idxfile.EntryIter, error) { return nil, errNotServed }
