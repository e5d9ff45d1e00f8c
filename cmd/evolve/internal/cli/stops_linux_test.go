package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"evolve/archive"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
)

// place is a workspace in which tests run the real program.
type place struct {
	t   *testing.T
	dir string
}

func tinyPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t, t.TempDir()}
	if err := fixture.Workspace(p.dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	return p
}

// command returns a command that runs evolve in the workspace.
func (p *place) command(args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	c := exec.Command(self)
	c.Args = append([]string{"evolve"}, args...) // TestMain decides by this name
	c.Dir = p.dir
	c.Env = append(os.Environ(), "HOME="+p.dir, "GIT_CONFIG_NOSYSTEM=1")
	return c
}

// run runs evolve to its end, and checks that its exit code is the given one.
func (p *place) run(code int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	c := p.command(args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("evolve %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &errs)
	}
	return out.String(), errs.String()
}

// runs returns the ids of the archive's runs, the latest first, according to `evolve
// status`, and whether a run is in progress.
func (p *place) runs() (running bool, ids []string) {
	p.t.Helper()
	c := p.command("status", "--json")
	out, err := c.Output()
	if err != nil {
		return false, nil // the archive does not exist yet
	}
	var v struct {
		Running bool
		Runs    []struct{ ID string }
	}
	if err := json.Unmarshal(out, &v); err != nil {
		p.t.Fatal(err)
	}
	for _, r := range v.Runs {
		ids = append(ids, r.ID)
	}
	return v.Running, ids
}

// until calls the function so again and again until so returns true, for a few seconds at
// most.
func (p *place) until(what string, so func() bool) {
	p.t.Helper()
	for range 600 {
		if so() {
			return
		}
		p.runs() // which takes a moment
	}
	p.t.Fatalf("it never came to this: %s", what)
}

// stuffed returns the write end of a full pipe. A process that prints to it blocks.
func stuffed(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte{'.'}, size)); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestKilledBetweenItsEndAndItsExit checks that if a run's process is killed when
// everything is recorded, the same command reports that run and does not pay for it
// again. The call after that, and a call with other options, start new runs.
func TestKilledBetweenItsEndAndItsExit(t *testing.T) {
	for name, again := range map[string][]string{
		"the same command": {"run", "--quiet"},
		"resume":           {"run", "--quiet", "--resume"},
		"another budget":   {"run", "--quiet", "--budget-evals", "150"},
		"afresh":           {"run", "--quiet", "--resume=false"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tinyPlace(t)
			c := p.command("run", "--quiet")
			c.Stdout = stuffed(t)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			var page string
			p.until("the report is written", func() bool {
				found, _ := filepath.Glob(filepath.Join(p.dir, ".evolve", "reports", "1-*.html"))
				if len(found) == 1 {
					page = found[0]
				}
				return page != ""
			})
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			if err := os.Remove(page); err != nil { // as if it had been killed before writing the page
				t.Fatal(err)
			}
			out, errs := p.run(0, again...)
			_, ids := p.runs()
			if !strings.Contains(errs, " ended, but its process was killed") {
				if name != "afresh" {
					t.Errorf("nothing is said of the run before: %q", errs)
				}
			}
			want := 1
			if name == "another budget" || name == "afresh" {
				want = 2
			}
			if len(ids) != want {
				t.Errorf("%d runs, want %d: %v\n%s%s", len(ids), want, ids, out, errs)
			}
			if want == 1 && !strings.Contains(out, ids[0]) {
				t.Errorf("the run is not told:\n%s", out)
			}
			if _, err := os.Stat(page); err != nil {
				t.Errorf("its report was not written: %v", err)
			}
			if want == 1 {
				p.run(0, "run", "--quiet")
				if _, ids := p.runs(); len(ids) != 2 {
					t.Errorf("the next call is no run of its own: %v", ids)
				}
			}
		})
	}
}

// TestResumeTakesTheInterruptedRun checks that --resume without other options continues the
// run that was stopped, with the run's own options, and that an option that differs from
// the run's is refused.
func TestResumeTakesTheInterruptedRun(t *testing.T) {
	p := tinyPlace(t)
	_, errs := p.run(2, "run", "--resume")
	if !strings.Contains(errs, "there is no run to resume") || !strings.Contains(errs, "hint: `evolve run` begins one") {
		t.Errorf("before there was any run: %q", errs)
	}
	asked := []string{"run", "--quiet", "--budget-evals", "3000", "--stages", "search", "--seed", "77", "--selection", "top_k"}
	c := p.command(asked...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.until("the run is on", func() bool { on, _ := p.runs(); return on })
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exit.Interrupted {
		t.Fatalf("interrupted, it exits with %d", code)
	}
	_, errs = p.run(2, "run", "--quiet", "--resume", "--budget-evals", "900")
	if !strings.Contains(errs, "has a different --budget-evals") || !strings.Contains(errs, "hint: `evolve run --resume` without other options continues the interrupted run") {
		t.Errorf("another budget: %q", errs)
	}
	p.run(0, "run", "--quiet", "--resume")
	_, ids := p.runs()
	if len(ids) != 1 {
		t.Fatalf("%d runs: %v", len(ids), ids)
	}
	a, err := archive.OpenRead(wire.ArchiveDir(p.dir))
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(t.Context(), "")
	if err = errors.Join(err, a.Close()); err != nil || r.State != archive.RunDone || r.Resumed != 1 || r.BudgetEval != 3000 || r.Seed != 77 || r.Selection != "top_k" || len(r.Stages) != 1 {
		t.Errorf("the resumed run: %+v, %v", r, err)
	}
	_, errs = p.run(2, "run", "--resume")
	if !strings.Contains(errs, "there is no run to resume: the latest, "+r.ID+", has ended") {
		t.Errorf("after its end: %q", errs)
	}
}

// TestAPauseMakesNoTimeouts checks that nothing is recorded as a timeout if evolve is
// paused for longer than its agent's time limit while the agent's programs continue to run.
// The limit is long because an evaluation on a busy machine may need more than a second
// even without a pause.
func TestAPauseMakesNoTimeouts(t *testing.T) {
	p := &place{t, t.TempDir()}
	for name, text := range map[string]string{
		"evolve.yaml": "search: {concurrency: 2}\n",
		"agents/slow/agent.yaml": "id: slow\nadapter: {kind: command, argv: [sh, agent.sh], protocol: once, pool: 2, timeout: 5s}\nsuites: [words]\n" +
			"space:\n  x: {type: float, min: 0, max: 1, default: 0.5}\n",
		"agents/slow/agent.sh": "read line\nsleep 0.2\nid=$(printf %s \"$line\" | sed 's/.*\"id\":\"\\([^\"]*\\)\",\"task\".*/\\1/')\nprintf '{\"id\":\"%s\",\"answer\":\"yes\"}\\n' \"$id\"\n",
		"suites/words.jsonl":   `{"id":"a","goal":"say yes","answer":"yes","split":"search"}` + "\n" + `{"id":"b","goal":"say yes again","answer":"yes","split":"search"}` + "\n",
	} {
		path := filepath.Join(p.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := p.command("run", "--quiet", "--budget-evals", "24", "--stages", "search")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.until("the run is on", func() bool { on, _ := p.runs(); return on })
	for range 2 {
		if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5500 * time.Millisecond) // longer than the time limit of a task
		if err := c.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		p.runs() // evolve continues for a moment
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	dump, errs := p.run(0, "archive", "export")
	if strings.Count(dump, `"outcome":"ok"`) < 20 {
		t.Errorf("few evaluations went well:\n%s%s", dump, errs)
	}
	if strings.Contains(dump, `"outcome":"timeout"`) {
		t.Error("the pause is a timeout")
	}
}
