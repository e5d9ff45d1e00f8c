package bench

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/telemetry"
)

// RefusedError is the error of graders that a shared limit prevented from working.
type RefusedError struct {
	Refusal agent.Refusal
	Err     error
}

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// Recorder stores evaluations and finds stored evaluations by their keys.
type Recorder interface {
	// Cached returns a scored evaluation by its content key.
	Cached(ctx context.Context, key Key) (Evaluation, bool, error)
	// Record queues an evaluation to be stored soon, together with others. It calls done,
	// unless done is nil, when the evaluation is on disk or could not be written.
	Record(ctx context.Context, e Evaluation, done func(error)) error
}

// ErrRecorder wraps a failure to store a result, for instance on a full or read-only
// disk. The run ends, since further results would be paid for and lost.
var ErrRecorder = errors.New("results cannot be stored")

// answerKept is the maximum length, in bytes, of the part of an answer that is stored for
// the report.
const answerKept = 2048

// Settings configures a harness for one agent in one run.
type Settings struct {
	Run   string
	Agent string
	// Identity identifies everything that could change an answer, apart from the config:
	// the agent's folder, version, model, memories and binary.
	Identity string
	Limits   agent.Limits
	// Seed is the seed of the run, from which the seeds of tasks and repeats are derived.
	Seed int64
	// UsesSeed reports whether another seed can change an answer. If it is false, every
	// evaluation gets the seed 0, so that later nights find equal repeats in the cache
	// too.
	UsesSeed bool
	// Scratch is the folder in which working directories are created.
	Scratch string
	// AlwaysWorkdir makes the harness create a working directory even for tasks without
	// files.
	AlwaysWorkdir bool
	// SuiteDir returns the folder of a task's suite, in which the task's fixture folder
	// is found.
	SuiteDir func(*Task) string
	// Scrub removes credentials from the stored part of an answer; graders see the
	// original. Nil changes nothing.
	Scrub func(string) string
	// Lost returns the time for which this process has been stopped so far, as
	// [StallDetector.Lost] measures it; nil means that it was never stopped.
	Lost func() time.Duration
	// Drain is a context that, when done, immediately ends every wait of an evaluation with
	// the context's cause: the wait for a limit, before a retry, for the end of a pause, or
	// for a worker to begin the task. Nil means never.
	Drain context.Context
	// KeepTranscripts makes the harness store the agent's transcript with each evaluation.
	KeepTranscripts bool
	// User is the model of simulated users; it is nil if no task has one.
	User model.Model
	// Name returns a new name for a request or working directory. The agent sees the
	// name. All names have the same form and reveal neither time nor purpose. Nil means
	// [OpaqueName].
	Name func() string
}

// OpaqueName returns a random name of 26 capital letters and digits, with at least 128 bits
// of randomness.
func OpaqueName() string { return rand.Text() }

// Harness turns jobs into recorded evaluations. It is safe for concurrent use.
type Harness struct {
	set     Settings
	agent   agent.Agent
	grade   GradeFunc
	rec     Recorder
	budget  *Budget
	breaker *Breaker
	now     func() time.Time

	identity [32]byte
	tasks    sync.Map // *Task → [32]byte
	// spare holds working directories that were empty after use, so that they can be
	// reused.
	spare chan string
	// failed is the first failure to store a result, after which no more money is spent.
	failed atomic.Pointer[error]
	// answered holds the champion's latest answered job for each task; latest is the most
	// recent of them.
	answered sync.Map // string → Job
	latest   atomic.Pointer[Job]
	missed   sync.Map // maps each cell to whether its evaluation ended as missing data
	shut     shutTools
	// limitedBy names the limit that refused the latest attempt; it is nil if none did.
	limitedBy atomic.Pointer[string]
	graders   graderFailures
	refusals  refusals
}

// NewHarness returns a harness. The harnesses of several agents may share a budget and a
// breaker.
func NewHarness(set Settings, a agent.Agent, grade GradeFunc, rec Recorder, budget *Budget, breaker *Breaker, now func() time.Time) *Harness {
	if set.Name == nil {
		set.Name = OpaqueName
	}
	return &Harness{
		set: set, agent: a, grade: grade, rec: rec, budget: budget, breaker: breaker, now: now,
		identity: sha256.Sum256([]byte(set.Agent + "\x00" + set.Identity)), spare: make(chan string, 64),
	}
}

// Job is one evaluation to make.
type Job struct {
	Variant agent.ConfigID
	Config  agent.Config
	Task    *Task
	Repeat  int
	Stage   Stage
	Seq     int64
}

// Evaluate makes one evaluation, or finds it in the archive. It returns an unscored
// evaluation if the infrastructure failed in all attempts, and an error if the run should
// end: ErrBudget, ErrOutage, ErrRecorder, a *SpentError, or the context's error. Only
// ErrOutage and *SpentError come with an evaluation that was recorded; with a *SpentError
// that evaluation is missing data.
func (h *Harness) Evaluate(ctx context.Context, job Job) (Evaluation, error) {
	if p := h.failed.Load(); p != nil {
		return Evaluation{}, *p
	}
	seed := h.seed(job.Task.ID, job.Repeat)
	key := h.key(job, seed)
	for _, k := range []Key{key, h.ofRun(key)} {
		if found, ok, err := h.rec.Cached(ctx, k); err != nil {
			return Evaluation{}, fmt.Errorf("%w: looking up an evaluation: %w", ErrRecorder, err)
		} else if ok {
			h.note(job, found)
			return h.reuse(ctx, found, job)
		}
	}
	inner, span := telemetry.Start(ctx, "evaluation")
	e, said, err := h.attempt(inner, job, key, seed)
	h.describe(span, job, e, err)
	var spent *SpentError
	if err != nil && !errors.As(err, &spent) {
		return Evaluation{}, err
	}
	if err := h.record(ctx, e); err != nil {
		return Evaluation{}, err
	}
	if spent != nil {
		return e, spent
	}
	if !e.Scored {
		return e, nil
	}
	h.note(job, e)
	h.missed.Delete(cell{job.Variant, job.Task.ID})
	if err := h.breaker.Finished(job.Variant, e.Outcome); err != nil {
		return e, &FailingError{Agent: h.set.Agent, Task: job.Task, Why: e.Error, Said: said, err: err}
	}
	return e, nil
}

// describe records the result of an evaluation in its span and ends the span. The span
// does not name the task.
func (h *Harness) describe(s telemetry.Span, job Job, e Evaluation, err error) {
	if !s.On() {
		return
	}
	defer s.End()
	s.Int(telemetry.Seq, job.Seq)
	s.Text(telemetry.Variant, job.Variant.Short())
	if err != nil && e.Outcome == "" {
		s.Fail("stopped")
		return
	}
	s.Text(telemetry.Outcome, string(e.Outcome))
	s.Int(telemetry.Attempts, int64(e.Attempts))
	s.Float(telemetry.Cost, e.Paid())
	if e.Scored {
		s.Float(telemetry.Score, e.Score)
	} else {
		s.Fail(string(e.Outcome))
	}
}

// reuse records a cached evaluation as one of this run, unless this run already recorded it
// before an interruption.
func (h *Harness) reuse(ctx context.Context, found Evaluation, job Job) (Evaluation, error) {
	if found.Run == h.set.Run && found.Seq == job.Seq {
		return found, nil
	}
	found.Run, found.Seq, found.Stage, found.Cached = h.set.Run, job.Seq, job.Stage, true
	found.Variant, found.Repeat = job.Variant, job.Repeat
	found.Transcript = nil
	return found, h.record(ctx, found)
}

func (h *Harness) record(ctx context.Context, e Evaluation) error {
	// A finished evaluation is paid for, so it is stored even while the run is being
	// stopped.
	err := h.rec.Record(context.WithoutCancel(ctx), e, func(err error) {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrRecorder, err)
			h.failed.CompareAndSwap(nil, &err)
		}
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrRecorder, err)
		h.failed.CompareAndSwap(nil, &err)
		return err
	}
	return nil
}

// Failed returns the first failure to store a result, or nil.
func (h *Harness) Failed() error {
	if p := h.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// attempt repeats the job until it yields a result that counts, within the limits of
// Patience.
func (h *Harness) attempt(ctx context.Context, job Job, key Key, seed int64) (e Evaluation, said string, err error) {
	wait, done := h.waiting(ctx)
	defer done()
	again := 0 // attempts that are invalid because this process was stopped for a while; they do not count as failures
	for try := 1; ; try++ {
		if err := h.breaker.Wait(wait); err != nil {
			return Evaluation{}, "", h.cutShort(err)
		}
		ticket, err := h.budget.Reserve(wait)
		if err != nil {
			return Evaluation{}, "", err
		}
		start, lost := h.now(), h.lost()
		e, beside := h.once(WithAttempt(policy.WithWaiting(ctx, wait), Attempt{job.Seq, try}), job, seed)
		lost = h.lost() - lost
		if ctx.Err() != nil && (e.Outcome.Missing() || !e.Scored) {
			ticket.Abandon(e.Paid())
			return Evaluation{}, "", context.Cause(ctx)
		}
		if wait.Err() != nil && e.Outcome == agent.Cancelled { // the agent had not begun the task
			ticket.Pay(e.Paid())
			return Evaluation{}, "", h.cutShort(context.Cause(wait))
		}
		if e.Scored {
			ticket.Settle(e.Paid(), max(h.now().Sub(start)-lost, 0))
		} else {
			ticket.Pay(e.Paid())
		}
		e.Key, e.Attempts = key, try
		if invalidated(e, lost) && (beside.refused == nil || !beside.refused.Spent) {
			if again++; again <= mostPaused {
				try--
				continue
			}
			e.Outcome, e.Scored, e.Score, e.Pass, e.Grades = agent.Infrastructure, false, 0, false, nil
			e.Error = fmt.Sprintf("evolve was paused for %s during this evaluation", lost.Round(time.Millisecond))
		}
		h.limitedBy.Store(nil)
		err = errors.Join(h.graders.note(beside.grader, job.Task, e.Scored, h.breaker.p.Broken), h.refusals.note(beside.refusing, e.Scored, h.breaker.p.Broken))
		if err != nil {
			return Evaluation{}, "", err
		}
		if e.Scored {
			if !e.Outcome.Gradable() {
				e.Key = h.ofRun(key)
			}
			return e, beside.said, nil
		}
		if e.Error == EndedAtOnce {
			return e, beside.said, nil
		}
		var after time.Duration
		if refused := beside.refused; refused != nil {
			if refused.Spent {
				return e, "", &SpentError{Policy: refused.Policy}
			}
			// A breaker that opened because no program serves an address is tried again
			// sooner: a few more refusals end the run.
			if beside.refusing == "" || !h.refusals.starting() {
				h.limitedBy.Store(&refused.Policy)
				after = refused.RetryAfter
			}
		}
		last, tool := try, ""
		if beside.refused != nil {
			tool = beside.refused.Tool
		}
		if h.shut.hopeless(tool, h.now()) {
			last, after = h.breaker.p.Attempts, 0
		}
		more, err := h.retry(wait, job, last, e.Error, after)
		if err == nil && beside.refused != nil {
			err = context.Cause(wait)
		}
		if err != nil {
			return Evaluation{}, "", h.cutShort(h.graders.blamed(err, job.Task))
		}
		if !more {
			h.shut.giveUp(tool, h.now())
			return e, beside.said, nil
		}
	}
}

// seed returns the seed of a task and repeat, below 2^53 and the same for every variant.
// The agent cannot infer anything from it: it is a hash that includes the id in the
// suite, which the agent does not see.
func (h *Harness) seed(task string, repeat int) int64 {
	if !h.set.UsesSeed {
		return 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%d", h.set.Seed, task, repeat))
	return int64(binary.BigEndian.Uint64(sum[:]) & (1<<53 - 1))
}

// key returns the content key of a job.
func (h *Harness) key(job Job, seed int64) Key {
	digest := sha256.New()
	digest.Write(h.identity[:])
	t := h.taskDigest(job.Task)
	digest.Write(t[:])
	_, _ = fmt.Fprintf(digest, "%s\x00%d\x00%d\x00%s", job.Variant, job.Repeat, seed, job.Stage)
	return Key(hex.EncodeToString(digest.Sum(nil)[:16]))
}

// ofRun returns the key for a failure (crash, timeout, invalid reply). The cause may be
// something that no content key covers, so the key is valid only within the run, and each
// run pays for the failure once.
func (h *Harness) ofRun(key Key) Key {
	sum := sha256.Sum256([]byte(string(key) + "\x00" + h.set.Run))
	return Key(hex.EncodeToString(sum[:16]))
}

// taskDigest returns a hash of the task with its files and graders.
func (h *Harness) taskDigest(t *Task) [32]byte {
	if d, ok := h.tasks.Load(t); ok {
		return d.([32]byte)
	}
	files := ""
	if h.set.SuiteDir != nil {
		files = FilesHash(t, h.set.SuiteDir(t))
	}
	d := sha256.Sum256([]byte(HashTask(t, files)))
	h.tasks.Store(t, d)
	return d
}
