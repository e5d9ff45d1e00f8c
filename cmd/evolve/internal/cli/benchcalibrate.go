package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/grade"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/text"
)

func benchCalibrateCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "calibrate", Usage: "compare the judge of a suite with people's labels",
		Description: "A label is a line {\"task\": ID, \"answer\": TEXT, \"label\": 0 to 1}, or with \"grade\" on the judge's scale\n" +
			"instead of \"label\". Each line requires at least one call to the judge, which costs money; the result is recorded.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "labels", Required: true, Usage: "the JSONL `FILE` of labels, or - for standard input"},
			&cli.StringFlag{Name: "suite", Usage: "the `SUITE`; needed if several suites have judges"},
			&cli.IntFlag{Name: "grader", Usage: "use grader number `N` of each task, counted from 1; needed if a task has several judges"},
		},
		Action: func(c *cli.Context) error { return benchCalibrate(sh, c) },
	}
}

func benchCalibrate(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	suite, err := judgedSuite(w, c.String("suite"))
	if err != nil {
		return err
	}
	in, err := openInput(c.Context, sh, c.String("labels"))
	if err != nil {
		return err
	}
	labels, err := grade.ReadLabels(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return exit.Errorf(exit.Usage, "`evolve help suites` shows the format of a label", "%s: %w", c.String("labels"), err)
	}
	list, err := labelled(suite, labels, c.Int("grader"))
	if err != nil {
		return err
	}
	if len(list) < stats.LeastLabels {
		return tooFew(len(list), "labels", exit.Usage, nil)
	}
	agents, err := sh.Agents(w)
	if err != nil {
		return err
	}
	judge, done, err := agents.Judge()
	if err != nil {
		return err
	}
	found, err := grade.Calibrate(c.Context, judge, list, w.Settings.Search.Concurrency)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	if found.Agreement.Labels < stats.LeastLabels {
		return tooFew(found.Agreement.Labels, "verdicts", exit.Infrastructure, found.Fault)
	}
	_, route := w.JudgeRoute(list[0].Judge.Route)
	record := archive.Calibration{
		Suite: suite.Name, Models: suite.Judges, Model: route.Model, Agreement: found.Agreement, Missing: found.Missing, Usage: found.Usage,
	}
	for _, l := range list {
		if d := l.Judge.Definition(); !slices.Contains(record.Judges, d) {
			record.Judges = append(record.Judges, d)
		}
	}
	if err := keepCalibration(sh, c, w, record); err != nil {
		return err
	}
	return sh.show(record, func() { printCalibration(sh.console, record, list[0].Judge) })
}

func tooFew(n int, what string, code int, why error) error {
	hint := fmt.Sprintf("label at least %d answers, including bad ones", stats.LeastLabels)
	if why != nil {
		return exit.Errorf(code, "`evolve doctor` checks the provider", "there are %d %s, too few to calibrate a judge: %w", n, what, why)
	}
	return exit.Errorf(code, hint, "there are %d %s, too few to calibrate a judge", n, what)
}

// judgedSuite returns the suite with this name or, without a name, the only suite with
// judges.
func judgedSuite(w *workspace.Workspace, name string) (*bench.Suite, error) {
	names := slices.DeleteFunc(sortedSuites(w), func(n string) bool { return w.Suites[n].Judges == "" })
	switch {
	case len(names) == 0:
		return nil, exit.Errorf(exit.Usage, "`evolve help suites` shows how to give a task a judge", "no suite has a grader of type judge")
	case name == "" && len(names) > 1:
		return nil, exit.Errorf(exit.Usage, "choose one with --suite: "+strings.Join(names, ", "), "%d suites have judges", len(names))
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return nil, exit.Errorf(exit.Usage, "those with judges are "+strings.Join(names, ", "), "there is no suite %q with a judge", name)
	}
	return w.Suites[name], nil
}

// labelled returns each label with its judge. The judge is grader number n of the label's
// task, counted from 1, or the task's only judge if n is 0.
func labelled(suite *bench.Suite, labels []grade.Label, n int) ([]grade.Labelled, error) {
	judges := map[string][]*grade.Judge{}
	for i := range suite.Tasks {
		judges[suite.Tasks[i].ID] = grade.Judges(&suite.Tasks[i])
	}
	var list []grade.Labelled
	for _, l := range labels {
		all, ok := judges[l.Task]
		if !ok {
			return nil, exit.Errorf(exit.Usage, "choose a different suite with --suite", "line %d: the suite %s has no task %q", l.Line, suite.Name, l.Task)
		}
		var j *grade.Judge
		own := slices.DeleteFunc(slices.Clone(all), func(j *grade.Judge) bool { return j == nil })
		switch {
		case n > 0 && n <= len(all):
			j = all[n-1]
		case n == 0 && len(own) == 1:
			j = own[0]
		case n == 0 && len(own) > 1:
			return nil, exit.Errorf(exit.Usage, "choose one with --grader N, counted from 1 among all graders of the task", "line %d: the task %q has %d judges", l.Line, l.Task, len(own))
		}
		if j == nil {
			return nil, exit.Errorf(exit.Usage, "label only answers to tasks that a judge grades", "line %d: the selected grader of the task %q is not a judge", l.Line, l.Task)
		}
		human, err := l.Human(j)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		if len(list) > 0 && list[0].Judge.Points() != j.Points() {
			return nil, exit.Errorf(exit.Usage, "calibrate judges with different scales separately", "line %d: its judge has a different scale from the one on line %d", l.Line, labels[0].Line)
		}
		list = append(list, grade.Labelled{Judge: j, Answer: l.Answer, Human: human})
	}
	return list, nil
}

// keepCalibration records a calibration in the ledger.
func keepCalibration(sh *shell, c *cli.Context, w *workspace.Workspace, record archive.Calibration) error {
	entry, err := archive.NewLedgerEntry(sh.Now(), archive.CalibrationKind, record.Suite, record)
	if err != nil {
		return err
	}
	a, err := sh.OpenArchive(w.Root, "evolve bench calibrate")
	if err != nil {
		return err
	}
	_, err = a.Append(c.Context, entry)
	return errors.Join(err, a.Close())
}

func printCalibration(con *console, r archive.Calibration, j *grade.Judge) {
	a := r.Agreement
	measure := func(name string, m *stats.Measure, none string) {
		if m == nil {
			con.printf("  %-10s %s\n", name, none)
			return
		}
		con.printf("  %-10s %s  [%s, %s]\n", name, number.Score(m.Value), number.Score(m.Lo), number.Score(m.Hi))
	}
	con.printf("judge of %s: %s, against %s\n", text.Visible(r.Suite), text.Visible(r.Model), count(a.Labels, "label"))
	measure("agreement", &a.Same, "")
	measure("kappa", a.Kappa, "not defined: all grades are the same")
	measure("bias", &a.Bias, "")
	measure("by length", a.Length, "not defined: all answers have the same length, or all differences in grade are the same")
	if a.First != nil {
		measure("by place", a.First, "")
	}
	con.printf("\n  rows: people's grades; columns: the judge's grades; both from the worst to the best\n")
	if j.Points() > 20 {
		con.printf("  the table is left out because of its size; --json includes it\n")
	} else {
		for _, row := range a.Table {
			con.printf(" ")
			for _, n := range row {
				con.printf(" %4d", n)
			}
			con.printf("\n")
		}
	}
	con.printf("\n  %s", count(r.Usage.Iterations, "call"))
	if r.Usage.CostUSD > 0 {
		con.printf(", %s", number.Dollars(r.Usage.CostUSD))
	}
	if r.Missing > 0 {
		con.printf("; %d without a verdict", r.Missing)
	}
	con.printf("\n")
}
