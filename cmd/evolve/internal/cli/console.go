package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports"
)

// fail prints an error with its hint and returns its exit code. With --json both are the
// last line of standard error.
func (sh *shell) fail(err error) int {
	var q exit.Silent
	if errors.As(err, &q) {
		return int(q)
	}
	code, hint := exit.Of(err)
	if errors.Is(err, syscall.EPIPE) { // the reader has ended, as `| head` does
		return code
	}
	hint = sh.here(hint)
	if sh.json {
		line, _ := json.Marshal(struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitempty"`
			Exit  int    `json:"exit"`
		}{shortened(err.Error()), shortened(hint), code})
		_, _ = fmt.Fprintf(sh.Stderr, "%s\n", visibleJSON(line))
		return code
	}
	for i, l := range strings.Split(strings.TrimRight(shortened(err.Error()), "\n"), "\n") {
		lead := "error: "
		if i > 0 {
			lead = "       "
		}
		_, _ = fmt.Fprintln(sh.Stderr, lead+reports.Visible(l))
	}
	if hint != "" {
		_, _ = fmt.Fprintf(sh.Stderr, "hint: %s\n", reports.Visible(shortened(hint)))
	}
	return code
}

// mostLine bounds a line of a message, in characters: text of a file, an argument or an
// answer can have any length.
const mostLine = 2000

// shortened removes the middle of a message's long lines.
func shortened(message string) string {
	if len(message) <= mostLine {
		return message
	}
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = workspace.Shorten(l, mostLine)
	}
	return strings.Join(lines, "\n")
}
