package policy

import (
	"math"
	"sync"
	"time"
)

// nanosPerUSD converts amounts of money to integers, so adding a tenth ten times gives
// exactly one.
const nanosPerUSD = 1e9

// maxAgents is the maximum number of agents whose spending on one tool or provider is
// tracked.
const maxAgents = 4096

// amount is an amount that was spent or reserved. Additions saturate, because the figures
// that the remote service reports are not trusted and must not overflow to small values.
type amount struct {
	calls, tokens, nanos int64
	elapsed              time.Duration
}

func (a *amount) add(b amount) {
	a.calls = saturate(a.calls, b.calls)
	a.tokens = saturate(a.tokens, b.tokens)
	a.nanos = saturate(a.nanos, b.nanos)
	a.elapsed = time.Duration(saturate(int64(a.elapsed), int64(b.elapsed)))
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// money converts a price in USD to nanos, rounding up; an invalid price becomes the largest
// amount.
func money(usd float64) int64 {
	nanos := math.Ceil(usd*nanosPerUSD - 1e-3)
	if !(nanos >= 0 && nanos < math.MaxInt64) {
		return math.MaxInt64
	}
	return int64(nanos)
}

// cost returns the charge for one attempt, given what it reported as spent.
func cost(s Spent) amount {
	tokens := s.Tokens
	if tokens < 0 {
		tokens = math.MaxInt64
	}
	return amount{calls: 1, tokens: tokens, nanos: money(s.USD)}
}

// spend holds the spending in one scope: by a run, by an agent or on a day.
type spend struct {
	scope   string
	spent   amount
	held    amount        // reserved by attempts that have not ended
	running int           // attempts that have begun and not ended
	since   time.Duration // sum, over the running attempts, of the time from the start of the spending to the attempt's start
	budget  Budget        // the budget that was resolved last, for statistics
}

// spending holds the spending on one tool or provider, by scope.
type spending struct {
	load  sync.Once // loads the earlier spending
	start time.Time

	mu     sync.Mutex
	run    spend
	today  spend
	date   int64 // days since 1970, UTC
	agents map[string]*spend
	timed  map[*reservation]struct{} // running reservations with a time budget
	timer  *time.Timer               // fires when the first of them runs out of time
}

func newSpending(now time.Time) *spending {
	return &spending{
		start: now, date: day(now), agents: map[string]*spend{}, timed: map[*reservation]struct{}{},
		run: spend{scope: "run"}, today: spend{scope: "day"},
	}
}

func day(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// reservation is what one attempt has reserved in each of its three scopes.
type reservation struct {
	spending *spending
	scopes   [3]*spend
	budgets  [3]Budget
	estimate amount
	began    time.Duration // time since the start of the spending; -1 before the attempt runs
	cut      func(*BudgetError)
}

// reserve reserves the estimate in all scopes, or in none if one of them does not allow it.
// A spent budget allows nothing, not even an estimate of zero.
func (p *spending) reserve(now time.Time, agent string, s *Settings, estimate Spent) (*reservation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(now)
	mine := p.agents[agent]
	if mine == nil {
		if len(p.agents) >= maxAgents {
			return nil, errCrowded
		}
		mine = &spend{scope: "agent"}
		p.agents[agent] = mine
	}
	p.run.budget, mine.budget, p.today.budget = s.PerRun, s.PerAgent, s.PerDay
	r := &reservation{
		spending: p, scopes: [3]*spend{&p.run, mine, &p.today}, budgets: [3]Budget{s.PerRun, s.PerAgent, s.PerDay},
		estimate: cost(estimate), began: -1,
	}
	for i, a := range r.scopes {
		if err := a.allows(r.budgets[i], r.estimate, now.Sub(p.start)); err != nil {
			return nil, err
		}
	}
	for _, a := range r.scopes {
		a.held.add(r.estimate)
	}
	return r, nil
}

// cancel frees the reservation of an attempt that never ran.
func (r *reservation) cancel() {
	r.spending.mu.Lock()
	defer r.spending.mu.Unlock()
	r.free()
}

// begin starts the clock. If a time budget is spent while the attempt runs, cut is called
// from another goroutine.
func (r *reservation) begin(now time.Time, cut func(*BudgetError)) error {
	p := r.spending
	p.mu.Lock()
	defer p.mu.Unlock()
	at := now.Sub(p.start)
	limited := false
	for i, a := range r.scopes {
		if err := a.timeUp(r.budgets[i], at); err != nil {
			r.free()
			return err
		}
		limited = limited || r.budgets[i].Elapsed > 0
	}
	r.began, r.cut = at, cut
	for _, a := range r.scopes {
		a.running++
		a.since += at
	}
	if limited {
		p.timed[r] = struct{}{}
	}
	p.retime(at)
	return nil
}

// finalize replaces the estimate with the actual spending.
func (r *reservation) finalize(now time.Time, spent Spent) {
	p := r.spending
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(now)
	at := now.Sub(p.start)
	charge := cost(spent)
	charge.elapsed = at - r.began
	r.free()
	for _, a := range r.scopes {
		a.spent.add(charge)
		a.running--
		a.since -= r.began
	}
	delete(p.timed, r)
	p.retime(at)
}

func (r *reservation) free() {
	for _, a := range r.scopes {
		a.held.calls -= r.estimate.calls
		a.held.tokens -= r.estimate.tokens
		a.held.nanos -= r.estimate.nanos
	}
}

// roll begins a new day if the date has changed. A running attempt is charged to the day on
// which it ends.
func (p *spending) roll(now time.Time) {
	if d := day(now); d != p.date {
		p.date, p.today.spent = d, amount{}
	}
}

// retime sets the timer to the moment when the first time budget will be spent, given the
// current number of running attempts.
func (p *spending) retime(at time.Duration) {
	first := time.Duration(-1)
	for r := range p.timed {
		for i, a := range r.scopes {
			if limit := r.budgets[i].Elapsed; limit > 0 {
				n := time.Duration(a.running)
				left := max((limit-a.elapsed(at)+n-1)/n, 0)
				if first < 0 || left < first {
					first = left
				}
			}
		}
	}
	switch {
	case p.timer != nil && first < 0:
		p.timer.Stop()
	case p.timer != nil:
		p.timer.Reset(first)
	case first >= 0:
		p.timer = time.AfterFunc(first, p.ring)
	}
}

// ring cuts off the attempts whose time budget is spent.
func (p *spending) ring() {
	p.mu.Lock()
	at := time.Since(p.start)
	cuts := map[*reservation]*BudgetError{}
	for r := range p.timed {
		for i, a := range r.scopes {
			if err := a.timeUp(r.budgets[i], at); err != nil {
				cuts[r] = err
			}
		}
	}
	for r := range cuts {
		delete(p.timed, r)
	}
	p.retime(at)
	p.mu.Unlock()
	for r, err := range cuts {
		r.cut(err)
	}
}

// allows returns an error that names the limit of the budget that another attempt would
// exceed, or nil if there is none.
func (a *spend) allows(b Budget, estimate amount, at time.Duration) *BudgetError {
	over := func(limit, spent, held, estimate int64) bool {
		used := saturate(spent, held)
		return limit > 0 && (used >= limit || estimate > limit-used)
	}
	nanos := int64(math.Round(b.USD * nanosPerUSD))
	switch {
	case over(b.Calls, a.spent.calls, a.held.calls, estimate.calls):
		// Held is false, because a running call is charged in any case, whatever it uses.
		return &BudgetError{Scope: a.scope, What: "calls", Limit: integer(b.Calls)}
	case over(b.Tokens, a.spent.tokens, a.held.tokens, estimate.tokens):
		return &BudgetError{
			Scope: a.scope, What: "tokens", Limit: integer(b.Tokens), Held: !over(b.Tokens, a.spent.tokens, 0, estimate.tokens),
		}
	case over(nanos, a.spent.nanos, a.held.nanos, estimate.nanos):
		return &BudgetError{
			Scope: a.scope, What: "usd", Limit: decimal(b.USD), Held: !over(nanos, a.spent.nanos, 0, estimate.nanos),
		}
	}
	return a.timeUp(b, at)
}

func (a *spend) timeUp(b Budget, at time.Duration) *BudgetError {
	if b.Elapsed <= 0 || a.elapsed(at) < b.Elapsed {
		return nil
	}
	return &BudgetError{Scope: a.scope, What: "elapsed", Limit: b.Elapsed.String()}
}

// elapsed returns the running time that was spent, including the time of running attempts
// until at.
func (a *spend) elapsed(at time.Duration) time.Duration {
	return a.spent.elapsed + time.Duration(a.running)*at - a.since
}

// usage returns the spending, for statistics.
func (a *spend) usage(at time.Duration) Usage {
	return Usage{
		Calls: a.spent.calls, Tokens: a.spent.tokens, USD: float64(a.spent.nanos) / nanosPerUSD, Elapsed: a.elapsed(at),
	}
}

// seed adds the spending from before this engine existed, on the current day and by earlier
// processes of the run.
func (e *Engine) seed(p *spending, c Call) {
	var today, run Usage
	var agents map[string]Usage
	if e.day != nil {
		today = e.day(c.Kind, c.Name)
	}
	if e.run != nil {
		run, agents = e.run(c.Kind, c.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.today.spent.add(earlier(today))
	p.run.spent.add(earlier(run))
	for agent, u := range agents {
		p.agents[agent] = &spend{scope: "agent", spent: earlier(u)}
	}
}

// earlier returns the charge for usage from before this engine existed. An invalid figure
// counts as the largest amount, so a budget that cannot be checked counts as exhausted.
func earlier(u Usage) amount {
	whole := func(n int64) int64 {
		if n < 0 {
			return math.MaxInt64
		}
		return n
	}
	return amount{
		calls: whole(u.Calls), tokens: whole(u.Tokens), nanos: money(u.USD), elapsed: min(time.Duration(whole(int64(u.Elapsed))), maxElapsed),
	}
}

// maxElapsed is the maximum elapsed time of earlier usage, more than a hundred years. It is
// small enough to add the times of running attempts without overflow.
const maxElapsed = math.MaxInt64 / 2
