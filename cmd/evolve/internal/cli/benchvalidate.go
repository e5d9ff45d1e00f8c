package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

func benchValidate(sh *shell, c *cli.Context) error {
	var suites []*bench.Suite
	if c.NArg() == 0 {
		w, err := sh.load(c)
		if err != nil {
			return err
		}
		for _, name := range sortedSuites(w) {
			suites = append(suites, w.Suites[name])
		}
		return printValid(sh.console, sortedSuites(w), suites, append(missingGraders(suites), missingAgents(w)...))
	}
	rules := grade.Rules()
	if root, err := sh.root(c); err == nil {
		rules = wire.SuiteRules(root)
	}
	var names, issues []string
	for _, file := range c.Args().Slice() {
		path := sh.abs(file)
		name, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
		if !ok {
			return exit.Misuse(fmt.Errorf("%s is not a suite: its name does not end in .jsonl", file))
		}
		suite, found := bench.LoadSuite(filepath.Dir(path), name, rules)
		for _, i := range bench.FoldIssues(found) {
			issues = append(issues, i.String())
		}
		names, suites = append(names, file), append(suites, suite)
	}
	if len(issues) > 0 {
		return exit.Errorf(exit.Usage, "every line must be a task; see `evolve help suites`", "%s\n%s", count(len(issues), "problem"), strings.Join(issues, "\n"))
	}
	return printValid(sh.console, names, suites, missingGraders(suites))
}

// absentProgram is a program that this machine lacks.
type absentProgram struct {
	// Suite is the suite whose tasks the program grades, Tasks is the number of these
	// tasks, and Task is the first of them. For the program of an agent, Agent is set
	// instead.
	Suite   string `json:"suite,omitempty"`
	Task    string `json:"task,omitempty"`
	Tasks   int    `json:"tasks,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Program string `json:"program"`
	Problem string `json:"problem"`
	Hint    string `json:"hint"`

	whose string
}

// missingGraders returns the programs of graders that cannot be started here.
func missingGraders(suites []*bench.Suite) []absentProgram {
	var out []absentProgram
	for _, s := range suites {
		for _, g := range workspace.GraderPrograms(s) {
			if problem := g.Problem(exec.LookPath); problem != "" {
				out = append(out, absentProgram{
					Suite: s.Name, Task: g.Tasks[0].ID, Tasks: len(g.Tasks), Program: strings.Join(g.Argv, " "),
					Problem: problem, Hint: g.Hint(), whose: fmt.Sprintf("suite %s: the grader of %s", s.Name, g.Graded()),
				})
			}
		}
	}
	return out
}

// missingAgents returns those agent programs that cannot be started here.
func missingAgents(w *workspace.Workspace) []absentProgram {
	var out []absentProgram
	for i := range w.Agents {
		a := &w.Agents[i]
		if problem := a.ProgramProblem(exec.LookPath); problem != "" {
			out = append(out, absentProgram{
				Agent: a.ID, Program: strings.Join(a.Adapter.Argv, " "), Problem: problem, Hint: a.ProgramHint(), whose: "agent " + a.ID,
			})
		}
	}
	return out
}

// printValid reports that suites are usable. It also prints the near-duplicates in each
// suite and the programs that this machine lacks.
func printValid(con *console, names []string, suites []*bench.Suite, missing []absentProgram) error {
	alike := map[string]bench.Likeness{}
	for i, s := range suites {
		alike[names[i]] = s.Likeness()
	}
	if con.json {
		return con.printJSON(map[string]any{"valid": orEmpty(names), "likeness": alike, "missing": orEmpty(missing)})
	}
	_, err := fmt.Fprintf(con.stdout, "valid: %s\n", text.Visible(strings.Join(names, ", ")))
	for _, name := range names {
		printLikeness(con, name+": ", alike[name])
	}
	for _, m := range missing {
		con.eprintf("warning: %s: %s\n  hint: %s\n", text.Visible(m.whose), text.Visible(m.Problem), text.Visible(m.Hint))
	}
	return err
}
