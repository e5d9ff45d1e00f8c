//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestTerminal gives a program a terminal as its input. The program must be able neither
// to push input into the terminal nor to make the terminal its controlling terminal. A
// program in the terminal's session can do both.
func TestTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals to be had: %v", err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// One session owns the terminal, as a user's shell does, for as long as the test lasts.
	holder := exec.Command(self, "terminal", "hold")
	holder.Stdin, holder.SysProcAttr = slave, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := holder.Process.Kill(); err != nil {
			t.Error(err)
		}
		holder.Wait()
	}()
	said := make([]byte, 100)
	k, err := out.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("in the terminal's own session: %s", said[:k])
	every(t, func(t *testing.T, w Sandbox) {
		got, _ := output(t, w, Spec{Argv: []string{self, "terminal", "try"}, Dir: "/usr", ReadOnly: []string{self}, Stdin: slave})
		if got != "push: refused, take: refused\n" {
			t.Error(got)
		}
	})
}

func init() {
	roles["terminal"] = func() {
		outcome := func(errno syscall.Errno) string {
			if errno == 0 {
				return "succeeded"
			}
			return "refused"
		}
		c := byte('x')
		_, _, pushed := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		if os.Args[2] == "hold" {
			fmt.Printf("push: %s", outcome(pushed))
			forever()
		}
		_, _, taken := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSCTTY, 0)
		fmt.Printf("push: %s, take: %s\n", outcome(pushed), outcome(taken))
		os.Exit(0)
	}
}
