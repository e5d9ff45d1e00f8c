package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate"
	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/text"
)

// runOptions are the flags of `evolve run`.
type runOptions struct {
	given    batch.Given
	resume   batch.Resume
	dryRun   bool
	detailed bool
	// tells notifies people of the outcome of the run; if it is nil, no notifications are
	// sent.
	tells   *teller
	catchUp bool
	// workers contains the hub settings.
	workers workspace.Workers
	// measures collects figures for monitoring that are not stored in any record; if it is
	// nil, none are collected.
	measures *measuring
}

func runCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "run the nightly batch: search, confirm on the holdout, propose, report",
		Description: "Runs every agent of the workspace (or those named by --agent) over its suites. `evolve\n" +
			"schedule` starts a run every night; a run whose process died is resumed, and nothing recorded is paid for twice.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "agent", Usage: "run only the agent `ID`; repeat the flag for several agents"},
			&cli.IntFlag{Name: "budget-evals", Usage: "at most `N` evaluations, shared among the agents"},
			&cli.Float64Flag{Name: "budget-usd", Usage: "spend at most `USD`; money is reserved before it is spent"},
			&cli.DurationFlag{Name: "budget-time", Usage: "run for at most `DURATION`, such as 45m or 6h"},
			&cli.StringFlag{Name: "until", Usage: "finish, including the report, by the local time `HH:MM`"},
			&cli.IntFlag{Name: "concurrency", Usage: "run `N` evaluations at once"},
			&cli.IntFlag{Name: "lookahead", Usage: "request up to `N` evaluations without waiting for a result; a deterministic agent gives the same results at any concurrency up to N"},
			hubFlag(),
			&cli.Int64Flag{Name: "seed", Usage: "random seed `N`; the run's number by default"},
			&cli.StringFlag{Name: "selection", Usage: "choose parents by `METHOD`: " + strings.Join(mutate.Selections(), ", ")},
			&cli.StringFlag{Name: "stages", Usage: "the `STAGES` to run: search, which stops before the holdout, or search,confirm (the default)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show the plan, its cost and its power, and stop"},
			&cli.BoolFlag{Name: "resume", Usage: "resume the latest run with its original options, if it was interrupted or ended by an outage; --resume=false starts a new run even after a crash"},
			&cli.BoolFlag{Name: "catch-up", Usage: "do nothing unless the last scheduled night (`evolve schedule`) was missed or its process died"},
			&cli.BoolFlag{Name: "detailed-exitcode", Usage: "exit with code 3 when proposals await a decision"},
		},
		Action: func(c *cli.Context) error {
			o, err := parseRun(c)
			if err != nil {
				return err
			}
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			if o.catchUp {
				must, err := mustCatchUp(c.Context, sh, root)
				if err != nil {
					return err
				}
				if !must {
					return sh.result(runOutcome{Agents: []agentOutcome{}}, "nothing to catch up on: the last night ran, or none was due yet\n")
				}
			}
			run := func(t *teller, m *measuring) error {
				w, err := wire.Load(root)
				if err != nil {
					return err
				}
				if o.workers, err = hubOf(c, w.Settings.Workers); err != nil {
					return err
				}
				if n := o.workers.Lookahead; o.workers.Hub != "" && n > 0 {
					o.given.Lookahead, o.given.Concurrency = cmp.Or(o.given.Lookahead, n), cmp.Or(o.given.Concurrency, n)
				}
				o.tells, o.measures = t, m
				if o.dryRun || w.Settings.Adoption.Via != workspace.ViaBranch {
					return nightlyRun(sh, w, o)
				}
				decided, err := nightBranches(sh, w, nil)
				if err == nil && decided { // adoption.after may have changed the files of the workspace
					w, err = wire.Load(root)
				}
				if err != nil {
					return err
				}
				err = nightlyRun(sh, w, o)
				if code, _ := exit.Of(err); err == nil || code != exit.Interrupted {
					_, _ = nightBranches(sh, w, t) // the run has already ended
				}
				return err
			}
			if o.dryRun {
				return run(nil, nil)
			}
			return told(sh, root, func(t *teller) error {
				return measured(sh, root, func(m *measuring) error { return run(t, m) })
			})
		},
	}
}

func parseRun(c *cli.Context) (runOptions, error) {
	o := runOptions{
		dryRun: c.Bool("dry-run"), detailed: c.Bool("detailed-exitcode"), catchUp: c.Bool("catch-up"),
		given: batch.Given{
			Agents: c.StringSlice("agent"), Selection: c.String("selection"),
			Concurrency: c.Int("concurrency"), Lookahead: c.Int("lookahead"),
			Budget: workspace.Budget{Evaluations: c.Int("budget-evals"), USD: c.Float64("budget-usd"), Time: c.Duration("budget-time"), Until: c.String("until")},
		},
	}
	given := &o.given
	for _, limit := range []struct {
		name  string
		right bool
		needs string
		hint  string
	}{
		{"budget-evals", given.Budget.Evaluations >= 1 && given.Budget.Evaluations <= workspace.MostEvaluations, "must be between 1 and 1,000,000,000", workspace.NoLimit},
		{"budget-usd", given.Budget.USD > 0 && given.Budget.USD <= workspace.MostUSD, "must be more than 0 and at most 1,000,000", workspace.NoLimit},
		{"budget-time", given.Budget.Time > 0 && given.Budget.Time <= workspace.MostTime, "must be longer than 0 and at most 744h (31 days)", workspace.NoLimit},
		{"concurrency", given.Concurrency >= 1 && given.Concurrency <= 4096, "must be between 1 and 4096", ""},
		{"lookahead", given.Lookahead >= 1 && given.Lookahead <= 4096, "must be between 1 and 4096", ""},
	} {
		if c.IsSet(limit.name) && !limit.right {
			return o, exit.Errorf(exit.Usage, limit.hint, "--%s %s, not %s", limit.name, limit.needs, c.String(limit.name))
		}
	}
	if c.IsSet("seed") {
		seed := c.Int64("seed")
		if seed < 0 || seed >= 1<<53 {
			return o, exit.Misuse(errors.New("--seed must be between 0 and 2^53 − 1"))
		}
		given.Seed = &seed
	}
	if c.IsSet("resume") {
		o.resume = batch.ResumeNever
		if c.Bool("resume") {
			o.resume = batch.ResumeAny
		}
	}
	switch s := c.String("stages"); s {
	case "":
	case "search":
		given.Stages = []string{batch.SearchStage}
	case "search,confirm":
		given.Stages = []string{batch.SearchStage, batch.ConfirmStage}
	default:
		return o, exit.Errorf(exit.Usage, "--stages must be search or search,confirm", "there are no stages %q", s)
	}
	if known := mutate.Selections(); given.Selection != "" && !slices.Contains(known, given.Selection) {
		hint := exit.Suggest("they are "+strings.Join(known, ", "), "%s", given.Selection, known)
		return o, exit.Errorf(exit.Usage, hint, "there is no selection method %q", given.Selection)
	}
	return o, nil
}

// nightlyRun performs the run and everything around it: the lock, the progress, the report
// and the exit code.
func nightlyRun(sh *shell, w *workspace.Workspace, o runOptions) error {
	ctx, drain, stop := drainContext(sh)
	defer stop()
	defer surviveClosedPipe()()
	opts, agents, err := sh.Night(w, o.given, o.resume)
	if err != nil {
		return err
	}
	opts.Drain = drain
	if err := opts.AddCode(drain, o.dryRun); err != nil {
		return err
	}
	w = opts.Workspace
	chosen, err := batch.Choose(w, o.given.Agents)
	if err == nil {
		err = wire.Startable(chosen...)
	}
	if err != nil {
		if !o.dryRun {
			err = errors.Join(err, opts.RetryCode())
		}
		return opts.Code.Named(err)
	}
	if o.dryRun {
		return dryRun(ctx, sh.console, w, opts)
	}
	if !sh.quiet {
		for _, remark := range opts.Remarks() {
			sh.eprintf("%s\n", remark)
		}
	}
	a, err := sh.OpenArchive(w.Root, runOwner)
	if err != nil {
		return err
	}
	agents.Attach(&opts, a)
	reported, err := reportUnreported(context.WithoutCancel(ctx), sh, w, opts, o)
	if reported || err != nil {
		return endRun(w, a, err)
	}
	heart := bench.NewStallDetector(sh.Now)
	opts.Lost = heart.Lost
	go heart.Run(ctx) // until stop
	began, ended, err := useWorkers(sh, agents, o.workers, o.measures)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	traces := startTracing(sh)
	defer endTracing(sh, traces)
	opts.Began = began
	opts.Left = leaving(context.WithoutCancel(ctx), sh, w, a)
	progress := newProgress(sh)
	opts.Progress = progress.show
	summary, err := runBatch(traces.Context(ctx), opts)
	progress.close()
	ended()
	if err != nil {
		if sh.json && summary.Run.ID != "" { // the result is printed even if the archive could not store it
			err = errors.Join(sh.printJSON(outcomeOf(summary)), err)
		}
		return errors.Join(err, a.Close())
	}
	err = endRun(w, a, conclude(context.WithoutCancel(ctx), sh, w, a, summary, o))
	keepHouse(ctx, sh, w, summary, sh.quiet || sh.json)
	return err
}

// surviveClosedPipe makes a write to a closed pipe fail instead of ending the process,
// until the returned function is called. The reader of the progress or the report may stop
// reading, as `| head` does, and the night, which is paid for, then continues to its end.
// Programs that are started have the signal's original handling.
func surviveClosedPipe() (restore func()) {
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	return func() { signal.Stop(closed) }
}

// unreportedError reports that a run ended but its report could not be made or shown.
type unreportedError struct{ error }

func (e unreportedError) Unwrap() error { return e.error }

// endRun closes the archive and, as the last step, records that the run was reported.
func endRun(w *workspace.Workspace, a *archive.Archive, err error) error {
	if closing := a.Close(); closing != nil && err == nil {
		err = fmt.Errorf("closing the archive: %w", closing)
	}
	if errors.As(err, new(unreportedError)) {
		return err
	}
	if done := batch.MarkReported(w.StateDir()); done != nil && err == nil {
		err = done
	}
	return err
}

// reportUnreported writes the report of a run that ended but whose process was killed
// before it exited. It returns true if the command is the same as the one that started that
// run, in which case there is nothing else to do; the error is then the run's own.
func reportUnreported(ctx context.Context, sh *shell, w *workspace.Workspace, opts batch.Options, o runOptions) (bool, error) {
	u, err := batch.FindUnreported(ctx, opts)
	if err != nil {
		return false, unreportedError{err}
	}
	if u == nil {
		return false, nil
	}
	if u.Repeat {
		sh.eprintf("run %s ended, but its process was killed before it could report; the report follows, and nothing is run again. --resume=false starts a new run\n", u.Run.ID)
		return true, conclude(ctx, sh, w, opts.Archive, u.Summary, o)
	}
	report, err := writeReport(ctx, w, opts.Archive, u.Summary)
	if err != nil {
		return false, unreportedError{err}
	}
	o.tells.note(ctx, w, opts.Archive, u.Summary, report)
	sh.eprintf("run %s ended, but its process was killed before it could report; the report has now been written: %s\n", u.Run.ID, sh.command("evolve report "+u.Run.ID))
	return false, nil
}

// drainContext returns a context that is cancelled by a hard stop, a context whose
// cancellation by the first interrupt starts draining, and a function that releases both.
func drainContext(sh *shell) (ctx, drain context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(sh.Ctx)
	drain, drained := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		var next os.Signal
		for _, step := range []struct {
			end  context.CancelCauseFunc
			says string
		}{
			{drained, "stopping: evaluations under way will be finished and stored; interrupt again to stop at once"},
			{cancel, "stopping at once; finished evaluations are stored"},
		} {
			if next == nil {
				select {
				case next = <-sh.signals:
				case <-done:
					return
				}
			}
			sh.eprintf("%s%s\n", belowEcho(sh.stderr), step.says)
			step.end(interruption(next))
			next = debounce(sh, next, done)
		}
		sh.release()
	}()
	return ctx, drain, func() { close(done); cancel(nil) }
}

// interruption returns the error with which a signal ends a command.
func interruption(s os.Signal) error {
	if s == syscall.SIGTERM {
		return night.ErrTerminated
	}
	return night.ErrInterrupted
}

// belowEcho returns the text with which a message after an interrupt begins. If bars are
// drawn, that text ends the line on which the terminal shows ^C, which the bars would
// overwrite.
func belowEcho(stream io.Writer) string {
	f, ok := stream.(*foldWriter)
	return orElse("", "\n", ok && f.drawn())
}

// conclude writes the report and prints how the run ended.
func conclude(ctx context.Context, sh *shell, w *workspace.Workspace, a *archive.Archive, s batch.Summary, o runOptions) error {
	sh.RecordLowerings(w.Root, a)
	if err := branchReviewer(sh, w, review.Opened(a)).PrepareBranches(ctx); err != nil {
		sh.eprintf("warning: %s; the run is not affected\n", text.Visible(err.Error()))
	}
	report, err := writeReport(ctx, w, a, s)
	if err != nil {
		return unreportedError{err}
	}
	if err := renewPages(ctx, w.Root, a); err != nil { // update the pages about proposals that this run replaced
		sh.eprintf("warning: cannot update the pages of earlier nights: %s; the run is not affected\n", text.Visible(err.Error()))
	}
	o.tells.note(ctx, w, a, s, report)
	made := backUp(ctx, sh, w, a, s)
	if sh.json {
		if err := sh.printJSON(outcomeOf(s)); err != nil && !errors.Is(err, syscall.EPIPE) {
			return unreportedError{err}
		}
	} else {
		_, width := terminal(sh.stdout)
		if err := render.Box(sh.stdout, sh.localReport(report), render.TerminalOptions{Width: width, Color: sh.color}); err != nil && !errors.Is(err, syscall.EPIPE) {
			return unreportedError{err}
		}
		sh.printf("\n  report  %s\n", filepath.Join(reportsDir(w.Root), s.Run.ID+".html"))
		if made != nil {
			sh.printf("  backup  %s (%s)\n", made.File, humanize.IBytes(uint64(made.Bytes)))
		}
		printNext(sh.console, s)
	}
	if s.Run.Exit != 0 {
		return exit.Errorf(s.Run.Exit, earlyHint(s.Run), "the run ended early: %s", s.Run.Reason)
	}
	if o.detailed {
		for _, w := range report.Volatile.Waiting {
			if len(w.Stale) == 0 {
				return exit.Silent(exit.Awaiting)
			}
		}
		for _, p := range s.Skills {
			if undecided(p) {
				return exit.Silent(exit.Awaiting)
			}
		}
		for _, p := range report.Volatile.Patches {
			if p.Awaits() {
				return exit.Silent(exit.Awaiting)
			}
		}
		for _, a := range report.Agents {
			if slices.ContainsFunc(a.Decision.Proposals, model.Proposal.Awaits) {
				return exit.Silent(exit.Awaiting)
			}
		}
	}
	return nil
}

// writeReport builds the report of a run and writes its pages.
func writeReport(ctx context.Context, w *workspace.Workspace, a *archive.Archive, s batch.Summary) (model.Report, error) {
	report, err := model.Build(ctx, runsAsTheyAre{Archive: a, on: true}, s.Run.ID)
	if err != nil {
		return report, fmt.Errorf("building the report: %w", err)
	}
	_, err = writeReports(ctx, w.Root, a, report)
	return report, err
}

func earlyHint(r archive.Run) string {
	switch r.Exit {
	case exit.Budget:
		if r.Spent != "" {
			return "everything paid for is stored; raise that limit under policies in evolve.yaml, or shorten the run with --budget-evals: `evolve agent show` prints the limits in force"
		}
		return "give the run a larger budget with --budget-evals, --budget-usd, --budget-time or a later --until; `evolve run --dry-run` shows what a plan needs"
	case exit.Interrupted:
		return "`evolve run --resume` continues the run where it stopped"
	}
	if r.Try != "" {
		return "`" + r.Try + "` shows the failure; correct its cause, then run `evolve run`: this starts a new run, which reuses paid results that still apply"
	}
	return "everything paid for is stored; `evolve doctor` checks the environment, and `evolve run --resume` continues the run where it stopped as long as the agent, its suites and the settings are the same"
}

// printNext prints the commands to type after those in the decision box.
func printNext(con *console, s batch.Summary) {
	for _, p := range s.Skills {
		if undecided(p) {
			con.printf("  %-7s %s awaits a decision: %s\n", subject(p), p.ID, con.command("evolve show "+p.ID))
		}
	}
	printPatchNotes(con, s.Run.Patches)
	for _, r := range s.Results {
		if len(r.Proposals) > 0 && r.Verdict != archive.Refused || r.Verdict == archive.Waits {
			con.printf("  next    %s\n          %s\n", con.command("evolve review"), con.command("evolve report"))
			return
		}
	}
	con.printf("  next    %s\n", con.command("evolve status"))
}
