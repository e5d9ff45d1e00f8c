package authored

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// These are the fixed limits on one call.
const (
	maxSteps = 10_000_000
	maxHeap  = 64 << 20 // heap size in bytes at which garbage is collected at once
	callTime = 10 * time.Second
	// growthSeen is the number of resident bytes by which a child may grow before the
	// parent kills it. This is a second line of defence behind the limit that the child
	// sets for itself.
	growthSeen = 160 << 20
)

// Pool runs authored tools in child processes and reuses a few of them for further calls.
// It is safe for concurrent use. The caller must close it.
type Pool struct {
	box      sandbox.Sandbox
	settings settings
	extra    int64 // resident bytes by which a child may grow
	limit    time.Duration
	slots    chan struct{}

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// NewPool returns a pool of at most size children. They are started on demand, inside box
// if box provides isolation. A size below 1 means 1.
func NewPool(box sandbox.Sandbox, size int) *Pool {
	return &Pool{
		box:      box,
		settings: settings{Data: growth, Heap: maxHeap, Steps: maxSteps},
		extra:    weight * growthSeen,
		limit:    callTime,
		slots:    make(chan struct{}, max(1, size)),
	}
}

// Close ends all idle children. A running call still finishes, and its child ends after it;
// calls that begin after Close fail.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.end()
	}
}

var errClosed = errors.New("the pool is closed")

// result is the result of a call as the parent records it.
type result struct {
	reply
	outcome agent.Outcome
	// cause is set if the cause of a failure lies in the tool itself, not in the arguments,
	// the caller, the machine or another tool.
	cause string
}

// failed returns the result of a call that ended without a value.
func failed(o agent.Outcome, format string, args ...any) result {
	return result{reply: reply{Text: fmt.Sprintf(format, args...)}, outcome: o}
}

// blamed returns a failed result whose cause lies in the tool.
func blamed(cause string, o agent.Outcome, format string, args ...any) result {
	r := failed(o, format, args...)
	r.cause = cause
	return r
}

// run calls a tool once. If a child ends for no reason of its own, it was killed from
// outside, by the machine or a person. The call, which has no effects, is then repeated
// once in a new child, because another idle child may have been killed too. Being killed
// from outside never counts as the tool's failure. Neither does a lack of memory in a child
// that served other calls before, because garbage from those calls may have used the
// memory; such a call is also repeated in a new child.
func (p *Pool) run(ctx context.Context, d Definition, args []byte) result {
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return stopped(ctx.Err())
	}
	r := request{Name: d.Name, Hash: d.Hash(), Source: d.Source, Args: args}
	for again := false; ; again = true {
		c, err := p.acquire(ctx, again)
		switch {
		case err != nil && ctx.Err() != nil:
			return stopped(ctx.Err())
		case err != nil:
			return failed(agent.Infrastructure, "no process to run the tool in: %s", head(err.Error(), maxText))
		}
		out, err := c.call(ctx, r, p.limit)
		if err == nil && out.Ending == value && !c.exhausted() {
			p.release(c)
			return finalize(d, out)
		}
		words, used := c.end(), c.calls > 1
		switch {
		case err == nil:
			return finalize(d, out)
		case errors.Is(err, errStarved):
			return failed(agent.Timeout, "stopped after %s, during which the machine was too busy to run it", p.limit)
		case errors.Is(err, errTime):
			return blamed(causeTime, agent.Timeout, "stopped after %s", p.limit)
		case errors.Is(err, errSize) || strings.Contains(words, "out of memory") || strings.Contains(words, "cannot allocate memory"):
			if !again && used {
				continue
			}
			return blamed(causeMemory, agent.Execution, "it took too much memory")
		case strings.Contains(words, "stack exceeds"):
			return blamed(causeMemory, agent.Execution, "its data is nested too deeply")
		case ctx.Err() != nil:
			return stopped(ctx.Err())
		case !errors.Is(err, errEnded):
			return blamed(causeProgram, agent.Execution, "its process sent no valid answer")
		case again && strings.TrimSpace(words) != "":
			return blamed(causeProgram, agent.Execution, "its process ended twice without an answer")
		case again:
			return failed(agent.Infrastructure, "the process that ran it was killed from outside twice")
		}
	}
}

func stopped(err error) result {
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(agent.Timeout, "ended: %v", err)
	}
	return failed(agent.Cancelled, "ended: %v", err)
}

// finalize adds the outcome and the cause to a reply.
func finalize(d Definition, r reply) result {
	switch r.Ending {
	case value:
		return result{reply: r, outcome: agent.OK}
	case steps:
		return result{r, agent.Timeout, causeTime}
	case unfit:
		return result{r, agent.ContractViolation, causeResult}
	case badRequest:
		return result{reply: r, outcome: agent.Infrastructure}
	case noProgram:
		return result{r, agent.Execution, causeProgram}
	}
	return result{r, agent.Execution, causeOf(d, r)}
}

// causeOf returns the cause of a runtime failure, which names the line of the error. If
// the error is a call to fail that one of the tool's tests expects, the cause is not in
// the tool: the tool refused the arguments, as its test expects.
func causeOf(d Definition, r reply) string {
	if strings.HasPrefix(r.Text, "fail: ") {
		for _, t := range d.Tests {
			if t.WantError != "" && strings.Contains(r.Text, t.WantError) {
				return ""
			}
		}
	}
	if r.Line <= 0 {
		return causeError
	}
	return fmt.Sprintf("error in line %d", r.Line)
}

// acquire returns an idle child that is still alive, or a new child. If fresh is set, the
// child is always new.
func (p *Pool) acquire(ctx context.Context, fresh bool) (*child, error) {
	for {
		c, err := p.next(fresh)
		switch {
		case err != nil:
			return nil, err
		case c == nil:
			return newChild(ctx, p.box, p.settings, p.extra)
		case isQuiet(c.conn):
			return c, nil
		}
		c.end()
	}
}

// next removes an idle child from the pool and returns it, or returns nil if there is none
// or fresh is set.
func (p *Pool) next(fresh bool) (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	switch {
	case p.closed:
		return nil, errClosed
	case fresh || n == 0:
		return nil, nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c, nil
}

// release returns a child to the pool for further calls, or ends the child if the pool is
// closed.
func (p *Pool) release(c *child) {
	p.mu.Lock()
	if !p.closed {
		p.idle = append(p.idle, c)
		c = nil
	}
	p.mu.Unlock()
	if c != nil {
		c.end()
	}
}
