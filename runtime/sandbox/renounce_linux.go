package sandbox

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// renounce gives up every capability for good: this process's descendants have none and
// can get none, by set-uid programs or otherwise. mine reports whether this process may
// change the bounding set; otherwise bubblewrap has done so.
func renounce(mine bool) error {
	if mine {
		for c := 0; c <= unix.CAP_LAST_CAP; c++ {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
				return step(err, "dropping a capability")
			}
		}
		const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 // no root, no set-uid fix-up, no keeping of capabilities: each with its lock
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
	// On every thread. A program built with cgo can only do it on this one, but its
	// other threads never start the program.
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	switch errno {
	case 0:
		return nil
	case unix.ENOTSUP:
		return step(unix.Capset(&header, &none[0]), "dropping all capabilities")
	}
	return step(errno, "dropping all capabilities")
}

// forget replaces the session's keyring, in which a desktop keeps its user's secrets,
// by an empty one.
func forget() error {
	_, _, errno := unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
	switch errno {
	case 0, unix.ENOSYS, unix.EPERM: // no keyrings at all, or none for this process
		return nil
	}
	return step(errno, "leaving the session keyring")
}
