//go:build unix

package patch

import (
	"os"
	"syscall"
)

// foreign reports whether the repository belongs to a user other than this process's user.
// If so, native git requires the setting safe.directory.
func (l layout) foreign() bool {
	for _, dir := range []string{l.top, l.git} {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			return true
		}
	}
	return false
}
