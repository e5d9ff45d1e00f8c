package gotest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/gates"
	"evolve/runtime/sandbox"
)

// twoModules returns a module and a second module that replaces the path of the first with
// a folder.
func twoModules() map[string][]byte {
	return map[string][]byte{
		"core/go.mod":       []byte("module example.org/core\n\ngo 1.24\n"),
		"core/core.go":      []byte("package core\n\n// Twice doubles.\nfunc Twice(n int) int { return n * 2 }\n"),
		"core/core_test.go": []byte("package core\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTwice(t *testing.T) {\n\t_ = os.WriteFile(\"core.go\", []byte(\"package broken\"), 0o644)\n\tif Twice(2) != 4 {\n\t\tt.Error()\n\t}\n}\n"),
		"tool/go.mod":       []byte("module example.org/tool\n\ngo 1.24\n\nrequire example.org/core v0.0.0\n\nreplace example.org/core => ../core\n"),
		"tool/tool.go":      []byte("package tool\n\nimport \"example.org/core\"\n\n// Four is 4.\nfunc Four() int { return core.Twice(2) }\n"),
		"tool/tool_test.go": []byte("package tool\n\nimport \"testing\"\n\nfunc TestFour(t *testing.T) {\n\tif Four() != 4 {\n\t\tt.Error()\n\t}\n}\n"),
		"other/go.mod":      []byte("module example.org/other\n\ngo 1.24\n"),
		"other/other.go":    []byte("package other\n\nfunc broken( {\n"),
	}
}

// TestTwoModules checks that a patch is gated in the modules that it changes or affects,
// and in no others, and that a test that writes to its folder does not change the trees.
func TestTwoModules(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates on two modules")
	}
	t.Parallel()
	base := twoModules()
	candidate := twoModules()
	candidate["core/core.go"] = []byte("package core\n\n// Twice doubles.\nfunc Twice(n int) int { return n + n }\n")
	c := changeOf(t, base, candidate)
	lane, _, said := judgeChange(t.Context(), t, newLab(t), c)
	if lane != "passed" || !strings.Contains(said, "2 packages in 2 modules") || !strings.Contains(said, "2 tests of the base in 2 packages") {
		t.Error(lane, said)
	}
	for dir, files := range map[string]map[string][]byte{c.Base: base, c.Candidate: candidate} {
		if text, err := os.ReadFile(filepath.Join(dir, "core", "core.go")); err != nil || !bytes.Equal(text, files["core/core.go"]) {
			t.Errorf("a tree was written to: %q, %v", text, err)
		}
	}
}

// TestWithoutWalls checks that nothing runs without a sandbox unless the operator accepts
// it, and that all evidence then records that there was no sandbox.
func TestWithoutWalls(t *testing.T) {
	base, candidate := twoModules(), twoModules()
	candidate["core/core.go"] = []byte("package core\n\n// Twice doubles.\nfunc Twice(n int) int { return n + n }\n")
	l := newLab(t)
	l.Sandbox = sandbox.None("there are none")
	_, verdicts, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
	for name, v := range verdicts {
		if v != string(gates.NotRun) {
			t.Errorf("%s: %s", name, v)
		}
	}
	if !strings.Contains(said, "build: not_run: untrusted code runs only in a sandbox, and there is none: there are none; allow user namespaces") {
		t.Error(said)
	}
	l.Unwalled = true
	passes := func(context.Context) (gates.Verdict, string, error) { return gates.Passed, "fine", nil }
	if v, said := l.guarded(t.Context(), passes); v != gates.Passed || !strings.Contains(said, "fine; run WITHOUT a sandbox") {
		t.Error(v, said)
	}
}

// TestEmbeddedTests checks that no patch passes by itself if the base's code embeds its own
// tests.
func TestEmbeddedTests(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates")
	}
	t.Parallel()
	base, candidate := twoModules(), twoModules()
	const embeds = "package core\n\nimport \"embed\"\n\n//go:embed *.go\nvar source embed.FS\n\n// Twice doubles.\nfunc Twice(n int) int {\n\t_, err := source.Open(\"core_test.go\")\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn n * 2\n}\n"
	base["core/core.go"] = []byte(embeds)
	candidate["core/core.go"] = []byte(strings.Replace(embeds, "n * 2", "n + n", 1))
	lane, verdicts, said := judgeChange(t.Context(), t, newLab(t), changeOf(t, base, candidate))
	if lane != "human" || verdicts[Canary] != string(gates.Flagged) || !strings.Contains(said, `the code embeds its compiled tests and can read the random words with which the tests report their results: example.org/core embeds "*.go"`) {
		t.Error(lane, said)
	}
}

// TestDocuments checks that documents, alone or beside code, do not cause a patch to be
// flagged. Code outside any module does, and so does a document in a module if a Go file
// embeds or names the document.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates seven times")
	}
	t.Parallel()
	l := newLab(t)
	for _, c := range []struct {
		name, lane string
		files      map[string]string
	}{
		{"alone", "passed", map[string]string{"README.md": "# Two modules\n", "docs/NOTICE": "none\n"}},
		{"beside code", "passed", map[string]string{"README.md": "# Two modules\n", "core/core.go": "package core\n\n// Twice doubles.\nfunc Twice(n int) int { return n + n }\n"}},
		{"code in no module", "human", map[string]string{"docs/x.go": "package docs\n"}},
		{"in a module", "passed", map[string]string{"core/README.md": "# Core\n", "core/docs/limits.md": "None.\n"}},
		{"in a module, read by a test", "human", map[string]string{"tool/NOTICE.md": "none\n"}},
		{"in a module, embedded", "human", map[string]string{"tool/data/a.md": "a\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base, candidate := twoModules(), twoModules()
			for _, files := range []map[string][]byte{base, candidate} {
				files["tool/data/b.txt"] = []byte("b\n")
				files["tool/embed.go"] = []byte("package tool\n\nimport \"embed\"\n\n//go:embed data\nvar data embed.FS\n\n// Data is how many files there are.\nfunc Data() int { list, _ := data.ReadDir(\"data\"); return len(list) }\n")
				files["tool/notice_test.go"] = []byte("package tool\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestNotice(t *testing.T) {\n\tif text, err := os.ReadFile(\"NOTICE.md\"); err == nil && len(text) == 0 {\n\t\tt.Error()\n\t}\n}\n")
			}
			for name, text := range c.files {
				candidate[name] = []byte(text)
			}
			if lane, _, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate)); lane != c.lane {
				t.Errorf("%s, want %s\n%s", lane, c.lane, said)
			}
		})
	}
}

// TestWordsOfOwnTests checks that only the gate for new tests applies to a patch that
// contains only tests, and that for a new function that the patch's own test calls, the
// evidence names that test.
func TestWordsOfOwnTests(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates twice")
	}
	t.Parallel()
	l := newLab(t)
	base, candidate := twoModules(), twoModules()
	candidate["core/more_test.go"] = []byte("package core\n\nimport \"testing\"\n\nfunc TestNone(t *testing.T) {\n\tif Twice(0) != 0 {\n\t\tt.Error()\n\t}\n}\n")
	lane, verdicts, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
	for _, gate := range []string{Build, Affected, Canary, Rename} {
		if verdicts[gate] != string(gates.Passed) {
			t.Errorf("%s: %s", gate, verdicts[gate])
		}
	}
	if lane != "human" || verdicts[NewTests] != string(gates.Flagged) {
		t.Error(lane, said)
	}
	candidate = twoModules()
	candidate["core/core.go"] = append(candidate["core/core.go"], "\n// Thrice triples.\nfunc Thrice(n int) int { return 3 * n }\n"...)
	candidate["core/more_test.go"] = []byte("package core\n\nimport \"testing\"\n\nfunc TestThrice(t *testing.T) {\n\tif Thrice(2) != 6 {\n\t\tt.Error()\n\t}\n}\n")
	if lane, _, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate)); lane != "human" || !strings.Contains(said, "Thrice is not called by any test of the base (only the patch's own tests name it: TestThrice)") {
		t.Error(lane, said)
	}
}
