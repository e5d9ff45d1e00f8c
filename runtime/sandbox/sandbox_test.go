package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Init()
	if len(os.Args) > 1 {
		if act, ok := roles[os.Args[1]]; ok {
			act()
		}
	}
	goleak.VerifyTestMain(m)
}

// roles maps a first argument to what this program does when a test starts it again with
// that argument.
var roles = map[string]func(){}

// trial returns, for each kind of sandbox, the reason why it is unavailable here. Each kind
// is tried once.
var trial = map[isolation]func() error{
	isolateNamespaces: sync.OnceValue(func() error { return probe(context.Background(), wallsOf(isolateNamespaces)) }),
	isolateBubblewrap: sync.OnceValue(func() error { return probe(context.Background(), wallsOf(isolateBubblewrap)) }),
	isolateLandlock:   sync.OnceValue(func() error { return probe(context.Background(), wallsOf(isolateLandlock)) }),
}

func wallsOf(k isolation) Sandbox {
	w := Sandbox{kind: k}
	if k == isolateBubblewrap {
		w.bwrap, _ = exec.LookPath("bwrap") // the trial fails if bwrap is missing
	}
	return w
}

// namespaces skips the test if namespaces are unavailable.
func namespaces(t testing.TB) Sandbox {
	t.Helper()
	if err := trial[isolateNamespaces](); err != nil {
		t.Skipf("namespaces are not to be had here: %v", err)
	}
	return wallsOf(isolateNamespaces)
}

// outside skips the test inside a sandbox, where a comparison with the outside would be
// meaningless.
func outside(t *testing.T) {
	t.Helper()
	if os.Getenv("EVOLVE_INSIDE") != "" {
		t.Skip("this is the inside of a sandbox")
	}
}

// each runs a test on every available kind of sandbox that has its own root.
func each(t *testing.T, test func(t *testing.T, w Sandbox)) {
	t.Helper()
	on(t, []isolation{isolateNamespaces, isolateBubblewrap}, test)
}

// every runs a test on every available kind of sandbox.
func every(t *testing.T, test func(t *testing.T, w Sandbox)) {
	t.Helper()
	on(t, []isolation{isolateNamespaces, isolateBubblewrap, isolateLandlock}, test)
}

func on(t *testing.T, kinds []isolation, test func(t *testing.T, w Sandbox)) {
	t.Helper()
	for _, k := range kinds {
		w := wallsOf(k)
		t.Run(w.Name(), func(t *testing.T) {
			if err := trial[k](); err != nil {
				t.Skipf("not to be had here: %v", err)
			}
			test(t, w)
		})
	}
}

// output runs a program until it ends and returns what it wrote to both outputs.
func output(t *testing.T, w Sandbox, s Spec) (string, Exit) {
	t.Helper()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s.Stdout, s.Stderr = out, out
	p, err := w.Start(t.Context(), s)
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, p.Kill).Stop()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), p.Wait()
}

func sh(dir, script string) Spec {
	return Spec{Argv: []string{"sh", "-c", script}, Dir: dir}
}

func TestDetect(t *testing.T) {
	w := Detect(t.Context())
	if (w.Err() == nil) == strings.HasPrefix(w.Name(), "none: ") {
		t.Errorf("name %q does not fit error %v", w.Name(), w.Err())
	}
	t.Logf("this machine has %s", w.Name())
}

// TestTry tests that Try returns the requested sandbox, or an error with a reason.
func TestTry(t *testing.T) {
	for _, name := range []string{"namespaces", "bubblewrap", "landlock"} {
		w, err := Try(t.Context(), name)
		if err == nil && w.Name() != name || err != nil && w.Err() == nil {
			t.Errorf("asked for %s: %s, %v", name, w.Name(), err)
		}
		places := w.WithPlaces()
		if err == nil && (places.Err() == nil) != (name != "landlock") {
			t.Errorf("%s: places %v", name, places.Err())
		}
	}
	if w, err := Try(t.Context(), "paper"); err == nil || w.Err() == nil {
		t.Errorf("there is a sandbox of paper: %s", w.Name())
	}
}

func TestWalls(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	each(t, func(t *testing.T, w Sandbox) {
		outside := t.TempDir()
		secret := filepath.Join(outside, "secret")
		if err := os.WriteFile(secret, []byte("hunter2"), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv("EVOLVE_TEST_SECRET", "hunter2")
		for name, c := range map[string]struct{ script, want string }{
			"no secret outside":       {"cat " + secret, "No such file"},
			"no folder outside":       {"ls " + outside, "No such file"},
			"own folder unwritable":   {"echo x > own", "Read-only file system"},
			"root unwritable":         {"mkdir /x || mkdir /etc/x", "Read-only file system"},
			"system unwritable":       {"touch /usr/bin/x", "Read-only file system"},
			"kernel unwritable":       {"echo x > /proc/sys/kernel/core_pattern", "Read-only file system"},
			"no remounting":           {"mount -o remount,rw,bind /usr 2>&1 || echo refused", "refused"},
			"no further namespaces":   {"unshare -Ur true 2>&1 || echo refused", "refused"},
			"workdir writable":        {"cd $WORK && echo x > f && cat f", "x\n"},
			"home private":            {"cd && ls -A && echo x > f && cat f", "x\n"},
			"tmp private":             {"cd $TMPDIR && echo x > f && cat f", "x\n"},
			"passwords":               {"cat /etc/shadow", "No such file"},
			"private keys":            {"ls /etc/ssl/private /etc/ssh", "No such file"},
			"devices":                 {"echo x > /dev/null; ls /dev | tr '\\n' ' '", "fd full null random shm stderr stdin stdout urandom zero"},
			"no capabilities":         {"grep -c 'Cap....\t0000000000000000$' /proc/self/status; grep NoNewPrivs /proc/self/status", "5\nNoNewPrivs:\t1\n"},
			"host's processes hidden": {"ls -d /proc/[0-9]* | wc -l", ""},
			"exit code":               {"exit 7", ""},
			"signal":                  {"kill -9 $$", ""},
		} {
			t.Run(name, func(t *testing.T) {
				dir, work := t.TempDir(), t.TempDir()
				s := sh(dir, c.script)
				s.Writable, s.Env = []string{work}, []string{"WORK=" + work}
				got, exit := output(t, w, s)
				if !strings.Contains(got, c.want) {
					t.Errorf("wrote %q, want %q in it", got, c.want)
				}
				switch name {
				case "exit code":
					if exit.Code != 7 {
						t.Errorf("ended with %+v", exit)
					}
				case "signal":
					if diff := cmp.Diff(Exit{Code: -1, Signal: 9}, exit); diff != "" {
						t.Error(diff)
					}
				case "host's processes hidden":
					var n int
					if _, err := fmt.Sscan(got, &n); err != nil || n > 6 {
						t.Errorf("sees %q processes", got)
					}
				}
			})
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("EVOLVE_TEST_SECRET", "hunter2")
	test := func(t *testing.T, w Sandbox) {
		s := Spec{Argv: []string{"env"}, Dir: t.TempDir(), Env: []string{"GIVEN=no", "PATH=/usr/bin:/bin:/given", "GIVEN=yes"}}
		got, _ := output(t, w, s)
		if !strings.Contains(got, "PATH=/usr/bin:/bin:/given\n") || !strings.Contains(got, "GIVEN=yes\n") {
			t.Errorf("what is given later does not count: %s", got)
		}
		var names []string
		for line := range strings.Lines(got) {
			name, _, _ := strings.Cut(line, "=")
			if name != "PWD" && name != mark { // one is set by bubblewrap, the other by this package
				names = append(names, name)
			}
		}
		if diff := cmp.Diff([]string{"PATH", "HOME", "TMPDIR", "LANG", "EVOLVE_INSIDE", "GIVEN"}, names); diff != "" {
			t.Error(diff)
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

func TestHidden(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		root := t.TempDir()
		own := filepath.Join(root, "agents", "a")
		for _, dir := range []string{own, filepath.Join(root, "suites")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte("here"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := sh(own, "cat f; ls "+root)
		s.ReadOnly, s.Hidden = []string{filepath.Dir(root)}, []string{root}
		if got, _ := output(t, w, s); got != "hereagents\n" {
			t.Errorf("sees %q", got)
		}
	})
}

func TestNetwork(t *testing.T) {
	outside(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	script := fmt.Sprintf(`
import socket
s = socket.socket(); s.settimeout(5)
try: s.connect(("127.0.0.1", %d)); print("host reached")
except OSError as e: print("host out of reach")
l = socket.socket(); l.bind(("127.0.0.1", 0)); l.listen()
c = socket.create_connection(l.getsockname(), 5); print("loopback up")
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try: u.connect(("192.0.2.1", 9)); print("route out")
except OSError as e: print("no route out")
`, listener.Addr().(*net.TCPAddr).Port)
	each(t, func(t *testing.T, w Sandbox) {
		for network, want := range map[bool]string{
			false: "host out of reach\nloopback up\nno route out\n",
			true:  "host reached\nloopback up\n",
		} {
			s := Spec{Argv: []string{"python3", "-c", script}, Dir: t.TempDir(), Network: network}
			if got, _ := output(t, w, s); !strings.HasPrefix(got, want) {
				t.Errorf("with network %t: %q", network, got)
			}
		}
	})
}

func TestInterpreters(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		for _, c := range []struct{ program, file, text string }{
			{"sh", "agent", "#!/bin/sh\necho works"},
			{"awk", "agent", "#!/usr/bin/env -S awk -f\nBEGIN { print \"works\" }"},
			{"python3", "agent.py", "#!/usr/bin/env python3\nimport json, ssl, sqlite3, ctypes, subprocess, multiprocessing\nprint('works')"},
			{"node", "agent.js", "#!/usr/bin/env node\nrequire('crypto'); console.log('works')"},
		} {
			t.Run(c.program, func(t *testing.T) {
				if _, err := exec.LookPath(c.program); err != nil {
					t.Skipf("no %s on this machine", c.program)
				}
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o755); err != nil {
					t.Fatal(err)
				}
				argv := [][]string{{"./" + c.file}}
				if c.program != "awk" {
					argv = append(argv, []string{c.program, c.file})
				}
				for _, a := range argv {
					if got, _ := output(t, w, Spec{Argv: a, Dir: dir}); got != "works\n" {
						t.Errorf("%q wrote %q", a, got)
					}
				}
			})
		}
	})
}

// TestKill starts a program whose grandchildren leave its session and hold its output, and
// kills the program. The output must close, which happens when the last grandchild is gone.
func TestKill(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this machine")
	}
	const script = `(setsid sh -c 'sleep 1000 & sleep 1000' & ) ; sh -c 'sleep 1000' & echo ready; `
	test := func(t *testing.T, w Sandbox) {
		for name, end := range map[string]string{"killed": "wait", "ends by itself": "exit 3"} {
			t.Run(name, func(t *testing.T) {
				r, out, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				s := sh(t.TempDir(), script+end)
				s.Stdout = out
				p, err := w.Start(t.Context(), s)
				out.Close()
				if err != nil {
					t.Fatal(err)
				}
				ready := make([]byte, 6)
				if _, err := io.ReadFull(r, ready); err != nil {
					t.Fatal(err)
				}
				if name == "killed" {
					p.Kill()
				}
				exit := p.Wait()
				if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
					t.Errorf("read %q, %v", rest, err)
				}
				want := Exit{Code: -1, Signal: 9, Reason: Killed}
				if name != "killed" {
					want = Exit{Code: 3}
				}
				if diff := cmp.Diff(want, exit); diff != "" {
					t.Error(diff)
				}
				p.Kill() // no longer has any effect
			})
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

func TestStartErrors(t *testing.T) {
	test := func(t *testing.T, w Sandbox) {
		dir := t.TempDir()
		write := func(name, text string, mode os.FileMode) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
				t.Fatal(err)
			}
		}
		write("plain", "x", 0o644)
		write("orphan", "#!/no/such/interpreter\n", 0o755)
		for name, want := range map[string]string{
			"./absent": "no such program", "no-such-program-anywhere": "no such program in PATH", "./plain": "not executable",
			"/usr": "is a folder", "./orphan": "no such file or directory",
		} {
			_, err := w.Start(t.Context(), Spec{Argv: []string{name}, Dir: dir})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q in it", name, err, want)
			}
		}
		if _, err := w.Start(t.Context(), Spec{Dir: dir}); err == nil {
			t.Error("starts nothing")
		}
		if _, err := w.Start(t.Context(), Spec{Argv: []string{"sh"}, Dir: "relative"}); err == nil {
			t.Error("starts in a relative folder")
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Start(done, Spec{Argv: []string{"sh"}, Dir: dir}); err == nil {
			t.Error("started without a caller")
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

func TestLimits(t *testing.T) {
	w := namespaces(t)
	s := sh(t.TempDir(), "ulimit -f; ulimit -c")
	s.Limits = Limits{FileSize: 1 << 20, Processes: 400}
	got, _ := output(t, w, s)
	if diff := cmp.Diff("2048\n0\n", got); diff != "" {
		t.Error(diff)
	}
	s = sh(t.TempDir(), "cat /proc/sys/kernel/pid_max; i=0; while [ $i -lt 500 ]; do sleep 1000 & i=$((i+1)); done; echo no end")
	s.Limits.Processes = 400
	got, _ = output(t, w, s)
	if first, rest, _ := strings.Cut(got, "\n"); first == "400" && strings.Contains(rest, "no end") {
		t.Errorf("more processes than the limit: %q", rest)
	} else if first != "400" {
		t.Log("this kernel has one limit of process numbers for all; it is older than Linux 6.14")
	}
}
