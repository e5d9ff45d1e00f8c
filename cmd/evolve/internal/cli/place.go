package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports"
)

// settle stores how printed commands must name the workspace: not at all if it is found
// from the current folder.
func (sh *shell) settle(c *cli.Context, root string) {
	if found, err := workspace.Find(sh.dir); err == nil && found == root {
		sh.place = ""
		return
	}
	sh.place = root
	if typed := c.String("workspace"); typed != "" {
		sh.place = typed
	}
}

// typed returns a command that works in the current folder.
func (sh *shell) typed(command string) string {
	if sh.place == "" {
		return command
	}
	return command + " --workspace " + exit.ShellQuote(sh.place)
}

// inHints finds the commands in a hint.
var inHints = regexp.MustCompile("`evolve [^`]*`")

// here adapts the commands in a hint to the current folder.
func (sh *shell) here(hint string) string {
	if sh.place == "" {
		return hint
	}
	return inHints.ReplaceAllStringFunc(hint, func(command string) string {
		command = strings.Trim(command, "`")
		for _, free := range []string{"evolve help", "evolve demo", "--help", "--workspace"} {
			if strings.Contains(command, free) {
				return "`" + command + "`"
			}
		}
		return "`" + sh.typed(command) + "`"
	})
}

// hereToo adapts the commands of a report to the current folder.
func (sh *shell) hereToo(r reports.Report) reports.Report {
	if sh.place == "" {
		return r
	}
	r.Agents, r.Volatile.Patches, r.Volatile.Waiting = slices.Clone(r.Agents), slices.Clone(r.Volatile.Patches), slices.Clone(r.Volatile.Waiting)
	for i := range r.Agents {
		r.Agents[i].Decision.Commands = sh.allTyped(r.Agents[i].Decision.Commands)
	}
	for i := range r.Volatile.Waiting {
		r.Volatile.Waiting[i].Command = sh.typed(r.Volatile.Waiting[i].Command)
	}
	for i := range r.Volatile.Patches {
		r.Volatile.Patches[i].Commands = sh.allTyped(r.Volatile.Patches[i].Commands)
	}
	return r
}

func (sh *shell) allTyped(commands []string) []string {
	out := make([]string, len(commands))
	for i, command := range commands {
		out[i] = sh.typed(command)
	}
	return out
}
