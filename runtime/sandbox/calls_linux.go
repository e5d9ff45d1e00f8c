package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architecture holds the numbers that are specific to one of the architectures on which
// system calls are filtered; on all other architectures, calls are not filtered. chmod
// and setrlimit are the numbers of these two calls, which some architectures lack; 0
// means that the call is missing.
type architecture struct {
	audit            uint32
	chmod, setrlimit uint32
}

var architectures = map[string]architecture{
	"amd64":   {unix.AUDIT_ARCH_X86_64, 90, 160},
	"arm64":   {unix.AUDIT_ARCH_AARCH64, 0, 164},
	"riscv64": {unix.AUDIT_ARCH_RISCV64, 0, 164},
	"ppc64le": {unix.AUDIT_ARCH_PPC64LE, 15, 75},
	"loong64": {unix.AUDIT_ARCH_LOONGARCH64, 0, 0},
}

// memfdSecret is the number of the call that creates memory that the counts in /proc do
// not include. It is the same on all architectures whose calls are filtered; package unix
// lacks the name on one of them.
const memfdSecret = 447

// withheld are the system calls that fail with ENOSYS inside, as they would on a kernel
// that lacks them: calls that reach into other processes, keys and hidden memory, and parts
// of the kernel that have a long record of vulnerabilities and that builds, tests and
// agents do not need.
var withheld = []uint32{
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, memfdSecret,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SYSLOG, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_CLONE3, // a filter cannot read this call's flags; libraries fall back to clone
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
}

// families are the socket families that are allowed inside, because network namespaces
// isolate them. Other families, such as those that reach the host of a virtual machine,
// bypass the namespaces or are as risky as the withheld calls.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// The results that the filter can return for a call. The low half of a result holds an
// errno. With errno 0, a call has no effect but appears to succeed.
const (
	allow = 0x7fff0000 // SECCOMP_RET_ALLOW
	errno = 0x00050000 // SECCOMP_RET_ERRNO
	deny  = errno | uint32(unix.ENOSYS)
)

// Instructions of a filter.
const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	least  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	result = unix.BPF_RET | unix.BPF_K
)

// The offsets of the call's number and of the architecture in a filter's data.
const number, arch = 0, 4

// argument returns the offset of the low half of the call's n-th argument, counted from
// 0. All architectures whose calls are filtered are little-endian, so the high half
// follows 4 bytes later.
func argument(n uint32) uint32 { return 16 + 8*n }

// filterCalls irrevocably installs the filter for this thread and its descendants. Every
// call made through the interface of another architecture, such as a 32-bit one, is denied.
// If sockets is set, the creation of sockets is denied too.
func filterCalls(sockets bool) error {
	machine, ok := architectures[runtime.GOARCH]
	if !ok {
		return nil
	}
	code := machine.filter(sockets)
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// Without this flag, older kernels slow down every program that runs under a filter.
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&program)))
	if failed != 0 {
		return step(failed, "filtering system calls")
	}
	return nil
}

// filter returns the instructions that decide on each call.
func (a architecture) filter(sockets bool) []unix.SockFilter {
	code := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, K: a.audit, Jt: 1},
		{Code: result, K: deny},
		{Code: load, K: number},
	}
	if a.audit == unix.AUDIT_ARCH_X86_64 { // x32 ABI calls have numbers from here on
		code = append(code, unix.SockFilter{Code: least, K: 0x40000000, Jf: 1}, unix.SockFilter{Code: result, K: deny})
	}
	// on adds the instructions for one system call. They must return a result on every
	// path.
	on := func(call uint32, then ...unix.SockFilter) {
		if call != 0 {
			code = append(append(code, unix.SockFilter{Code: equal, K: call, Jf: uint8(len(then))}), then...)
		}
	}
	for _, c := range withheld {
		on(c, unix.SockFilter{Code: result, K: deny})
	}
	if sockets {
		on(unix.SYS_SOCKET, unix.SockFilter{Code: result, K: deny})
	}
	for _, c := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		on(c, among(0, families, errno|uint32(unix.EAFNOSUPPORT))...)
	}
	// Of the ptrace requests, only those that this package needs to start a program are
	// allowed: a process may ask its parent to trace it, and the parent may detach.
	on(unix.SYS_PTRACE, among(0, []uint32{unix.PTRACE_TRACEME, unix.PTRACE_DETACH}, deny)...)
	// clone is allowed without flags that create namespaces.
	const spaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	on(unix.SYS_CLONE, unless(anyBit, 0, spaces, deny)...)
	// A set-uid program in a folder of the host would lend the user's rights to anyone who
	// runs it there. Creating a file with the set-uid bit need not be filtered, because the
	// bit is cleared when the first byte is written.
	for _, c := range []struct{ call, mode uint32 }{{a.chmod, 1}, {unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}} {
		on(c.call, unless(anyBit, c.mode, unix.S_ISUID|unix.S_ISGID, errno|uint32(unix.EPERM))...)
	}
	// The core dump limit stays as noDumps set it; reading it is allowed.
	on(a.setrlimit, unless(equal, 0, unix.RLIMIT_CORE, errno)...)
	on(
		unix.SYS_PRLIMIT64,
		unix.SockFilter{Code: load, K: argument(1)},
		unix.SockFilter{Code: equal, K: unix.RLIMIT_CORE, Jf: 4},
		unix.SockFilter{Code: load, K: argument(2)},
		unix.SockFilter{Code: equal, K: 0, Jf: 3},
		unix.SockFilter{Code: load, K: argument(2) + 4},
		unix.SockFilter{Code: equal, K: 0, Jf: 1},
		unix.SockFilter{Code: result, K: allow},
		unix.SockFilter{Code: result, K: errno},
	)
	return append(code, unix.SockFilter{Code: result, K: allow})
}

// among allows only the listed values of the n-th argument; for all other values, the
// filter returns the given result (otherwise).
func among(n uint32, values []uint32, otherwise uint32) []unix.SockFilter {
	code := []unix.SockFilter{{Code: load, K: argument(n)}}
	for i, v := range values {
		code = append(code, unix.SockFilter{Code: equal, K: v, Jt: uint8(len(values) - i)})
	}
	return append(code, unix.SockFilter{Code: result, K: otherwise}, unix.SockFilter{Code: result, K: allow})
}

// unless allows a call if a test of the n-th argument fails; if the test succeeds, the
// result is the value of otherwise. The test is equal (the argument equals value) or
// anyBit (the argument has any bit of value set).
func unless(test uint16, n, value, otherwise uint32) []unix.SockFilter {
	return []unix.SockFilter{
		{Code: load, K: argument(n)},
		{Code: test, K: value, Jf: 1},
		{Code: result, K: otherwise},
		{Code: result, K: allow},
	}
}
