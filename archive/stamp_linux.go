package archive

import (
	"io/fs"
	"syscall"
)

// stampOf returns the stamp of a file, and reports whether the system provides one.
func stampOf(info fs.FileInfo) (stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino}, true
}
