package patch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"

	"evolve/runtime/wholefile"
)

// maxObject is the maximum size of an object that is read into memory, in bytes.
const maxObject = 256 << 20

// MissingError reports that an object is missing.
type MissingError struct {
	Hash string
	// Why is the reason why a repository may lack the object; it is empty if the object
	// should be there.
	Why string
}

func (e *MissingError) Error() string {
	text := fmt.Sprintf("the object %s is missing", e.Hash)
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// store reads the objects, loose and packed, of a repository and its alternates, and
// collects new objects to write. A store is used for only one operation, because native git
// may pack and prune at any time. Every object that is read is checked against its hash.
//
// go-git decodes packs, their indexes, loose objects and commits. Its own storage does not
// find them reliably, as TestStorageOfGoGit shows: it fails on a pack whose index has not
// been written yet and on a pack that JGit or libgit2 named, does not resolve relative
// alternates, leaves files open, and does not compare contents with their hashes.
type store struct {
	// dirs are the object folders, starting with the repository's own.
	dirs []string
	// packs are the open packs; nil if they have not been listed yet.
	packs   []*packfile.Packfile
	indexes *packIndexes
	// added holds the objects to write, and order lists their hashes, children before
	// parents.
	added map[plumbing.Hash]*plumbing.MemoryObject
	order []plumbing.Hash
	// folders is the number of trees that have been read.
	folders int
	// why returns the reason why an object may be missing.
	why func() string
}

// openStore returns a store for the repository, with the list of its object folders.
func (r *Repository) openStore() (*store, error) {
	s := &store{indexes: r.indexes, added: map[plumbing.Hash]*plumbing.MemoryObject{}, why: r.whyMissing}
	return s, s.addDir(filepath.Join(r.common, "objects"), 0)
}

// addDir adds an object folder and its alternates. Like git, it follows alternates to a
// depth of five folders, skips a folder that does not exist, and resolves relative paths
// only in the list of the repository's own object folder.
func (s *store) addDir(dir string, depth int) error {
	dir, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) && depth > 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the objects: %w", err)
	}
	if slices.Contains(s.dirs, dir) || depth > 5 {
		return nil
	}
	s.dirs = append(s.dirs, dir)
	list, err := alternates(dir)
	for _, path := range list {
		if err == nil && (filepath.IsAbs(path) || depth == 0) {
			err = s.addDir(against(dir, path), depth+1)
		}
	}
	return err
}

// alternates lists the object folders from which an object folder borrows objects.
func alternates(dir string) ([]string, error) {
	data, err := wholefile.Read(filepath.Join(dir, "info", "alternates"), maxGitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the alternates: %w", err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list, nil
}

// close closes the packs. The next read lists them again.
func (s *store) close() {
	for _, p := range s.packs {
		_ = p.Close() // the file was only read
	}
	s.packs = nil
}

// deltaBases is the maximum number of bytes of delta bases that one store keeps in memory.
const deltaBases = 48 * cache.MiByte

// list opens the packs, unless they are already open.
func (s *store) list() error {
	if s.packs != nil {
		return nil
	}
	s.packs = []*packfile.Packfile{}
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
			p, err := s.openPack(filepath.Join(dir, "pack", base), bases)
			if errors.Is(err, fs.ErrNotExist) {
				continue // git replaced the pack in the meantime; if an object is then missing, the packs are listed again
			}
			if err != nil {
				return fmt.Errorf("opening the pack %s: %w", base, err)
			}
			s.packs = append(s.packs, p)
		}
	}
	return nil
}

func (s *store) openPack(base string, bases cache.Object) (*packfile.Packfile, error) {
	index, err := s.indexes.open(base + ".idx")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(base + ".pack")
	if err != nil {
		return nil, err
	}
	return packfile.NewPackfileWithCache(index, nil, packBytes{f}, bases, 0), nil
}

// packBytes adapts a pack's file to the interface that package packfile requires.
type packBytes struct{ *os.File }

func (packBytes) Lock() error   { return nil }
func (packBytes) Unlock() error { return nil }

// place is the location of an object: an offset in a pack, or a separate file.
type place struct {
	pack   *packfile.Packfile
	offset int64
	loose  *os.File
}

// locate finds an object. It searches packs first, because most objects are packed. It
// lists the packs once more if native git may have replaced them in the meantime.
func (s *store) locate(h plumbing.Hash) (place, error) {
	for range 2 {
		if err := s.list(); err != nil {
			return place{}, err
		}
		for i, p := range s.packs {
			if offset, err := p.FindOffset(h); err == nil {
				s.packs[0], s.packs[i] = p, s.packs[0] // related objects are packed together, so the next search begins with this pack
				return place{pack: p, offset: offset}, nil
			}
		}
		for _, dir := range s.dirs {
			f, err := os.Open(loosePath(dir, h))
			if err == nil {
				return place{loose: f}, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return place{}, err
			}
		}
		s.close()
	}
	return place{}, &MissingError{Hash: h.String(), Why: s.why()}
}

func loosePath(dir string, h plumbing.Hash) string {
	name := h.String()
	return filepath.Join(dir, name[:2], name[2:])
}

// object returns an object of any type. It fails with a *MissingError if there is none.
func (s *store) object(h plumbing.Hash) (plumbing.EncodedObject, error) {
	if o, ok := s.added[h]; ok {
		return o, nil
	}
	at, err := s.locate(h)
	if err != nil {
		return nil, err
	}
	o, err := at.read(h)
	if err != nil {
		return nil, fmt.Errorf("reading the object %s: %w", h, err)
	}
	if got := o.Hash(); got != h {
		return nil, fmt.Errorf("the object %s is damaged: its content has the hash %s", h, got)
	}
	return o, nil
}

// read reads an object, unless it is larger than maxObject, and closes its file.
func (at place) read(h plumbing.Hash) (plumbing.EncodedObject, error) {
	if at.pack != nil {
		size, err := at.pack.GetSizeByOffset(at.offset)
		if err == nil && size > maxObject {
			err = tooLarge(size)
		}
		if err != nil {
			return nil, err
		}
		return at.pack.Get(h)
	}
	defer at.loose.Close()
	r, kind, size, err := decode(at.loose)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if size > maxObject {
		return nil, tooLarge(size)
	}
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, err = io.CopyN(o, r, size)
	return o, err
}

func tooLarge(size int64) error {
	return fmt.Errorf("it has %d bytes, but at most %d are allowed", size, maxObject)
}

// decode reads the header of a loose object.
func decode(f *os.File) (r *objfile.Reader, kind plumbing.ObjectType, size int64, err error) {
	if r, err = objfile.NewReader(f); err == nil {
		kind, size, err = r.Header()
	}
	return r, kind, size, err
}

// read returns the content of an object of the given type.
func (s *store) read(h plumbing.Hash, kind plumbing.ObjectType) ([]byte, error) {
	o, err := s.object(h)
	if err != nil {
		return nil, err
	}
	if o.Type() != kind {
		return nil, fmt.Errorf("the object %s is a %s, not a %s", h, o.Type(), kind)
	}
	r, err := o.Reader()
	if err != nil {
		return nil, fmt.Errorf("reading the object %s: %w", h, err)
	}
	defer r.Close()
	data := make([]byte, o.Size())
	_, err = io.ReadFull(r, data)
	return data, err
}

// size returns the length of a blob in bytes.
func (s *store) size(h plumbing.Hash) (size int64, err error) {
	if o, ok := s.added[h]; ok {
		return o.Size(), nil
	}
	at, err := s.locate(h)
	if err != nil {
		return 0, err
	}
	if at.pack != nil {
		return at.pack.GetSizeByOffset(at.offset)
	}
	defer at.loose.Close()
	r, _, size, err := decode(at.loose)
	if err == nil {
		err = r.Close()
	}
	return size, err
}

// commit returns a commit without reading its tree or parents.
func (s *store) commit(hash string) (*object.Commit, error) {
	o, err := s.named(hash)
	if err == nil && o.Type() != plumbing.CommitObject {
		err = fmt.Errorf("it is a %s", o.Type())
	}
	var c *object.Commit
	if err == nil {
		c, err = object.DecodeCommit(nil, o)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the commit %s: %w", hash, err)
	}
	return c, nil
}

// treeish returns the tree of a commit, or the tree itself.
func (s *store) treeish(hash string) (plumbing.Hash, error) {
	if o, err := s.named(hash); err == nil && o.Type() == plumbing.TreeObject {
		return o.Hash(), nil
	}
	c, err := s.commit(hash)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.TreeHash, nil
}

// named returns the object with the given hash, in hexadecimal digits.
func (s *store) named(hash string) (plumbing.EncodedObject, error) {
	if !hashForm.MatchString(hash) || hash == zero {
		return nil, fmt.Errorf("%q is not a commit", hash)
	}
	return s.object(plumbing.NewHash(hash))
}
