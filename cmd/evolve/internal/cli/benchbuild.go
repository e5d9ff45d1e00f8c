package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/bench/sessions"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
	"evolve/runtime/turn"
)

// perDomain is the default number of tasks per domain.
const perDomain = 10

func benchBuildCommand(sh *shell) *cli.Command {
	var formats []string
	for _, f := range sessions.Formats() {
		formats = append(formats, string(f))
	}
	return &cli.Command{
		Name: "build", Usage: "build a suite from conversations that people approved", ArgsUsage: "[FILE…]",
		Description: "Without FILE, the command reads the agent's own turns. FILE is a log of conversations, or - for standard\n" +
			"input; the format is detected, and nothing named in it is executed, fetched or followed. On a\n" +
			"terminal you look through the tasks before they are written.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "suite", Usage: "write suites/`NAME`.jsonl"},
			agentFlag(),
			&cli.StringFlag{Name: "format", Usage: "read files as `FORMAT`: " + strings.Join(formats, ", ")},
			&cli.StringFlag{Name: "domain", Usage: "the `DOMAIN` of all tasks; by default the one in the log, or the one that the agent's keywords suggest"},
			&cli.IntFlag{Name: "per-domain", Value: perDomain, Usage: "at most `N` tasks from each domain"},
			&cli.StringFlag{Name: "grader", Usage: "the `GRADER` of all tasks, one that uses the task's answer, such as numeric or rouge_l"},
			&cli.BoolFlag{Name: "conversations", Usage: "make one scripted conversation from each conversation that has several user messages and was approved at its end"},
			&cli.BoolFlag{Name: "dry-run", Usage: "count and list the tasks, but write nothing"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "write without a review; needed if there is no terminal"},
			&cli.BoolFlag{Name: "force", Usage: "replace the existing suite; tasks that are in both suites keep their splits"},
		},
		Action: func(c *cli.Context) error { return benchBuild(sh, c) },
	}
}

// builtSuite is the output of `evolve bench build --json`.
type builtSuite struct {
	// File is the suite's file, and Written reports whether it was written.
	File    string           `json:"file"`
	Written bool             `json:"written"`
	Logs    []sessions.Log   `json:"logs"`
	Summary sessions.Summary `json:"summary"`
	Dropped int              `json:"dropped"`
	Tasks   []bench.Task     `json:"tasks"`
}

func benchBuild(sh *shell, c *cli.Context) error {
	name := c.String("suite")
	switch {
	case workspace.SuiteProblem(name) != "":
		return exit.Errorf(exit.Usage, "--suite NAME writes suites/NAME.jsonl", "--suite: %s", workspace.SuiteProblem(name))
	case c.Int("per-domain") < 1:
		return exit.Misuse(errors.New("--per-domain must be at least 1"))
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	out := builtSuite{File: filepath.Join(w.Root, "suites", name+".jsonl"), Logs: []sessions.Log{}}
	existing, err := existingTasks(c, out.File)
	if err != nil {
		return err
	}
	b, err := newSuiteBuilder(sh, c, w, existing)
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		err = b.own(sh, c)
	} else {
		err = b.files(sh, c)
	}
	if err != nil {
		return err
	}
	out.Logs = b.logs
	if out.Tasks, out.Summary = b.Tasks(); out.Tasks == nil {
		out.Tasks = []bench.Task{}
	}
	return out.finish(sh, c)
}

// existingTasks returns the tasks of the suite that is to be replaced, or none if there is
// no such suite.
func existingTasks(c *cli.Context, file string) (sessions.Existing, error) {
	switch _, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the existing suite: %w", workspace.Reason(err))
	}
	if !c.Bool("force") && !c.Bool("dry-run") {
		return nil, exit.Errorf(exit.Usage, "--force replaces it; tasks that are in both suites keep their splits", "%s exists", file)
	}
	suite, issues := bench.LoadSuite(filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".jsonl"), grade.Rules())
	if suite == nil {
		return nil, exit.Errorf(exit.Usage, "repair the suite, so that its tasks keep their splits, or move the file elsewhere", "%s", issues[0])
	}
	return suite.Tasks, nil
}

// suiteBuilder reads conversations for a suite.
type suiteBuilder struct {
	*sessions.Builder
	agent *workspace.Agent // the agent whose own turns are read; nil if only files are read
	logs  []sessions.Log
}

func newSuiteBuilder(sh *shell, c *cli.Context, w *workspace.Workspace, existing sessions.Existing) (*suiteBuilder, error) {
	a, err := oneAgent(c, w, c.String("agent"))
	if err != nil && (c.NArg() == 0 || c.IsSet("agent")) {
		return nil, err
	}
	domains := domainsOf(a) // a is nil if there are several agents and none is named
	if c.IsSet("domain") {
		if problem := workspace.DomainProblem(c.String("domain")); problem != "" {
			return nil, exit.Errorf(exit.Usage, "known ones: "+knownDomains(domains, existing), "--domain: %s", problem)
		}
	}
	b, err := sessions.NewBuilder(sessions.Options{
		Scrub: sh.Sandbox(w).Scrubber.String, Domain: turn.DomainOf(domains), Fixed: c.String("domain"), DomainProblem: workspace.DomainProblem,
		PerDomain: c.Int("per-domain"), Grader: c.String("grader"), Conversations: c.Bool("conversations"), Existing: existing,
	})
	if err != nil {
		return nil, exit.Misuse(err)
	}
	return &suiteBuilder{Builder: b, agent: a, logs: []sessions.Log{}}, nil
}

// domainsOf returns the domains of an agent with their keywords. If a is nil, it returns
// the domains of every agent.
func domainsOf(a *workspace.Agent) map[string][]string {
	if a == nil || a.Domains == nil {
		return turn.DefaultDomains()
	}
	return a.Domains
}

// knownDomains lists the domains of an agent and the domains of the existing tasks.
func knownDomains(table map[string][]string, existing sessions.Existing) string {
	names := workspace.SortedNames(table)
	for _, t := range existing {
		if t.Domain != "" {
			names = append(names, t.Domain)
		}
	}
	slices.Sort(names)
	return text.Visible(strings.Join(slices.Compact(names), ", "))
}

// files reads the logs named by the arguments.
func (b *suiteBuilder) files(sh *shell, c *cli.Context) error {
	for _, name := range c.Args().Slice() {
		switch info, err := os.Stat(sh.abs(name)); {
		case name == "-":
		case errors.Is(err, fs.ErrNotExist):
			return exit.Errorf(exit.Usage, "check the path; - reads standard input", "there is no file %s", text.Visible(name))
		case err == nil && info.IsDir():
			return exit.Errorf(exit.Usage, "name the logs in it, such as "+text.Visible(filepath.Join(name, "*.jsonl")), "%s is a folder", text.Visible(name))
		}
		in, err := openInput(c.Context, sh, name)
		if err != nil {
			return err
		}
		log, err := sessions.Read(in, sessions.ReadOptions{Name: name, Format: sessions.Format(c.String("format"))}, b.Add)
		err = errors.Join(err, in.Close())
		if err == nil {
			err = c.Context.Err()
		}
		if err != nil {
			hint := "name its format with --format; `evolve help suites` lists the formats"
			var log *sessions.Unreadable
			if errors.As(err, &log) {
				hint = log.Hint
			}
			return exit.Errorf(exit.Usage, hint, "%s: %w", text.Visible(name), err)
		}
		b.logs = append(b.logs, log)
	}
	return nil
}

// finish shows the result, lets a person review it, and then writes the suite.
func (o *builtSuite) finish(sh *shell, c *cli.Context) error {
	if !sh.json {
		o.print(sh.console)
	}
	if len(o.Tasks) == 0 {
		if sh.json {
			if err := sh.printJSON(o); err != nil {
				return err
			}
		}
		return exit.Errorf(exit.Usage, "an exchange becomes a task if the log marks its answer as approved or the user approves it; see `evolve help suites`", "there is no task to write")
	}
	var err error
	switch {
	case c.Bool("dry-run"):
		if !sh.json {
			o.list(sh.console)
		}
	case c.Bool("yes"):
		err = o.write(c.Bool("force"))
	default:
		err = o.review(sh, c)
	}
	if sh.json {
		return errors.Join(sh.printJSON(o), err)
	}
	if err == nil && o.Written {
		sh.printf("%s written to %s\n", count(len(o.Tasks), "task"), o.File)
	}
	return err
}

// write writes the whole suite.
func (o *builtSuite) write(force bool) error {
	var content bytes.Buffer
	if err := bench.WriteSuite(&content, o.Tasks); err != nil {
		return err
	}
	err := writeNew(o.File, content.Bytes(), force)
	o.Written = err == nil
	return err
}
