package review

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"evolve/archive"
	"evolve/runtime/text"
)

// AfterKind is the kind of the ledger entries that hold an [After]. The subject of such an
// entry is the proposal.
const AfterKind = "adoption.after"

// Limits on the program that runs after an adoption or a rollback.
const (
	programTime   = time.Minute
	programOutput = 16 << 10 // bytes
	// programDrain is how long to wait for further output after the program itself has
	// ended. A process that it left running, such as a service, may hold the output open
	// forever.
	programDrain = time.Second
)

// After is the result of the operator's program that runs after an adoption or a rollback.
// The program's output is untrusted text.
type After struct {
	Argv   []string `json:"argv"`
	Output string   `json:"output"`
	// Problem is the reason for a failure, or "" if there was none. A failure does not undo
	// the adoption.
	Problem string `json:"problem,omitempty"`
	// Attempt counts, from 1, how often the program was started after this decision. It is
	// more than 1 if a process was killed before it recorded the end of an earlier start;
	// the program may already have run then.
	Attempt int `json:"attempt,omitempty"`
}

// RunProgram runs the operator's program after a decision if the intent of the proposal is
// at the stage [archive.IntentAfter]. It records the start and then the result, and returns
// nil if there is nothing to run. The program runs at least once: a start whose end was not
// recorded is repeated. The program's environment contains EVOLVE_PROPOSAL (the proposal),
// EVOLVE_DECISION (approve or rollback), EVOLVE_COMMIT and EVOLVE_ATTEMPT
// ([After.Attempt]). The archive is not held while the program runs.
func (rev *Reviewer) RunProgram(ctx context.Context, id string) (*After, error) {
	var in archive.Intent
	err := rev.retryLocked(ctx, func(ctx context.Context, s *session) (err error) {
		if in, err = s.store.Intent(ctx, id); err != nil || in.Stage != archive.IntentAfter {
			in.Stage = archive.IntentDone
			if errors.Is(err, archive.ErrNotFound) {
				err = nil
			}
			return err
		}
		if in.Attempts++; len(rev.Program) == 0 {
			in.Stage = archive.IntentDone
		}
		return s.store.PutIntent(ctx, in)
	})
	if err != nil || in.Stage == archive.IntentDone {
		return nil, err
	}
	if err := rev.step(StepStarting); err != nil {
		return nil, err
	}
	env := append(slices.Clone(rev.Env), "EVOLVE_PROPOSAL="+in.Proposal, "EVOLVE_DECISION="+in.Action, "EVOLVE_COMMIT="+in.Commit, "EVOLVE_ATTEMPT="+strconv.Itoa(in.Attempts))
	done := runProgram(ctx, rev.Program, rev.Workspace.Root, env, programTime)
	done.Attempt = in.Attempts
	if err := rev.step(StepRan); err != nil {
		return nil, err
	}
	err = rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		in.Stage = archive.IntentDone
		return s.noteAfter(ctx, in, done)
	})
	if err == nil {
		err = rev.step(StepNoted)
	}
	return &done, err
}

// runProgram runs the operator's program in a folder, with the operator's rights and the
// given environment, and waits for it. At the time limit, or when ctx is canceled, it kills
// the program and its process group (on Unix).
func runProgram(ctx context.Context, argv []string, dir string, env []string, most time.Duration) After {
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(timed, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, programDrain
	inGroup(cmd)
	out := &text.Head{Most: programOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	done := After{Argv: argv, Output: out.String()}
	switch {
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		done.Problem = fmt.Sprintf("it did not finish within %s and was stopped", most)
	case timed.Err() != nil:
		done.Problem = "it was interrupted and stopped"
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay: a process that the program left running held the output open
		done.Problem = err.Error()
	}
	return done
}

// noteAfter records the program's result in the ledger and stores the intent with it.
func (s *session) noteAfter(ctx context.Context, in archive.Intent, done After) error {
	e, err := s.entry(AfterKind, in.By, in.Proposal, done)
	if err != nil {
		return err
	}
	if _, err := s.store.AppendWith(ctx, e, in); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}
