package patching

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// The bounds of what runs after an adoption.
const (
	afterTime   = time.Minute
	afterOutput = 16 << 10 // bytes
)

// After is what came of the program that the operator has started after an adoption or
// a rollback. Its output is foreign text.
type After struct {
	Argv   []string `json:"argv"`
	Output string   `json:"output"`
	// Problem says why it failed; empty when it did not. What was adopted stays adopted.
	Problem string `json:"problem,omitempty"`
}

// after starts the operator's program in the target's folder, with the operator's
// rights and environment, and waits for it.
func (d *Desk) after(ctx context.Context, t Target) *After {
	if len(d.After) == 0 {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, afterTime)
	defer cancel()
	cmd := exec.CommandContext(timed, d.After[0], d.After[1:]...)
	cmd.Dir, cmd.Env = t.Repo, d.Env
	cmd.WaitDelay = 5 * time.Second // for what it left behind that holds its output
	out := &bounded{most: afterOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	done := &After{Argv: d.After, Output: out.String()}
	switch {
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		done.Problem = fmt.Sprintf("it did not end within %s and was stopped", afterTime)
	case err != nil:
		done.Problem = err.Error()
	}
	return done
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
