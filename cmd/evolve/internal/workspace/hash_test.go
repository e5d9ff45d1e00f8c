package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"evolve/bench"
)

func TestHashFolder(t *testing.T) {
	dir := build(t, map[string]string{
		"agent.yaml": "id: a", "run.sh": "#!/bin/sh\n", "lib/x.py": "x", "config.yaml": "a: 1\n", "STRATEGY.md": "s",
	})
	read := func() folderHash {
		t.Helper()
		h, err := hashFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, content string) func() {
		return func() {
			must(os.MkdirAll(filepath.Dir(in(name)), 0o755))
			must(os.WriteFile(in(name), []byte(content), 0o644))
		}
	}
	for _, step := range []struct {
		name      string
		do        func()
		code, all bool // which of the hashes change
	}{
		{"nothing", func() {}, false, false},
		{"the champion's values", write("config.yaml", "a: 2\n"), false, true},
		{"the champion's strategy", write("STRATEGY.md", "t"), false, true},
		{"the champion removed", func() { must(os.Remove(in("config.yaml"))) }, false, true},
		{"a file of the same name deeper down", write("lib/config.yaml", "a: 1\n"), true, true},
		{"content", write("lib/x.py", "y"), true, true},
		{"a new file", write("lib/z.py", ""), true, true},
		{"a new name", func() { must(os.Rename(in("lib/z.py"), in("lib/w.py"))) }, true, true},
		{"the executable bit", func() { must(os.Chmod(in("run.sh"), 0o755)) }, true, true},
		{"other bits of the mode", func() { must(os.Chmod(in("run.sh"), 0o700)) }, false, false},
		{"a link", func() { must(os.Symlink("lib/x.py", in("link"))) }, true, true},
		{"where a link points", func() { must(os.Remove(in("link"))); must(os.Symlink("lib/w.py", in("link"))) }, true, true},
		{"what Python caches", write("lib/__pycache__/x.pyc", "junk"), false, false},
		{"history of a repository of its own", write(".git/HEAD", "ref: x"), false, false},
		{"installed dependencies", write("node_modules/m/index.js", "1"), true, true},
		{"an empty folder", func() { must(os.Mkdir(in("empty"), 0o755)) }, false, false},
	} {
		before := read()
		step.do()
		after := read()
		if changed := before.code != after.code; changed != step.code {
			t.Errorf("%s: the code's hash changed: %v", step.name, changed)
		}
		if changed := before.all != after.all; changed != step.all {
			t.Errorf("%s: the whole hash changed: %v", step.name, changed)
		}
	}
}

func TestBaseOf(t *testing.T) {
	files := map[string]string{"suites/other.jsonl": goodSuite}
	load := func(changed map[string]string) (*Agent, map[string]*bench.Suite) {
		t.Helper()
		for name, content := range changed {
			files[name] = content
		}
		builtins := testBuiltins()
		builtins.Graders.Fields = map[string][]string{"exact": {"answer"}, "contains": {"all"}, "command": {"argv"}}
		w, err := Load(build(t, spoil(files)), builtins)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := w.Agent("solver")
		return a, w.Suites
	}
	first := BaseOf(load(nil))
	if len(first) != 2 || first["agents/solver"] == "" || first["suites/tasks"] == "" {
		t.Fatalf("base %v", first)
	}
	for _, step := range []struct {
		name    string
		changed map[string]string
		want    string // the name that changes, or none
	}{
		{"a suite of others", map[string]string{"suites/other.jsonl": goodSuite + `{"id":"t3","goal":"x","answer":"y","split":"search"}` + "\n"}, ""},
		{"another agent", map[string]string{"agents/helper/agent.yaml": goodBuilt}, ""},
		{"the settings", map[string]string{"evolve.yaml": "budget: {usd: 1}\n"}, ""},
		{"the champion", map[string]string{"agents/solver/config.yaml": "heat: 1\n"}, "agents/solver"},
		{"its suite", map[string]string{"suites/tasks.jsonl": goodSuite + `{"id":"t3","goal":"x","graders":[{"type":"command","argv":["sh","check.sh"]}],"split":"search"}` + "\n"}, "suites/tasks"},
		{"a file of no grader", map[string]string{"suites/notes.sh": "exit 1\n"}, ""},
		{"the script of a grader", map[string]string{"suites/check.sh": "exit 1\n"}, "suites/tasks"},
	} {
		before := BaseOf(load(nil))
		after := BaseOf(load(step.changed))
		for name := range before {
			if moved := before[name] != after[name]; moved != (name == step.want) {
				t.Errorf("%s: %s moved: %v", step.name, name, moved)
			}
		}
	}
}
