package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// shelf is a Recorder in memory. Record returns the failure of the shelf if it is set.
type shelf struct {
	mu      sync.Mutex
	list    []Evaluation
	failure error
}

func (s *shelf) Cached(_ context.Context, key Key) (Evaluation, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.list {
		if e.Key == key && e.Scored {
			return e, true, nil
		}
	}
	return Evaluation{}, false, nil
}

func (s *shelf) Record(_ context.Context, e Evaluation, done func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.list = append(s.list, e)
	}
	if done != nil {
		done(s.failure)
	}
	return nil
}

// scripted is an agent that returns the result of its function.
type scripted func(ctx context.Context, req agent.Request) agent.Result

func (f scripted) Run(ctx context.Context, req agent.Request) agent.Result { return f(ctx, req) }

func answer(s string) agent.Result { return agent.Result{Answer: &s, Outcome: agent.OK} }

// exactly gives a score of 1 to an answer equal to the task's answer.
func exactly(_ context.Context, in GradeInput) (Grading, error) {
	if !in.Result.Outcome.Gradable() || in.Result.Answer == nil || *in.Result.Answer != *in.Task.Answer {
		return Grading{}, nil
	}
	return Grading{Score: 1, Pass: true}, nil
}

type bed struct {
	harness *Harness
	shelf   *shelf
	calls   int
	scratch string
}

// newBed returns a harness around an agent; infrastructure failures are retried without
// waiting.
func newBed(t *testing.T, set Settings, a agent.Agent, grade GradeFunc) *bed {
	t.Helper()
	b := &bed{shelf: &shelf{}, scratch: t.TempDir()}
	if set.Run == "" {
		set.Run = "1-a"
	}
	set.Agent, set.Scratch = "solver", b.scratch
	var mu sync.Mutex
	counted := scripted(func(ctx context.Context, req agent.Request) agent.Result {
		mu.Lock()
		b.calls++
		mu.Unlock()
		return a.Run(ctx, req)
	})
	noWait := func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	b.harness = NewHarness(set, counted, grade, b.shelf, NewBudget(0, time.Time{}, time.Now), NewBreaker(Patience{}, "champion", noWait), time.Now)
	return b
}

func task(id, want string) *Task { return &Task{ID: id, Goal: "say it", Answer: &want, Split: Search} }

func job(t *Task) Job {
	return Job{Variant: "v", Config: agent.Config{"x": int64(1)}, Task: t, Stage: StageSearch}
}

func TestWhatCountsAsWhat(t *testing.T) {
	broken := func(context.Context, GradeInput) (Grading, error) { return Grading{}, errors.New("no such program") }
	wild := func(context.Context, GradeInput) (Grading, error) { return Grading{Score: math.NaN()}, nil }
	result := func(o agent.Outcome) scripted {
		return func(context.Context, agent.Request) agent.Result {
			return agent.Result{Outcome: o, Error: "it said so"}
		}
	}
	cases := []struct {
		name    string
		agent   scripted
		grade   GradeFunc
		scored  bool
		score   float64
		outcome agent.Outcome
		calls   int
	}{
		{"right answer", func(context.Context, agent.Request) agent.Result { return answer("yes") }, exactly, true, 1, agent.OK, 1},
		{"wrong answer", func(context.Context, agent.Request) agent.Result { return answer("no") }, exactly, true, 0, agent.OK, 1},
		{"crash", result(agent.Execution), exactly, true, 0, agent.Execution, 1},
		{"garbage", result(agent.ContractViolation), exactly, true, 0, agent.ContractViolation, 1},
		{"timeout", result(agent.Timeout), exactly, true, 0, agent.Timeout, 1},
		{"over its own limit", result(agent.BudgetExceeded), exactly, true, 0, agent.BudgetExceeded, 1},
		{"panic", func(context.Context, agent.Request) agent.Result { panic("oh") }, exactly, true, 0, agent.Execution, 1},
		{"infrastructure", result(agent.Infrastructure), exactly, false, 0, agent.Infrastructure, 4},
		{"grader broken", func(context.Context, agent.Request) agent.Result { return answer("yes") }, broken, false, 0, agent.Infrastructure, 4},
		{"grader says NaN", func(context.Context, agent.Request) agent.Result { return answer("yes") }, wild, false, 0, agent.Infrastructure, 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t, Settings{}, c.agent, c.grade)
			e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
			if err != nil {
				t.Fatal(err)
			}
			if e.Scored != c.scored || e.Score != c.score || e.Outcome != c.outcome || b.calls != c.calls || e.Attempts != c.calls {
				t.Errorf("scored %v, score %v, outcome %s after %d calls (%d attempts)", e.Scored, e.Score, e.Outcome, b.calls, e.Attempts)
			}
			if len(b.shelf.list) != 1 {
				t.Fatalf("%d evaluations were recorded", len(b.shelf.list))
			}
			if again, err := b.harness.Evaluate(t.Context(), job(task("t", "yes"))); err != nil || (b.calls == c.calls) != c.scored {
				t.Errorf("asked again, the run paid %d times in all: %+v, %v", b.calls, again, err)
			}
			later := newBed(t, Settings{Run: "2-b"}, c.agent, c.grade)
			later.harness.rec = b.shelf
			if _, err := later.harness.Evaluate(t.Context(), job(task("t", "yes"))); err != nil || (later.calls == 0) != (c.scored && c.outcome.Gradable()) {
				t.Errorf("a later run paid %d times, %v: only what could be graded may be found again", later.calls, err)
			}
			if _, found, err := b.shelf.Cached(t.Context(), e.Key); err != nil || found != c.scored {
				t.Errorf("found again: %v, %v; missing data must not be", found, err)
			}
		})
	}
}

func TestOutageThatPassesMovesNoScore(t *testing.T) {
	n := 0
	b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
		if n++; n < 4 {
			return agent.Result{Outcome: agent.Infrastructure}
		}
		return answer("yes")
	}), exactly)
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
	if err != nil || !e.Scored || e.Score != 1 || e.Attempts != 4 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestCacheAnswersOnlyForTheSameThing(t *testing.T) {
	right := scripted(func(context.Context, agent.Request) agent.Result { return answer("yes") })
	b := newBed(t, Settings{UsesSeed: true}, right, exactly)
	base := job(task("t", "yes"))
	evaluate := func(h *Harness, j Job) Evaluation {
		t.Helper()
		e, err := h.Evaluate(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	evaluate(b.harness, base)
	if e := evaluate(b.harness, base); b.calls != 1 || e.Cached {
		t.Errorf("a run that asks twice paid %d times (cached %v)", b.calls, e.Cached)
	}
	// Another run finds the evaluation and records it as its own, without paying for it.
	later := newBed(t, Settings{Run: "2-b", UsesSeed: true}, right, exactly)
	later.harness.rec, later.shelf = b.shelf, b.shelf
	if e := evaluate(later.harness, base); later.calls != 0 || !e.Cached || e.Run != "2-b" {
		t.Errorf("another run: %d calls, %+v", later.calls, e)
	}
	for name, change := range map[string]func(*Job){
		"variant": func(j *Job) { j.Variant = "w" },
		"repeat":  func(j *Job) { j.Repeat = 1 },
		"stage":   func(j *Job) { j.Stage = StageConfirm },
		"task":    func(j *Job) { j.Task = task("t", "no") },
	} {
		calls := b.calls
		j := base
		change(&j)
		if evaluate(b.harness, j); b.calls != calls+1 {
			t.Errorf("another %s was answered from the cache", name)
		}
	}
	for name, set := range map[string]Settings{"identity": {UsesSeed: true, Identity: "new"}, "seed": {UsesSeed: true, Seed: 9}} {
		other := newBed(t, set, right, exactly)
		other.harness.rec = b.shelf
		if evaluate(other.harness, base); other.calls != 1 {
			t.Errorf("another %s was answered from the cache", name)
		}
	}
}

func TestSeedsAreCommonToVariants(t *testing.T) {
	var seeds []int64
	b := newBed(t, Settings{UsesSeed: true, Seed: 3}, scripted(func(_ context.Context, req agent.Request) agent.Result {
		seeds = append(seeds, req.Seed)
		return answer("yes")
	}), exactly)
	one, two := job(task("t", "yes")), job(task("t", "yes"))
	two.Variant = "w"
	again := one
	again.Repeat = 1
	for _, j := range []Job{one, two, again} {
		if _, err := b.harness.Evaluate(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	if seeds[0] != seeds[1] || seeds[0] == seeds[2] {
		t.Errorf("seeds %v: the first two must be equal, the third new", seeds)
	}
	for _, s := range seeds {
		if s < 0 || s >= 1<<53 {
			t.Errorf("seed %d is not in [0, 2^53)", s)
		}
	}
}

func TestAFullDiskStopsTheSpending(t *testing.T) {
	b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result { return answer("yes") }), exactly)
	b.shelf.failure = syscall.ENOSPC
	for _, id := range []string{"a", "b", "c"} {
		_, err := b.harness.Evaluate(t.Context(), job(task(id, "yes")))
		if id != "a" && (!errors.Is(err, ErrRecorder) || !HostFailure(err)) {
			t.Errorf("task %s: %v, want ErrRecorder for a full disk", id, err)
		}
	}
	if b.calls != 1 {
		t.Errorf("%d evaluations were paid for although nothing could be stored", b.calls)
	}
}

func TestStoppedRunIsNotEvaluated(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
		cancel()
		return agent.Result{Outcome: agent.Cancelled}
	}), exactly)
	if _, err := b.harness.Evaluate(ctx, job(task("t", "yes"))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	if len(b.shelf.list) != 0 {
		t.Error("a stopped evaluation was recorded")
	}
}

func TestWorkdirsAreOwnAndRemoved(t *testing.T) {
	var dir string
	b := newBed(t, Settings{AlwaysWorkdir: true}, scripted(func(_ context.Context, req agent.Request) agent.Result {
		dir = req.Workdir
		data, err := os.ReadFile(filepath.Join(dir, "notes", "a.txt"))
		if err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		return answer(string(data))
	}), exactly)
	with := task("t", "yes")
	with.Fixtures.Files = map[string]string{"notes/a.txt": "yes"}
	e, err := b.harness.Evaluate(t.Context(), job(with))
	if err != nil || e.Score != 1 {
		t.Fatalf("%+v, %v", e, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the working directory is still there: %v", err)
	}
}

// TestWorkdirsAreAlwaysEmpty checks that an empty directory may be reused, and that a
// directory with content or a changed mode is not.
func TestWorkdirsAreAlwaysEmpty(t *testing.T) {
	n := 0
	b := newBed(t, Settings{AlwaysWorkdir: true}, scripted(func(_ context.Context, req agent.Request) agent.Result {
		entries, err := os.ReadDir(req.Workdir)
		info, statErr := os.Stat(req.Workdir)
		if err != nil || statErr != nil || len(entries) > 0 || info.Mode().Perm() != 0o700 {
			return answer("no")
		}
		switch n++; n % 3 {
		case 0:
			err = os.WriteFile(filepath.Join(req.Workdir, ".left"), nil, 0o600)
		case 1:
			err = os.Chmod(req.Workdir, 0o777)
		}
		if err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		return answer("yes")
	}), exactly)
	for i := range 12 {
		j := job(task("t", "yes"))
		j.Repeat = i
		if e, err := b.harness.Evaluate(t.Context(), j); err != nil || e.Score != 1 {
			t.Fatalf("evaluation %d: %+v, %v", i, e, err)
		}
	}
}
