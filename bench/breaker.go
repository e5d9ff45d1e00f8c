package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"evolve/runtime/agent"
)

// ErrOutage means that a run was ended because the infrastructure, or the agent's
// program as such, failed again and again.
var ErrOutage = errors.New("the agent, or what it depends on, keeps failing")

// Patience says how long infrastructure failures are borne. The zero value is
// the default.
type Patience struct {
	// Attempts per evaluation; 0: 4. After them the evaluation is missing data.
	Attempts int
	// Streak of infrastructure failures with no success between, over all
	// evaluations, after which everything pauses; 0: 12.
	Streak int
	// Pause after the first streak, doubled after each further one; 0: 1 s.
	Pause time.Duration
	// Pauses with no success between before the run is ended; 0: 5.
	Pauses int
	// AllPauses bounds the pauses of a run in all, successes between them or not; 0: 40.
	AllPauses int
	// Broken is the number of evaluations that may all fail from the start, on
	// three configs or the champion, before the agent counts as broken; 0: 10.
	Broken int
	// Collapse is the same for an agent that had worked before; 0: 60.
	Collapse int
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

// Breaker watches two kinds of trouble. Infrastructure failures in a row pause
// everything, and end the run when pausing did not help; before each pause the champion
// is asked again for a task that it answered before, since a streak may be one of some
// configs or tasks only. Failures of the agent
// itself (crash, garbage, timeout) belong to the variant and score 0; only when
// they hit the champion or at least three distinct configs in a row, with no
// success in between, is the agent as such broken. It is safe for concurrent use.
type Breaker struct {
	p        Patience
	champion agent.ConfigID
	sleep    func(context.Context, time.Duration) error

	mu      sync.Mutex
	streak  int           // infrastructure failures in a row
	why     string        // the reason of the first of them
	pauses  int           // since the last success
	paused  int           // in all
	waited  time.Duration // in all pauses
	cause   string        // the reason of the first failure of the first pause
	resume  chan struct{} // closed when the pause is over; nil when there is none
	strayed int           // streaks during which the champion answered
	stray   string        // the reason of the first of them
	failed  map[agent.ConfigID]bool
	failing int // agent failures in a row
	worked  bool
}

// NewBreaker makes a breaker; sleep waits for a duration or until the context ends.
func NewBreaker(p Patience, champion agent.ConfigID, sleep func(context.Context, time.Duration) error) *Breaker {
	return &Breaker{p: p.withDefaults(), champion: champion, sleep: sleep, failed: map[agent.ConfigID]bool{}}
}

// Wait returns at once, or after the pause that is on.
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

// Finished notes a result that counts. It fails with ErrOutage when the agent
// turns out to be broken; the result itself stands all the same.
func (b *Breaker) Finished(variant agent.ConfigID, o agent.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streak, b.pauses = 0, 0
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
	// An agent that had worked may have a whole region of its space that crashes,
	// so it is given a far longer streak.
	if b.failing >= limit && (len(b.failed) >= 3 || b.failed[b.champion]) {
		return fmt.Errorf("%w: the last %d evaluations of the agent ended in %s or the like, on every config that was tried", ErrOutage, b.failing, o)
	}
	return nil
}

// Infrastructure notes an infrastructure failure on the try-th attempt at an
// evaluation, waits as long as patience says, and reports whether to try again. Why is
// its reason; an outage names that of the first failure, since later ones may only
// tell of what was made of it. After is when a limit says to come again, 0 where none
// does; it is kept up to a minute. Probe reports whether the champion answers what it
// answered before; nil where it has answered nothing. A streak during which it does is
// one of the configs or the tasks at hand: their evaluations become missing data after
// their attempts, and nothing pauses.
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
	if b.resume != nil { // another goroutine pauses already
		b.mu.Unlock()
		return true, b.Wait(ctx)
	}
	resume := make(chan struct{})
	b.resume = resume
	b.mu.Unlock()

	if probe != nil {
		answers, err := probe(ctx)
		if err != nil || answers {
			b.mu.Lock()
			if err == nil {
				if b.strayed++; b.strayed == 1 {
					b.stray = b.why
				}
				b.streak, b.pauses = 0, 0
			}
			b.resume = nil
			b.mu.Unlock()
			close(resume)
			return err == nil && try < b.p.Attempts, err
		}
	}

	b.mu.Lock()
	if b.cause == "" {
		b.cause = b.why
	}
	if b.pauses >= b.p.Pauses || b.paused >= b.p.AllPauses {
		err := b.outage()
		b.resume = nil
		b.mu.Unlock()
		close(resume)
		return false, err
	}
	pause := max(b.p.Pause<<b.pauses, after)
	b.pauses++
	b.paused++
	b.waited += pause
	b.mu.Unlock()

	err = b.sleep(ctx, pause)

	b.mu.Lock()
	b.streak = b.p.Streak - 1 // the next failure decides
	b.resume = nil
	b.mu.Unlock()
	close(resume)
	return true, err
}

// Strayed is the number of streaks of infrastructure failures during which the champion
// answered, so that they belong to some configs or tasks only, with the first reason.
func (b *Breaker) Strayed() (streaks int, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.strayed, clip(strings.Join(strings.Fields(b.stray), " "), 200)
}

// longestHint is the longest time that a limit's own hint is waited for at once.
const longestHint = time.Minute

// outage returns why a run ends, with the first cause of its trouble.
func (b *Breaker) outage() error {
	err, why := fmt.Errorf("%w: %d infrastructure failures in a row, after %d pauses", ErrOutage, b.streak, b.pauses), b.why
	if b.pauses < b.p.Pauses {
		err, why = fmt.Errorf("%w: it took %d pauses of %s together, with work between them", ErrOutage, b.paused, b.waited.Round(time.Second)), b.cause
	}
	if why != "" {
		err = fmt.Errorf("%w; the first of them: %s", err, clip(strings.Join(strings.Fields(why), " "), 200))
	}
	return err
}
