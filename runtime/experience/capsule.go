package experience

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"evolve/runtime/agent"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// Capsule is what calls of one tool and method did in one domain.
type Capsule struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	Domain string `json:"domain"`
	// Origin is that of the last call.
	Origin string `json:"origin"`
	Calls  int    `json:"calls"`
	// Outcomes counts the calls by outcome; the counts add up to Calls.
	Outcomes map[agent.Outcome]int `json:"outcomes"`
	// Corrected counts the calls in turns that a person corrected; each is no success.
	Corrected int `json:"corrected,omitempty"`
	// Referred counts the failed calls after which the turn referred the task elsewhere
	// because of the tool. Their outcome is the failure.
	Referred int `json:"referred,omitempty"`
	// Repairs counts the calls whose arguments were repaired, and Repaired those of them
	// that ended ok.
	Repairs  int `json:"repairs,omitempty"`
	Repaired int `json:"repaired,omitempty"`
	// Latencies are the last measured ones, at most 100, oldest first.
	Latencies []time.Duration `json:"latencies,omitempty"`
	// Failures are the last ten of the tool itself (see [Capsule.Judged]), oldest first.
	// Referrals are not among them.
	Failures []Failure `json:"failures,omitempty"`
	// Axes counts referrals by boundary axis, for at most 32 axes.
	Axes map[string]int `json:"axes,omitempty"`
	// Referrals are the last 50 with an axis, oldest first. Only capsules of [Global] have
	// them.
	Referrals []Referral `json:"referrals,omitempty"`
	Last      time.Time  `json:"last,omitzero"`
	// Recency weighs the judged calls by their week; nil where none was, and in capsules of
	// earlier versions.
	Recency *Recency `json:"recency,omitempty"`
}

// Failure is one failed call.
type Failure struct {
	Outcome agent.Outcome `json:"outcome"`
	Cause   string        `json:"cause,omitempty"`
	Time    time.Time     `json:"time"`
	// Turn is the id of the turn that it was in; empty in records of earlier versions.
	Turn string `json:"turn,omitempty"`
}

// Referral is one call after which the tool, or the turn because of it, referred the task
// elsewhere.
type Referral struct {
	// Axes are at most eight, as [tool.Axes] returns them.
	Axes  []string  `json:"axes"`
	Cause string    `json:"cause,omitempty"`
	Time  time.Time `json:"time"`
	// Turn is the id of the turn that it was in; empty in records of earlier versions.
	Turn string `json:"turn,omitempty"`
}

// Bounds of what is kept. Names and causes are in bytes.
const (
	maxCapsules  = 500
	maxLatencies = 100
	maxFailures  = 10
	maxReferrals = 50
	maxAxes      = 32
	maxName      = 100
	maxNamed     = 200 // of an agent; calls of further tools count as [Unregistered]
	maxMethods   = 30  // of a tool; further calls count for the tool without a method
	keptCause    = 200
)

// ReferralCount is the number of referrals that concern the tool: its calls that ended with
// one (wrong_tool_boundary), and those that failed before the turn referred.
func (c Capsule) ReferralCount() int { return c.Outcomes[agent.WrongToolBoundary] + c.Referred }

// Success is the number of calls that ended ok in turns that no person corrected.
func (c Capsule) Success() int { return max(0, c.Outcomes[agent.OK]-c.Corrected) }

// Judged is the number of calls whose outcome shows how good the tool is. Calls that a
// limit, the operator, the end of the turn or the infrastructure prevented or cut off show
// nothing: those with the outcome rate_limited, circuit_open, budget_exceeded, denied,
// cancelled or infrastructure. Neither does a referral (wrong_tool_boundary): its evidence
// shows the boundary of the tool, and a tool should not lose score by reporting that
// boundary.
func (c Capsule) Judged() int {
	n := c.Calls
	for o, calls := range c.Outcomes {
		if !judged(o) {
			n -= calls
		}
	}
	return max(0, n)
}

func judged(o agent.Outcome) bool {
	switch o {
	case agent.RateLimited, agent.CircuitOpen, agent.BudgetExceeded, agent.Denied, agent.Cancelled, agent.Infrastructure, agent.WrongToolBoundary:
		return false
	}
	return true
}

// Rate is the share of successes among the judged calls, in [0,1]; false means that no call
// was judged. A weak answer (low_utility) is judged and no success.
func (c Capsule) Rate() (float64, bool) {
	n := c.Judged()
	if n == 0 {
		return 0, false
	}
	return min(1, float64(c.Success())/float64(n)), true
}

// Percentile returns the least of the kept latencies that at least the share q of them does
// not exceed; q is clamped to [0,1]. It returns 0 without latencies.
func (c Capsule) Percentile(q float64) time.Duration {
	if len(c.Latencies) == 0 {
		return 0
	}
	x := make([]float64, len(c.Latencies))
	for i, d := range c.Latencies {
		x[i] = float64(d)
	}
	slices.Sort(x)
	return time.Duration(stat.Quantile(min(1, max(0, q)), stat.Empirical, x, nil))
}

// learnCalls adds the calls of a turn to the capsules of its domain and of [Global].
func (e *Experience) learnCalls(t Turn) {
	week := e.weekOf(t)
	for _, call := range t.Calls {
		if !call.Outcome.Valid() {
			call.Outcome = agent.ContractViolation // as the registry of tools settles it
		}
		call.Cause = text.Clip(text.OneLine(call.Cause), keptCause, text.Ellipsis)
		call.Axes = tool.Axes(call.Axes)
		if call.Outcome == agent.WrongToolBoundary && len(call.Axes) == 0 {
			call.Outcome = agent.ContractViolation // a referral without evidence is none
		}
		global := e.at(call.Tool, call.Method, Global)
		global.add(call, t, week)
		if len(call.Axes) > 0 {
			cause := text.Clip(text.OneLine(cmp.Or(call.Evidence, call.Cause)), keptCause, text.Ellipsis)
			global.Referrals = newest(append(global.Referrals, Referral{call.Axes, cause, t.Time, t.ID}), maxReferrals)
		}
		if d := domainName(t.Domain); d != Global {
			e.at(call.Tool, call.Method, d).add(call, t, week)
		}
		if call.Outcome != agent.OK && judged(call.Outcome) {
			e.sign(call, t)
		}
	}
	e.evict()
}

// add counts a call of a turn, with the weight of a week.
func (c *Capsule) add(call Call, t Turn, week int) {
	c.Origin = clipped(call.Origin)
	if judged(call.Outcome) {
		good := 0
		if call.Outcome == agent.OK {
			good = 1
		}
		c.weigh(week, 1, good)
	}
	c.Calls++
	if c.Outcomes == nil {
		c.Outcomes = map[agent.Outcome]int{}
	}
	c.Outcomes[call.Outcome]++
	if call.Repaired {
		c.Repairs++
		if call.Outcome == agent.OK {
			c.Repaired++
		}
	}
	if call.Latency > 0 {
		c.Latencies = newest(append(c.Latencies, call.Latency), maxLatencies)
	}
	for _, axis := range call.Axes {
		c.count(axis)
	}
	if len(call.Axes) > 0 && call.Outcome != agent.WrongToolBoundary {
		c.Referred++
	}
	if call.Outcome != agent.OK && judged(call.Outcome) {
		c.Failures = newest(append(c.Failures, Failure{call.Outcome, call.Cause, t.Time, t.ID}), maxFailures)
	}
	if t.Time.After(c.Last) {
		c.Last = t.Time
	}
}

// count counts a referral by an axis. A new axis replaces the rarest where all places are
// taken, of equally rare ones the first by name.
func (c *Capsule) count(axis string) {
	if c.Axes == nil {
		c.Axes = map[string]int{}
	}
	if _, ok := c.Axes[axis]; !ok && len(c.Axes) >= maxAxes {
		rarest := slices.MinFunc(slices.Sorted(maps.Keys(c.Axes)), func(a, b string) int { return c.Axes[a] - c.Axes[b] })
		delete(c.Axes, rarest)
	}
	c.Axes[axis]++
}

// at returns a capsule, which it adds if there is none. The pointer is valid until the next
// call.
func (e *Experience) at(tool, method, domain string) *Capsule {
	if c := e.capsule(tool, method, domain); c != nil {
		return c
	}
	c := Capsule{Tool: clipped(tool), Method: clipped(method), Domain: domainName(domain)}
	i, _ := slices.BinarySearchFunc(e.Capsules, c, compareCapsules)
	e.Capsules = slices.Insert(e.Capsules, i, c)
	return &e.Capsules[i]
}

// evict removes the least recently used capsules beyond the bound: those of [Global] only
// when there are no others, because they are the fallback.
func (e *Experience) evict() {
	for len(e.Capsules) > maxCapsules {
		oldest := slices.MinFunc(e.Capsules, func(a, b Capsule) int {
			if (a.Domain == Global) != (b.Domain == Global) {
				if a.Domain == Global {
					return 1
				}
				return -1
			}
			return a.Last.Compare(b.Last)
		})
		e.Capsules = slices.DeleteFunc(e.Capsules, func(c Capsule) bool {
			return c.Tool == oldest.Tool && c.Method == oldest.Method && c.Domain == oldest.Domain
		})
	}
}

// domainName returns the name under which a domain is kept: [Global] for none.
func domainName(domain string) string {
	if domain == "" {
		return Global
	}
	return clipped(domain)
}

// clipped returns a name within its bound and valid as JSON.
func clipped(name string) string {
	return text.Clip(strings.ToValidUTF8(name, "\uFFFD"), maxName)
}

// newest returns the last n items, without a reference to the others.
func newest[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	return slices.Clone(items[len(items)-n:])
}
