//go:build unix

package tempdir

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file belongs to the user of this process. Other users can create
// files in the folder for temporary files.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
