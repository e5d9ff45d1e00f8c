package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// Agent runs an operator's program. It is safe for concurrent use; at most
// Options.Pool requests are under way at once, the others wait.
type Agent struct {
	o Options
	// slots holds one entry a process: nil where none is started.
	slots chan *worker

	mu     sync.Mutex
	live   map[*worker]struct{}
	closed bool
}

var _ agent.Agent = (*Agent)(nil)

// Run does one task. A program that breaches the protocol or ends is killed with
// everything it started, and another takes its place when the next task needs one.
func (a *Agent) Run(ctx context.Context, req agent.Request) agent.Result {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	timeout := a.timeout(req.Limits.Timeout)
	line, err := encode(req, timeout)
	if err != nil {
		return agent.Result{Outcome: agent.Execution, Error: a.clip(err.Error())}
	}
	var w *worker
	select {
	case w = <-a.slots:
	case <-ctx.Done():
		return cancelled(ctx)
	}
	t := turn{agent: a, ctx: ctx, req: req, line: line, timeout: timeout, deadline: time.Now().Add(timeout)}
	var res agent.Result
	if a.o.Protocol == Once {
		res = t.once()
	} else {
		res, w = t.jsonl(w)
	}
	a.slots <- w
	return res
}

// Close kills all programs, ends the tasks under way as cancelled, and returns
// when nothing is left.
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
	for range a.o.Pool {
		a.retire(<-a.slots)
	}
	for range a.o.Pool {
		a.slots <- nil
	}
	return nil
}

func (a *Agent) isClosed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

var errClosed = errors.New("the agent is closed")

// start starts a program that Close knows of.
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

// retire ends a program; nil is none.
func (a *Agent) retire(w *worker) {
	if w == nil {
		return
	}
	w.dispose()
	a.mu.Lock()
	delete(a.live, w)
	a.mu.Unlock()
}

// timeout is the shorter of the request's and the agent's own.
func (a *Agent) timeout(asked time.Duration) time.Duration {
	t := a.o.Timeout
	if asked > 0 && (t == 0 || asked < t) {
		t = asked
	}
	if t == 0 {
		t = defaultTimeout
	}
	return t
}

// clip makes foreign text one scrubbed line of bounded length.
func (a *Agent) clip(text string) string {
	text = strings.Join(strings.Fields(a.o.Scrub(text)), " ")
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}

func cancelled(ctx context.Context) agent.Result {
	return agent.Result{Outcome: agent.Cancelled, Error: context.Cause(ctx).Error()}
}

// turn is one task under way.
type turn struct {
	agent    *Agent
	ctx      context.Context
	req      agent.Request
	line     []byte
	timeout  time.Duration
	deadline time.Time
}

// jsonl asks a program that is up already, or a new one, and returns it when it
// can be asked again.
func (t *turn) jsonl(w *worker) (agent.Result, *worker) {
	a := t.agent
	if w != nil && w.stdout.stale() {
		// It ended, or said something that nobody asked for.
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
		line, breach, untouched := w.ask(t.line)
		undisturbed := stop()
		res, err := t.result(line, breach)
		if late := (wrongID{}); w.last != "" && (untouched || errors.As(err, &late) && late.got == w.last) && !res.Outcome.Missing() {
			// It was on its way out when it was asked, or had more to say to the last
			// task: not this one's doing, so this one gets a new program.
			a.retire(w)
			w = nil
			continue
		}
		t.listen(&res, w)
		if w.last = t.req.ID; err != nil || !undisturbed {
			a.retire(w)
			w = nil
		}
		return res, w
	}
}

// once starts a program for this task alone.
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

// unstarted is the result where no program could be started.
func (t *turn) unstarted(err error) agent.Result {
	res := agent.Result{Outcome: agent.Execution, Error: t.agent.clip(fmt.Sprintf("starting the program: %v", err))}
	switch {
	case t.ctx.Err() != nil:
		return cancelled(t.ctx)
	case errors.Is(err, errClosed):
		res.Outcome, res.Error = agent.Cancelled, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return t.late()
	case !errors.Is(err, sandbox.ErrProgram):
		// The machine or the walls failed, which moves no score.
		res.Outcome = agent.Infrastructure
	}
	return res
}

func (t *turn) late() agent.Result {
	return agent.Result{Outcome: agent.Timeout, Error: fmt.Sprintf("no response within %s", t.timeout)}
}

// result judges what came back. An error says that the program cannot be asked
// again.
func (t *turn) result(line []byte, b *breach) (agent.Result, error) {
	a := t.agent
	if b != nil {
		return t.broken(b), errBroken
	}
	r, err := parse(line, t.req.ID)
	res := agent.Result{Usage: r.usage, Outcome: r.outcome}
	t.keep(&res, r)
	if err != nil {
		res.Outcome, res.Error = agent.ContractViolation, a.clip(err.Error())
		return res, err
	}
	if text := exceeded(t.req.Limits, r.usage, len(line)); text != "" {
		res.Outcome, res.Error = agent.BudgetExceeded, text
		return res, nil
	}
	if r.outcome.Gradable() {
		res.Answer, res.Score = r.answer, r.score
	}
	if r.outcome != agent.OK {
		res.Error = a.clip(r.err)
		if res.Error == "" {
			res.Error = fmt.Sprintf("the program reported %s", r.outcome)
		}
	}
	return res, nil
}

// exceeded says which limit a task went over, "" for none.
func exceeded(l agent.Limits, u agent.Usage, size int) string {
	switch {
	case l.MaxCostUSD > 0 && u.CostUSD > l.MaxCostUSD:
		return fmt.Sprintf("the task cost %g USD, more than the limit of %g", u.CostUSD, l.MaxCostUSD)
	case l.MaxTokens > 0 && u.InputTokens+u.OutputTokens > l.MaxTokens:
		return fmt.Sprintf("the task used %d tokens, more than the limit of %d", u.InputTokens+u.OutputTokens, l.MaxTokens)
	case l.MaxOutputBytes > 0 && int64(size) > l.MaxOutputBytes:
		return fmt.Sprintf("the response has %d bytes, more than the limit of %d", size, l.MaxOutputBytes)
	}
	return ""
}

var errBroken = errors.New("the program was stopped")

// broken is the result of a task whose program was stopped.
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

// keep takes over what the program tells beside its answer, scrubbed.
func (t *turn) keep(res *agent.Result, r response) {
	scrub := t.agent.o.Scrub
	if r.transcript != nil {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventForeign, Data: scrubbed(r.transcript, scrub)})
	}
	if r.artifacts != nil {
		res.Artifacts = scrubbed(r.artifacts, scrub)
	}
}

// listen takes over what the program wrote to standard error.
func (t *turn) listen(res *agent.Result, w *worker) {
	if text := w.stderr.collect(t.agent.o.Scrub); text != "" {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventStderr, Text: text})
	}
}

// scrubbed is JSON without credentials; what is none any more without them becomes
// a JSON string.
func scrubbed(raw json.RawMessage, scrub func(string) string) json.RawMessage {
	text := scrub(string(raw))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil // cannot be: every string has a JSON form
	}
	return quoted
}
