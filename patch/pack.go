package patch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// pack is one pack file with its index.
type pack struct {
	index   *packIndex
	objects *packfile.Packfile
	file    *os.File
}

// packBytes adapts a pack file to the interface of package packfile's decoder.
type packBytes struct{ *os.File }

func (packBytes) Lock() error   { return nil }
func (packBytes) Unlock() error { return nil }

// deltaBases is the maximum size of the delta bases that one store keeps in memory.
const deltaBases = 48 * cache.MiByte

// list opens the packs once.
func (s *store) list() error {
	if s.listed {
		return nil
	}
	bases := cache.NewObjectLRU(deltaBases)
	for _, dir := range s.dirs {
		names, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("listing the packs: %w", err)
		}
		for _, n := range names {
			base, isIndex := strings.CutSuffix(n.Name(), ".idx")
			if !isIndex || !strings.HasPrefix(base, "pack-") {
				continue
			}
			p, err := openPack(filepath.Join(dir, "pack", base), bases)
			if errors.Is(err, fs.ErrNotExist) {
				continue // repacked meanwhile: a miss lists again
			}
			if err != nil {
				return err
			}
			s.packs = append(s.packs, p)
		}
	}
	s.listed = true
	return nil
}

func openPack(base string, bases cache.Object) (*pack, error) {
	index, err := openIndex(base + ".idx")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(base + ".pack")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening a pack: %w", err), index.file.Close())
	}
	return &pack{index: index, file: f, objects: packfile.NewPackfileWithCache(index, nil, packBytes{f}, bases, 0)}, nil
}

func (p *pack) close() {
	_ = p.file.Close() // both were only read
	_ = p.index.file.Close()
}

// packed reads an object from the packs. It moves the pack that had it to the front,
// because related objects are packed together.
func (s *store) packed(h plumbing.Hash) (o stored, err error) {
	if err := s.list(); err != nil {
		return o, err
	}
	for i, p := range s.packs {
		offset, err := p.index.FindOffset(h)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return o, err
		}
		size, err := p.objects.GetSizeByOffset(offset)
		if err != nil {
			return o, fmt.Errorf("reading the object %s: %w", h, err)
		}
		if size > maxObject {
			return o, tooLarge(h, size)
		}
		s.packs[0], s.packs[i] = s.packs[i], s.packs[0]
		if o.data, o.kind, err = p.read(h); err != nil {
			return o, fmt.Errorf("reading the object %s: %w", h, err)
		}
		return o, nil
	}
	return o, errAbsent
}

func (p *pack) read(h plumbing.Hash) ([]byte, plumbing.ObjectType, error) {
	e, err := p.objects.Get(h)
	if err != nil {
		return nil, 0, err
	}
	r, err := e.Reader()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	data := make([]byte, e.Size())
	_, err = io.ReadFull(r, data)
	return data, e.Type(), err
}
