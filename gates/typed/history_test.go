package typed

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"evolve/gates/syntax"
)

// history is the number of this repository's latest commits, all honest, on which the gates
// run.
var history = flag.Int("history", 0, "read the last `n` commits of this repository that change source")

// patchSize is the largest number of source lines that a commit may change to count as a
// patch.
const patchSize = 250

// TestHistory counts the false alarms on commits of the size of a patch.
func TestHistory(t *testing.T) {
	if *history == 0 {
		t.Skip("takes minutes")
	}
	top := strings.TrimSpace(git(t, "rev-parse", "--show-toplevel"))
	root := installed(t)
	modules := strings.TrimSpace(run(t, "go", "env", "GOMODCACHE"))
	w := newLoader(root, modules)
	var commits, flagged, guards, exits, outside, insecure int
	for _, commit := range strings.Fields(git(t, "log", "--no-merges", "--min-parents=1", "--format=%h", "-n", strconv.Itoa(*history), "--", top+"/*.go")) {
		changed, lines := touched(t, commit)
		if lines == 0 || lines > patchSize {
			continue
		}
		c := Change{Base: export(t, commit+"^"), Candidate: export(t, commit), Changed: changed, Root: root, Modules: modules}
		if commented(c) {
			continue
		}
		got, err := w.compare(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		commits++
		if len(got.Guards) > 0 {
			guards++
		}
		if len(got.Exits) > 0 {
			exits++
		}
		if len(got.Outside) > 0 {
			outside++
		}
		if len(got.Insecure) > 0 {
			insecure++
		}
		if len(got.Guards)+len(got.Outside) > 0 {
			flagged++
		}
		for _, f := range got.Guards {
			t.Logf("%s, %d lines: guards: %s", commit, lines, f)
		}
		for _, f := range got.Exits {
			t.Logf("%s, %d lines: exits: %s", commit, lines, f)
		}
		for _, f := range got.Outside {
			t.Logf("%s, %d lines: outside: %s", commit, lines, f)
		}
		for _, f := range got.Insecure {
			t.Logf("%s, %d lines: insecure: %s", commit, lines, f)
		}
	}
	t.Logf("of %d commits that change at most %d lines of code %d are flagged for guards (%d) or the world outside (%d), %d for early exits, %d for known weaknesses", commits, patchSize, flagged, guards, outside, exits, insecure)
	if max(flagged, insecure)*20 > commits {
		t.Errorf("more than 5 %% of honest commits are flagged by what hardly any of them changes")
	}
}

// commented reports whether a commit changes only comments.
func commented(c Change) bool {
	plain := func(root, name string) string {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
		if err != nil {
			return err.Error()
		}
		return syntax.Text(file)
	}
	return !slices.ContainsFunc(c.Changed, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && plain(c.Base, name) != plain(c.Candidate, name)
	})
}

// touched returns the paths that a commit changes and the number of changed source lines.
func touched(t *testing.T, commit string) (paths []string, lines int) {
	t.Helper()
	for line := range strings.Lines(git(t, "show", "--no-renames", "--numstat", "--format=", commit)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		paths = append(paths, words[2])
		if strings.HasSuffix(words[2], ".go") && !strings.HasSuffix(words[2], "_test.go") && !strings.Contains(words[2], "testdata/") {
			for _, n := range words[:2] {
				n, _ := strconv.Atoi(n)
				lines += n
			}
		}
	}
	return paths, lines
}

// export writes the tree of a commit.
func export(t *testing.T, commit string) string {
	t.Helper()
	dir := t.TempDir()
	tar := exec.CommandContext(t.Context(), "tar", "-x", "-C", dir)
	tar.Stdin = strings.NewReader(git(t, "archive", commit, "--", "*.go", "go.mod"))
	if out, err := tar.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	top := run(t, "git", "rev-parse", "--show-toplevel")
	return run(t, "git", append([]string{"-C", strings.TrimSpace(top)}, args...)...)
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, stderr.Bytes())
	}
	return string(out)
}
