package patch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"

	"evolve/runtime/wholefile"
)

// maxObject is the maximum size of an object that is read into memory, in bytes.
const maxObject = 256 << 20

// MissingError reports that an object is missing.
type MissingError struct {
	Hash string
	// Why is the reason why a repository may lack it; empty if it should be there.
	Why string
}

func (e *MissingError) Error() string {
	text := fmt.Sprintf("the object %s is missing", e.Hash)
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// errAbsent reports that no object folder has the requested object.
var errAbsent = errors.New("the object is not there")

// stored is an object's content.
type stored struct {
	kind plumbing.ObjectType
	data []byte
}

// store reads the objects of a repository and its alternates, loose and packed, and
// collects new objects to write. It lives for one operation, because native git may pack
// and prune at any time. Pack indexes are searched on disk and never loaded, so that
// opening a store costs the same for every size of repository. Every object that is read
// is checked against its hash.
type store struct {
	// dirs are the object folders, the repository's own first.
	dirs   []string
	packs  []*pack
	listed bool
	fresh  map[plumbing.Hash]stored
	order  []plumbing.Hash // of fresh, children before parents
	// folders counts the trees that were read.
	folders int
	// why returns the reason why an object may be missing.
	why func() string
}

// openStore opens the objects below a repository's common folder.
func openStore(common string, why func() string) (*store, error) {
	s := &store{fresh: map[plumbing.Hash]stored{}, why: why}
	return s, s.addDir(filepath.Join(common, "objects"), 0)
}

// addDir adds an object folder and its alternates. Like git, it follows alternates five
// folders deep and skips a folder that does not exist.
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
	f, err := wholefile.Open(filepath.Join(dir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the alternates: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !filepath.IsAbs(line) && depth > 0 {
			continue // git follows relative paths from the repository itself only
		}
		if err := s.addDir(against(dir, line), depth+1); err != nil {
			return err
		}
	}
	return lines.Err()
}

// close closes all files.
func (s *store) close() {
	for _, p := range s.packs {
		p.close()
	}
	s.packs, s.listed = nil, false
}

// object returns an object of any kind.
func (s *store) object(h plumbing.Hash) (stored, error) {
	if o, ok := s.fresh[h]; ok {
		return o, nil
	}
	o, err := s.find(h)
	if err != nil {
		return o, err
	}
	if got := plumbing.ComputeHash(o.kind, o.data); got != h {
		return o, fmt.Errorf("the object %s is damaged: its content is that of %s", h, got)
	}
	return o, nil
}

// read returns an object of a kind.
func (s *store) read(h plumbing.Hash, kind plumbing.ObjectType) ([]byte, error) {
	o, err := s.object(h)
	if err != nil {
		return nil, err
	}
	if o.kind != kind {
		return nil, fmt.Errorf("the object %s is a %s, not a %s", h, o.kind, kind)
	}
	return o.data, nil
}

// find reads an object from disk, from packs first, as most are packed. It lists the
// packs once more if native git may have replaced them meanwhile.
func (s *store) find(h plumbing.Hash) (o stored, err error) {
	for range 2 {
		if o, err = s.packed(h); errors.Is(err, errAbsent) {
			o, err = s.loose(h)
		}
		if !errors.Is(err, errAbsent) && !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
		s.close()
	}
	return o, &MissingError{Hash: h.String(), Why: s.why()}
}

// size returns the length of a blob in bytes.
func (s *store) size(h plumbing.Hash) (int64, error) {
	if o, ok := s.fresh[h]; ok {
		return int64(len(o.data)), nil
	}
	if err := s.list(); err != nil {
		return 0, err
	}
	for _, p := range s.packs {
		offset, err := p.index.FindOffset(h)
		if err == nil {
			return p.objects.GetSizeByOffset(offset)
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return 0, err
		}
	}
	f, r, err := s.openLoose(h)
	if errors.Is(err, errAbsent) {
		o, err := s.find(h) // packed meanwhile
		return int64(len(o.data)), err
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	defer func() { _ = r.Close() }()
	_, size, err := r.Header()
	return size, err
}

func (s *store) openLoose(h plumbing.Hash) (*os.File, *objfile.Reader, error) {
	name := h.String()
	for _, dir := range s.dirs {
		f, err := os.Open(filepath.Join(dir, name[:2], name[2:]))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the object %s: %w", h, err)
		}
		r, err := objfile.NewReader(f)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("reading the object %s: %w", h, err), f.Close())
		}
		return f, r, nil
	}
	return nil, nil, errAbsent
}

func (s *store) loose(h plumbing.Hash) (o stored, err error) {
	f, r, err := s.openLoose(h)
	if err != nil {
		return o, err
	}
	defer f.Close()
	defer func() { _ = r.Close() }()
	var size int64
	if o.kind, size, err = r.Header(); err != nil {
		return o, fmt.Errorf("reading the object %s: %w", h, err)
	}
	if size > maxObject {
		return o, tooLarge(h, size)
	}
	o.data = make([]byte, size)
	if _, err := io.ReadFull(r, o.data); err != nil {
		return o, fmt.Errorf("reading the object %s: %w", h, err)
	}
	return o, nil
}

func tooLarge(h plumbing.Hash, size int64) error {
	return fmt.Errorf("the object %s has %d bytes, more than the %d that are read", h, size, maxObject)
}
