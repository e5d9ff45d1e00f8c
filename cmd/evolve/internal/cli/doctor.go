package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/backup"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/doctor"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/constants"
	"evolve/mutate/night"
	"evolve/runtime/autonomy"
	"evolve/runtime/sandbox"
	"evolve/runtime/tempdir"
	foreign "evolve/runtime/text"
)

func doctorCommand(sh *shell) *cli.Command {
	var patience time.Duration
	return &cli.Command{
		Name: "doctor", Usage: "check the workspace and everything else that a night needs",
		Description: "Checks the files, git, the sandbox, the disk, the clock, the archive, the suites, each agent's program, the power of each benchmark, and the targets of patches with their marked constants. Each agent does one of its search tasks twice, which may cost as much as two tasks. Each program that grades gets one answer to grade. The code that nights search is built, tested and scored without changes, unless a night has already done so. --trial 0 skips these trials. The command changes nothing here, but sets up the streams of the hub that evolve.yaml names. Warnings leave the exit code at 0; anything that would stop a run gives exit code 2 (files, agents), 7 (environment) or 8 (archive).",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "trial", Value: trialTime, Destination: &patience, Usage: "at most `DURATION` for the trial of each agent, grader and target; 0 skips the trials"},
		},
		Action: func(c *cli.Context) error {
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			if patience < 0 {
				return exit.Misuse(errors.New("--trial must be 0 or longer"))
			}
			probes := probes(sh, root)
			if patience > 0 {
				probes.Trial = trials(sh, root, patience)
				probes.Grade = graderTrials(sh, root, patience)
				probes.Score = func(ctx context.Context, w *workspace.Workspace, target string) (*coding.Prospect, error) {
					return scoreBlocks(ctx, sh, w, target, patience)
				}
			}
			checks := doctor.Run(c.Context, probes)
			code := doctorCode(checks)
			err = sh.show(map[string]any{"workspace": root, "checks": checks, "exit": code}, func() { printChecks(sh.console, checks) })
			if err == nil && code != 0 {
				err = exit.Silent(code)
			}
			return err
		},
	}
}

// probes returns doctor's checks of this machine.
func probes(sh *shell, root string) doctor.Probes {
	return doctor.Probes{
		Root:       root,
		Load:       func() (*workspace.Workspace, error) { return wire.Load(root) },
		Git:        doctor.RunGit(sh.Env),
		Sandbox:    sandboxProbe,
		Free:       doctor.FreeSpace,
		Writable:   workspace.TryWrite,
		Now:        sh.Now,
		Archive:    func(ctx context.Context) (string, error) { return archiveProbe(ctx, sh, root) },
		Unfinished: func(ctx context.Context) (string, string, error) { return unfinishedProbe(ctx, sh.console, root) },
		Level: func(ctx context.Context, agentID string) (autonomy.Level, error) {
			return levelProbe(ctx, root, agentID)
		},
		Leftovers: func(ctx context.Context) ([]string, error) { return leftoversProbe(ctx, root) },
		Dial:      doctor.Dial,
		LookPath:  exec.LookPath, LookupEnv: sh.Env.Lookup,
		Probe: sh.Ping,
		Limits: func(ctx context.Context, w *workspace.Workspace) ([]batch.Expectation, error) {
			return forecast(ctx, sh, root, w)
		},
		Backup:  func(w *workspace.Workspace) (last, fault string) { return backupWords(backup.LookInto(w.StateDir())) },
		Signing: func(ctx context.Context) (doctor.Signing, error) { return signingProbe(ctx, sh, root) },
		Blocks: func(ctx context.Context, w *workspace.Workspace, target string) (*coding.Prospect, error) {
			return findBlocks(ctx, sh, w, target)
		},
		Remotes: func(ctx context.Context, w *workspace.Workspace) []review.RemoteTrial {
			return sh.Reviewer(w, nil).TryRemotes(ctx, len(w.Agents) > 0)
		},
		Marks:    func(target string) (int, []constants.Problem, error) { return sh.PatchReader(root).Marks(target) },
		Schedule: func(ctx context.Context) (words, fault, hint string) { return scheduleProbe(ctx, sh, root) },
		Hub: func(ctx context.Context, w *workspace.Workspace) (words, fault string, err error) {
			return hubProbe(ctx, sh, w)
		},
	}
}

// forecast predicts which limit in the settings will bind each agent's run.
func forecast(ctx context.Context, sh *shell, root string, w *workspace.Workspace) ([]batch.Expectation, error) {
	if len(w.Agents) == 0 {
		return nil, nil
	}
	a, err := archiveOrEmpty(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	until, err := wire.Deadline(w.Settings.Budget.Until, sh.Now())
	if err != nil {
		return nil, err
	}
	return batch.Forecast(ctx, batch.Options{
		Workspace: w, Budget: w.Settings.Budget, Until: until, Concurrency: w.Settings.Search.Concurrency,
		Env: night.Env{Archive: a, Now: sh.Now, Log: slog.New(slog.DiscardHandler)},
	})
}

// levelProbe returns the level of autonomy of an agent.
func levelProbe(ctx context.Context, root, agentID string) (autonomy.Level, error) {
	level := autonomy.Lowest
	err := wire.LookIfThere(root, func(a *archive.Archive) error {
		r, err := wire.Autonomy(ctx, root, a, agentID)
		level = r.Level
		return err
	})
	return level, err
}

// sandboxProbe names the sandbox of this machine.
func sandboxProbe(ctx context.Context) (string, error) {
	walls := sandbox.Detect(ctx)
	return walls.Name(), walls.Err()
}

// unfinishedProbe describes the decisions that are not complete.
func unfinishedProbe(ctx context.Context, con *console, root string) (text, hint string, err error) {
	err = wire.LookIfThere(root, func(a *archive.Archive) error {
		list, err := wire.UnfinishedDecisions(ctx, a)
		for i, u := range list {
			if i > 0 {
				text += "; "
			}
			text, hint = text+u.String(), con.command(u.Next)+" finishes it"
		}
		return err
	})
	return text, hint, err
}

// leftoversProbe lists the files that killed processes left in the state folder, relative
// to the workspace. During a run, the note about the run's end is not counted as a
// leftover.
func leftoversProbe(ctx context.Context, root string) ([]string, error) {
	dir := wire.ArchiveDir(root)
	var list []string
	add := func(path string) {
		if path != "" {
			list = append(list, ".evolve/"+filepath.Base(path))
		}
	}
	room, err := archive.Leftover(dir)
	if err != nil {
		return nil, err
	}
	add(room)
	err = wire.LookIfThere(root, func(a *archive.Archive) error {
		if _, on, err := a.Writer(ctx); err != nil || on {
			return err
		}
		note, err := batch.StaleEnding(ctx, a, filepath.Dir(dir))
		add(note)
		return err
	})
	return list, err
}

// archiveProbe describes how much is recorded and whether a run is in progress, and
// compares the records with the ledger and the commits.
func archiveProbe(ctx context.Context, sh *shell, root string) (string, error) {
	a, err := archive.OpenRead(wire.ArchiveDir(root))
	if err != nil {
		return "", err
	}
	defer func() { _ = a.Close() }()
	runs, running, died := 0, "", ""
	src, err := asTheyAre(ctx, a)
	if err != nil {
		return "", err
	}
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return "", err
		}
		if runs++; r.State == archive.RunRunning {
			running = r.ID
		}
		if runs == 1 && r.State == archive.RunInterrupted && r.Ended.IsZero() {
			died = r.ID
		}
	}
	v, err := verified(ctx, sh, a, root)
	if err == nil {
		err = a.CheckFiles()
	}
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("opens: %s, %s", count(runs, "run"), orElse("1 ledger entry", humanize.Comma(v.Entries)+" ledger entries", v.Entries == 1))
	switch {
	case running != "":
		text += "; run " + running + " is in progress"
	case died != "":
		text += "; the process of run " + died + " died, and the next run resumes it"
	}
	return text, nil
}

// doctorCode returns the exit code that a run would have because of the failed checks.
func doctorCode(checks []doctor.Check) int {
	code := 0
	for _, k := range checks {
		if k.Status != doctor.StatusFail {
			continue
		}
		if k.Err != nil {
			if told, _ := exit.Of(k.Err); told == exit.Infrastructure {
				code = max(code, exit.Infrastructure)
				continue
			}
		}
		kind, _, _ := strings.Cut(k.Name, " ")
		switch kind {
		case "archive", "signature":
			return exit.Integrity
		case "git", "repository", "disk", "write", "clock", "sandbox", "provider", "patches":
			code = max(code, exit.Infrastructure)
		default: // the workspace's own files
			code = max(code, exit.Usage)
		}
	}
	return code
}

func printChecks(con *console, checks []doctor.Check) {
	width, problems, warnings := 0, 0, 0
	for _, k := range checks {
		width = max(width, len([]rune(k.Name)))
	}
	for _, k := range checks {
		mark := "✓"
		switch k.Status {
		case doctor.StatusWarn:
			mark = "!"
			warnings++
		case doctor.StatusFail:
			mark = "✗"
			problems++
		}
		con.printf("%s %-*s  %s\n", mark, width, foreign.Visible(k.Name), foreign.Visible(k.Text))
		if k.Hint != "" {
			con.printf("  %-*s  → %s\n", width, "", foreign.Visible(k.Hint))
		}
	}
	switch {
	case problems > 0:
		con.printf("\n%s that would stop a run, %s\n", count(problems, "thing"), count(warnings, "warning"))
	case warnings > 0:
		con.printf("\nready, with %s\n", count(warnings, "warning"))
	default:
		con.printf("%s\n", "\nready")
	}
}

// findBlocks finds the marked blocks of a target, with the target's cases if they are
// stored. It runs nothing.
func findBlocks(ctx context.Context, sh *shell, w *workspace.Workspace, target string) (*coding.Prospect, error) {
	t, err := targetNamed(w, target)
	if err != nil {
		return nil, err
	}
	p, err := coding.Find(ctx, sh.PatchReader(w.Root), w, t)
	if err == nil {
		_, err = p.Recall(grade.Rules(), codeKept(w))
	}
	return p, err
}

// scoreBlocks builds, tests and scores the unchanged code of a target, in a folder that it
// removes afterwards.
func scoreBlocks(ctx context.Context, sh *shell, w *workspace.Workspace, target string, patience time.Duration) (_ *coding.Prospect, err error) {
	t, err := targetNamed(w, target)
	if err != nil {
		return nil, err
	}
	rev := sh.PatchReviewer(w, nil)
	rev.Notify = nil
	scratch, err := tempdir.Make("trial")
	if err != nil {
		return nil, fmt.Errorf("creating the folder for code: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove()) }()
	rev.Scratch = scratch.Path
	kept := codeKept(w)
	kept.Bound = coding.Bound{Time: patience}
	return coding.Look(ctx, rev, w, t, coding.Opener{}, grade.Rules(), kept)
}

// targetNamed returns the patch target with the given name.
func targetNamed(w *workspace.Workspace, name string) (review.Target, error) {
	list := w.PatchTargets()
	at := slices.IndexFunc(list, func(t review.Target) bool { return t.Name == name })
	if at < 0 {
		return review.Target{}, fmt.Errorf("there is no target %s", name)
	}
	return list[at], nil
}

// codeKept returns read-only access to the folder in which nights store the values measured
// for code.
func codeKept(w *workspace.Workspace) coding.Kept {
	return coding.Kept{Folder: filepath.Join(w.StateDir(), "code"), ReadOnly: true}
}
