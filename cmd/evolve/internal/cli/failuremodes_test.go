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

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// TestFailureModesNameCommands checks that the manual names six failure modes. For each
// of them it must name a command that shows the failure and a command that undoes it,
// with flags that exist.
func TestFailureModesNameCommands(t *testing.T) {
	chapter, err := helpTexts.ReadFile("help/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(chapter), "## Six failure modes\n")
	if !found {
		t.Fatal("there is no such section")
	}
	section = regexp.MustCompile(`\n {30}--`).ReplaceAllString(section, " --")
	for _, want := range []string{"shows it ", "undoes it "} {
		if n := strings.Count(section, "        "+want); n != 6 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	commands := (&shell{console: &console{}}).app().Commands
	named := regexp.MustCompile(`evolve ([a-z]+(?: [a-z]+)?)([^,\n]*)`).FindAllStringSubmatch(section, -1)
	if len(named) < 12 {
		t.Errorf("%d commands are named", len(named))
	}
	for _, m := range named {
		var command *cli.Command
		among := commands
		for _, word := range strings.Fields(m[1]) {
			i := slices.IndexFunc(among, func(c *cli.Command) bool { return c.Name == word })
			if i < 0 {
				command = nil
				break
			}
			command, among = among[i], among[i].Subcommands
		}
		if command == nil {
			t.Errorf("there is no command %q", m[1])
			continue
		}
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(m[2], -1) {
			if !slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag[1]) }) {
				t.Errorf("evolve %s has no flag --%s", m[1], flag[1])
			}
		}
	}
}

// TestLimitsOfLearning checks that the page on tools shows the floors and caps that hold
// after days of nothing but corrections.
func TestLimitsOfLearning(t *testing.T) {
	dir := t.TempDir()
	if err := fixture.Workspace(filepath.Join(dir, "ws"), "tiny"); err != nil {
		t.Fatal(err)
	}
	day := 0
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), Process{
			Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"},
			Dir: filepath.Join(dir, "ws"), Release: func() {},
			Now:   func() time.Time { return time.Date(2026, 11, 14+day, 12, 0, 0, 0, time.UTC) },
			Sleep: func(context.Context, time.Duration) error { return nil },
		})
		if code != 0 {
			t.Fatalf("%q ended with %d: %s", args, code, stderr.String())
		}
		return stdout.String()
	}
	ask := func(n int) {
		for range n {
			run("agent", "run", "--session", "talk", "--domain", "operations", "--quiet", "No, that is wrong. What is 2+3?")
		}
	}
	expect := func(page string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in:\n%s", want, page)
			}
		}
	}
	ask(12)
	expect(run("tools", "health", "aide"), "\nlimits\n", "on 2026-11-14 it can change by at most 0.20",
		"calculate in operations is avoided")
	expect(run("tools", "health", "aide", "--json"), `"limits":`, `"kind": "daily cap"`)
	day++
	ask(9)
	expect(run("tools", "health", "aide"), "competence in operations is 0.1", "it cannot fall below 0.10")
}
