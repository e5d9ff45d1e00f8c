package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/workspace/scaffold"
)

func starterFiles() map[string][]byte {
	return map[string][]byte{
		"agents/solver/agent.yaml": []byte(goodHead + goodSpace),
		"agents/solver/a.sh":       []byte("#!/bin/sh\n"),
		"suites/tasks.jsonl":       []byte(goodSuite),
	}
}

func TestInit(t *testing.T) {
	root := t.TempDir()
	written, kept, err := Init(root, starterFiles(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "agents/agent.schema.json", "agents/solver/a.sh", "agents/solver/agent.yaml", "evolve.schema.json", "evolve.yaml", "suites/tasks.jsonl"}
	if diff := cmp.Diff(want, written); diff != "" || kept != nil {
		t.Error(diff, kept)
	}
	if _, err := Load(root, testBuiltins()); err != nil {
		t.Errorf("what was written does not load: %v", err)
	}
	for name, schemaFile := range map[string]string{"evolve.yaml": "evolve.schema.json", "agents/solver/agent.yaml": "../agent.schema.json"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(data), "\n")
		if first != modeline+schemaFile {
			t.Errorf("%s begins with %q", name, first)
		}
		// The schema that the file names exists, and accepts the file.
		schema, err := os.ReadFile(filepath.Join(root, filepath.Dir(name), schemaFile))
		if name != SettingsFile {
			schema, err = os.ReadFile(filepath.Join(root, agentSchemaFile))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, schema).Validate(asJSON(t, data)); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "agents/solver/a.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("a script cannot be run: %v %v", info, err)
	}
	again, kept, err := Init(root, starterFiles(), false)
	if err != nil || len(again) > 0 || len(kept) != len(want) {
		t.Errorf("written again: %v, kept %v, %v", again, kept, err)
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	own := map[string]string{"evolve.yaml": "budget: {usd: 1}\n", ".gitignore": "*.o\n", "agents/solver/agent.yaml": goodHead}
	root := build(t, own)
	written, kept, err := Init(root, starterFiles(), false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".gitignore", "agents/solver/agent.yaml", "evolve.yaml"}, kept); diff != "" {
		t.Error(diff)
	}
	if len(written) != 4 {
		t.Errorf("written %v", written)
	}
	for name, content := range own {
		if data, _ := os.ReadFile(filepath.Join(root, name)); string(data) != content {
			t.Errorf("%s was changed to %q", name, data)
		}
	}
}

func TestInitMinimal(t *testing.T) {
	root := build(t, map[string]string{"agents/solver/agent.yaml": goodHead, "agents/solver/a.sh": "x", "suites/tasks.jsonl": goodSuite})
	written, kept, err := Init(root, starterFiles(), true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".gitignore", "evolve.yaml"}, written); diff != "" || len(kept) > 0 {
		t.Error(diff, kept)
	}
	if _, err := Load(root, testBuiltins()); err != nil {
		t.Error(err)
	}
}

func TestInitReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		// No folder is read-only for root, but a file in place of a folder prevents
		// writing for root too.
		root := build(t, map[string]string{"suites": "a file"})
		_, _, err := Init(root, starterFiles(), false)
		if err == nil || strings.Contains(err.Error(), root) {
			t.Errorf("got %v", err)
		}
		return
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Init(root, starterFiles(), false); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}

// TestScaffoldExplainsEveryKey checks the comments against the tables of the loader.
func TestScaffoldExplainsEveryKey(t *testing.T) {
	s := newSettingsFile()
	for _, c := range []struct {
		name  string
		table object
		text  []byte
	}{
		{"evolve.yaml as it is written", settingsKeys(s), annotatedSettings()},
		{"reference of evolve.yaml", settingsKeys(s), reference(settingsKeys(s))},
		{"reference of agent.yaml", agentKeys(newAgentFile()), reference(agentKeys(newAgentFile()))},
	} {
		words := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(string(c.text), "#", ""))), " ")
		keys := 0
		var walk func(f field)
		each := func(list []key) {
			for _, k := range list {
				keys++
				doc := strings.ToLower(strings.Join(strings.Fields(k.doc), " "))
				if !strings.Contains(words, k.name+":") || !strings.Contains(words, doc) {
					t.Errorf("%s says nothing of %q", c.name, k.name)
				}
			}
			for _, k := range list {
				walk(k.field)
			}
		}
		walk = func(f field) {
			switch f := f.(type) {
			case object:
				each(f.keys)
			case mapping:
				walk(f.item)
			case draft:
				walk(f.byType())
			case union:
				for _, name := range f.names {
					each(f.members[name].keys[1:])
				}
			}
		}
		walk(c.table)
		if keys < 20 {
			t.Errorf("%s: only %d keys were looked at", c.name, keys)
		}
		for line := range bytes.Lines(c.text) {
			if n := len(bytes.TrimRight(line, "\n")); n > referenceWidth+4 {
				t.Errorf("%s: a line of %d characters: %s", c.name, n, line)
			}
		}
	}
}

// TestScaffoldExamples uncomments every proposed key: the result must load and use every
// key.
func TestScaffoldExamples(t *testing.T) {
	var errs collector
	text := regexp.MustCompile(`(?m)^( *)# ([a-z_]+: )`).ReplaceAllString(string(annotatedSettings()), "$1$2")
	f := readSettings(&source{file: SettingsFile, errs: &errs}, []byte(text))
	table := settingsKeys(f)
	if err := errs.err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, k := range table.keys {
		if f.given[k.name] == nil {
			t.Errorf("%q is not proposed", k.name)
		}
		if o, ok := k.field.(object); ok && len(f.given[k.name].Content) != 2*len(o.keys) {
			t.Errorf("not every key of %q is proposed", k.name)
		}
	}
}

// TestStarterIsAccepted checks that the YAML files of the starter workspace satisfy the
// schemas beside them.
func TestStarterIsAccepted(t *testing.T) {
	root := t.TempDir()
	if _, _, err := Init(root, scaffold.Files(), false); err != nil {
		t.Fatal(err)
	}
	checked := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		schema := AgentSchema()
		switch filepath.Base(name) {
		case SettingsFile:
			schema = SettingsSchema()
		case agentYAML:
		default:
			return nil
		}
		checked++
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		return compile(t, schema).Validate(asJSON(t, data))
	})
	if err != nil {
		t.Error(err)
	}
	if checked < 2 {
		t.Errorf("only %d files were checked", checked)
	}
	var errs collector
	data, err := os.ReadFile(filepath.Join(root, SettingsFile))
	if err != nil {
		t.Fatal(err)
	}
	readSettings(&source{file: SettingsFile, errs: &errs}, data)
	if err := errs.err(); err != nil {
		t.Error(err)
	}
}

func TestMakeStateDir(t *testing.T) {
	root := t.TempDir()
	for range 2 {
		dir, err := MakeStateDir(root)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(data) != "*\n" {
			t.Errorf("%q, %v", data, err)
		}
	}
	blocked := build(t, map[string]string{".evolve": "a file"})
	if _, err := MakeStateDir(blocked); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestLinkedState tests that nothing is written through a link below .evolve, while .evolve
// itself may be a link.
func TestLinkedState(t *testing.T) {
	for _, at := range []string{"feedback", "feedback/bot", "reports", "backups", "archive", "archive/store", "turns", "work", "patches", "ending", "blackboard.json"} {
		root, elsewhere := t.TempDir(), t.TempDir()
		path := filepath.Join(root, ".evolve", at)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(elsewhere, path)); err != nil {
			t.Fatal(err)
		}
		_, err := MakeStateDir(root)
		var linked *LinkedStateError
		if !errors.As(err, &linked) || linked.Path != filepath.Join(".evolve", at) {
			t.Errorf("%s: %v", at, err)
		}
		if err := WriteFeedback(root, "bot", "text"); err == nil {
			t.Errorf("%s: feedback was written", at)
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("%s: %s was written elsewhere", at, left[0].Name())
		}
	}
	root, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(root, ".evolve")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFeedback(root, "bot", "text"); err != nil {
		t.Error(err)
	}
}
