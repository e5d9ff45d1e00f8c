//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCron starts runs as cron does, under even worse conditions: with no environment
// except PATH, no home, no terminal, and with standard input closed.
func TestCron(t *testing.T) {
	t.Parallel()
	for flag, code := range map[string]int{"": 0, "--detailed-exitcode": 3} {
		p := tiny(t)
		args := append([]string{"-c", `exec "$0" "$@" <&-`, binary, "run", "--workspace", p.root}, p.flags...)
		if flag != "" {
			args = append(args, flag)
		}
		cmd := exec.Command("/bin/sh", args...)
		cmd.Env, cmd.Dir = []string{"PATH=" + os.Getenv("PATH")}, "/"
		r := begin(t, cmd).wait()
		if r.code != code {
			t.Errorf("run %s: exit %d, want %d\n%s", flag, r.code, code, r.stderr)
		}
		if !strings.Contains(r.stdout, "P1") {
			t.Errorf("the decision box does not name the proposal:\n%s", r.stdout)
		}
		// Each stage prints a line at its start, a line at its end, and one per minute in
		// between.
		lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
		if len(lines) < 2 || len(lines) > 4 {
			t.Errorf("%d lines of progress:\n%s", len(lines), r.stderr)
		}
		for _, line := range lines {
			if !strings.Contains(line, " search ") && !strings.Contains(line, " confirmation ") {
				t.Errorf("%q is no line of progress", line)
			}
		}
		if strings.ContainsAny(r.stdout+r.stderr, "\x1b\r") {
			t.Errorf("control characters where there is no terminal: %q %q", r.stdout, r.stderr)
		}
	}
}
