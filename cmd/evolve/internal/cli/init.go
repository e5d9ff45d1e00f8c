package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/cmd/evolve/internal/workspace/scaffold"
)

func initCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "create a workspace: settings, and a starter agent and suite that run offline",
		Description: "Writes the workspace's files, with comments that explain every key, and JSON schemas that let\n" +
			"editors complete and check these files. Existing files are never overwritten. With --agent KIND it writes a first agent\n" +
			"of your own instead of the built-in one: a program in Python, Go or Node, a\n" +
			"service (http) or a prompt for a language model (llm), with parameters, twenty tasks and the\n" +
			"next steps. A Go agent is built if go is installed. If another agent has files with the same\n" +
			"names, nothing is written.",
		ArgsUsage: "[DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "begin with an agent of the `KIND` " + strings.Join(agentKinds(), ", ")},
			&cli.BoolFlag{Name: "minimal", Usage: "write only evolve.yaml"},
		},
		Action: func(c *cli.Context) error {
			kind, named, err := startingKind(c)
			if err != nil {
				return err
			}
			files := scaffold.Files()
			if named {
				files = kind.Files()
			}
			return initWorkspace(sh, c, files, kind)
		},
	}
}

// initWorkspace writes the files of a workspace. kind is the zero value for the starter
// workspace.
func initWorkspace(sh *shell, c *cli.Context, files map[string][]byte, kind scaffold.Kind) error {
	dir := sh.dir
	if named := c.String("workspace"); named != "" {
		dir = sh.abs(named)
	}
	if c.NArg() == 1 {
		if c.IsSet("workspace") {
			return exit.Misuse(fmt.Errorf("name the folder once: DIR, or --workspace"))
		}
		dir = sh.abs(c.Args().First())
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	if kind.Name != "" {
		if err := unmixed(dir, files, kind); err != nil {
			return err
		}
	}
	written, kept, err := workspace.Init(dir, files, c.Bool("minimal"))
	if err != nil {
		return err
	}
	problems := prepareKind(c, kind, dir)
	if kind.Name != "" && len(kept) > 0 {
		problems = append(problems, unloadable(dir)...)
	}
	result := map[string]any{"workspace": dir, "written": orEmpty(written), "kept": orEmpty(kept)}
	if kind.Name != "" {
		result["agent"], result["problems"], result["next"] = kind.Name, orEmpty(problems), stepsOf(sh, kind, dir, written, problems)
	}
	return sh.show(result, func() {
		sh.printf("created a workspace in %s: %s written", dir, count(len(written), "file"))
		if len(kept) > 0 {
			sh.printf(", %d kept as they were (%s)", len(kept), firstOf(kept, shownKept))
		}
		sh.setPlace(c, dir)
		sh.printf("%s", "\nruns are recorded in .evolve, which git ignores; `git clean -x` removes that folder, unless you add -e .evolve\n")
		if kind.Name != "" {
			printKind(sh, kind, dir, written, problems)
			return
		}
		sh.printf("\n  next    %s\n          %s\n", sh.command("evolve doctor"), sh.command("evolve run"))
	})
}

// shownKept is the maximum number of files that are named on one line.
const shownKept = 10

// makeFolder creates the folder that a person named.
func makeFolder(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.Usage, "name a folder, or a path where one can be created", "creating the workspace: %w", err)
	}
	if err != nil {
		return fmt.Errorf("creating the workspace: %w", err)
	}
	return nil
}

// abs returns the absolute form of a path that a person typed.
func (sh *shell) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(sh.dir, path)
}

// orEmpty turns a nil list into an empty one, so that the JSON has no null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
