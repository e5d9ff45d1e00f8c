package hub

import (
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Meter counts the tasks of a worker and observes its connection. Its methods are called
// concurrently.
type Meter interface {
	// Answered counts a task whose answer is stored, and adds up the time that the agent
	// took.
	Answered(o agent.Outcome, took time.Duration)
	// Unanswered counts a task that ended without an answer.
	Unanswered(why Unanswered)
	// Leased counts a call that was requested from the run, and the time that the call
	// waited there for limits. A failed call received no answer from the run.
	Leased(kind policy.Kind, waited time.Duration, failed bool)
}

// Unanswered is the reason why a task ended without an answer.
type Unanswered string

// The reasons why a task ends without an answer: the run withdrew the task; the worker
// returned the task because the worker is ending; the message of the task cannot be read;
// the answer cannot be stored.
const (
	Withdrawn  Unanswered = "withdrawn"
	GivenBack  Unanswered = "given_back"
	Unreadable Unanswered = "unreadable"
	Unstored   Unanswered = "unstored"
)

// noMeter counts nothing.
type noMeter struct{}

func (noMeter) Answered(agent.Outcome, time.Duration)   {}
func (noMeter) Unanswered(Unanswered)                   {}
func (noMeter) Leased(policy.Kind, time.Duration, bool) {}

// WorkerState is the state of a worker at one moment.
type WorkerState struct {
	// Slots is the maximum number of tasks that may run at once, and Busy is the number
	// of running tasks.
	Slots, Busy int
	Connected   bool
	Reconnects  int
	// Served is the number of offers that the worker serves, and Refused is the number of
	// offers that it refuses.
	Served, Refused int
}

// State returns the current state of the worker.
func (w *Worker) State() WorkerState {
	s := WorkerState{Slots: w.Slots, Busy: int(w.busy.Load()), Connected: w.Hub.connected(), Reconnects: int(w.Hub.nc.Stats().Reconnects)}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.offers {
		if n.refuses == "" {
			s.Served++
		} else {
			s.Refused++
		}
	}
	return s
}
