package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// Agent runs an operator's program. It is safe for concurrent use; at most Options.Pool
// requests run at once, and the others wait.
type Agent struct {
	o         Options
	processes *processes

	mu     sync.Mutex
	live   map[*worker]struct{}
	closed bool
}

var _ agent.Agent = (*Agent)(nil)

// Run runs one task. If a program violates the protocol or ends, it is killed with all its
// descendants, and a new one is started when the next task needs it.
func (a *Agent) Run(ctx context.Context, req agent.Request) agent.Result {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	begun := time.Now()
	timeout := shorter(a.o.Timeout, req.Limits.Timeout)
	line, err := encode(req, timeout)
	if err != nil {
		return agent.Result{Outcome: agent.Execution, Error: clip(err.Error(), a.o.Scrub)}
	}
	var config agent.ConfigID
	if a.o.Protocol != Once {
		config = req.Config.ID()
	}
	w, err := a.processes.take(ctx, config)
	if err != nil {
		return cancelled(ctx)
	}
	t := turn{agent: a, ctx: ctx, req: req, line: line, timeout: timeout, begun: begun, deadline: time.Now().Add(timeout)}
	var res agent.Result
	if a.o.Protocol == Once {
		res = t.once()
	} else {
		res, w = t.jsonl(w)
	}
	a.processes.put(w, config)
	return res
}

// Renew ends every long-running program, so that each is replaced by a new one at its next
// task, and empties the scratch folder. All state of earlier tasks, in memory and on disk,
// is then gone. Renew waits for running tasks. The folder must not hold anything that
// belongs to a task that has not run yet.
func (a *Agent) Renew() error {
	a.drain()
	defer a.processes.vacate(a.o.Pool)
	if a.o.Scratch == "" {
		return nil
	}
	left, err := os.ReadDir(a.o.Scratch)
	for _, entry := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(a.o.Scratch, entry.Name())))
	}
	return err
}

// Close kills all programs, ends running tasks as cancelled, and returns when no program
// remains.
func (a *Agent) Close() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	a.closed = true
	for w := range a.live {
		w.process.Kill()
	}
	a.mu.Unlock()
	a.drain()
	a.processes.vacate(a.o.Pool)
	return nil
}

// drain acquires every slot, which waits for running tasks, and ends the programs.
func (a *Agent) drain() {
	for range a.o.Pool {
		w, _ := a.processes.take(context.Background(), "") // this context never ends, so there is no error
		a.retire(w)
	}
}

func (a *Agent) isClosed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

var errClosed = errors.New("the agent is closed")

// start starts a program and registers it for Close.
func (a *Agent) start(ctx context.Context, deadline time.Time, writable []string) (*worker, error) {
	if a.isClosed() {
		return nil, errClosed
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	w, err := startWorker(ctx, &a.o, writable)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.live[w] = struct{}{}
	closed := a.closed
	a.mu.Unlock()
	if closed {
		a.retire(w)
		return nil, errClosed
	}
	return w, nil
}

// retire ends a program. It ignores nil.
func (a *Agent) retire(w *worker) {
	if w == nil {
		return
	}
	w.dispose()
	a.mu.Lock()
	delete(a.live, w)
	a.mu.Unlock()
}

func cancelled(ctx context.Context) agent.Result {
	return agent.Result{Outcome: agent.Cancelled, Error: context.Cause(ctx).Error()}
}

// turn is one running task.
type turn struct {
	agent    *Agent
	ctx      context.Context
	req      agent.Request
	line     []byte
	timeout  time.Duration
	begun    time.Time
	deadline time.Time
}

// jsonl sends the request to a running program, or to a new one, and returns the program if
// it can get another request. The result's Waited is the time until the request was
// written. The protocol has no message to signal that a program is ready, so the time of a
// program's first answer includes its start, which Started reports.
func (t *turn) jsonl(w *worker) (agent.Result, *worker) {
	a := t.agent
	if w != nil && w.stale() {
		// The program ended, or wrote a line that answers no request.
		a.retire(w)
		w = nil
	}
	for {
		if w == nil {
			var err error
			var writable []string
			if a.o.Scratch != "" {
				writable = []string{a.o.Scratch}
			}
			if w, err = a.start(t.ctx, t.deadline, writable); err != nil {
				return t.unstarted(err), nil
			}
		}
		w.until(t.deadline)
		stop := context.AfterFunc(t.ctx, func() { w.until(time.Unix(1, 0)) })
		waited := time.Since(t.begun)
		line, breach, untouched := w.ask(t.line)
		undisturbed := stop()
		res, err := t.result(line, breach)
		if late := (wrongID{}); w.last != "" && (untouched || errors.As(err, &late) && late.got == w.last) && !res.Outcome.Missing() {
			// The program was about to end when the request was sent, or had written
			// another line for the previous task. The current task is not the cause and
			// gets a new program.
			a.retire(w)
			w = nil
			continue
		}
		t.listen(&res, w)
		res.Waited, res.Started = waited, w.last == ""
		if w.last = t.req.ID; err != nil || !undisturbed {
			a.retire(w)
			w = nil
		}
		return res, w
	}
}

// once is used for a single task: it starts a program that serves no other task.
func (t *turn) once() agent.Result {
	a := t.agent
	var writable []string
	if t.req.Workdir != "" {
		writable = []string{t.req.Workdir}
	}
	w, err := a.start(t.ctx, t.deadline, writable)
	if err != nil {
		return t.unstarted(err)
	}
	defer a.retire(w)
	w.until(t.deadline)
	stop := context.AfterFunc(t.ctx, func() { w.until(time.Unix(1, 0)) })
	defer stop()
	line, breach := w.askOnce(t.line)
	res, _ := t.result(line, breach)
	t.listen(&res, w)
	return res
}

// unstarted returns the result of a task whose program could not be started.
func (t *turn) unstarted(err error) agent.Result {
	res := agent.Result{Outcome: agent.Execution, Error: clip(fmt.Sprintf("starting the program: %v", err), t.agent.o.Scrub)}
	switch {
	case t.ctx.Err() != nil:
		return cancelled(t.ctx)
	case errors.Is(err, errClosed):
		res.Outcome, res.Error = agent.Cancelled, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return t.late()
	case !errors.Is(err, sandbox.ErrProgram):
		// The machine or the sandbox failed, which must not affect a score.
		res.Outcome = agent.Infrastructure
	}
	return res
}

func (t *turn) late() agent.Result {
	return agent.Result{Outcome: agent.Timeout, Error: fmt.Sprintf("no response within %s", t.timeout)}
}

// result converts a response, or a breach, into the result of the task. An error means that
// the program must not get another request.
func (t *turn) result(line []byte, b *breach) (agent.Result, error) {
	if b != nil {
		return t.broken(b), errBroken
	}
	return judge(line, t.req, t.agent.o.Scrub)
}

var errBroken = errors.New("the program was stopped")

// broken returns the result of a task whose program was stopped.
func (t *turn) broken(b *breach) agent.Result {
	switch {
	case t.ctx.Err() != nil:
		return cancelled(t.ctx)
	case t.agent.isClosed():
		return agent.Result{Outcome: agent.Cancelled, Error: errClosed.Error()}
	case b.kind == expired:
		return t.late()
	case b.kind == violated:
		return agent.Result{Outcome: agent.ContractViolation, Error: b.text}
	}
	return agent.Result{Outcome: agent.Execution, Error: b.text}
}

// listen adds the program's standard error to the result, and a hint if the program tried
// to use a network that it does not have.
func (t *turn) listen(res *agent.Result, w *worker) {
	text := w.stderr.collect(t.agent.o.Scrub)
	if text != "" {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventStderr, Text: text})
	}
	if !t.agent.o.Network && t.agent.o.Sandbox.Err() == nil && w.wantedNetwork(res, text) {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventStderr, Text: Offline})
		if res.Outcome != agent.OK {
			res.Error = strings.TrimPrefix(res.Error+"; "+Offline, "; ")
		}
	}
}
