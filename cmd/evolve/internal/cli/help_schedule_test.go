package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// TestChapterShowsTheUnits checks that the units on the page are those that the command
// prints, apart from the paths of the program and of the workspace.
func TestChapterShowsTheUnits(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "router")
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), Process{
		Args:  strings.Fields("schedule print --at 01:30 --until 06:00 --format systemd"),
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/robin"}, Dir: dir, Release: func() {},
		Now:   func() time.Time { return time.Date(2026, 11, 29, 20, 15, 0, 0, time.UTC) },
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	printed := strings.NewReplacer(program, "/usr/local/bin/evolve", dir, "/srv/router").Replace(stdout.String())
	unit := regexp.MustCompile(`evolve-router-[0-9a-f]{8}`)
	alike := func(s string) string { return strings.TrimSpace(unit.ReplaceAllString(s, "UNIT")) }
	page := indentedBlocks(chapterText(t, "schedule"))
	if !slices.ContainsFunc(page, func(block string) bool { return alike(block) == alike(printed) }) {
		t.Errorf("the page does not show:\n%s", printed)
	}
}
