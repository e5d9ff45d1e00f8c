//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

func init() {
	// The guardian starts a sandboxed program, prints a line, and waits.
	roles["guardian"] = func() {
		kind := isolateNamespaces
		if os.Args[2] == wallsOf(isolateBubblewrap).Name() {
			kind = isolateBubblewrap
		}
		w := wallsOf(kind)
		fmt.Print("try ")
		s := Spec{Argv: []string{"sh", "-c", "setsid sleep 1000 & echo started; sleep 1000"}, Dir: "/usr", Stdout: os.Stdout, Stderr: os.Stderr}
		if _, err := w.Start(context.Background(), s); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		sit()
	}
}

// TestParentKilled uses SIGKILL to kill the process that started a program, before, while
// and after the program starts. All descendants of that process must end too.
func TestParentKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test := func(t *testing.T, w Sandbox) {
		const early, late = len("try "), len("try started\n")
		for until, rounds := range map[int]int{early: 3, late: 1} {
			if until == early && w.kind == isolateBubblewrap {
				continue // if killed while it builds the sandbox, it leaves behind a child that waits for it
			}
			for round := range rounds {
				r, out, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(self, "guardian", w.Name())
				cmd.Stdout, cmd.Stderr = out, out
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				out.Close()
				said := make([]byte, until)
				if _, err := io.ReadFull(r, said); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				for range round * 2000 { // later in every round
					_ = os.Getppid()
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				in.Close()
				if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
					t.Fatal(err)
				}
				// The pipe closes when its last holder ends.
				if rest, err := io.ReadAll(r); err != nil {
					t.Errorf("killed after %q, round %d: a process is left: %v, %q", said, round, err, rest)
				}
				r.Close()
			}
		}
	}
	each(t, test)
}
