package cli

import (
	"embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
)

// Each script asks this program for the candidates: `evolve __complete WORD…`.
//
//go:embed completion
var completionScripts embed.FS

// shells lists the shells for which there is a completion script.
func shells() []string { return []string{"bash", "zsh", "fish"} }

func completionCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print the completion script for a shell", ArgsUsage: "SHELL",
		Description: "SHELL is bash, zsh or fish. The script completes commands, flags and their values, agents, suites, and the ids of proposals and requests " +
			"that await a decision.\n\n" +
			"bash: `source <(evolve completion bash)` in ~/.bashrc. zsh: `source <(evolve completion zsh)` in ~/.zshrc, after compinit. " +
			"fish: `evolve completion fish > ~/.config/fish/completions/evolve.fish`. The .deb and .rpm packages install all three scripts.",
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			if !slices.Contains(shells(), name) {
				return exit.Errorf(exit.Usage, exit.Suggest("", "`evolve completion %s`", name, shells()), "there are completion scripts for %s, but not for %q", strings.Join(shells(), ", "), name)
			}
			script, err := completionScripts.ReadFile("completion/evolve." + name)
			if err != nil {
				return err
			}
			return sh.result(map[string]string{"shell": name, "script": string(script)}, "%s", script)
		},
	}
}
