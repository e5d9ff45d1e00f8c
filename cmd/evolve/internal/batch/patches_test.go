package batch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/patch/scope"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
)

// scripted is a model that returns its texts one after another and records its requests.
type scripted struct {
	says  []string
	asked []*model.Request
	err   error
}

func (s *scripted) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	s.asked = append(s.asked, req)
	if s.err != nil {
		return model.Reply{}, s.err
	}
	return model.Reply{Answer: s.says[min(len(s.asked), len(s.says))-1], Usage: agent.Usage{CostUSD: .5}}, nil
}

// shown returns everything that the model got in its nth request.
func (s *scripted) shown(n int) string {
	var b strings.Builder
	for _, d := range s.asked[n].Shared {
		b.WriteString(d.Key + "\n" + d.Text + "\n")
	}
	return b.String()
}

// touchesTests is a patch that the scope gate refuses before anything is run.
const touchesTests = "No test, no failure.\n\n```diff\n--- a/code/code_test.go\n+++ b/code/code_test.go\n@@ -1 +1 @@\n-package code\n+package code // x\n```"

// writing returns the options of a night whose patches are written by m, on a real
// repository. None of the patches reaches the gates that start Go.
func writing(t *testing.T, m *scripted) Options {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	for path, text := range map[string]string{"go.mod": "module example.org/m\n\ngo 1.21\n", "code/code.go": "package code\n\n// Yes says yes.\nconst Yes = 1\n", "code/code_test.go": "package code\n", "secret/secret.go": "package secret // not for you\n"} {
		full := filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "start"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = root, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	a := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 30), a, toyAgent(30), 200)
	o.Workspace.Settings.Patches.Write = "writer"
	seed := int64(7)
	o.Seed = &seed
	o.Patches = &review.Reviewer{
		Archive: review.Opened(a), Scratch: t.TempDir(), Now: o.Now, Env: env, Sandbox: func() sandbox.Sandbox { return sandbox.None("a test") },
		Targets: []review.Target{{Name: "code", Repo: root, Named: true, Policy: scope.Policy{Allow: []string{"code"}}}},
	}
	o.Writer = func(context.Context, *workspace.Agent) (model.Model, func() error, error) {
		return m, func() error { return nil }, nil
	}
	return o
}

// TestPatchIsWrittenFromFailures checks that the model gets failures of search tasks and
// the files in the scope. The first refusal is sent back to the model, and a second
// refusal counts as a failed attempt.
func TestPatchIsWrittenFromFailures(t *testing.T) {
	m := &scripted{says: []string{touchesTests, "no diff at all"}}
	o := writing(t, m)
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.asked) != 2 || len(s.Run.Patches) != 1 {
		t.Fatalf("asked %d times, %+v", len(m.asked), s.Run.Patches)
	}
	n := s.Run.Patches[0]
	if n.Proposal == "" || n.State != archive.GateFailed || n.Usage.CostUSD != 1 || n.Agent != "toy" || !strings.Contains(n.Text, "refused twice") {
		t.Errorf("%+v", n)
	}
	first, second := m.shown(0), m.shown(1)
	if !strings.Contains(first, "const Yes = 1") || strings.Contains(first, "not for you") || strings.Contains(first, "code_test.go") {
		t.Errorf("shown was %s", first)
	}
	if strings.Contains(first, "last try") || !strings.Contains(second, "last try\ncode/code_test.go") {
		t.Errorf("the refusal is not told: %s", second)
	}
	for _, task := range o.Workspace.Suites["toys"].Tasks {
		if quoted := `"task":"` + task.ID + `"`; task.Split != "search" && strings.Contains(first, quoted) {
			t.Errorf("a task of the holdout is shown: %s", task.ID)
		}
	}
	if !strings.Contains(first, `"task":"t`) {
		t.Error("no failure is shown")
	}
	// The next night is less than an hour later, so no model is asked.
	if s, err = Run(t.Context(), o); err != nil || len(m.asked) != 2 || !strings.Contains(s.Run.Patches[0].Text, "one patch an hour") {
		t.Errorf("asked %d times, %+v, %v", len(m.asked), s.Run.Patches, err)
	}
	// On a later night, the model is shown the refused drafts and the reasons.
	later := o.Now().Add(2 * time.Hour)
	o.Now = func() time.Time { return later }
	o.Patches.Now = o.Now
	if _, err = Run(t.Context(), o); err != nil || len(m.asked) != 4 {
		t.Fatalf("asked %d times, %v", len(m.asked), err)
	}
	if shown := m.shown(2); !strings.Contains(shown, "earlier patch 1") || !strings.Contains(shown, "gate ") || strings.Contains(first, "earlier patch") {
		t.Errorf("the refused patch is not shown: %s", shown)
	}
}

// TestPatchFails checks that no failure of a patch affects the rest of the night.
func TestPatchFails(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options, *scripted)
		asked  int
		text   string // "" for no note
	}{
		"nothing to offer":           {func(_ *Options, m *scripted) { m.says = []string{"```"} }, 2, "refused twice"},
		"the model is down":          {func(_ *Options, m *scripted) { m.err = errors.New("down") }, 1, "it failed: asking for a patch: down"},
		"there is no such key":       {func(o *Options, _ *scripted) { o.Writer = failing }, 0, "it failed: opening the model"},
		"no repository":              {func(o *Options, _ *scripted) { o.Patches.Targets[0].Repo = o.Patches.Scratch }, 0, "not in a git repository"},
		"nothing in the scope":       {func(o *Options, _ *scripted) { o.Patches.Targets[0].Policy.Allow = []string{"nothing"} }, 0, "no Go file"},
		"the champion fails nothing": {func(o *Options, _ *scripted) { o.Open = always("yes") }, 0, "failed no search task"},
		"only the search":            {func(o *Options, _ *scripted) { o.Stages = []string{SearchStage} }, 0, ""},
		"no writer":                  {func(o *Options, _ *scripted) { o.Writer = nil }, 0, ""},
		"the money is spent":         {func(o *Options, _ *scripted) { o.Budget.USD = 1e-9; o.Open = costly }, 0, "left no room"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &scripted{says: []string{touchesTests}}
			o := writing(t, m)
			c.change(&o, m)
			s, err := Run(t.Context(), o)
			if err != nil || s.Run.Exit != ExitDone && c.text != "left no room" {
				t.Fatal(s.Run.Exit, err)
			}
			if len(m.asked) != c.asked || (len(s.Run.Patches) > 0) != (c.text != "") || c.text != "" && !strings.Contains(s.Run.Patches[0].Text, c.text) {
				t.Errorf("asked %d times, %+v", len(m.asked), s.Run.Patches)
			}
		})
	}
}

func failing(context.Context, *workspace.Agent) (model.Model, func() error, error) {
	return nil, nil, errors.New("no key")
}

// always opens an agent that always gives the same answer.
func always(text string) func(context.Context, *workspace.Agent, string) (night.Opened, error) {
	return func(context.Context, *workspace.Agent, string) (night.Opened, error) {
		one := inProcess(func(context.Context, agent.Request) agent.Result {
			return agent.Result{Answer: &text, Outcome: agent.OK}
		})
		return night.Opened{Agent: one, Identity: "toy", Close: func() error { return nil }}, nil
	}
}

// costly opens an agent so expensive that the money pays for only one answer.
func costly(context.Context, *workspace.Agent, string) (night.Opened, error) {
	no := "no"
	one := inProcess(func(context.Context, agent.Request) agent.Result {
		return agent.Result{Answer: &no, Outcome: agent.OK, Usage: agent.Usage{CostUSD: 1}}
	})
	return night.Opened{Agent: one, Identity: "toy", Close: func() error { return nil }}, nil
}

// TestPatchNotesOfAResumedRun checks that recorded work is not repeated, and that its cost
// still counts.
func TestPatchNotesOfAResumedRun(t *testing.T) {
	m := &scripted{says: []string{touchesTests}}
	o := writing(t, m)
	r, err := prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	note := archive.PatchNote{Target: "code", Origin: review.OriginModel, Agent: "toy", Text: "written before"}
	note.Usage.CostUSD = 2
	if err := r.note(t.Context(), PatchNoteKind, note); err != nil {
		t.Fatal(err)
	}
	s, err := Run(t.Context(), o)
	if err != nil || len(m.asked) != 0 || len(s.Run.Patches) != 1 || s.Run.Patches[0].Text != "written before" {
		t.Errorf("asked %d times, %+v, %v", len(m.asked), s.Run.Patches, err)
	}
}

// TestTimeIsKeptForTuning checks that if there is something to tune, the agents leave a
// tenth of the time for it, and that the search for constants ends when half of the
// remaining time is used.
func TestTimeIsKeptForTuning(t *testing.T) {
	o := writing(t, &scripted{says: []string{touchesTests}})
	o.Budget.Time = time.Hour
	r, err := prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.tunings = []tunable{{Tuning: Tuning{Target: "code"}}}
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept := r.end.Sub(r.stop); kept != 6*time.Minute {
		t.Errorf("%s are kept", kept)
	}
	past := time.Now().Add(-time.Second)
	if err := r.proceed(t.Context(), past); err == nil {
		t.Error("the search goes on after its time")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	r.o.Drain = stopped
	if err := r.proceed(t.Context(), time.Time{}); !errors.Is(err, night.ErrInterrupted) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestInterruptedPatches checks that if a person stops a run while patches are being made,
// the run counts as interrupted and can be resumed at that point.
func TestInterruptedPatches(t *testing.T) {
	m := &scripted{says: []string{touchesTests}}
	o := writing(t, m)
	drain, stop := context.WithCancel(t.Context())
	o.Drain = drain
	open := o.Writer
	o.Writer = func(context.Context, *workspace.Agent) (model.Model, func() error, error) {
		stop()
		return nil, nil, night.ErrInterrupted
	}
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.Exit != ExitInterrupted || s.Run.State != archive.RunInterrupted || !strings.Contains(s.Run.Patches[0].Text, "interrupted") {
		t.Fatalf("%+v %v", s.Run, err)
	}
	o.Drain, o.Writer, o.Resume = t.Context(), open, ResumeAny
	again, err := Run(t.Context(), o)
	if err != nil || again.Run.ID != s.Run.ID || again.Run.Exit != ExitDone || len(m.asked) != 2 || len(again.Run.Patches) != 1 {
		t.Fatalf("%+v, asked %d times, %v", again.Run, len(m.asked), err)
	}
}
