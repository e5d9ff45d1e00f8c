package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
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

// NoteAfter tells the ledger what came of it.
func NoteAfter(ctx context.Context, a *archive.Archive, now time.Time, proposal, by string, done After) error {
	data, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	if _, err := a.Append(ctx, archive.LedgerEntry{Time: now, Kind: AfterKind, Actor: by, Subject: proposal, Data: data}); err != nil {
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
