package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"evolve/archive"
)

// AfterKind is the kind of the ledger's entries that hold an [After]; their subject is
// the proposal.
const AfterKind = "adoption.after"

// The bounds of the program that runs after an adoption.
const (
	afterTime   = time.Minute
	afterOutput = 16 << 10 // bytes
	// afterDrain is the wait for output once the program itself has ended: a process that
	// it left running, such as a service, may hold the output open for ever.
	afterDrain = time.Second
)

// After is the result of the operator's program that runs after an adoption or a
// rollback. Its output is untrusted text.
type After struct {
	Argv   []string `json:"argv"`
	Output string   `json:"output"`
	// Problem is the reason for a failure, or "". A failure does not undo the adoption.
	Problem string `json:"problem,omitempty"`
	// Attempt counts the starts after this decision from 1. It is more than 1 when a process
	// was killed before it had recorded the end of an earlier one, which may have run.
	Attempt int `json:"attempt,omitempty"`
}

// Afterwards starts the operator's program after a decision, at least once: a start whose
// end is not recorded is repeated.
type Afterwards struct {
	Argv []string
	// Dir is the folder and Env the environment of the program.
	Dir string
	Env []string
	Now func() time.Time
	// Lend calls a function with the archive. The archive is not lent while the program
	// runs.
	Lend func(context.Context, func(context.Context, *archive.Archive) error) error
	// Reached is called at every step; its error stops the decision there. Nil except in
	// tests.
	Reached func(step string) error
}

// Run starts the program if the intent of a proposal is at that stage. It records the
// start and then the result, and returns nil if there is nothing to start. The program's
// environment has EVOLVE_PROPOSAL (the proposal), EVOLVE_DECISION (approve or rollback),
// EVOLVE_COMMIT and EVOLVE_ATTEMPT ([After.Attempt]).
func (w Afterwards) Run(ctx context.Context, id string) (*After, error) {
	step := func(name string) error {
		if w.Reached == nil {
			return nil
		}
		return w.Reached(name)
	}
	var in archive.Intent
	err := w.Lend(ctx, func(ctx context.Context, a *archive.Archive) (err error) {
		if in, err = a.Intent(ctx, id); err != nil || in.Stage != archive.IntentAfter {
			in.Stage = archive.IntentDone
			if errors.Is(err, archive.ErrNotFound) {
				err = nil
			}
			return err
		}
		if in.Attempts++; len(w.Argv) == 0 {
			in.Stage = archive.IntentDone
		}
		return a.PutIntent(ctx, in)
	})
	if err != nil || in.Stage == archive.IntentDone {
		return nil, err
	}
	if err := step(StepStarting); err != nil {
		return nil, err
	}
	env := append(slices.Clone(w.Env), "EVOLVE_PROPOSAL="+in.Proposal, "EVOLVE_DECISION="+in.Action, "EVOLVE_COMMIT="+in.Commit, "EVOLVE_ATTEMPT="+strconv.Itoa(in.Attempts))
	done := RunAfter(ctx, w.Argv, w.Dir, env)
	done.Attempt = in.Attempts
	if err := step(StepRan); err != nil {
		return nil, err
	}
	err = w.Lend(ctx, func(ctx context.Context, a *archive.Archive) error {
		in.Stage = archive.IntentDone
		return NoteAfter(ctx, a, w.Now(), in, done)
	})
	if err == nil {
		err = step(StepNoted)
	}
	return &done, err
}

// RunAfter runs the operator's program in a folder, with the operator's rights and the
// given environment, and waits for it. At its time limit, or when ctx is canceled, it
// kills the program with its process group (on Unix).
func RunAfter(ctx context.Context, argv []string, dir string, env []string) After {
	return runAfter(ctx, argv, dir, env, afterTime)
}

func runAfter(ctx context.Context, argv []string, dir string, env []string, most time.Duration) After {
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(timed, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, afterDrain
	inGroup(cmd)
	out := &bounded{most: afterOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	done := After{Argv: argv, Output: out.kept.String()}
	switch {
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		done.Problem = fmt.Sprintf("it did not end within %s and was stopped", most)
	case timed.Err() != nil:
		done.Problem = "it was interrupted and stopped"
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay: a process that it left running held the output open
		done.Problem = err.Error()
	}
	return done
}

// NoteAfter records the result in the ledger and stores the intent.
func NoteAfter(ctx context.Context, a *archive.Archive, now time.Time, in archive.Intent, done After) error {
	return Note(ctx, a, archive.LedgerEntry{Time: now, Actor: in.By}, AfterKind, in.Proposal, done, in)
}

// Note appends an entry with data to the ledger and stores intents with it.
func Note(ctx context.Context, a *archive.Archive, e archive.LedgerEntry, kind, subject string, data any, intents ...archive.Intent) error {
	raw, err := json.Marshal(data)
	if err == nil {
		e.Kind, e.Subject, e.Data = kind, subject, raw
		_, err = a.AppendWith(ctx, e, intents...)
	}
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}

// bounded keeps the beginning of what is written to it. It does not embed the buffer,
// because io.Copy would then use the buffer's ReadFrom, which has no bound.
type bounded struct {
	kept bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
