package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/runtime/text"
)

// foldedOutput collects what a command prints on a terminal, to be folded at its end.
type foldedOutput struct {
	bytes.Buffer
	to io.Writer
}

// folded returns the action of a command that asks nothing, with its output folded to the width
// of a terminal. JSON, and what goes elsewhere than to a terminal, stays as it is.
func folded(sh *shell, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		tty, width := terminal(sh.stdout)
		if !tty || sh.json {
			return action(c)
		}
		out := &foldedOutput{to: sh.stdout}
		sh.stdout = out
		err := action(c)
		sh.stdout = out.to
		for line := range strings.Lines(out.String()) {
			for _, part := range foldLine(strings.TrimSuffix(line, "\n"), width) {
				sh.printf("%s\n", part)
			}
		}
		return err
	}
}

// A line may end with a command, or be one: the last alternative of a value is one without
// spaces.
var (
	lastCommand = regexp.MustCompile(`(?:^|[^a-z]) ?(evolve(?: [a-z-]+){1,3}(?: [A-Z0-9]\S*| --[a-z-]+(?: (?:'[^']*'|"[^"]*"|[^\s-]\S*))?)*)$`)
	spacedWord  = regexp.MustCompile(` *[^ ]+`)
)

// foldLine breaks a line of more than width cells at spaces. What follows is indented further
// than the line; columns keep their distance within a part. A command stays in one piece, to be
// copied, and so does a word such as a path: the terminal itself wraps them.
func foldLine(line string, width int) []string {
	if text.Width(line) <= width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(body)]
	further := lead + "    "
	command := ""
	if at := lastCommand.FindStringSubmatchIndex(body); at != nil {
		body, command = strings.TrimRight(body[:at[2]], " "), body[at[2]:at[3]]
	}
	var parts []string
	part := lead
	for _, word := range spacedWord.FindAllString(body, -1) {
		if part != lead && part != further && text.Width(part+word) > width {
			parts, part = append(parts, part), further
		}
		if part == lead || part == further {
			word = strings.TrimLeft(word, " ")
		}
		part += word
	}
	if command != "" {
		if body != "" {
			parts, lead = append(parts, part), further
		}
		part = lead + command
	}
	return append(parts, part)
}
