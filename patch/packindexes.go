package patch

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndexes keeps the decoded indexes of packs from one operation to the next, because
// go-git can decode an index only as a whole, which takes 10 ms for 100,000 objects.
type packIndexes struct {
	mu     sync.Mutex
	byPath map[string]packIndex
}

type packIndex struct {
	info  os.FileInfo
	index *idxfile.MemoryIndex // safe for concurrent use
}

// open returns the pack index in a file.
func (x *packIndexes) open(path string) (*idxfile.MemoryIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if have, ok := x.byPath[path]; ok && os.SameFile(have.info, info) && have.info.ModTime().Equal(info.ModTime()) && have.info.Size() == info.Size() {
		return have.index, nil
	}
	index := idxfile.NewMemoryIndex()
	switch err := idxfile.NewDecoder(f).Decode(index); {
	case errors.Is(err, idxfile.ErrUnsupportedVersion), errors.Is(err, idxfile.ErrMalformedIdxFile):
		return nil, fmt.Errorf("%w; `git repack -ad` writes a new index, and `git fsck` reports damage", err)
	case err != nil:
		return nil, err
	}
	maps.DeleteFunc(x.byPath, func(path string, _ packIndex) bool { // git repacked them
		_, err := os.Stat(path)
		return err != nil
	})
	x.byPath[path] = packIndex{info: info, index: index}
	return index, nil
}
