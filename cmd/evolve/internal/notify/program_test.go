//go:build unix

package notify

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgram starts a real program and checks what it is given.
func TestProgram(t *testing.T) {
	t.Setenv("EVOLVE_TEST_SECRET", "not for programs")
	dir := t.TempDir()
	p := Program{Argv: []string{"sh", "-c", `cat >got; env >env; pwd >where; echo said`}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "NAMED=yes"}}
	if err := p.Send(t.Context(), awaited()); err != nil {
		t.Fatal(err)
	}
	var m Message
	raw, err := os.ReadFile(filepath.Join(dir, "got"))
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	if err != nil || m.ID != "msg_1" || len(m.Events) != 2 {
		t.Errorf("it was given %s, %v", raw, err)
	}
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil || strings.Contains(string(env), "SECRET") || !strings.Contains(string(env), "NAMED=yes") {
		t.Errorf("its environment is %s, %v", env, err)
	}
	for _, c := range []struct{ script, want string }{
		{`cat >/dev/null; printf 'a\033[31m\nb' >&2; exit 3`, `exit status 3: a\x1b[31m b`},
		{`exec <&-; exit 0`, ""}, // a program need not read its input
		{`head -c 300000 /dev/zero; exit 1`, "exit status 1"},
	} {
		p.Argv[2] = c.script
		err := p.Send(t.Context(), awaited())
		if (err == nil) != (c.want == "") || err != nil && (!strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 8*programOutput) {
			t.Errorf("%s: %.200v, want %q", c.script, err, c.want)
		}
	}
}

// TestProgramStopped checks that a program that does not end is killed, together with the
// processes it started.
func TestProgramStopped(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the test")
	ended := make(chan error, 1)
	p := Program{Argv: []string{"sh", "-c", `exec >pipe; sleep 1000 & echo ready; wait`}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}
	go func() { ended <- p.Send(ctx, awaited()) }()
	f, err := os.Open(pipe) // once the program has opened it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if line, err := in.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	cancel(stopped)
	if _, err := io.ReadAll(in); err != nil { // until no process has it open
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
	p.Argv[2], p.Time = "sleep 1000", 50*time.Millisecond
	if err := p.Send(t.Context(), awaited()); err == nil || err.Error() != "it did not finish within 50ms and was stopped" {
		t.Errorf("got %v", err)
	}
}
