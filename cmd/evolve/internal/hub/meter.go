package hub

import (
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Meter counts the tasks and the connection of a worker. Its methods are called concurrently.
type Meter interface {
	// Answered counts a task whose answer is stored, and the agent's time on it.
	Answered(o agent.Outcome, took time.Duration)
	// Unanswered counts a task that ended without an answer.
	Unanswered(why Unanswered)
	// Leased counts a call that was requested from the run, and the time that it waited for
	// limits there. A failed call got no answer from the run.
	Leased(kind policy.Kind, waited time.Duration, failed bool)
}

// Unanswered is the reason why a worker did not answer a task.
type Unanswered string

// The reasons: the run has withdrawn it; the worker has returned it, because the worker
// ends; its message cannot be read; the answer cannot be stored.
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
	// Slots is the maximum number of tasks at once, and Busy the number of running ones.
	Slots, Busy int
	Connected   bool
	Reconnects  int
	// Served and Refused count the offers.
	Served, Refused int
}

// State returns the present state of the worker.
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
