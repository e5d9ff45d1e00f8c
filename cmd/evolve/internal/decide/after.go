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

// The bounds of what runs after an adoption.
const (
	afterTime   = time.Minute
	afterOutput = 16 << 10 // bytes
	// afterDrain is the wait for output once the program itself has ended: what it has
	// started and left running, as a service is, may hold its output open for ever.
	afterDrain = time.Second
)

// After is what came of the program that the operator has started after an adoption or
// a rollback. Its output is foreign text.
type After struct {
	Argv   []string `json:"argv"`
	Output string   `json:"output"`
	// Problem says why it failed; empty when it did not. What was adopted stays adopted.
	Problem string `json:"problem,omitempty"`
	// Attempt counts the starts after this decision from 1. It is more than 1 when a process
	// was killed before it had recorded the end of an earlier one, which may have run.
	Attempt int `json:"attempt,omitempty"`
}

// Afterwards starts the operator's program after a decision, at least once: a start whose
// end is not recorded is repeated.
type Afterwards struct {
	Argv []string
	// Dir is the folder and Env the environment that it is started in.
	Dir string
	Env []string
	Now func() time.Time
	// Lend lends the archive, and has it back while the program runs.
	Lend func(context.Context, func(context.Context, *archive.Archive) error) error
	// Reached is told of every step; its error ends it there. Nil but in tests.
	Reached func(step string) error
}

// Run starts the program if the intent of a proposal is at that stage, and records first
// that it starts and then what came of it. It returns nil where there is nothing to start.
// The program finds in its environment EVOLVE_PROPOSAL (the proposal), EVOLVE_DECISION
// (approve or rollback), EVOLVE_COMMIT and EVOLVE_ATTEMPT ([After.Attempt]).
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

// RunAfter starts the operator's program in a folder, with the operator's rights and
// environment, and waits for it. When its time is up, or ctx is over, it is ended with
// all that is in its process group.
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
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // which is what it left running
		done.Problem = err.Error()
	}
	return done
}

// NoteAfter tells the ledger what came of it, with the intent as it is then.
func NoteAfter(ctx context.Context, a *archive.Archive, now time.Time, in archive.Intent, done After) error {
	return Note(ctx, a, archive.LedgerEntry{Time: now, Actor: in.By}, AfterKind, in.Proposal, done, in)
}

// Note appends an entry with data to the ledger, with intents.
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

// bounded keeps the beginning of what is written to it. The buffer is no embedded one:
// that would lend it a ReadFrom, which copying prefers and which has no bound.
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
