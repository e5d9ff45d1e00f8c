package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architectures that calls are filtered on; elsewhere they are not.
var architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
	"ppc64le": unix.AUDIT_ARCH_PPC64LE, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

// withheld are the calls of the system that no program inside has, as on a kernel
// that lacks them: what reaches into other processes, keys, and parts of the kernel
// with a long record of holes that builds, tests and agents do without.
var withheld = []uint32{
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SYSLOG, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_CLONE3, // whose flags a filter cannot see; libraries do with clone
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL,
}

// filterCalls withholds calls from this thread and what it starts, for good. Of
// ptrace there remains what this package itself needs of it for a start: a process
// that lets itself be traced by its parent, and being let go; of clone, what makes no
// namespaces. Programs for another
// architecture, such as those of 32 bits, have no calls at all. sockets says that none
// may be made either.
func filterCalls(sockets bool) error {
	architecture, ok := architectures[runtime.GOARCH]
	if !ok {
		return nil
	}
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		least  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K
		allow  = 0x7fff0000                       // SECCOMP_RET_ALLOW
		deny   = 0x00050000 | uint32(unix.ENOSYS) // SECCOMP_RET_ERRNO
		// Where a filter finds the call's number, the architecture and the low half of the
		// first argument, all these architectures being little-endian.
		number, arch, first = 0, 4, 16
		// spaces are the flags of clone that make namespaces.
		spaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	)
	calls := withheld
	if sockets {
		calls = append(calls[:len(calls):len(calls)], unix.SYS_SOCKET)
	}
	code := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, K: architecture, Jt: 1},
		{Code: result, K: deny},
		{Code: load, K: number},
	}
	if runtime.GOARCH == "amd64" { // calls of the x32 kind have numbers from here on
		code = append(code, unix.SockFilter{Code: least, K: 0x40000000, Jf: 1}, unix.SockFilter{Code: result, K: deny})
	}
	for _, c := range calls {
		code = append(code, unix.SockFilter{Code: equal, K: c, Jf: 1}, unix.SockFilter{Code: result, K: deny})
	}
	code = append(
		code,
		unix.SockFilter{Code: equal, K: unix.SYS_PTRACE, Jf: 4},
		unix.SockFilter{Code: load, K: first},
		unix.SockFilter{Code: equal, K: unix.PTRACE_TRACEME, Jt: 5},
		unix.SockFilter{Code: equal, K: unix.PTRACE_DETACH, Jt: 4},
		unix.SockFilter{Code: result, K: deny},
		unix.SockFilter{Code: equal, K: unix.SYS_CLONE, Jf: 2},
		unix.SockFilter{Code: load, K: first},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: spaces, Jt: 1},
		unix.SockFilter{Code: result, K: allow},
		unix.SockFilter{Code: result, K: deny},
	)
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// Without the flag, older kernels make every program under a filter slower.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return step(errno, "filtering calls of the system")
	}
	return nil
}
