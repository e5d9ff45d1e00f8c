//go:build linux

package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// hunter is the secret that the attacks try to read. It is in a victim's environment and
// memory, in a file, behind sockets, in the user's kernel keys and in a descriptor that was
// left open.
const hunter = "hunter2-in-plain-sight"

// bait holds the locations of the secret.
type bait struct {
	victim                    int    // a process outside
	file, socket, name, port  string // name is the name of an abstract socket
	key                       string
	victimMemory, victimBytes string // the hexadecimal address of the secret in the victim's memory, and its length
}

// attack is one way to reach or disturb the system outside the sandbox. It returns nil if
// it succeeded. None of the attacks would harm a machine without isolation.
type attack struct {
	name string
	// outside states when the attack succeeds without isolation: always, only for the
	// superuser, or depending on the machine's settings. An attack marked never would
	// change the machine and is not tried outside.
	outside string
	try     func(b bait) error
}

const (
	always    = "always"
	superuser = "superuser"
	tracer    = "tracer" // if processes may trace others that are not their descendants
	perhaps   = "perhaps"
	never     = "never"
)

// attacks are tried in this order by a single process.
var attacks = append([]attack{
	{"read the file", always, func(b bait) error { return holds(os.ReadFile(b.file)) }},
	{"learn the size of the file", always, func(b bait) error { _, err := os.Stat(b.file); return err }},
	{"list its folder", always, func(b bait) error { _, err := os.ReadDir(filepath.Dir(b.file)); return err }},
	{"write beside it", always, func(b bait) error { return os.WriteFile(b.file+".new", nil, 0o600) }},
	{"connect to a socket beside it", always, func(b bait) error { return dial("unix", b.socket) }},
	{"connect to an abstract socket", always, func(b bait) error { return dial("unix", b.name) }},
	{"connect to the host's loopback", always, func(b bait) error { return dial("tcp", b.port) }},
	{"find a way to the cloud's metadata", perhaps, func(bait) error { return dial("udp", "169.254.169.254:80") }},
	{"read the victim's environment", always, func(b bait) error { return holds(os.ReadFile(proc(b.victim, "environ"))) }},
	{"read the victim's command line", always, func(b bait) error { _, err := os.ReadFile(proc(b.victim, "cmdline")); return err }},
	{"read any process's environment", always, func(bait) error { return search("environ", "") }},
	{"go through any process's root", always, func(b bait) error { return search("root", b.file) }},
	{"go through any process's folder", always, func(b bait) error { return search("cwd", filepath.Base(b.file)) }},
	{"read the victim's memory", tracer, func(b bait) error { return peek(b, proc(b.victim, "mem")) }},
	{"read the victim's memory by a call", tracer, readVictim},
	{"trace the victim", tracer, func(b bait) error { return trace(b.victim) }},
	{"signal the victim", always, func(b bait) error { return unix.Kill(b.victim, unix.SIGCONT) }},
	{"take a descriptor of the victim's", tracer, takeDescriptor},
	{"use a descriptor left open", always, leftOpen},
	{"read the user's keys", perhaps, readKey},
	{"trace a process of one's own", perhaps, traceChild},
	{"make a user namespace", perhaps, func(bait) error { return begin(unix.CLONE_NEWUSER) }},
	{"make a user and a mount namespace", perhaps, func(bait) error { return begin(unix.CLONE_NEWUSER | unix.CLONE_NEWNS) }},
	{"leave for a mount namespace", superuser, func(bait) error { return begin(unix.CLONE_NEWNS) }},
	{"join the victim's namespaces", superuser, joinVictim},
	{"change the root", superuser, func(bait) error { return begin(0, "/") }},
	{"open a raw socket", superuser, func(bait) error { return descriptor(unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)) }},
	{"measure the kernel", perhaps, func(bait) error {
		return descriptor(unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}, 0, -1, -1, 0))
	}},
	{"open a ring", perhaps, func(bait) error {
		var params [120]byte
		return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	}},
	{"handle page faults", perhaps, func(bait) error { return call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0) }},
	{"load into the kernel", perhaps, func(bait) error {
		var attr [128]byte
		return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 128)
	}},
	{"read the kernel's log", perhaps, func(bait) error { _, err := unix.Klogctl(unix.SYSLOG_ACTION_SIZE_BUFFER, nil); return err }},
	{"write a kernel setting", superuser, opens("/proc/sys/kernel/core_pattern", os.O_WRONLY)},
	{"write to a setting of its own process", always, opens("/proc/self/oom_score_adj", os.O_WRONLY)},
	{"write its own memory through /proc", always, opens("/proc/self/mem", os.O_RDWR)},
	{"trigger the kernel", perhaps, opens("/proc/sysrq-trigger", os.O_WRONLY)},
	{"open the machine's memory", perhaps, func(bait) error {
		text := make([]byte, 1)
		f, err := os.Open("/proc/kcore")
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.Read(text)
		return err
	}},
	{"open the terminal", perhaps, opens("/dev/tty", os.O_RDWR)},
	{"gain rights from a set-uid program", always, func(bait) error {
		if v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || v == 1 {
			return errors.New("no new rights")
		}
		return nil
	}},
	{"have a capability", superuser, capable},
	{"write to the system's folders", superuser, opens("/usr/bin/env", os.O_WRONLY)},
	{"mount", never, func(bait) error { return unix.Mount("none", "/home", "tmpfs", 0, "") }},
	{"mount over its own home", never, func(bait) error { return unix.Mount("none", os.Getenv("HOME"), "tmpfs", 0, "") }},
	{"remount the system writable", never, func(bait) error { return unix.Mount("", "/usr", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
	{"unmount /proc", never, func(bait) error { return unix.Unmount("/proc", unix.MNT_DETACH) }},
	{"mount by the newer calls", never, func(bait) error { return descriptor(unix.Fsopen("tmpfs", 0)) }},
	{"clone a mount", never, func(bait) error { return descriptor(unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)) }},
	{"make a device", never, func(bait) error {
		return unix.Mknod(os.Getenv("TMPDIR")+"/disk", unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0)))
	}},
	{"become another user", never, func(bait) error { return unix.Setresuid(os.Getuid()+1, -1, -1) }},
	{"name the host", never, func(bait) error { return unix.Sethostname([]byte("evolve")) }},
	{"set the clock", never, func(bait) error { return unix.ClockSettime(unix.CLOCK_REALTIME, &unix.Timespec{Sec: 1 << 30}) }},
	{"raise a limit", never, func(bait) error {
		l := unix.Rlimit{Cur: 1, Max: 1}
		return errors.Join(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{}), unix.Setrlimit(unix.RLIMIT_FSIZE, &l))
	}},
}, subtler...)

func init() {
	roles["attack"], roles["victim"], roles["sit"] = attacker, victim, sit
}

func proc(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

var errNothing = errors.New("the secret is not there")

// holds returns nil if the text contains the secret.
func holds(text []byte, err error) error {
	if err == nil && !bytes.Contains(text, []byte(hunter)) {
		return errNothing
	}
	return err
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	return c.Close()
}

func opens(path string, flag int) func(bait) error {
	return func(bait) error {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
}

// search looks for the secret in a file below /proc for every process except this one.
func search(name, below string) error {
	pids, err := processNumbers()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if pid != os.Getpid() && holds(os.ReadFile(filepath.Join(proc(pid, name), below))) == nil {
			return nil
		}
	}
	return errNothing
}

// peek reads the secret from the victim's memory.
func peek(b bait, path string) error {
	var at, length int64
	if _, err := fmt.Sscanf(b.victimMemory+" "+b.victimBytes, "%x %d", &at, &length); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text := make([]byte, length)
	_, err = f.ReadAt(text, at)
	return holds(text, err)
}

func readVictim(b bait) error {
	var at, length int
	if _, err := fmt.Sscanf(b.victimMemory+" "+b.victimBytes, "%x %d", &at, &length); err != nil {
		return err
	}
	text := make([]byte, length)
	local := []unix.Iovec{{Base: &text[0]}}
	local[0].SetLen(length)
	_, err := unix.ProcessVMReadv(b.victim, local, []unix.RemoteIovec{{Base: uintptr(at), Len: length}}, 0)
	return holds(text, err)
}

// trace attaches to a process without stopping it. The attachment lasts until the calling
// process ends.
func trace(pid int) error {
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func traceChild(bait) error {
	cmd := exec.Command("/proc/self/exe", "sit")
	out, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = trace(cmd.Process.Pid)
	return errors.Join(err, out.Close(), cmd.Process.Kill(), ignore(cmd.Wait()))
}

func ignore(error) error { return nil }

func takeDescriptor(b bait) error {
	fd, err := unix.PidfdOpen(b.victim, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return descriptor(unix.PidfdGetfd(fd, 0, 0))
}

func descriptor(fd int, err error) error {
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func call(number, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(number, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// leftOpen looks for the secret in descriptors that were inherited by mistake.
func leftOpen(bait) error {
	for fd := 3; fd < 256; fd++ {
		text := make([]byte, 100)
		if n, err := unix.Pread(fd, text, 0); err == nil && holds(text[:n], nil) == nil {
			return nil
		}
	}
	return errNothing
}

func readKey(b bait) error {
	id, err := unix.KeyctlSearch(unix.KEY_SPEC_USER_SESSION_KEYRING, "user", b.key, 0)
	if err != nil {
		return err
	}
	text := make([]byte, 100)
	n, err := unix.KeyctlBuffer(unix.KEYCTL_READ, id, text, 0)
	return holds(text[:max(n, 0)], err)
}

// begin starts a process that ends immediately, with some flags or in another root.
func begin(flags uintptr, root ...string) error {
	attr := &syscall.SysProcAttr{Cloneflags: flags}
	if len(root) > 0 {
		attr.Chroot = root[0]
	}
	cmd := exec.Command("/proc/self/exe", probeName)
	cmd.SysProcAttr = attr
	return cmd.Run()
}

func joinVictim(b bait) error {
	f, err := os.Open(proc(b.victim, "ns/uts"))
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), 0)
}

func capable(bait) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return err
	}
	if have[0].Effective|have[0].Permitted|have[0].Inheritable|have[1].Effective|have[1].Permitted == 0 {
		return errors.New("none")
	}
	return nil
}

// attacker runs the attacks in this process. For each attack it prints one line with
// "succeeded" or the reason for the failure.
func attacker() {
	var b bait
	if _, err := fmt.Sscan(os.Args[2], &b.victim); err != nil {
		os.Exit(2)
	}
	b.file, b.socket, b.name, b.port, b.key, b.victimMemory, b.victimBytes = os.Args[3], os.Args[4], os.Args[5], os.Args[6], os.Args[7], os.Args[8], os.Args[9]
	for _, a := range attacks {
		if a.outside == never && os.Getenv("EVOLVE_INSIDE") == "" {
			continue
		}
		outcome := "succeeded"
		if err := a.try(b); err != nil {
			outcome = err.Error()
		}
		fmt.Printf("%s: %s\n", a.name, strings.ReplaceAll(outcome, "\n", " "))
	}
	os.Exit(0)
}

// victim is the process that is attacked. It prints the address and length of the secret in
// its memory, and waits until its input ends.
func victim() {
	secret := []byte(os.Getenv("VICTIM"))
	fmt.Printf("%x %d\n", uintptr(unsafe.Pointer(&secret[0])), len(secret))
	sit()
	os.Stderr.Write(secret[:0]) // keeps the secret in use until here
}

// sit waits until the input ends.
func sit() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// lay places the secret at the locations of the bait. It skips the test inside a sandbox.
func lay(t *testing.T) bait {
	t.Helper()
	outside(t)
	dir := t.TempDir()
	b := bait{file: filepath.Join(dir, "secret"), socket: filepath.Join(dir, "agent.sock"), name: "@evolve-test-" + filepath.Base(t.Name()) + fmt.Sprint(os.Getpid()), key: "evolve-test-" + fmt.Sprint(os.Getpid())}
	if err := os.WriteFile(b.file, []byte(hunter), 0o600); err != nil {
		t.Fatal(err)
	}
	for network, address := range map[string]string{"unix": b.socket, "unix ": b.name, "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(strings.TrimSpace(network), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if network == "tcp" {
			b.port = l.Addr().String()
		}
	}
	f, err := os.Open(b.file)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(f.Fd())) // opened without close-on-exec, as by a careless parent process
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd); f.Close() })
	if id, err := unix.AddKey("user", b.key, []byte(hunter), unix.KEY_SPEC_USER_SESSION_KEYRING); err == nil {
		t.Cleanup(func() {
			if _, err := unix.KeyctlInt(unix.KEYCTL_UNLINK, id, unix.KEY_SPEC_USER_SESSION_KEYRING, 0, 0); err != nil {
				t.Error(err)
			}
		})
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	v := exec.Command(self, "victim")
	v.Dir, v.Env = dir, []string{"VICTIM=" + hunter}
	in, err := v.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); v.Wait() })
	b.victim = v.Process.Pid
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &b.victimMemory, &b.victimBytes); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b bait) argv(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "attack", fmt.Sprint(b.victim), b.file, b.socket, b.name, b.port, b.key, b.victimMemory, b.victimBytes}
}

// outcomes returns the printed outcomes, keyed by attack.
func outcomes(t *testing.T, text string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(text) {
		name, outcome, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Errorf("line %q", line)
		}
		got[name] = outcome
	}
	return got
}

// The map open lists the attacks that, according to doc.go, are not stopped.
var open = map[isolation][]string{
	isolateLandlock: {"learn the size of the file", "read the victim's command line", "change the mode of the file", "change the times of the file"},
}

// mayTrace reports whether a process may trace any other process of its user.
func mayTrace() bool {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return err != nil || strings.TrimSpace(string(scope)) == "0" || os.Getuid() == 0
}

// TestAttacks tests that no attack succeeds inside the sandbox, and that an attack
// succeeds outside it if its field outside requires that. If such an attack failed there,
// the test would be meaningless.
func TestAttacks(t *testing.T) {
	b := lay(t)
	argv := b.argv(t)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"TMPDIR=" + t.TempDir()}
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("outside: %v\n%s", err, text)
	}
	outside := outcomes(t, string(text))
	for _, a := range attacks {
		must := a.outside == always || a.outside == superuser && os.Getuid() == 0 || a.outside == tracer && mayTrace()
		if must && outside[a.name] != "succeeded" {
			t.Errorf("outside: %s: %s", a.name, outside[a.name])
		}
		if a.outside == perhaps {
			t.Logf("outside: %s: %s", a.name, outside[a.name])
		}
	}
	every(t, func(t *testing.T, w Sandbox) {
		exit, out, err := w.Run(t.Context(), Spec{Argv: argv, Dir: "/usr", ReadOnly: argv[:1]}, nil, 1<<20)
		if err != nil || exit.Code != 0 || len(out.Stderr) > 0 {
			t.Fatalf("%+v, %v: %s", exit, err, out.Stderr)
		}
		inside := outcomes(t, string(out.Stdout))
		var succeeded []string
		for _, a := range attacks {
			outcome, tried := inside[a.name]
			if !tried {
				t.Errorf("%s was not tried", a.name)
			}
			if outcome == "succeeded" {
				succeeded = append(succeeded, a.name)
			}
			t.Logf("%s: %s", a.name, outcome)
		}
		if diff := cmp.Diff(open[w.kind], succeeded); diff != "" {
			t.Errorf("what succeeds (-known +now):\n%s", diff)
		}
	})
}
