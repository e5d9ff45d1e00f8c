package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// TestFeedbackChapterRuns runs every command of the manual's chapter on feedback, in order.
func TestFeedbackChapterRuns(t *testing.T) {
	chapter, err := helpTexts.ReadFile("help/feedback.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := fixture.Workspace(filepath.Join(dir, "ws"), "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte("[user]\n\tname = Robin\n\temail = r@example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), Process{
			Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"},
			Dir: filepath.Join(dir, "ws"), Now: time.Now, Release: func() {},
			Sleep: func(context.Context, time.Duration) error { return nil },
		})
		if code != 0 {
			t.Errorf("%q ended with %d: %s", args, code, stderr.String())
		}
		return stdout.String()
	}
	run("agent", "run", "What is 2+3?")
	tried := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^    evolve (.*)$`).FindAllStringSubmatch(string(chapter), -1) {
		args := words(line[1])
		tried[args[1]] = true
		if out := run(args...); out == "" {
			t.Errorf("%q prints nothing", line[1])
		}
	}
	for _, c := range feedbackCommand(&shell{}).Subcommands {
		if !tried[c.Name] {
			t.Errorf("the chapter does not show `evolve feedback %s`", c.Name)
		}
	}
}

// words splits a command line at spaces outside double quotes.
func words(line string) []string {
	quoted := false
	parts := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	for i := range parts {
		parts[i] = strings.Trim(parts[i], `"`)
	}
	return parts
}
