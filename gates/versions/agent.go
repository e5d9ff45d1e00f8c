package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"evolve/bench/metrics"
	"evolve/gates/measure"
	"evolve/mutate/blocks"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Agent runs versions. It implements [agent.Agent].
type Agent struct {
	program *measure.Program
	scale   *metrics.Scale
	// together are cases that are scored by one start of the command.
	together []string
	versions *shelf[*scored]
	now      func() time.Time
	pace     pace

	mu sync.Mutex
	// differing are values of the unchanged program that differ from the scale's; see
	// [Agent.Differing].
	differing []metrics.Value
}

// mostDiffering bounds the values that [Agent.Differing] returns.
const mostDiffering = 1000

// scored is a version that was built.
type scored struct {
	*measure.Version
	// base reports whether it is the unchanged program.
	base bool
	// slow reports whether the version did not end in time on a case.
	slow atomic.Bool
	// batch scores the cases that are scored together.
	batch func() ([]metrics.Value, error)
}

// New returns the agent of a program. files are those with marked blocks, by path, and
// scale is that of the base's values. together are cases that take little time beside a
// start of the command, so that one start scores them all; it may be empty. now is the clock.
func New(p *measure.Program, files map[string][]byte, scale *metrics.Scale, together []string, now func() time.Time) *Agent {
	a := &Agent{program: p, scale: scale, together: together, now: now, pace: pace{took: map[string]time.Duration{}}}
	a.versions = newShelf(func(ctx context.Context, c agent.Config) (*scored, error) {
		built, base, err := made(ctx, p, files, c)
		if err != nil {
			return nil, err
		}
		v := &scored{Version: built, base: base}
		v.batch = sync.OnceValues(func() ([]metrics.Value, error) { return p.Values(ctx, built, together...) })
		return v, nil
	}, func(v *scored) error { return v.Remove() })
	return a
}

// made builds the version of a config that holds texts of blocks. It reports whether the
// version is the unchanged program.
func made(ctx context.Context, p *measure.Program, files map[string][]byte, c agent.Config) (v *measure.Version, base bool, err error) {
	now, err := blocks.Set(files, c)
	if err != nil {
		return nil, false, &measure.CodeError{Text: err.Error()}
	}
	changed := map[string][]byte{}
	for path, data := range now {
		if string(data) != string(files[path]) {
			changed[path] = data
		}
	}
	v, err = p.Make(ctx, c.ID().Short(), changed)
	return v, len(changed) == 0, err
}

// Run scores the version of a config on the case that the task names.
func (a *Agent) Run(ctx context.Context, req agent.Request) agent.Result {
	var task struct{ Case string } // the id of a task is hidden from agents
	if err := json.Unmarshal(req.Task.Input, &task); err != nil {
		return agent.Result{Outcome: agent.Infrastructure, Error: "the task names no case: " + err.Error()}
	}
	id := req.Config.ID()
	v := a.versions.take(ctx, id, req.Config)
	defer a.versions.give(id, v)
	values, err := a.values(ctx, v, task.Case)
	if err != nil {
		return failed(ctx, err)
	}
	value, said, err := a.scale.Answer(values, task.Case)
	if err != nil {
		return agent.Result{Outcome: agent.Infrastructure, Error: err.Error()}
	}
	score := a.scale.Score(task.Case, value)
	name, unit, better := a.scale.Metric()
	measured := metrics.Value{Case: task.Case, Metric: name, Value: value, Unit: unit, Better: better}
	if got, err := v.get(); err == nil && got.base && a.scale.Differs(measured) {
		a.differs(measured)
	}
	return agent.Result{Outcome: agent.OK, Answer: &said, Score: &score}
}

func (a *Agent) differs(v metrics.Value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.differing) < mostDiffering {
		a.differing = append(a.differing, v)
	}
}

// Differing returns the values of the code as it is that differ from those of the scale, in
// the order in which they were printed. Such values mean that the command does not print
// the same on every start.
func (a *Agent) Differing() []metrics.Value {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.differing)
}

// errSlow is the error for further cases of a version that did not end in time on one
// case.
var errSlow = errors.New("the version did not end in time on another case")

// failed returns the result of a version that has no value: because of its code, because its
// caller was stopped, or because of the machine.
func failed(ctx context.Context, err error) agent.Result {
	var code *measure.CodeError
	switch {
	case errors.Is(err, errSlow) || errors.As(err, new(*measure.SlowError)):
		return agent.Result{Outcome: agent.Timeout, Error: text.Clip(text.OneLine(err.Error()), 600)}
	case errors.As(err, &code):
		return agent.Result{Outcome: agent.Execution, Error: text.ClipMiddle(text.OneLine(code.Error()), 700)}
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return agent.Result{Outcome: agent.Timeout, Error: "it did not end in time"}
	case ctx.Err() != nil:
		return agent.Result{Outcome: agent.Cancelled, Error: "it was stopped"}
	}
	return agent.Result{Outcome: agent.Infrastructure, Error: text.Clip(text.OneLine(err.Error()), 600)}
}

// values returns the values that a version printed for a case, possibly in one start with other
// cases; one of them is of the metric.
func (a *Agent) values(ctx context.Context, of *slot[*scored], name string) ([]metrics.Value, error) {
	v, err := of.get()
	if err != nil {
		return nil, err
	}
	if slices.Contains(a.together, name) {
		values, err := v.batch()
		if err == nil {
			if _, err := a.scale.Find(values, name); err == nil {
				return values, nil
			}
		}
		if errors.As(err, new(*measure.SlowError)) {
			v.slow.Store(true)
		}
		// Another case may be the cause, so this one is scored alone.
	}
	if v.slow.Load() {
		return nil, errSlow
	}
	bounded, start := *a.program, a.now()
	if !v.base {
		bounded.RunTime = a.pace.bound(name, bounded.RunTime)
	}
	values, err := bounded.Values(ctx, v.Version, name)
	if err != nil {
		if errors.As(err, new(*measure.SlowError)) {
			v.slow.Store(true)
		}
		return nil, err
	}
	if v.base {
		a.pace.add(name, a.now().Sub(start))
	}
	if _, err := a.scale.Find(values, name); err != nil {
		return nil, &measure.CodeError{Text: err.Error()}
	}
	return values, nil
}

// Scored holds the values and times of the unchanged program.
type Scored struct {
	Values []metrics.Value `json:"values"`
	// Again are the values of further starts of the command, which show whether it prints
	// the same each time.
	Again []metrics.Value `json:"again"`
	// Apart are the values of starts on one case each, if the values of one start differ
	// from those of another; see [Apart].
	Apart []metrics.Value `json:"apart,omitempty"`
	// Quick reports whether a case takes little time beside a start of the command.
	Quick bool `json:"quick"`
	// Make is the time of its build and tests, and Run that of all cases.
	Make time.Duration `json:"make_ns"`
	Run  time.Duration `json:"run_ns"`
}

// quick is the largest ratio of the time of all cases to that of one case at which a case
// takes little time beside a start of the command.
const quick = 5

// Base builds the unchanged program and scores it on all cases, on the last one alone, and on
// all again if there is time for that. The last case alone shows a value that depends on the
// cases before it. limit bounds the time; 0: the bounds of [measure.Program] alone. A
// [measure.SlowError] reports that it did not end in time, and a [measure.CodeError] also that
// the last case alone has no value of metric ("": the first one).
func Base(ctx context.Context, p *measure.Program, metric string, now func() time.Time, limit time.Duration) (Scored, error) {
	fail := func(err error) (Scored, error) { return Scored{}, fmt.Errorf("the program as it is: %w", err) }
	begun := now()
	left := func() time.Duration { return limit - now().Sub(begun) }
	bound := func() {
		if limit > 0 {
			p.Within(max(left(), time.Millisecond))
		}
	}
	bound()
	start := begun
	v, err := p.Make(ctx, "base", nil)
	if err != nil {
		return fail(err)
	}
	s := Scored{Make: now().Sub(start)}
	bound()
	start = now()
	if s.Values, err = p.Values(ctx, v); err != nil {
		return fail(err)
	}
	s.Run = now().Sub(start)
	bound()
	start = now()
	one, err := p.Values(ctx, v, s.Values[len(s.Values)-1].Case)
	if err != nil {
		return fail(err)
	}
	if scale, err := metrics.NewScale(s.Values, metric); err == nil { // or the fault is reported with the scale
		if err := sameMetric(scale, s.Values[len(s.Values)-1].Case, one); err != nil {
			return fail(err)
		}
	}
	s.Quick, s.Again = s.Run <= quick*now().Sub(start), one
	if limit == 0 || left() > 2*s.Run {
		bound()
		all, err := p.Values(ctx, v)
		if err != nil {
			return fail(err)
		}
		s.Again = append(s.Again, all...)
	}
	return s, v.Remove()
}

// sameMetric returns an error if a case has a value of the scale's metric among all values,
// but none of the same kind among those that the command printed for that case alone.
func sameMetric(scale *metrics.Scale, of string, one []metrics.Value) error {
	_, err := scale.Find(one, of)
	if err == nil {
		return nil
	}
	name, _, _ := scale.Metric()
	words := "nothing for that case"
	for _, v := range one {
		if v.Case == of {
			words = text.Quote(v.Metric)
			if v.Metric == name {
				words = err.Error()
			}
			break
		}
	}
	return &measure.CodeError{Text: fmt.Sprintf("without arguments the scoring command prints %s for case %s, and with that case as its argument %s: let it print the same metric in both",
		text.Quote(name), text.Quote(of), words)}
}

// Apart scores the unchanged program on each case by a start of its own, as a night scores
// versions whose values differ from start to start: a time is often shorter in a process
// that has run other cases before. For now and limit see [Base].
func Apart(ctx context.Context, p *measure.Program, cases []string, now func() time.Time, limit time.Duration) (out []metrics.Value, err error) {
	begun := now()
	v, err := p.Make(ctx, "base", nil)
	if err != nil {
		return nil, fmt.Errorf("the program as it is: %w", err)
	}
	defer func() { err = errors.Join(err, v.Remove()) }()
	for _, of := range cases {
		if limit > 0 {
			p.Within(max(limit-now().Sub(begun), time.Millisecond))
		}
		values, err := p.Values(ctx, v, of)
		if err != nil {
			return nil, fmt.Errorf("the program as it is: %w", err)
		}
		for _, one := range values {
			if one.Case == of {
				out = append(out, one)
			}
		}
	}
	return out, nil
}
