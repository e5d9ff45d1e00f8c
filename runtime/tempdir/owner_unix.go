//go:build unix

package tempdir

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file belongs to the user of this process. Other users can make files
// where temporary ones are.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
