//go:build unix

package schedule

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Owner returns the user who owns a folder, by name if the name is known.
func Owner(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return userName(int(s.Uid))
	}
	return ""
}

// CurrentUser returns the user of this process, by name if the name is known.
func CurrentUser() string { return userName(os.Getuid()) }

func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
