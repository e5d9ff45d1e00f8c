package scaffold

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed all:_workspace
var tree embed.FS

const root = "_workspace"

// storedNames maps the real name of a file to its embedded name: a go.mod would exclude
// its folder from the embedding module, and a .gitignore would affect this project's own
// repository.
var storedNames = map[string]string{
	"go.mod":     "go.mod.txt",
	".gitignore": "gitignore.txt",
}

// Files returns the workspace tree under its real names. It is read-only.
func Files() fs.FS { return workspaceFS{} }

type workspaceFS struct{}

func (workspaceFS) stored(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	dir, base := path.Split(name)
	if s, ok := storedNames[base]; ok {
		base = s
	} else if realName(base) != base {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return path.Join(root, dir, base), nil
}

// Open opens a file or folder by its real name.
func (w workspaceFS) Open(name string) (fs.File, error) {
	stored, err := w.stored("open", name)
	if err != nil {
		return nil, err
	}
	f, err := tree.Open(stored)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return folder{dir}, nil
	}
	return file{f}, nil
}

// ReadFile reads a file by its real name.
func (w workspaceFS) ReadFile(name string) ([]byte, error) {
	stored, err := w.stored("read", name)
	if err != nil {
		return nil, err
	}
	data, err := tree.ReadFile(stored)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

func realName(stored string) string {
	for name, s := range storedNames {
		if s == stored {
			return name
		}
	}
	return stored
}

type file struct{ fs.File }

func (f file) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return named{info}, err
}

type folder struct{ fs.ReadDirFile }

func (f folder) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := f.ReadDirFile.ReadDir(n)
	for i, e := range entries {
		entries[i] = entry{e}
	}
	return entries, err
}

type entry struct{ fs.DirEntry }

func (e entry) Name() string { return realName(e.DirEntry.Name()) }

func (e entry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	return named{info}, err
}

func (e entry) String() string { return fs.FormatDirEntry(e) }

type named struct{ fs.FileInfo }

func (n named) Name() string { return realName(n.FileInfo.Name()) }

var _ fs.ReadFileFS = workspaceFS{}
