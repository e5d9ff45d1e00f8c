// Package wholefile reads files that are needed as a whole and that other users or programs
// may have created, such as settings, keys, and notes from an earlier process. The path of
// such a file can be a link to a device whose data never ends, or a pipe without a writer.
// The package opens only regular files, and reads only as much as the caller allows.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular means that a path is a device, a pipe, a socket or a folder. For a folder,
// the error also wraps [syscall.EISDIR].
var ErrIrregular = errors.New("is not a regular file")

// TooLargeError means that a file is larger than the reader allows.
type TooLargeError struct {
	Path string
	// Most is the maximum size that is allowed, in bytes.
	Most int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes", e.Path, e.Most)
}

// Open opens a regular file for reading; links are followed. Errors are *[fs.PathError].
func Open(path string) (*os.File, error) {
	// Examine the file first, because opening a device can have side effects, and opening a
	// pipe waits for a writer.
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, err
	}
	return checked(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)) //nolint:gosec // the path is the caller's to choose
}

// OpenIn is like [Open] for a file below root.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return checked(root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0))
}

// checked returns f if the opened file is a regular file. Otherwise it closes f and returns
// an error.
func checked(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(f.Name(), info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %w", ErrIrregular, syscall.EISDIR)}
	}
	return &fs.PathError{Op: "read", Path: path, Err: ErrIrregular}
}

// Read returns the content of a regular file whose size in bytes does not exceed the
// given limit (most); links are followed. It fails with ErrIrregular, a *[TooLargeError],
// or a system error.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	return read(f, err, path, most)
}

// ReadIn is like [Read] for a file below root.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	return read(f, err, name, most)
}

func read(f *os.File, err error, path string, most int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &TooLargeError{path, most}
	}
	return data, nil
}
