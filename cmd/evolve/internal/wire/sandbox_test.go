package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
)

// TestGraderSandbox runs a command grader that reports what it can see and write.
func TestGraderSandbox(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	root := t.TempDir()
	suites, work := filepath.Join(root, "suites"), filepath.Join(root, ".evolve", "scratch", "1")
	for _, dir := range []string{suites, work, filepath.Join(root, "agents")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const script = `#!/bin/sh
cat
echo "sees $(ls -A .. | tr '\n' ' ')"
echo x 2>/dev/null > own && echo "writes its folder"
echo x > "$1/f" && echo "writes the workdir"
echo "token $GRADER_TOKEN" >&2
[ "$2" = wait ] && sleep 1000
exit 1
`
	if err := os.WriteFile(filepath.Join(suites, "check.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h := &Host{Env: Environment{"GRADER_TOKEN=opensesame"}, Ctx: t.Context()}
	w := h.Sandbox(&workspace.Workspace{Root: root})
	if err := w.Sandbox().Err(); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	program := grade.Program{Argv: []string{"./check.sh", work}, Dir: suites, Workdir: work, Stdin: []byte("in\n"), Timeout: time.Minute, MaxOutput: 1000}
	got, err := w.RunGrader(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	want := "in\nsees .evolve suites \nwrites the workdir\n"
	if string(got.Stdout) != want || got.Code != 1 || got.TimedOut || got.Truncated || strings.TrimSpace(string(got.Stderr)) != "token" {
		t.Errorf("%+v\nstdout %q, want %q\nstderr %q", got, got.Stdout, want, got.Stderr)
	}
	program.Argv, program.Timeout = append(program.Argv, "wait"), time.Second
	if got, err := w.RunGrader(t.Context(), program); err != nil || !got.TimedOut {
		t.Errorf("%+v, %v", got, err)
	}
	if got := w.Scrubber.String("it was opensesame"); got != "it was [redacted]" {
		t.Errorf("scrubbed to %q", got)
	}
}
