package patch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxExport is the maximum size of an exported tree, in bytes.
const maxExport = 8 << 30

// exporter writes one tree into a folder.
type exporter struct {
	ctx   context.Context
	store *store
	files int
	bytes int64
}

// Export writes the files of a commit or tree into a folder, which must be empty and is
// created if necessary. It writes the stored contents without applying filters, gives the
// files the modes 0644 and 0755, and writes no .git. Links and submodules are left out
// (Tree lists them). Export returns an error for names that could lead outside the folder
// or into a .git, and for names that the file system treats as equal to a name already
// written.
//
// The time of each file and folder is derived from the hash of its content ([TimeOf]),
// because go's test cache compares sizes and times. The cache thus treats equal trees as
// equal and different trees as different, wherever and whenever they were exported.
func (r *Repository) Export(ctx context.Context, commit, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("exporting %s: %w", commit, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("exporting %s: %w", commit, err)
	}
	defer root.Close()
	if there, err := fs.ReadDir(root.FS(), "."); err != nil || len(there) > 0 {
		return errors.Join(fmt.Errorf("exporting %s: the destination folder is not empty", commit), err)
	}
	err = r.with(func(s *store) error {
		tree, err := s.treeish(commit)
		if err != nil {
			return err
		}
		x := exporter{ctx: ctx, store: s}
		return x.folder(tree, root, 0)
	})
	if err != nil {
		return fmt.Errorf("exporting %s: %w", commit, err)
	}
	return nil
}

// folder writes the contents of a folder, and then sets the folder's time, which writing
// changes. Each folder is opened once, relative to its parent, so that no name can lead
// outside.
func (x *exporter) folder(tree plumbing.Hash, in *os.Root, depth int) error {
	if depth > maxDepth {
		return errors.New("the tree is too deep")
	}
	entries, err := x.store.folder(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if err = checkName(e.name); err == nil && e.isFolder() {
			err = x.below(e, in, depth)
		} else if err == nil && e.isFile() {
			err = x.file(e, in)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", e.name, err)
		}
	}
	t := timeOf(tree)
	return in.Chtimes(".", t, t)
}

func (x *exporter) below(e entry, in *os.Root, depth int) error {
	if err := errors.Join(in.Mkdir(e.name, 0o755), in.Chmod(e.name, 0o755)); err != nil {
		return err
	}
	folder, err := in.OpenRoot(e.name)
	if err != nil {
		return err
	}
	defer folder.Close()
	return x.folder(e.hash, folder, depth+1)
}

func (x *exporter) file(e entry, in *os.Root) error {
	data, err := x.store.read(e.hash, plumbing.BlobObject)
	if err != nil {
		return err
	}
	x.files++
	x.bytes += int64(len(data))
	if x.files > maxEntries || x.bytes > maxExport {
		return fmt.Errorf("the tree has more than %d files or %d bytes", maxEntries, int64(maxExport))
	}
	mode := fs.FileMode(0o644)
	if e.executable() {
		mode = 0o755
	}
	f, err := in.OpenFile(e.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	// Set the mode again, because the umask may have restricted it when the file was
	// created.
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	t := timeOf(e.hash)
	return in.Chtimes(e.name, t, t)
}

// TimeOf returns the time of an exported file with the given content.
func TimeOf(data []byte) time.Time { return timeOf(plumbing.ComputeHash(plumbing.BlobObject, data)) }

// timeOf derives a time between 1990 and 2024 from a hash. The time is made of seconds
// below 2^30 and a fraction, which together contain about 60 bits of the hash.
func timeOf(h plumbing.Hash) time.Time {
	sec := int64(binary.BigEndian.Uint32(h[0:4]) >> 2)
	nsec := int64(binary.BigEndian.Uint32(h[4:8])) % 1e9
	return time.Unix(631_152_000+sec, nsec)
}
