package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"evolve/runtime/wholefile"
)

// openFile opens a command's input: a file, a pipe such as a shell's <(…), or standard
// input for "-". When ctx is done, reading ends with the cause of ctx, even if a pipe has
// no writer. openFile fails with wholefile.ErrIrregular for a folder, and for a device
// other than standard input, which may be endless.
func openFile(ctx context.Context, sh *shell, name string) (io.ReadCloser, error) {
	if name == "-" {
		return interruptible(ctx, func() (io.ReadCloser, error) { return io.NopCloser(sh.stdin), nil }), nil
	}
	path := sh.abs(name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return wholefile.Open(path)
	case info.Mode()&fs.ModeNamedPipe == 0 && !isStdin(sh.console, info):
		return nil, fmt.Errorf("%s %w", path, wholefile.ErrIrregular)
	}
	return interruptible(ctx, func() (io.ReadCloser, error) { return os.Open(path) }), nil
}

// isStdin reports whether a file is standard input, as with /dev/stdin.
func isStdin(con *console, info fs.FileInfo) bool {
	f, ok := con.stdin.(*os.File)
	if !ok {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(own, info)
}

// interruptible returns a reader that calls open and reads the result in a goroutine,
// because both opening and reading a pipe can block for ever.
func interruptible(ctx context.Context, open func() (io.ReadCloser, error)) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		from, err := open()
		if err == nil {
			_, err = io.Copy(in, from)
			_ = from.Close()
		}
		in.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })
	return &piped{out, stop}
}

// piped is the read end of a pipe.
type piped struct {
	*io.PipeReader
	stop func() bool
}

func (p *piped) Close() error {
	p.stop()
	return p.PipeReader.Close()
}
