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

// Capsule holds the results of the calls to one tool and method in one domain.
type Capsule struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	Domain string `json:"domain"`
	// Origin is the origin of the last call.
	Origin string `json:"origin"`
	Calls  int    `json:"calls"`
	// Outcomes counts the calls by outcome; the counts add up to Calls.
	Outcomes map[agent.Outcome]int `json:"outcomes"`
	// Corrected counts the calls in turns that a person corrected. None of them is a
	// success.
	Corrected int `json:"corrected,omitempty"`
	// Referred counts the failed calls after which the turn referred the task elsewhere
	// because of the tool. Their outcome remains the failure.
	Referred int `json:"referred,omitempty"`
	// Repairs counts the calls whose arguments were repaired, and Repaired counts those
	// repaired calls that ended ok.
	Repairs  int `json:"repairs,omitempty"`
	Repaired int `json:"repaired,omitempty"`
	// Latencies holds the last measured latencies, at most 100, oldest first.
	Latencies []time.Duration `json:"latencies,omitempty"`
	// Failures holds the last ten failures of the tool itself (see [Capsule.Judged]),
	// oldest first. Referrals are not among them.
	Failures []Failure `json:"failures,omitempty"`
	// Axes counts referrals by boundary axis, for at most 32 axes.
	Axes map[string]int `json:"axes,omitempty"`
	// Referrals holds the last 50 referrals that have an axis, oldest first. Only capsules
	// of [Global] have them.
	Referrals []Referral `json:"referrals,omitempty"`
	Last      time.Time  `json:"last,omitzero"`
	// Recency weighs the judged calls by their week. It is nil if no call was judged, and
	// in capsules that were stored by earlier versions.
	Recency *Recency `json:"recency,omitempty"`
}

// Failure is one failed call.
type Failure struct {
	Outcome agent.Outcome `json:"outcome"`
	Cause   string        `json:"cause,omitempty"`
	Time    time.Time     `json:"time"`
	// Turn is the id of the turn that made the call; empty in records of earlier versions.
	Turn string `json:"turn,omitempty"`
}

// Referral is one call after which the task was referred elsewhere, either by the tool or
// by the turn because of the tool.
type Referral struct {
	// Axes holds at most eight axes, as [tool.Axes] returns them.
	Axes  []string  `json:"axes"`
	Cause string    `json:"cause,omitempty"`
	Time  time.Time `json:"time"`
	// Turn is the id of the turn that made the call; empty in records of earlier versions.
	Turn string `json:"turn,omitempty"`
}

// These are the limits on stored texts. The limits on names and causes are in bytes.
const (
	maxCapsules  = 500
	maxLatencies = 100
	maxFailures  = 10
	maxReferrals = 50
	maxAxes      = 32
	maxName      = 100
	maxNamed     = 200 // per agent; calls to further tools count as [Unregistered]
	maxMethods   = 30  // per tool; calls to further methods count as calls without a method
	keptCause    = 200
)

// ReferralCount is the number of referrals that concern the tool: its calls that ended with
// a referral (wrong_tool_boundary), and its calls that failed before the turn referred the
// task elsewhere.
func (c Capsule) ReferralCount() int { return c.Outcomes[agent.WrongToolBoundary] + c.Referred }

// Success is the number of calls that ended ok in turns that no person corrected.
func (c Capsule) Success() int { return max(0, c.Outcomes[agent.OK]-c.Corrected) }

// Judged is the number of calls whose outcome shows how good the tool is. A call shows
// nothing if a limit, the operator, the end of the turn or the infrastructure prevented it
// or cut it off, that is, if its outcome is rate_limited, circuit_open, budget_exceeded,
// denied, cancelled or infrastructure. A referral (wrong_tool_boundary) does not count
// either: its evidence shows the boundary of the tool, and a tool should not lose score for
// reporting that boundary.
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

// Rate returns the share of successes among the judged calls, in [0,1], or false if no call
// was judged. A weak answer (low_utility) counts as judged but not as a success.
func (c Capsule) Rate() (float64, bool) {
	n := c.Judged()
	if n == 0 {
		return 0, false
	}
	return min(1, float64(c.Success())/float64(n)), true
}

// Percentile returns the smallest stored latency such that at least the share q of the
// stored latencies is not above it; q is clamped to [0,1]. Without latencies it returns
// 0.
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

// learnCalls adds a turn's calls to the capsules of the turn's domain and of [Global].
func (e *Experience) learnCalls(t Turn) {
	week := e.weekOf(t)
	for _, call := range t.Calls {
		if !call.Outcome.Valid() {
			call.Outcome = agent.ContractViolation // the registry of tools does the same
		}
		call.Cause = text.Clip(text.OneLine(call.Cause), keptCause, text.Ellipsis)
		call.Axes = tool.Axes(call.Axes)
		if call.Outcome == agent.WrongToolBoundary && len(call.Axes) == 0 {
			call.Outcome = agent.ContractViolation // a referral without evidence does not count as one
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

// add counts a call made in a turn, with the weight of a week.
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

// count counts a referral under an axis. If there is no room for a new axis, it replaces
// the rarest axis with the new one; of equally rare axes, it replaces the first by name.
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

// at returns a capsule, adding it if it does not exist. The pointer is valid until the next
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

// evict removes the least recently used capsules beyond the limit. It removes capsules of
// [Global] only if no others are left, because they are the fallback.
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

// domainName returns the name under which a domain is stored, which is [Global] for an
// empty domain.
func domainName(domain string) string {
	if domain == "" {
		return Global
	}
	return clipped(domain)
}

// clipped returns a name shortened to its limit and made valid for JSON.
func clipped(name string) string {
	return text.Clip(strings.ToValidUTF8(name, "\uFFFD"), maxName)
}

// newest returns the last n items. If it drops any items, the result is a new slice that
// does not keep them in memory.
func newest[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	return slices.Clone(items[len(items)-n:])
}
