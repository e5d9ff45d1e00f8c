package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/nightly"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports"
)

// runOptions are the flags of `evolve run`.
type runOptions struct {
	agents      []string
	budget      workspace.Budget
	until       string
	concurrency int
	lookahead   int
	seed        *int64
	selection   string
	stages      []string
	dryRun      bool
	resume      nightly.Resume
	detailed    bool
	json        bool
	quiet       bool
}

func (sh *shell) runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "the nightly batch: search, confirm on the holdout, propose, report",
		Description: "Runs every agent of the workspace (or those named by --agent) over its suites. Start it\n" +
			"from cron; a run whose process died is taken up again, and nothing recorded is paid twice.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "agent", Usage: "only the agent `ID`; may be given more than once"},
			&cli.IntFlag{Name: "budget-evals", Usage: "at most `N` evaluations, shared among the agents"},
			&cli.Float64Flag{Name: "budget-usd", Usage: "at most this much `MONEY`, reserved before it is spent"},
			&cli.DurationFlag{Name: "budget-time", Usage: "at most this `LONG`, such as 45m or 6h"},
			&cli.StringFlag{Name: "until", Usage: "be done, report included, by this local time `HH:MM`"},
			&cli.IntFlag{Name: "concurrency", Usage: "`N` evaluations at once"},
			&cli.IntFlag{Name: "lookahead", Usage: "how many evaluations are asked for before the first result is needed, `N`; deterministic agents give the same results at any concurrency up to it"},
			&cli.Int64Flag{Name: "seed", Usage: "the seed `N` of everything random; the run's number by default"},
			&cli.StringFlag{Name: "selection", Usage: "`HOW` parents are chosen: " + strings.Join(selections(), ", ")},
			&cli.StringFlag{Name: "stages", Usage: "`WHICH`: search stops before the holdout; search,confirm is the default"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show the plan, its cost and its power, and stop"},
			&cli.BoolFlag{Name: "resume", Usage: "take up an interrupted run as well; --resume=false starts afresh even after a crash"},
			&cli.BoolFlag{Name: "detailed-exitcode", Usage: "exit 3 when proposals await a decision"},
		},
		Action: func(c *cli.Context) error {
			o, err := parseRun(c)
			if err != nil {
				return err
			}
			w, err := sh.load(c)
			if err != nil {
				return err
			}
			return sh.nightlyRun(c, w, o)
		},
	}
}

func parseRun(c *cli.Context) (runOptions, error) {
	o := runOptions{
		agents: c.StringSlice("agent"), until: c.String("until"), selection: c.String("selection"),
		concurrency: c.Int("concurrency"), lookahead: c.Int("lookahead"), dryRun: c.Bool("dry-run"),
		detailed: c.Bool("detailed-exitcode"), json: c.Bool("json"), quiet: c.Bool("quiet"),
		budget: workspace.Budget{Evaluations: c.Int("budget-evals"), USD: c.Float64("budget-usd"), Time: c.Duration("budget-time")},
	}
	for _, limit := range []struct {
		name  string
		right bool
		needs string
	}{
		{"budget-evals", o.budget.Evaluations >= 1, "must be 1 or more"},
		{"budget-usd", o.budget.USD > 0 && o.budget.USD < 1e9, "must be more than 0"},
		{"budget-time", o.budget.Time > 0, "must be longer than 0"},
		{"concurrency", o.concurrency >= 1 && o.concurrency <= 4096, "must be between 1 and 4096"},
		{"lookahead", o.lookahead >= 1 && o.lookahead <= 4096, "must be between 1 and 4096"},
	} {
		if c.IsSet(limit.name) && !limit.right {
			return o, usage(fmt.Errorf("--%s %s", limit.name, limit.needs))
		}
	}
	if c.IsSet("seed") {
		seed := c.Int64("seed")
		if seed < 0 || seed >= 1<<53 {
			return o, usage(errors.New("--seed must be between 0 and 2^53 − 1"))
		}
		o.seed = &seed
	}
	if c.IsSet("resume") {
		o.resume = nightly.ResumeNever
		if c.Bool("resume") {
			o.resume = nightly.ResumeAny
		}
	}
	switch s := c.String("stages"); s {
	case "":
	case "search":
		o.stages = []string{nightly.SearchStage}
	case "search,confirm":
		o.stages = []string{nightly.SearchStage, nightly.ConfirmStage}
	default:
		return o, hinted(exitUsage, "--stages is search, or search,confirm", "there are no stages %q", s)
	}
	if o.selection != "" {
		if err := knownSelection(o.selection); err != nil {
			return o, err
		}
	}
	return o, nil
}

// deadline is the next time of day hh:mm.
func deadline(hhmm string, now time.Time) (time.Time, error) {
	if hhmm == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation("15:04", hhmm, now.Location())
	if err != nil {
		return time.Time{}, hinted(exitUsage, "write it as 06:00", "--until %q is no time of day", hhmm)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	return at, nil
}

// nightlyRun does the run and everything around it: lock, progress, report, exit code.
func (sh *shell) nightlyRun(c *cli.Context, w *workspace.Workspace, o runOptions) error {
	ctx, drain, stop := sh.interruptible()
	defer stop()
	opts, crew, err := sh.nightlyOptions(c, w, o)
	if err != nil {
		return err
	}
	opts.Drain = drain
	agents, err := nightly.Choose(w, o.agents)
	if err == nil {
		err = startable(agents...)
	}
	if err != nil {
		return err
	}
	if o.dryRun {
		return sh.dryRun(ctx, c, w, opts, o)
	}
	a, err := sh.writer(w.Root, "evolve run")
	if err != nil {
		return err
	}
	opts.Archive, crew.store = a, a
	sh.withDesk(&opts)
	progress := sh.newProgress(o)
	opts.Progress = progress.show
	summary, err := nightly.Run(ctx, opts)
	progress.close()
	if err != nil {
		if o.json && summary.Run.ID != "" { // what was found is said, though the archive could not take it
			err = errors.Join(sh.printJSON(outcomeOf(summary)), err)
		}
		return errors.Join(err, a.Close())
	}
	err = sh.conclude(context.WithoutCancel(ctx), c, w, a, summary, o)
	if closing := a.Close(); closing != nil && err == nil {
		err = fmt.Errorf("closing the archive: %w", closing)
	}
	return err
}

// interruptible returns the context of hard stops, the context of the first
// interrupt, which drains, and a function that lets go of both.
func (sh *shell) interruptible() (ctx, drain context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(sh.ctx)
	drain, drained := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		var next os.Signal
		for _, step := range []struct {
			end  context.CancelCauseFunc
			says string
		}{
			{drained, "stopping: what is under way is finished and stored; once more to stop at once"},
			{cancel, "stopping at once; what was finished is stored"},
		} {
			if next == nil {
				select {
				case next = <-sh.signals:
				case <-done:
					return
				}
			}
			_, _ = fmt.Fprintln(sh.stderr, "\n"+step.says)
			step.end(nightly.ErrInterrupted)
			next = sh.calm(next, done)
		}
		sh.release()
	}()
	return ctx, drain, func() { close(done); cancel(nil) }
}

// conclude writes the report and prints how the run ended.
func (sh *shell) conclude(ctx context.Context, c *cli.Context, w *workspace.Workspace, a *archive.Archive, s nightly.Summary, o runOptions) error {
	report, err := reports.Build(ctx, a, s.Run.ID)
	if err != nil {
		return fmt.Errorf("building the report: %w", err)
	}
	path, err := writeReports(ctx, w.Root, a, report)
	if err != nil {
		return err
	}
	if o.json {
		if err := sh.printJSON(outcomeOf(s)); err != nil {
			return err
		}
	} else {
		_, width := terminal(sh.stdout)
		if err := reports.Box(sh.stdout, sh.hereToo(report), reports.TerminalOptions{Width: width, Color: sh.color(c)}); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sh.stdout, "\n  report  %s\n", path)
		sh.next(s)
	}
	if s.Run.Exit != 0 {
		return hinted(s.Run.Exit, earlyHint(s.Run.Exit), "the run ended early: %s", s.Run.Reason)
	}
	if o.detailed {
		for _, p := range s.Skills {
			if undecided(p) {
				return quietExit(exitAwaiting)
			}
		}
		for _, p := range report.Volatile.Patches {
			if p.Awaits() && !p.Created.Before(s.Run.Started) {
				return quietExit(exitAwaiting)
			}
		}
		for _, r := range s.Results {
			if len(r.Proposals) > 0 {
				return quietExit(exitAwaiting)
			}
		}
	}
	return nil
}

func earlyHint(exit int) string {
	switch exit {
	case exitBudget:
		return "give it more with --budget-evals, --budget-usd, --budget-time or a later --until; `evolve run --dry-run` shows what a plan needs"
	case exitInterrupted:
		return "the same command with --resume goes on where it stopped"
	}
	return "everything paid for is kept; `evolve doctor` checks the surroundings, and the same command with --resume goes on where it stopped"
}

// next prints what to type after the commands of the decision box.
func (sh *shell) next(s nightly.Summary) {
	for _, p := range s.Skills {
		if undecided(p) {
			_, _ = fmt.Fprintf(sh.stdout, "  skill   %s awaits a decision: %s\n", p.ID, sh.typed("evolve show "+p.ID))
		}
	}
	sh.printPatchNotes(s.Run.Patches)
	for _, r := range s.Results {
		if len(r.Proposals) > 0 {
			_, _ = fmt.Fprintf(sh.stdout, "  next    %s\n          %s\n", sh.typed("evolve review"), sh.typed("evolve report"))
			return
		}
	}
	_, _ = fmt.Fprintf(sh.stdout, "  next    %s\n", sh.typed("evolve status"))
}
