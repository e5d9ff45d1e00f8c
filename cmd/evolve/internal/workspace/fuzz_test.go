package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/scrub"
)

// oneFile sets up a workspace in which the fuzzer writes one file.
func oneFile(f *testing.F, name string) (write func([]byte), load func() (*Workspace, error)) {
	root := build(f, spoil(map[string]string{name: ""}))
	path := filepath.Join(root, filepath.FromSlash(name))
	write = func(data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			f.Fatal(err)
		}
	}
	return write, func() (*Workspace, error) { return Load(root, testBuiltins()) }
}

// FuzzLoadAgent checks that every agent.yaml gives either errors with a position or an
// agent with a valid space and champion.
func FuzzLoadAgent(f *testing.F) {
	for _, c := range badCases() {
		for name, content := range c.files {
			if filepath.Base(name) == agentYAML && len(content) < 10_000 {
				f.Add([]byte(content))
			}
		}
	}
	f.Add([]byte(fullAgent))
	f.Add([]byte(fullBuiltin))
	write, load := oneFile(f, "agents/solver/agent.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		write(data)
		w, err := load()
		checkErrors(t, w, err)
		if err != nil {
			return
		}
		a, _ := w.Agent("solver")
		if problems := a.Space.Check(); len(problems) > 0 {
			t.Errorf("accepted with a space that is not sound: %v", problems)
		}
		if c, problems := a.Space.Parse(a.Champion); len(problems) > 0 || !c.Equal(a.Champion) {
			t.Errorf("the champion %s is none of the space: %v", a.Champion.Canonical(), problems)
		}
	})
}

// FuzzSettings checks that every evolve.yaml gives either errors or settings within
// bounds.
func FuzzSettings(f *testing.F) {
	for _, c := range badCases() {
		if content := c.files[SettingsFile]; len(content) < 10_000 {
			f.Add([]byte(content))
		}
	}
	f.Add([]byte(fullSettings))
	f.Add(annotatedSettings())
	write, load := oneFile(f, SettingsFile)
	scrubber := scrub.New(nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		write(data)
		w, err := load()
		checkErrors(t, w, err)
		if err != nil {
			if scrubber.Flags(err.Error()) {
				t.Errorf("a message repeats what looks like a secret: %s", scrubber.String(err.Error()))
			}
			return
		}
		s := w.Settings
		if _, err := policy.New(policy.Options{Book: s.Policies}); err != nil {
			t.Errorf("accepted policies that no run can have: %v", err)
		}
		for name, r := range s.Routes {
			if _, ok := s.Providers[r.Provider]; !ok || r.Model == "" || s.Routes[DefaultRoute].Provider == "" {
				t.Errorf("accepted a route %q to nowhere: %+v", name, r)
			}
		}
		for name, m := range s.MCP {
			if (len(m.Argv) > 0) == (m.URL != "") || len(m.Tools) == 0 {
				t.Errorf("accepted a server %q of no sort: %+v", name, m)
			}
		}
		if s.Budget.Evaluations < 0 || s.Budget.USD < 0 || s.Budget.Time < 0 || s.Search.Concurrency < 1 || s.Search.Lookahead < 1 || !(s.Search.Baseline >= 0) ||
			!(s.Confirm.Level > 0 && s.Confirm.Level < 1) || !(s.Confirm.Share > 0 && s.Confirm.Share < 1) {
			t.Errorf("accepted out of bounds: %+v", s)
		}
	})
}

// FuzzChampion checks that every config.yaml gives either errors or a config of the
// space.
func FuzzChampion(f *testing.F) {
	for _, s := range []string{"heat: 1\n", "heat: [a]\n", "heat: 2026-01-01\n", "{heat: 0x1}", "heat: .nan", "? heat\n: 1", "heat: !!float 1", "\"heat\": 1e-3"} {
		f.Add([]byte(s))
	}
	write, load := oneFile(f, "agents/solver/config.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		write(data)
		w, err := load()
		checkErrors(t, w, err)
		if err != nil {
			return
		}
		a, _ := w.Agent("solver")
		if _, problems := a.Space.Parse(a.Champion); len(problems) > 0 {
			t.Error(problems)
		}
	})
}

// FuzzMemories checks that every memories.jsonl gives either errors or memories with
// unique ids.
func FuzzMemories(f *testing.F) {
	for _, c := range badCases() {
		if content, ok := c.files["agents/solver/memories.jsonl"]; ok {
			f.Add([]byte(content))
		}
	}
	write, load := oneFile(f, "agents/solver/memories.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		write(data)
		w, err := load()
		checkErrors(t, w, err)
		if err != nil {
			return
		}
		a, _ := w.Agent("solver")
		ids := map[string]agent.Memory{}
		for _, m := range a.Memories {
			ids[m.ID] = m
		}
		if len(ids) != len(a.Memories) || len(ids) > 0 && ids[a.Memories[0].ID].Text == "" {
			t.Errorf("accepted %v", a.Memories)
		}
	})
}

func checkErrors(t *testing.T, w *Workspace, err error) {
	t.Helper()
	if (w == nil) == (err == nil) {
		t.Fatalf("loaded as %v with %v", w, err)
	}
	if err == nil {
		return
	}
	var errs *Errors
	if !errors.As(err, &errs) || len(errs.Issues) == 0 {
		t.Fatalf("not a list of issues: %v", err)
	}
	for _, i := range errs.Issues {
		if i.File == "" || i.Message == "" || i.Line < 0 || i.Column < 0 {
			t.Errorf("an issue without a place: %+v", i)
		}
	}
}
