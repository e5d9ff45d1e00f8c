package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"evolve/runtime/agent"
)

// ErrOutage is the error of a run that ended because the infrastructure, or the agent's
// program itself, kept failing.
var ErrOutage = errors.New("the agent, or something it depends on, keeps failing")

// Patience limits the retries and pauses after infrastructure failures. The zero value
// selects the defaults.
type Patience struct {
	// Attempts is the number of attempts per evaluation; 0 means 4. An evaluation whose
	// attempts all fail is missing data.
	Attempts int
	// Streak is the number of consecutive infrastructure failures, over all evaluations,
	// after which all evaluations pause; 0 means 12.
	Streak int
	// Pause is the length of the pause after the first streak; it doubles after each
	// further streak. 0 means 1 s.
	Pause time.Duration
	// Pauses is the maximum number of pauses without a success in between; if another pause
	// is needed, the run ends. 0 means 5.
	Pauses int
	// AllPauses limits the number of pauses in a run, with or without successes in between;
	// 0 means 40.
	AllPauses int
	// Broken is the number of consecutive failures after which the agent counts as
	// broken; 0 means 10. The failures must begin with the agent's first evaluation, and
	// must have occurred on three configs or on the champion. A grader's program that
	// crashes this often, beginning with its first start, also counts as broken.
	Broken int
	// Collapse replaces Broken for an agent that has succeeded before; 0 means 60.
	Collapse int
	// ChampionAlone reports whether only failures of the champion count as failures of the
	// agent. The other configs are programs that a search wrote, and many of them in a row
	// may fail to run.
	ChampionAlone bool
}

func (p Patience) withDefaults() Patience {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&p.Attempts, 4)
	def(&p.Streak, 12)
	def(&p.Pauses, 5)
	def(&p.AllPauses, 40)
	def(&p.Broken, 10)
	def(&p.Collapse, 60)
	if p.Pause == 0 {
		p.Pause = time.Second
	}
	return p
}

// Breaker handles repeated failures of two kinds. Consecutive infrastructure failures pause
// all evaluations, and end the run if pauses do not help. Before each pause the champion
// repeats a task that it answered before, because the failures may be limited to some
// configs or tasks. Failures of the agent itself (crash, invalid reply, timeout) belong to
// the variant and score 0. The agent as such counts as broken only if such failures hit the
// champion or at least three distinct configs in a row, without a success in between; see
// also [Patience.ChampionAlone]. A Breaker is safe for concurrent use.
type Breaker struct {
	p        Patience
	champion agent.ConfigID
	sleep    func(context.Context, time.Duration) error

	mu      sync.Mutex
	streak  int           // infrastructure failures in a row
	why     string        // the reason for the first of these failures
	pauses  int           // since the last success
	paused  int           // in all
	waited  time.Duration // in all pauses
	cause   string        // the reason for the first of the failures that led to the first pause
	resume  chan struct{} // closed when the pause is over; nil if there is no pause
	strayed int           // streaks during which the champion answered
	stray   string        // the reason for the first of these streaks
	failed  map[agent.ConfigID]bool
	failing int // agent failures in a row
	worked  bool
}

// NewBreaker returns a breaker. sleep waits for a duration or until the context ends.
func NewBreaker(p Patience, champion agent.ConfigID, sleep func(context.Context, time.Duration) error) *Breaker {
	return &Breaker{p: p.withDefaults(), champion: champion, sleep: sleep, failed: map[agent.ConfigID]bool{}}
}

// Wait waits for the end of the current pause, if there is one.
func (b *Breaker) Wait(ctx context.Context) error {
	b.mu.Lock()
	resume := b.resume
	b.mu.Unlock()
	if resume == nil {
		return nil
	}
	select {
	case <-resume:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Finished records the outcome of an evaluation that did not fail because of the
// infrastructure. It returns ErrOutage if the agent turns out to be broken; the evaluation
// itself remains valid.
func (b *Breaker) Finished(variant agent.ConfigID, o agent.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streak, b.pauses = 0, 0
	if b.p.ChampionAlone && variant != b.champion {
		return nil
	}
	if o != agent.Execution && o != agent.ContractViolation && o != agent.Timeout {
		b.failing, b.worked = 0, true
		clear(b.failed)
		return nil
	}
	b.failing++
	if len(b.failed) < 3 || variant == b.champion {
		b.failed[variant] = true
	}
	limit := b.p.Broken
	if b.worked {
		limit = b.p.Collapse
	}
	// An agent that has succeeded before may crash in a whole region of its space, so its
	// limit is far higher.
	if b.failing >= limit && (len(b.failed) >= 3 || b.failed[b.champion]) {
		return fmt.Errorf("%w: the last %d evaluations of the agent, whatever the config, all ended in %s or a similar outcome", ErrOutage, b.failing, o)
	}
	return nil
}

// Infrastructure records an infrastructure failure in attempt number try at an evaluation,
// waits as the breaker's Patience requires, and reports whether to try again. why is the
// reason for the failure; an outage reports the reason for the first failure, because later
// failures may only be its consequences. after is the retry delay that a limit gives, or 0
// for none; at most a minute of it is respected. probe reports whether the champion still
// answers a task that it answered before; it is nil if the champion has answered none. If
// the champion answers, the failures belong to the configs or tasks at hand: their
// evaluations become missing data when their attempts are used up, and no pause follows.
func (b *Breaker) Infrastructure(ctx context.Context, try int, why string, after time.Duration, probe func(context.Context) (bool, error)) (again bool, err error) {
	after = min(after, longestHint)
	b.mu.Lock()
	if b.streak++; b.streak == 1 {
		b.why = why
	}
	if b.streak < b.p.Streak {
		b.mu.Unlock()
		if try >= b.p.Attempts {
			return false, nil
		}
		return true, b.sleep(ctx, max(b.p.Pause/4<<min(try-1, 4), after))
	}
	if b.resume != nil { // another goroutine is pausing
		b.mu.Unlock()
		return true, b.Wait(ctx)
	}
	b.resume = make(chan struct{})
	b.mu.Unlock()

	if probe != nil {
		answers, err := probe(ctx)
		if err != nil || answers {
			b.endPause(func() {
				if err != nil {
					return
				}
				if b.strayed++; b.strayed == 1 {
					b.stray = b.why
				}
				b.streak, b.pauses = 0, 0
			})
			return err == nil && try < b.p.Attempts, err
		}
	}
	pause, err := b.nextPause(after)
	if err != nil {
		b.endPause(func() {})
		return false, err
	}
	err = b.sleep(ctx, pause)
	b.endPause(func() { b.streak = b.p.Streak - 1 }) // the next failure starts the next pause
	return true, err
}

// nextPause returns the length of the next pause, or an ErrOutage if the pauses are used
// up.
func (b *Breaker) nextPause(after time.Duration) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cause == "" {
		b.cause = b.why
	}
	if b.pauses >= b.p.Pauses || b.paused >= b.p.AllPauses {
		return 0, b.outage()
	}
	pause := max(b.p.Pause<<b.pauses, after)
	b.pauses++
	b.paused++
	b.waited += pause
	return pause, nil
}

// endPause updates the breaker and lets waiting evaluations continue.
func (b *Breaker) endPause(update func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	update()
	close(b.resume)
	b.resume = nil
}

// Strayed returns the number of streaks of infrastructure failures during which the
// champion answered, so that only some configs or tasks are affected, and the reason for
// the first streak.
func (b *Breaker) Strayed() (streaks int, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.strayed, brief(b.stray, 200)
}

// longestHint bounds the retry delay that a limit gives.
const longestHint = time.Minute

// outage returns the error that ends a run, with the first cause.
func (b *Breaker) outage() error {
	err, why := fmt.Errorf("%w: %d infrastructure failures in a row, after %d pauses", ErrOutage, b.streak, b.pauses), b.why
	if b.pauses < b.p.Pauses {
		err, why = fmt.Errorf("%w: evolve paused %d times, for %s in total; work resumed in between, but the failures returned", ErrOutage, b.paused, b.waited.Round(time.Second)), b.cause
	}
	if why != "" {
		err = fmt.Errorf("%w; the first cause: %s", err, brief(why, 200))
	}
	return err
}
