//go:build linux

package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	roles["bomb"] = bomb
}

// hold is the amount of memory that a bomb takes, in bytes.
const hold = 192 << 20

// forever waits until the process is killed. A single call of pause is not enough,
// because pause returns at any signal, and Go's scheduler sends signals to its own
// threads.
func forever() {
	for {
		_ = unix.Pause()
	}
}

// bomb takes too much of a resource in the way that its argument names. It prints "held" if
// nothing stopped it, unless a further argument makes it stay.
func bomb() {
	sh := func(script string) {
		cmd := exec.Command("sh", "-c", script)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
		}
	}
	mapped := func(flags, fd int) {
		m, err := unix.Mmap(fd, 0, hold, unix.PROT_READ|unix.PROT_WRITE, flags)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		for i := 0; i < len(m); i += 4096 {
			m[i] = 1
		}
	}
	children := func(n int, role string) {
		for range n {
			cmd := exec.Command("/proc/self/exe", "bomb", role)
			cmd.Stdout = os.Stdout
			if err := cmd.Start(); err != nil {
				fmt.Println(err)
			}
			defer cmd.Wait()
		}
	}
	switch os.Args[2] {
	case "private":
		mapped(unix.MAP_PRIVATE|unix.MAP_ANON, -1)
	case "shared":
		mapped(unix.MAP_SHARED|unix.MAP_ANON, -1)
	case "closed to looks":
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			os.Exit(1)
		}
		mapped(unix.MAP_PRIVATE|unix.MAP_ANON, -1)
	case "files":
		sh(fmt.Sprintf("head -c %d /dev/zero > $HOME/f; head -c %d /dev/zero > /dev/shm/f", hold/2, hold/2))
	case "empty files":
		for i := range hold / 3 / inode {
			if err := unix.Mknod(fmt.Sprintf("%s/%d", os.Getenv("HOME"), i), unix.S_IFREG|0o600, 0); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	case "a segment left behind":
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, hold, unix.IPC_CREAT|0o600)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		m, err := unix.SysvShmAttach(id, 0, 0)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		for i := 0; i < len(m); i += 4096 {
			m[i] = 1
		}
		if err := unix.SysvShmDetach(m); err != nil {
			os.Exit(1)
		}
	case "children":
		children(6, "a sixth")
	case "a sixth":
		m := make([]byte, hold/6)
		for i := 0; i < len(m); i += 4096 {
			m[i] = 1
		}
		if os.Getppid() == 1 {
			return
		}
		forever()
	case "many see one file":
		f, err := os.Create(os.Getenv("HOME") + "/shared")
		if err != nil || f.Truncate(hold) != nil {
			os.Exit(1)
		}
		mapped(unix.MAP_SHARED, int(f.Fd()))
		children(3, "another view")
	case "another view":
		f, err := os.OpenFile(os.Getenv("HOME")+"/shared", os.O_RDWR, 0)
		if err != nil {
			os.Exit(1)
		}
		mapped(unix.MAP_SHARED, int(f.Fd()))
		fmt.Print("seen ")
		os.Exit(0)
	case "signals":
		for s := syscall.Signal(1); s < 65; s++ {
			// These three signals are used by thread libraries. No Go program can catch
			// them, and the kernel does not deliver them to a first process unless it is
			// about to start a thread. The sender may end its own sandbox, and itself with
			// it.
			if s < 32 || s > 34 {
				_ = syscall.Kill(1, s)
			}
		}
	}
	if len(os.Args) > 3 { // until the watch ends it
		forever()
	}
	fmt.Println("held")
	os.Exit(0)
}

// TestBombs tests that a program that exceeds a limit is ended and the reason is
// reported, and that a program within its limits is left unchanged.
func TestBombs(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const little, much = hold / 2, 4 * hold
	for _, c := range []struct {
		name   string
		limits Limits
		want   Reason
	}{
		{"private", Limits{Total: little}, OverMemory},
		{"shared", Limits{Total: little}, OverMemory},
		{"closed to looks", Limits{Total: little}, OverMemory},
		{"files", Limits{Total: little}, OverMemory},
		{"children", Limits{Total: little}, OverMemory},
		{"empty files", Limits{Total: hold / 5}, OverMemory},
		{"a segment left behind", Limits{Total: little}, OverMemory},
		{"private", Limits{Total: much}, Own},
		{"files", Limits{Total: much}, Own},
		{"many see one file", Limits{Total: much}, Own},
		{"signals", Limits{}, Own},
	} {
		each(t, func(t *testing.T, w Sandbox) {
			t.Parallel()
			argv := []string{self, "bomb", c.name}
			if c.want != Own {
				argv = append(argv, "stay")
			}
			exit, out, err := w.Run(t.Context(), Spec{Argv: argv, Dir: "/usr", ReadOnly: []string{self}, Limits: c.limits}, nil, 1000)
			held := strings.HasSuffix(string(out.Stdout), "held\n")
			if err != nil || exit.Reason != c.want || held != (c.want == Own) || held != (exit.Code == 0) {
				t.Errorf("%s with %+v: %+v, %q, %v", c.name, c.limits, exit, out.Stdout, err)
			}
		})
	}
}

// TestForkBomb tests that a program cannot exceed its maximum number of processes: further
// processes are refused, or the program is ended.
func TestForkBomb(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		s := sh(t.TempDir(), "while :; do sleep 1000 & done")
		s.Limits.Processes = 400
		exit, _, err := w.Run(t.Context(), s, nil, 1000)
		if err != nil || exit.Code == 0 || exit.Reason != Own && exit.Reason != OverProcesses {
			t.Errorf("%+v, %v", exit, err)
		}
		t.Logf("%+v", exit)
	})
}

// TestBusyForkBomb kills a program whose processes continually start others and never wait.
// When Wait returns, none of these processes is left.
func TestBusyForkBomb(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		s := sh(t.TempDir(), "grow() { grow & grow & while :; do :; done; }; grow & echo grown; grow")
		s.Limits.Processes = ProcessLimit()
		p, pipes, err := w.StartPiped(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer pipes.Close()
		line := make([]byte, len("grown\n"))
		if _, err := io.ReadFull(pipes.Out, line); err != nil {
			t.Fatal(err)
		}
		p.Kill()
		if exit := p.Wait(); exit.Reason != Killed && exit.Reason != OverProcesses {
			t.Errorf("%+v", exit)
		}
		// The last of the processes held the other end of the pipe.
		if rest, err := io.ReadAll(pipes.Out); err != nil || len(rest) > 0 {
			t.Errorf("after the end: %q, %v", rest, err)
		}
	})
}

// TestScratch tests that private folders cannot exceed their size limit.
func TestScratch(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		s := sh(t.TempDir(), "for d in $HOME $TMPDIR; do cd $d && head -c 2000000 /dev/zero > f 2>/dev/null || wc -c < f; done")
		s.Limits.Scratch = 1 << 20
		if got, _ := output(t, w, s); got != "1048576\n1048576\n" {
			t.Errorf("wrote %q", got)
		}
	})
}

// TestRoot tests that the root shows a program only the documented entries.
func TestRoot(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		allowed := append([]string{"/dev", "/etc", "/home", "/proc", "/tmp"}, system...)
		got, _ := output(t, w, Spec{Argv: []string{"sh", "-c", "ls -d /* /home/* /tmp/*"}, Dir: "/usr"})
		for line := range strings.Lines(got) {
			path := strings.TrimSpace(line)
			if !slices.Contains(allowed, path) && !strings.HasSuffix(path, "'/tmp/*': No such file or directory") && path != homeFolder && path != "/nix" && path != "/gnu" {
				t.Errorf("there is %s", path)
			}
		}
		if !strings.Contains(got, "/usr\n") {
			t.Errorf("sees %q", got)
		}
	})
}
