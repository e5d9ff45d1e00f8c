package bench

import (
	"strings"

	"evolve/runtime/agent"
)

// FailingError is an outage whose cause is the agent's program: it wraps ErrOutage and
// holds what there is to find the fault with.
type FailingError struct {
	Agent string
	Task  *Task
	// Why is the error of the last evaluation, and Said the last line that the program
	// wrote to standard error in it, both scrubbed and foreign.
	Why, Said string

	err error
}

func (e *FailingError) Error() string {
	text := e.err.Error() + "; the last: " + e.Why
	if e.Said != "" {
		text += "; its standard error ends with: " + e.Said
	}
	return text
}

// Try is the command that shows the agent at the task, or at any task where that one is
// of the holdout, whose names stay out of what a night says.
func (e *FailingError) Try() string {
	task := "ID"
	if e.Task.Split != Holdout {
		task = e.Task.ID
	}
	return "evolve agent run --agent " + e.Agent + " --task " + task
}

// Unwrap returns the outage.
func (e *FailingError) Unwrap() error { return e.err }

// maxSaid bounds the line of standard error in an error, in bytes.
const maxSaid = 300

// lastSaid is the last line that a program wrote to standard error, or "".
func lastSaid(t agent.Transcript) string {
	last := ""
	for _, e := range t.Events {
		if e.Kind != agent.EventStderr {
			continue
		}
		for line := range strings.Lines(e.Text) {
			if line = strings.Join(strings.Fields(line), " "); line != "" {
				last = line
			}
		}
	}
	return clip(last, maxSaid)
}
