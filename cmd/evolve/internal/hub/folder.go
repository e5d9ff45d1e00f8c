package hub

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// mostFolder limits the total size, in bytes, of the files in a folder that is sent, and
// mostFiles limits their number.
const (
	mostFolder = 64 << 20
	mostFiles  = 10_000
)

// errFolder marks errors about folders that cannot be sent.
var errFolder = errors.New("the folder cannot be transferred")

// Pack returns the files in a folder as a tar archive that depends only on names, content
// and the executable bit. It returns nil for a folder without entries. It follows no
// symbolic links, and returns an error for anything other than a file, a folder or a link
// within the folder.
func Pack(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return packFS(root.FS(), root.Readlink)
}

func packFS(files fs.FS, readlink func(string) (string, error)) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	n, size := 0, int64(0)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if n++; n > mostFiles {
			return fmt.Errorf("%w: it has more than %d files", errFolder, mostFiles)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: name, Mode: 0o600 | int64(info.Mode().Perm()&0o100), Format: tar.FormatPAX}
		switch {
		case d.IsDir():
			h.Typeflag, h.Mode = tar.TypeDir, 0o700
			return w.WriteHeader(h)
		case d.Type()&fs.ModeSymlink != 0:
			h.Typeflag, h.Mode = tar.TypeSymlink, 0o700
			if h.Linkname, err = readlink(name); err != nil {
				return err
			}
			if !within(name, h.Linkname) {
				return fmt.Errorf("%w: %q is a link that leads outside the folder", errFolder, name)
			}
			return w.WriteHeader(h)
		case !d.Type().IsRegular():
			return fmt.Errorf("%w: %q is neither a file nor a folder", errFolder, name)
		}
		if size += info.Size(); size > mostFolder {
			return fmt.Errorf("%w: it is larger than %d MiB", errFolder, mostFolder>>20)
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(data))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil || n == 0 {
		return nil, err
	}
	return b.Bytes(), w.Close()
}

// within reports whether a link leads to a location within the folder that contains it.
func within(name, link string) bool {
	if path.IsAbs(link) || filepath.IsAbs(link) {
		return false
	}
	return fs.ValidPath(path.Join(path.Dir(name), link))
}

// Unpack writes a folder's files. It writes nothing outside dir, whatever the archive names.
func Unpack(dir string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	r := tar.NewReader(bytes.NewReader(data))
	size := int64(0)
	for n := 0; len(data) > 0; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errFolder, err)
		}
		if n >= mostFiles || h.Size < 0 || size+h.Size > mostFolder {
			return fmt.Errorf("%w: it is too large", errFolder)
		}
		size += h.Size
		if !fs.ValidPath(h.Name) {
			return fmt.Errorf("%w: the name %q is not valid", errFolder, h.Name)
		}
		if err := unpackOne(root, h, r); err != nil {
			return err
		}
	}
	return nil
}

func unpackOne(root *os.Root, h *tar.Header, r io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(h.Name, 0o700)
	case tar.TypeSymlink:
		if !within(h.Name, h.Linkname) {
			return fmt.Errorf("%w: %q is a link that leads outside the folder", errFolder, h.Name)
		}
		return root.Symlink(h.Linkname, h.Name)
	case tar.TypeReg:
		f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600|h.Mode&0o100))
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("%w: %q is neither a file nor a folder", errFolder, h.Name)
}

// empty removes everything in a folder.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
