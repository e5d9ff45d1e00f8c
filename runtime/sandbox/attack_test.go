package sandbox

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// attacks is a program that tries what a shell cannot and prints what succeeded.
// Nothing in it would harm a machine whose walls were down.
const attacks = `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        if act(): print("succeeded:", name)
    except OSError: pass
attempt("read the first process's memory", lambda: open("/proc/1/mem", "rb"))
attempt("read the first process's environment", lambda: open("/proc/1/environ", "rb").read())
attempt("see through the first process's root", lambda: os.listdir("/proc/1/root/"))
for thread in range(1, 20):
    attempt("trace thread %d of the first process" % thread, lambda: thread != os.getpid() and libc.ptrace(16, thread, 0, 0) == 0)
attempt("take namespaces", lambda: libc.unshare(0x10000000) == 0)
attempt("take a mount namespace", lambda: libc.unshare(0x20000) == 0)
attempt("mount", lambda: libc.mount(b"none", b"/home/evolve", b"tmpfs", 0, None) == 0)
attempt("unmount", lambda: libc.umount2(b"/home/evolve", 2) == 0)
attempt("remount", lambda: libc.mount(None, b"/usr", None, 0x1020, None) == 0)
attempt("change the root", lambda: libc.chroot(b"/") == 0)
attempt("make a device", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)) is None)
attempt("become another", lambda: os.setuid(os.getuid() + 1) is None)
attempt("set the host's name", lambda: libc.sethostname(b"evolve", 6) == 0)
attempt("write a kernel setting", lambda: open("/proc/sys/kernel/core_pattern", "w"))
attempt("trigger the kernel", lambda: open("/proc/sysrq-trigger", "w"))
attempt("open a raw socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("end the first process", lambda: os.kill(1, 9) or not os.path.exists("/proc/1"))
attempt("inherit descriptors", lambda: [fd for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and not os.readlink("/proc/self/fd/" + fd).endswith("/fd")])
print("tried")
`

func TestAttacks(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	got, exit := output(t, namespaces(t), Spec{Argv: []string{"python3", "-c", attacks}, Dir: t.TempDir()})
	if diff := cmp.Diff("tried\n", got); diff != "" || exit.Code != 0 {
		t.Errorf("%+v\n%s", exit, diff)
	}
}
