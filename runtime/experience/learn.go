package experience

import (
	"fmt"
	"slices"
)

// Learn adds a turn: first what its message means for the turn before it in the
// conversation, then the turn itself.
func (e *Experience) Learn(t Turn) {
	t.Time = t.Time.Round(0).UTC() // the form that decoding JSON returns
	t.Calls = e.bounded(t.Calls)
	e.judgeEarlier(t)
	e.learnCalls(t)
	e.learnOutcome(t)
	e.Turns++
	if t.Time.After(e.Updated) {
		e.Updated = t.Time
	}
}

// capsule returns a capsule, or nil if it does not exist.
func (e *Experience) capsule(tool, method, domain string) *Capsule {
	tool, method, domain = clipped(tool), clipped(method), domainName(domain)
	for i := range e.Capsules {
		if c := &e.Capsules[i]; c.Tool == tool && c.Method == method && c.Domain == domain {
			return c
		}
	}
	return nil
}

// Advised is the advice of a learning: whether to prefer or avoid a tool's method.
type Advised string

// What a learning advises.
const (
	Prefer Advised = "prefer"
	Avoid  Advised = "avoid"
)

// Learning is what calls in a domain have shown about a tool's method.
type Learning struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	// Domain is the domain of the calls.
	Domain  string  `json:"domain"`
	Advised Advised `json:"advised"`
	// Rate is the result of [Capsule.Rate], and Calls is the number of judged calls.
	Rate  float64 `json:"rate"`
	Calls int     `json:"calls"`
	// Confidence is min(1, calls/5), in (0,1] (spec 3.8).
	Confidence float64 `json:"confidence"`
}

const (
	// A method whose rate is at least preferredFrom or below shunnedBelow yields a
	// learning.
	preferredFrom, shunnedBelow = .8, .3
	// sureCalls is the number of judged calls at which a learning becomes certain.
	sureCalls = 5
)

// sure returns the confidence in a learning that is based on n judged calls or turns.
func sure(n int) float64 { return min(1, float64(n)/sureCalls) }

// String describes a learning, such as "avoid put, confidence 0.60" for a method of a tool.
func (l Learning) String() string {
	out := string(l.Advised)
	if l.Method != "" {
		out += " " + named(l.Method)
	}
	return fmt.Sprintf("%s, confidence %.2f", out, l.Confidence)
}

// AllLearnings returns the learnings of every domain, ordered by the names of the domains.
func (e *Experience) AllLearnings() []Learning {
	var domains []string
	for _, c := range e.Capsules {
		domains = append(domains, c.Domain)
	}
	var out []Learning
	for _, d := range slices.Compact(slices.Sorted(slices.Values(domains))) {
		list, _ := e.learnings(d)
		out = append(out, list...)
	}
	return out
}

// Learnings returns the learnings of a domain, in the order of the capsules: methods to
// prefer, with at least 80 % successes among the judged calls, and methods to avoid, with
// fewer than 30 %. If the domain has no capsule, it returns the learnings of [Global].
func (e *Experience) Learnings(domain string) []Learning {
	domain = domainName(domain)
	out, known := e.learnings(domain)
	if !known && domain != Global {
		out, _ = e.learnings(Global)
	}
	return out
}

// learnings returns the learnings of the given domain alone, and reports whether the
// domain has a capsule.
func (e *Experience) learnings(domain string) (out []Learning, known bool) {
	for _, c := range e.Capsules {
		if c.Domain != domain {
			continue
		}
		known = true
		rate, ok := c.Rate()
		if !ok {
			continue
		}
		n := c.Judged()
		l := Learning{Tool: c.Tool, Method: c.Method, Domain: domain, Rate: rate, Calls: n, Confidence: sure(n)}
		switch {
		case rate >= preferredFrom:
			l.Advised = Prefer
		case rate < shunnedBelow:
			l.Advised = Avoid
		default:
			continue
		}
		out = append(out, l)
	}
	return out, known
}

// bounded returns calls with excess names removed: a call to a new tool beyond the limit on
// tool names is counted under [Unregistered], and a new method beyond the limit on a tool's
// methods is cleared. A program with arbitrary tool names, or a server with arbitrary
// operation names, must not displace the known facts about other tools.
func (e *Experience) bounded(calls []Call) []Call {
	type pair struct{ tool, method string }
	known, number := map[pair]bool{}, map[string]int{}
	tools := map[string]bool{}
	keep := func(p pair) {
		tools[p.tool] = true
		if p.method != "" && !known[p] {
			known[p] = true
			number[p.tool]++
		}
	}
	for _, c := range e.Capsules {
		if c.Domain == Global {
			keep(pair{c.Tool, c.Method})
		}
	}
	out := slices.Clone(calls)
	for i := range out {
		if !tools[clipped(out[i].Tool)] && len(tools) >= maxNamed {
			out[i].Tool, out[i].Method = Unregistered, ""
		}
		p := pair{clipped(out[i].Tool), clipped(out[i].Method)}
		if !known[p] && number[p.tool] >= maxMethods {
			out[i].Method = ""
			continue
		}
		keep(p)
	}
	return out
}
