package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"evolve/runtime/text"
)

// The limits of a program: its running time, the number of bytes of output that are
// retained, and the wait for output after the program has ended, because a process that it
// left running may hold the output open.
const (
	programTime   = time.Minute
	programOutput = 4 << 10
	programDrain  = time.Second
)

// Program is an operator's own program that receives a message as JSON on stdin. It runs
// with the operator's rights and outside any sandbox.
type Program struct {
	Argv []string
	// Dir is the program's working folder, and Env is its whole environment.
	Dir string
	Env []string
	// Time is the program's time limit; 0 means one minute. When the limit is reached, the
	// program is killed with its process group.
	Time time.Duration
	// Fault is the reason why the program cannot be started; it is empty if it can be
	// started.
	Fault string
}

// ID is [Channel.ID].
func (p Program) ID() string { return "program " + strings.Join(p.Argv, " ") }

func (p Program) String() string { return "program " + clip(strings.Join(p.Argv, " "), 80) }

// Send runs the program and waits for it to end.
func (p Program) Send(ctx context.Context, m Message) error {
	if p.Fault != "" {
		return errors.New(p.Fault)
	}
	body, err := m.body()
	if err != nil {
		return err
	}
	return p.Run(ctx, body)
}

// Run runs the program with a line on its standard input and waits for it to end. If the
// program fails, the error contains the end of the program's output.
func (p Program) Run(ctx context.Context, line []byte) error {
	most := p.Time
	if most == 0 {
		most = programTime
	}
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(timed, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.Env, programDrain
	cmd.Stdin = io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"))
	inGroup(cmd)
	out := &text.Tail{Most: programOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	switch {
	case errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("it did not finish within %s and was stopped", most)
	case timed.Err() != nil:
		return context.Cause(ctx)
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	}
	if said := strings.TrimSpace(text.Visible(strings.ReplaceAll(out.String(), "\n", " "))); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}
