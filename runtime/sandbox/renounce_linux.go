package sandbox

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// renounce permanently gives up every capability: this process's descendants have none and
// cannot get any, by set-uid programs or otherwise. mine reports whether this process may
// change the bounding set; otherwise bubblewrap has already done so.
func renounce(mine bool) error {
	if mine {
		for c := 0; c <= unix.CAP_LAST_CAP; c++ {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
				return step(err, "dropping a capability")
			}
		}
		const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 // no root privileges, no set-uid fix-up, no keeping of capabilities, and a lock on each of these
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, locked, 0, 0, 0); err != nil {
			return step(err, "locking the capabilities")
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return step(err, "dropping inherited capabilities")
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return step(err, "forbidding new privileges")
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	// Drop the capabilities of every thread. If this program is built with cgo, only those
	// of this thread can be dropped, but the other threads never start the sandboxed
	// program.
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	switch errno {
	case 0:
		return nil
	case unix.ENOTSUP:
		return step(unix.Capset(&header, &none[0]), "dropping all capabilities")
	}
	return step(errno, "dropping all capabilities")
}

// forget replaces the session's keyring, in which a desktop keeps its user's secrets, with
// an empty one.
func forget() error {
	_, _, errno := unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
	switch errno {
	case 0, unix.ENOSYS, unix.EPERM: // the kernel has no keyrings, or this process may not use them
		return nil
	}
	return step(errno, "leaving the session keyring")
}
