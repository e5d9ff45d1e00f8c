package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/runtime/text"
)

func benchCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "bench", Usage: "suites: what agents are measured on",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the suites, with their numbers of tasks and clusters", Action: func(c *cli.Context) error { return benchList(sh, c) }},
			{
				Name: "validate", Usage: "check the suites of the workspace, or the named files", ArgsUsage: "[FILE…]",
				Description: "If this machine lacks a program that a grader or an agent needs, there is a warning and the exit code stays 0,\n" +
					"because another machine may run the nights; `evolve doctor` fails on the machine that lacks it.",
				Action: func(c *cli.Context) error { return benchValidate(sh, c) },
			},
			benchRunCommand(sh),
			benchImportCommand(sh),
			benchBuildCommand(sh),
			benchCalibrateCommand(sh),
			{
				Name: "split", Usage: "show which tasks are for the search and which are held out", ArgsUsage: "SUITE",
				Action: func(c *cli.Context) error { return benchSplit(sh, c) },
			},
		},
	}
}

// suiteLine is one suite in `evolve bench list --json`.
type suiteLine struct {
	Suite    string   `json:"suite"`
	Tasks    int      `json:"tasks"`
	Search   int      `json:"search"`
	Holdout  int      `json:"holdout"`
	Clusters int      `json:"clusters"`
	Domains  []string `json:"domains"`
	Agents   []string `json:"agents"`
	Hash     string   `json:"hash"`
}

func benchList(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	lines := []suiteLine{}
	for _, name := range sortedSuites(w) {
		lines = append(lines, suiteInNumbers(w, w.Suites[name]))
	}
	return sh.show(map[string]any{"suites": lines}, func() {
		for _, l := range lines {
			domains := make([]string, len(l.Domains))
			for i, d := range l.Domains {
				domains[i] = text.Visible(model.DomainName(d))
			}
			sh.printf("%-16s %4d %s in %s   %d search, %d holdout   %s   used by %s\n",
				l.Suite, l.Tasks, orElse("task", "tasks", l.Tasks == 1), count(l.Clusters, "cluster"), l.Search, l.Holdout, strings.Join(domains, ", "), orDash(strings.Join(l.Agents, ", ")))
		}
	})
}

func sortedSuites(w *workspace.Workspace) []string {
	names := make([]string, 0, len(w.Suites))
	for name := range w.Suites {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func suiteInNumbers(w *workspace.Workspace, s *bench.Suite) suiteLine {
	l := suiteLine{Suite: s.Name, Tasks: len(s.Tasks), Domains: []string{}, Agents: []string{}, Hash: s.Hash}
	units := map[string]bool{}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		units[t.Unit()] = true
		if t.Domain != "" && !slices.Contains(l.Domains, t.Domain) {
			l.Domains = append(l.Domains, t.Domain)
		}
	}
	slices.Sort(l.Domains)
	l.Clusters, l.Search, l.Holdout = len(units), len(s.Side(bench.Search)), len(s.Side(bench.Holdout))
	for _, a := range w.Agents {
		if slices.Contains(a.Suites, s.Name) {
			l.Agents = append(l.Agents, a.ID)
		}
	}
	return l
}

// printLikeness prints the near-duplicates, if there are any.
func printLikeness(con *console, lead string, l bench.Likeness) {
	if l.String() == "" {
		return
	}
	con.printf("%s%s\n", text.Visible(lead), l)
	for _, group := range l.Named {
		con.printf("  %s\n", text.Visible(group))
	}
	if more := l.Groups - len(l.Named); more > 0 {
		con.printf("  and %d more groups\n", more)
	}
}

func benchSplit(sh *shell, c *cli.Context) error {
	name := c.Args().First()
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	s := w.Suites[name]
	if s == nil {
		return exit.Errorf(exit.Usage, exit.Listed("the workspace has ", sortedSuites(w), "the workspace has no suites; `evolve help suites` describes them"), "there is no suite %q", name)
	}
	type line struct {
		Task    string      `json:"task"`
		Domain  string      `json:"domain"`
		Cluster string      `json:"cluster"`
		Split   bench.Split `json:"split"`
	}
	lines := make([]line, len(s.Tasks))
	for i := range s.Tasks {
		t := &s.Tasks[i]
		lines[i] = line{t.ID, t.Domain, t.Unit(), t.Split}
	}
	return sh.show(map[string]any{"suite": name, "tasks": lines}, func() {
		for _, l := range lines {
			sh.printf("%-8s %-14s %-24s %s\n", l.Split, text.Visible(l.Domain), text.Visible(l.Cluster), text.Visible(l.Task))
		}
	})
}

// openInput opens an input and returns a failure as a usage error.
func openInput(ctx context.Context, sh *shell, name string) (io.ReadCloser, error) {
	in, err := openFile(ctx, sh, name)
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("reading %s: %w", name, err))
	}
	return in, nil
}

// writeNew writes a whole file. It refuses to replace an existing file unless force is set.
func writeNew(path string, data []byte, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return exit.Errorf(exit.Usage, "--force replaces it", "%s exists", path)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
