package policy

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options make an Engine.
type Options struct {
	Book Book
	// Day returns what was spent on a tool or provider today (UTC), before this engine
	// was created. It is called once for each tool or provider, when the tool or provider
	// is first called. A nil Day means that nothing was spent.
	Day func(kind Kind, name string) Usage
	// Run returns what earlier processes of a resumed run spent on a tool or provider, in
	// total and by agent. It is called once for each tool or provider, when the tool or
	// provider is first called. A nil Run means that nothing was spent.
	Run func(kind Kind, name string) (all Usage, agents map[string]Usage)
}

// Engine makes calls under the policies. It is safe for concurrent use, holds the state of
// one run, and has no goroutine of its own.
type Engine struct {
	book    Book
	made    time.Time
	version string
	fields  []field
	day     func(Kind, string) Usage
	run     func(Kind, string) (Usage, map[string]Usage)

	plans   sync.Map // planKey → *plan
	planned atomic.Int64

	mu        sync.Mutex
	targets   map[targetKey]*target
	spendings map[targetKey]*spending // without an origin
	servers   map[string]*queue       // by origin; all tools of a server share one queue

	orphans orphans
}

// New returns an engine for the book, which must not change afterwards. The error names a
// layer with a value that is out of range or contradicts another.
func New(o Options) (*Engine, error) {
	all := fields()
	if err := o.Book.check(all); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return &Engine{
		book: o.Book, made: time.Now(), version: o.Book.Version(), fields: all, day: o.Day, run: o.Run,
		targets: map[targetKey]*target{}, spendings: map[targetKey]*spending{}, servers: map[string]*queue{},
	}, nil
}

// Resolve returns the settings of a call and the layer from which each of them comes. For
// an unknown kind or origin it returns the settings of a tool with the strictest origin,
// mcp; Do refuses such a call.
func (e *Engine) Resolve(c Call) (Settings, []Value) {
	if c.Kind != Provider && c.Kind != Agent {
		c.Kind = Tool
		if !knownOrigin(c.Origin) {
			c.Origin = mcp
		}
	}
	r := e.book.resolve(e.fields, c.Kind, c.Name, c.Origin, c.Agent)
	return r.settings, r.values()
}

// Do calls the function run under the policies. Its error is nil, run's own last error, a
// *TimeoutError, *RateLimitedError, *CircuitOpenError or *BudgetError, the error of a ctx
// that has ended, or an error for an inadmissible call, such as one of an unknown kind.
//
// run is called once for each attempt, in its own goroutine; attempts are counted from 1.
// It should respect its context, which ends with the attempt. If the context ends first,
// Do returns without waiting for run: run keeps its permit and its reservation until it
// really ends, and its results are then discarded, except for what it spent. Variables of
// the caller that run writes may therefore be read only if Do returned nil or run's own
// error; Run returns a value without this risk. A panic in run becomes a *Failure.
//
// The values in the Applied are shared with other calls and must not be changed.
func (e *Engine) Do(ctx context.Context, c Call, run func(ctx context.Context, attempt int) (Spent, error)) (Applied, error) {
	_, applied, err := e.do(ctx, c, func(ctx context.Context, attempt int) (any, Spent, error) {
		spent, err := run(ctx, attempt)
		return nil, spent, err
	})
	return applied, err
}

// Run is like Do, for a function that returns a value. It returns the value of the last
// attempt together with run's own error, if there was one. With an error from the policies
// or from ctx, it returns the zero value.
func Run[T any](ctx context.Context, e *Engine, c Call,
	run func(ctx context.Context, attempt int) (T, Spent, error),
) (T, Applied, error) {
	v, applied, err := e.do(ctx, c, func(ctx context.Context, attempt int) (any, Spent, error) {
		return run(ctx, attempt)
	})
	value, _ := v.(T)
	return value, applied, err
}

// do is like Do, for a function that returns a value.
func (e *Engine) do(ctx context.Context, c Call, run function) (any, Applied, error) {
	applied := Applied{Kind: c.Kind, Name: c.Name, Version: e.version}
	p, err := e.plan(c)
	if err != nil {
		return nil, applied, err
	}
	applied.Values = p.values
	if l := leaserOf(ctx); l != nil && p.shared() {
		return e.leased(ctx, l, c, run)
	}
	p.target.spending.load.Do(func() { e.seed(p.target.spending, c) })
	x := &execution{engine: e, call: c, plan: p, target: p.target, parent: ctx, run: run, began: time.Now()}
	err = x.execute()
	applied.Attempts, applied.Limited, applied.Waited = x.attempts, x.limited, x.waited
	if x.budget != nil && c.Kind == Provider && p.settings.Exhausted == Degrade && p.settings.DegradedTo != c.Name {
		applied.Degraded = p.settings.DegradedTo
		x.budget.DegradedTo = applied.Degraded
	}
	p.target.meter.ended(OutcomeOf(err), x.attempts)
	if err != nil && !x.own {
		x.value = nil
	}
	return x.value, applied, err
}

// Wait waits for every abandoned function to end. If ctx ends first, it returns ctx's
// error.
func (e *Engine) Wait(ctx context.Context) error { return e.orphans.wait(ctx) }

// orphans counts abandoned functions that are still running.
type orphans struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to 0; nil while n is 0
}

func (l *orphans) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == 0 {
		l.idle = make(chan struct{})
	}
	if l.n += n; l.n == 0 {
		close(l.idle)
		l.idle = nil
	}
}

func (l *orphans) wait(ctx context.Context) error {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
