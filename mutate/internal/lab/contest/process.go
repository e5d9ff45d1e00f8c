package contest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// script is a peer that runs in a separate process. It exchanges lines with this process:
// lines with the prefix "@ " are messages, and all others are ignored.
type script struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errors  bytes.Buffer
}

func start(ctx context.Context, dir, program string, args ...string) (*script, error) {
	s := &script{command: exec.CommandContext(ctx, program, args...)}
	s.command.Dir = dir
	s.command.Stderr = &s.errors
	var err error
	if s.in, err = s.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 1<<20)
	return s, s.command.Start()
}

// say sends a line.
func (s *script) say(line string) error {
	_, err := io.WriteString(s.in, line+"\n")
	return err
}

// hear waits for the next message, or returns false if there are no more messages.
func (s *script) hear() (string, bool) {
	for s.out.Scan() {
		if line, ok := strings.CutPrefix(s.out.Text(), "@ "); ok {
			return line, true
		}
	}
	return "", false
}

// end waits for the process and returns its CPU time in seconds.
func (s *script) end() (float64, error) {
	s.in.Close()
	for s.out.Scan() { // drain the remaining output
	}
	if err := s.command.Wait(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, lastLines(s.errors.String()))
	}
	state := s.command.ProcessState
	return (state.UserTime() + state.SystemTime()).Seconds(), nil
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " | ")
}
