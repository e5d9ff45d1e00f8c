package policy

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"evolve/runtime/agent"
)

// Stat holds the statistics of one tool or provider. In JSON, durations are in nanoseconds,
// and the fields of Saturation are not nested but on the same level as the other fields.
type Stat struct {
	Saturation

	// Percentiles of the running times of attempts, without waiting, accurate to about 1 %.
	// An abandoned attempt counts with the time until it was abandoned.
	P50 time.Duration `json:"p50"`
	P95 time.Duration `json:"p95"`
	P99 time.Duration `json:"p99"`
	Max time.Duration `json:"max"`

	// Breaker is "closed", "open" or "half_open"; empty if there is no breaker.
	Breaker string `json:"breaker,omitempty"`
	// InUse is the number of permits in use out of Cap (0 means no limit), and Waiting is
	// the number of calls that are waiting for a permit. Abandoned is the number of
	// functions that are still running although no caller waits for them.
	InUse     int `json:"in_use"`
	Cap       int `json:"cap,omitempty"`
	Waiting   int `json:"waiting"`
	Abandoned int `json:"abandoned,omitempty"`
	// Held is the remaining time for which the remote service requested not to be called.
	Held time.Duration `json:"held,omitempty"`

	Budgets []BudgetStat `json:"budgets,omitempty"`
}

// BudgetStat is the usage of one budget. Budgets without a limit are left out.
type BudgetStat struct {
	Scope string `json:"scope"` // "run", "agent" or "day"
	Agent string `json:"agent,omitempty"`
	Used  Usage  `json:"used"`
	Limit Budget `json:"limit"`
}

// Stats returns the statistics of every target, sorted by kind, name and origin.
func (e *Engine) Stats() []Stat {
	e.mu.Lock()
	targets := slices.Collect(maps.Values(e.targets))
	e.mu.Unlock()
	out, now := make([]Stat, 0, len(targets)), time.Now()
	for _, t := range targets {
		s := t.stat(now)
		s.Over = now.Sub(e.made)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Stat) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	return out
}

func (t *target) stat(now time.Time) Stat {
	s := Stat{Saturation: Saturation{Kind: t.key.kind, Name: t.key.name, Origin: t.key.origin}, Cap: t.cap}
	t.meter.read(&s)
	if t.health != nil {
		s.Breaker = t.health.name()
		s.Opened, s.Open = t.health.openings(now)
	}
	s.InUse, s.Waiting = t.queue.state()
	s.QueueBound, s.RateBound = t.queued.Total(now), t.paced.Total(now)
	s.Abandoned = int(t.abandoned.Load())
	s.Held = t.gate.left()
	s.Budgets = t.spending.stats()
	return s
}

// stats returns the statistics of the scopes that have a limit: the run, the day, and the
// agents by name.
func (p *spending) stats() []BudgetStat {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.roll(now)
	var out []BudgetStat
	add := func(agent string, a *spend) {
		if a.budget != (Budget{}) {
			out = append(out, BudgetStat{Scope: a.scope, Agent: agent, Used: a.usage(now.Sub(p.start)), Limit: a.budget})
		}
	}
	add("", &p.run)
	add("", &p.today)
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		add(name, p.agents[name])
	}
	return out
}

// meter collects the statistics of one target, in constant memory.
type meter struct {
	mu       sync.Mutex
	calls    int64
	attempts int64
	retries  int64
	outcomes map[agent.Outcome]int64
	rateWait time.Duration
	permits  time.Duration           // waited for
	latency  *hdrhistogram.Histogram // in microseconds
	longest  time.Duration
}

// longestLatency is the highest value of the histogram; a longer attempt is counted as this
// long.
const longestLatency = time.Hour

func newMeter() *meter {
	return &meter{
		outcomes: map[agent.Outcome]int64{},
		latency:  hdrhistogram.New(1, longestLatency.Microseconds(), 2),
	}
}

// ended counts a call.
func (m *meter) ended(o agent.Outcome, attempts int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	m.outcomes[o]++
	m.retries += int64(max(attempts-1, 0))
}

// ran counts an attempt.
func (m *meter) ran(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attempts++
	m.longest = max(m.longest, d)
	// RecordValue fails only for values outside the histogram's range, which cannot occur
	// here.
	_ = m.latency.RecordValue(min(max(d, time.Microsecond), longestLatency).Microseconds())
}

// waited adds to the time that attempts waited for the rate limit or a hold.
func (m *meter) waited(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rateWait += d
}

// queued adds to the time that attempts waited for a permit.
func (m *meter) queued(d time.Duration) {
	if d == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.permits += d
}

func (m *meter) read(s *Stat) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := func(q float64) time.Duration {
		return min(time.Duration(m.latency.ValueAtQuantile(q))*time.Microsecond, m.longest)
	}
	s.Calls, s.Attempts, s.Retries, s.RateWait, s.QueueWait = m.calls, m.attempts, m.retries, m.rateWait, m.permits
	s.Outcomes = maps.Clone(m.outcomes)
	s.P50, s.P95, s.P99, s.Max = at(50), at(95), at(99), m.longest
}
