package bench

import (
	"strings"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// FailingError is an outage caused by the agent's program. It wraps ErrOutage and holds
// the information needed to find the fault.
type FailingError struct {
	Agent string
	Task  *Task
	// Why is the error of the last evaluation, and Said is the last line that the program
	// wrote to standard error in that evaluation. Credentials are removed from both, but
	// both remain untrusted text.
	Why, Said string

	err error
}

func (e *FailingError) Error() string {
	text := e.err.Error() + "; the last failure: " + e.Why
	if e.Said != "" {
		text += "; its standard error ends with: " + e.Said
	}
	return text
}

// Try returns the command that runs the agent on the task. The id of a holdout task,
// which a night must not reveal, is replaced by a placeholder.
func (e *FailingError) Try() string {
	task := "ID"
	if e.Task.Split != Holdout {
		task = e.Task.ID
	}
	return "evolve agent run --agent " + e.Agent + " --task " + task
}

// Unwrap returns the outage.
func (e *FailingError) Unwrap() error { return e.err }

// maxSaid limits the length, in bytes, of the line of standard error that an error quotes.
const maxSaid = 300

// lastSaid returns the last line that a program wrote to standard error, or "".
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
	return foreign.Clip(last, maxSaid)
}
