package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"evolve/bench"
	"evolve/cmd/evolve/internal/doctor"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
	"evolve/runtime/tempdir"
)

// madeUp is the answer with which a grader is tried if its task has no reference answer.
const madeUp = "an answer with which evolve doctor tests the grader"

// graderTrials returns a function that has a grader program grade one answer.
func graderTrials(sh *shell, root string, patience time.Duration) func(context.Context, workspace.GraderProgram) (doctor.GraderTrial, error) {
	return func(ctx context.Context, g workspace.GraderProgram) (doctor.GraderTrial, error) {
		task := triedOn(g)
		if task == nil {
			return doctor.GraderTrial{}, nil
		}
		w, err := wire.Load(root)
		if err != nil {
			return doctor.GraderTrial{}, err
		}
		agents, err := sh.Agents(w)
		if err != nil {
			return doctor.GraderTrial{}, err
		}
		scratch, err := tempdir.Make("trial")
		if err != nil {
			return doctor.GraderTrial{}, fmt.Errorf("creating the working directory: %w", err)
		}
		defer func() { _ = scratch.Remove() }()
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return tryGrader(ctx, agents.Sandbox, g, task, scratch.Path)
	}
}

// triedOn returns the task on which a program is tried: the first search task that is not a
// scripted conversation, or nil if there is none.
func triedOn(g workspace.GraderProgram) *bench.Task {
	for _, t := range g.Tasks {
		if t.Split == bench.Search && len(t.Turns) == 0 {
			return t
		}
	}
	return nil
}

// tryGrader has a program grade the reference answer to a task, or a made-up answer.
func tryGrader(ctx context.Context, box *wire.Sandbox, g workspace.GraderProgram, task *bench.Task, scratch string) (doctor.GraderTrial, error) {
	alone := *task
	alone.Graders = []bench.GraderSpec{g.Spec}
	out := doctor.GraderTrial{Task: task.ID, Own: task.Answer != nil}
	answer := madeUp
	if out.Own {
		answer = *task.Answer
	}
	in := bench.GradeInput{Task: &alone, Result: agent.Result{Outcome: agent.OK, Answer: &answer}}
	if task.Fixtures.HasFiles() {
		in.Workdir = filepath.Join(scratch, "work")
		if err := os.Mkdir(in.Workdir, 0o700); err != nil {
			return out, fmt.Errorf("creating the working directory: %w", err)
		}
		if _, err := bench.LayOut(task, g.Suite.Dir, in.Workdir); err != nil {
			return out, fmt.Errorf("creating the files of task %s: %w", task.ID, err)
		}
		out.Own = false // the answer may be in the files, which no agent has changed
	}
	graded, err := box.GradeWith(ctx, g.Suite.Dir, in)
	switch {
	case over(ctx):
		out.Late = true
	case err != nil:
		out.Ungraded, out.Unstartable = err.Error(), errors.Is(err, sandbox.ErrProgram)
		if broken := new(bench.GraderError); errors.As(err, &broken) {
			out.Ungraded = broken.Error()
		}
	default:
		out.Score = graded.Score
	}
	return out, nil
}
