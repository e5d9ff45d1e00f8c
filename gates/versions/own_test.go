package versions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"evolve/runtime/agent"
)

// reader is an agent that answers with its own file and the config that it received.
type reader struct{ folder string }

func (r reader) Run(_ context.Context, req agent.Request) agent.Result {
	data, err := os.ReadFile(filepath.Join(r.folder, "params"))
	if err != nil {
		return agent.Result{Outcome: agent.Infrastructure, Error: err.Error()}
	}
	if req.Task.Goal == "never ends" {
		return agent.Result{Outcome: agent.Timeout}
	}
	answer := strings.Split(string(data), "\n")[1] + fmt.Sprint(" ", req.Config)
	return agent.Result{Outcome: agent.OK, Answer: &answer}
}

// openLog counts what happens to the agents of versions.
type openLog struct {
	mu                      sync.Mutex
	opened, renewed, closed int
}

func (l *openLog) count(n *int) func() error {
	return func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		*n++
		return nil
	}
}

func openOwn(t *testing.T, fail *bool) (*Own, *openLog, string) {
	t.Helper()
	p, files := target(t)
	p.Score, p.Test = nil, []string{"sh", "-c", `. ./params; [ "$factor" -lt 50 ]`}
	l := &openLog{}
	return NewOwn(p, ".", files, agent.Config{"factor": "factor=3\n"}, func(_ context.Context, folder, name string) (Running, error) {
		if *fail {
			return Running{}, errors.New("no process can be started")
		}
		if err := l.count(&l.opened)(); err != nil || name == "" {
			t.Errorf("a version is called %q, %v", name, err)
		}
		return Running{Agent: reader{folder}, Renew: l.count(&l.renewed), Close: l.count(&l.closed)}, nil
	}), l, filepath.Join(p.Folder, "versions")
}

// TestOwnRunsTheVersionUnderItsConfig checks that the texts choose the files, that the
// agent gets only the other parameters, and that one version serves many configs.
func TestOwnRunsTheVersionUnderItsConfig(t *testing.T) {
	t.Parallel()
	fail := false
	own, l, _ := openOwn(t, &fail)
	run := func(c agent.Config) agent.Result { return own.Run(t.Context(), agent.Request{Config: c}) }
	for _, c := range []struct {
		config agent.Config
		want   string
	}{
		{agent.Config{"factor": "factor=3", "depth": int64(1)}, "factor=3 map[depth:1]"},
		{agent.Config{"factor": "factor=3", "depth": int64(2)}, "factor=3 map[depth:2]"},
		{agent.Config{"factor": "factor=8", "depth": int64(2)}, "factor=8 map[depth:2]"},
	} {
		if r := run(c.config); r.Outcome != agent.OK || *r.Answer != c.want {
			t.Errorf("%v: %+v, want %q", c.config, r, c.want)
		}
	}
	if l.opened != 2 {
		t.Errorf("%d agents were opened for 2 versions", l.opened)
	}
	if r := run(agent.Config{"factor": "factor=99", "depth": int64(2)}); r.Outcome != agent.Execution || !strings.Contains(r.Error, "sh ended with exit code 1") {
		t.Errorf("a version that fails its tests: %+v", r)
	}
	fail = true
	if r := run(agent.Config{"factor": "factor=9"}); r.Outcome != agent.Infrastructure || r.Error != "no process can be started" {
		t.Errorf("a machine without processes: %+v", r)
	}
	fail = false
	if r := run(agent.Config{"factor": "factor=9"}); r.Outcome != agent.OK {
		t.Errorf("the same version later: %+v", r)
	}
}

// TestOwnLeavesSlowVersions checks that a version that did not finish one task is not
// started on others, whereas the unchanged code is always started.
func TestOwnLeavesSlowVersions(t *testing.T) {
	t.Parallel()
	fail := false
	own, _, _ := openOwn(t, &fail)
	for factor, want := range map[string]agent.Outcome{"factor=3\n": agent.OK, "factor=4\n": agent.Timeout} {
		c := agent.Config{"factor": factor}
		if r := own.Run(t.Context(), agent.Request{Config: c, Task: agent.Task{Goal: "never ends"}}); r.Outcome != agent.Timeout {
			t.Errorf("%q: %+v", factor, r)
		}
		if r := own.Run(t.Context(), agent.Request{Config: c}); r.Outcome != want {
			t.Errorf("%q on another task: %+v, want %s", factor, r, want)
		}
	}
}

// TestOwnKeepsFewAgents checks that the agents of versions that are not in use are closed
// and their files removed.
func TestOwnKeepsFewAgents(t *testing.T) {
	t.Parallel()
	fail := false
	own, l, folder := openOwn(t, &fail)
	for i := range 3 * mostKept {
		own.Run(t.Context(), agent.Request{Config: agent.Config{"factor": fmt.Sprintf("factor=%d", i)}})
	}
	if l.opened != 3*mostKept || l.closed != 2*mostKept {
		t.Errorf("%d agents were opened and %d closed", l.opened, l.closed)
	}
	if err := own.Renew(); err != nil || l.renewed != mostKept {
		t.Errorf("%d agents were reset, %v", l.renewed, err)
	}
	if err := own.Close(); err != nil || l.closed != l.opened {
		t.Errorf("%d of %d agents were closed, %v", l.closed, l.opened, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%d versions are left, %v", len(left), err)
	}
}
