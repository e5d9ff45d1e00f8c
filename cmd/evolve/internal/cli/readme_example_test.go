package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var (
	readmeFile    = regexp.MustCompile("(?m)^`([\\w./-]+)`\n\n```\\w*\n((?s:.*?))^```")
	readmeConsole = regexp.MustCompile("(?m)^```console\n((?s:.*?))^```")
	// readmeVaries matches the parts of the output that differ between two runs of the
	// example.
	readmeVaries = regexp.MustCompile(`night of [^·]*·|latency \(p95\) .*|\S*/\.evolve/|\S*/suites/|night-\S* \([^)]*\)|commit [0-9a-f]{12}`)
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestReadmeExample lays out the files of the README's example, runs its commands and
// compares their output with what the README shows.
func TestReadmeExample(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the example's agent needs python3")
	}
	text, dir := readme(t), t.TempDir()
	files := readmeFile.FindAllStringSubmatch(text, -1)
	if len(files) != 4 {
		t.Fatalf("the README shows %d files of its example", len(files))
	}
	for _, f := range files {
		path := filepath.Join(dir, f[1])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sh := func(command string) string {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	sh("git init -q && git config user.name Test && git config user.email test@localhost")
	console := readmeConsole.FindStringSubmatch(text)
	if console == nil {
		t.Fatal("the README shows no commands of its example")
	}
	var got strings.Builder
	for line := range strings.Lines(console[1]) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		got.WriteString(line)
		if args, ok := strings.CutPrefix(strings.TrimSpace(command), "evolve "); ok {
			got.WriteString(evolve(t, dir, strings.Fields(args)...))
		} else {
			got.WriteString(sh(command))
		}
	}
	stable := func(s string) []string {
		return strings.Split(gap.ReplaceAllString(readmeVaries.ReplaceAllString(s, "…"), " "), "\n")
	}
	if diff := cmp.Diff(stable(console[1]), stable(got.String())); diff != "" {
		t.Errorf("the example runs otherwise (-README +run):\n%s\nthe run:\n%s", diff, got.String())
	}
}

// TestReadmeFits checks that no line is longer than 120 characters and that no table cell
// contains three numbers.
func TestReadmeFits(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`[\d.,]*\d`)
	for i, line := range strings.Split(readme(t), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("line %d has %d characters", i+1, n)
		}
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for cell := range strings.SplitSeq(line, "|") {
			if len(number.FindAllString(cell, -1)) > 2 {
				t.Errorf("line %d: a cell with three numbers: %s", i+1, strings.TrimSpace(cell))
			}
		}
	}
}
