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

// Agent runs the versions of a program. It implements [agent.Agent].
type Agent struct {
	program *measure.Program
	scale   *metrics.Scale
	// together are the cases that are scored in a single start of the command.
	together []string
	versions *shelf[*scored]
	now      func() time.Time
	pace     pace

	mu sync.Mutex
	// differing holds the values of the unchanged program that differ from the scale's
	// values; see [Agent.Differing].
	differing []metrics.Value
}

// mostDiffering is the maximum number of values that [Agent.Differing] returns.
const mostDiffering = 1000

// scored is a version that was built.
type scored struct {
	*measure.Version
	// base reports whether the version is the unchanged program.
	base bool
	// slow reports whether the version exceeded its time limit on a case.
	slow atomic.Bool
	// batch scores the cases listed in Agent.together, all in one start. Later calls
	// return the same result.
	batch func() ([]metrics.Value, error)
}

// New returns the agent for a program. files are the files with marked blocks, by path, and
// scale is the scale of the base's values. together are the cases that one start of the
// command scores together, because each takes little time compared with the start itself;
// it may be empty. now is the clock.
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

// made builds the version whose block texts a config holds. It reports whether the version
// is the unchanged program.
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

// Run scores the version for a config on the case that the task names.
func (a *Agent) Run(ctx context.Context, req agent.Request) agent.Result {
	var task struct{ Case string } // the id of a task is hidden from agents
	if err := json.Unmarshal(req.Task.Input, &task); err != nil {
		return agent.Result{Outcome: agent.Infrastructure, Error: "the case of the task cannot be read: " + err.Error()}
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

// Differing returns those values of the unchanged code that differ from the values of the
// scale, in the order in which they were printed. Such values mean that the command does
// not print the same values on every start.
func (a *Agent) Differing() []metrics.Value {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.differing)
}

// errSlow is the error for all other cases once a version has exceeded its time limit on
// one case.
var errSlow = errors.New("the version did not finish in time on another case")

// failed returns the result for a version that has no value, whether because of its code,
// because its caller was stopped, or because of the machine.
func failed(ctx context.Context, err error) agent.Result {
	var code *measure.CodeError
	switch {
	case errors.Is(err, errSlow) || errors.As(err, new(*measure.SlowError)):
		return agent.Result{Outcome: agent.Timeout, Error: text.Clip(text.OneLine(err.Error()), 600)}
	case errors.As(err, &code):
		return agent.Result{Outcome: agent.Execution, Error: text.ClipMiddle(text.OneLine(code.Error()), 700)}
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return agent.Result{Outcome: agent.Timeout, Error: "it did not finish in time"}
	case ctx.Err() != nil:
		return agent.Result{Outcome: agent.Cancelled, Error: "it was stopped"}
	}
	return agent.Result{Outcome: agent.Infrastructure, Error: text.Clip(text.OneLine(err.Error()), 600)}
}

// values returns the values that a version printed for a case, possibly in one start
// together with other cases. At least one of them is a value of the metric.
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
		// The failure may be due to another case, so this case is scored alone.
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

// Scored holds the values of the unchanged program, and the times that it took.
type Scored struct {
	Values []metrics.Value `json:"values"`
	// Again holds the values of further starts of the command. They show whether the
	// command prints the same values each time.
	Again []metrics.Value `json:"again"`
	// Apart holds values from separate starts for each case; it is set if the values differ
	// between starts. See [Apart].
	Apart []metrics.Value `json:"apart,omitempty"`
	// Quick reports whether a case takes little time compared with a start of the command.
	Quick bool `json:"quick"`
	// Make is the time that the build and the tests of the program take. Run is the time
	// for all cases.
	Make time.Duration `json:"make_ns"`
	Run  time.Duration `json:"run_ns"`
}

// quick limits the ratio of the time for all cases to the time for a single case. Up to
// this ratio, a case counts as taking little time compared with starting the command.
const quick = 5

// Base builds the unchanged program and scores it on all cases, then on the last case alone
// and, if there is time, on all cases again. The start on the last case alone shows whether
// a value depends on the cases that were run before. limit limits the total time; 0 means
// that only the limits of [measure.Program] apply. A [measure.SlowError] reports that the
// program did not end in time. A [measure.CodeError] can also report that the start on the
// last case alone printed no value of metric ("" means the first metric).
func Base(ctx context.Context, p *measure.Program, metric string, now func() time.Time, limit time.Duration) (Scored, error) {
	fail := func(err error) (Scored, error) { return Scored{}, fmt.Errorf("the unchanged program: %w", err) }
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
	if scale, err := metrics.NewScale(s.Values, metric); err == nil { // a fault in the scale itself is reported where the scale is made
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

// sameMetric checks the values that the command printed when it was started on a single
// case. It returns an error if they contain no value of the scale's metric for that case.
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
	return &measure.CodeError{Text: fmt.Sprintf("without arguments, the scoring command prints %s for case %s, but with that case as its argument it prints %s: make it print the same metric both ways",
		text.Quote(name), text.Quote(of), words)}
}

// Apart scores the unchanged program on each case in a separate start. If the values of
// versions differ from start to start, a night scores the versions in this way too,
// because a process that has run other cases before often takes less time for a case. See
// [Base] for the parameters now and limit.
func Apart(ctx context.Context, p *measure.Program, cases []string, now func() time.Time, limit time.Duration) (out []metrics.Value, err error) {
	begun := now()
	v, err := p.Make(ctx, "base", nil)
	if err != nil {
		return nil, fmt.Errorf("the unchanged program: %w", err)
	}
	defer func() { err = errors.Join(err, v.Remove()) }()
	for _, of := range cases {
		if limit > 0 {
			p.Within(max(limit-now().Sub(begun), time.Millisecond))
		}
		values, err := p.Values(ctx, v, of)
		if err != nil {
			return nil, fmt.Errorf("the unchanged program: %w", err)
		}
		for _, one := range values {
			if one.Case == of {
				out = append(out, one)
			}
		}
	}
	return out, nil
}
