package mutate

import (
	"math"
	"slices"
	"strings"

	"evolve/mutate/operator"
)

// These constants limit the failures and tools that are recorded.
const (
	incidentsKept = 8   // per variant
	reasonKept    = 300 // bytes of each
	toolsKept     = 256
)

// health holds the calls and failures of each tool.
type health []operator.ToolHealth

// count adds calls to the counts of their tools, which are sorted by name. Calls of new
// tools beyond toolsKept are not counted.
func (h *health) count(calls []Call) {
	for _, c := range calls {
		at, found := slices.BinarySearchFunc(*h, c.Tool, func(t operator.ToolHealth, name string) int { return strings.Compare(t.Tool, name) })
		if !found {
			if len(*h) >= toolsKept {
				continue
			}
			*h = slices.Insert(*h, at, operator.ToolHealth{Tool: strings.Clone(c.Tool)})
		}
		(*h)[at].Calls++
		if c.Failed {
			(*h)[at].Failures++
		}
	}
}

func (h health) list() []operator.ToolHealth { return slices.Clone(h) }

// recordDetails records the parts of an observation other than its score.
func (s *search) recordDetails(a *variantStats, task int, o Observation) {
	s.breeding.health.count(o.Calls)
	untimed := math.IsNaN(o.Seconds)
	if o.CostUSD >= 0 && (untimed || o.Seconds >= 0) && !math.IsInf(o.CostUSD, 1) && !math.IsInf(o.Seconds, 1) {
		a.cost += o.CostUSD
		a.billed++
		if !untimed {
			a.seconds += o.Seconds
			a.timed++
		}
		a.pay(task, o.CostUSD, o.Seconds)
	}
	if s.author.Author != nil && o.Scored {
		if len(a.cases) == 2*incidentsKept {
			a.cases = slices.Delete(a.cases, 0, 1)
		}
		a.cases = append(a.cases, Case{s.tasks[task].ID, o.Trial.Repeat, o.Score})
	}
	if o.Scored && o.Score < failed && len(a.incidents) < incidentsKept {
		a.incidents = append(a.incidents, operator.Incident{
			Outcome: o.Outcome, Domain: s.tasks[task].Domain,
			Text: strings.Clone(strings.ToValidUTF8(o.Reason[:min(len(o.Reason), reasonKept)], "")),
		})
	}
}

// failed is the score below which an evaluation counts as failed.
const failed = 0.5

// domains returns, for each task, the number of its domain; the domains are numbered in
// order of appearance.
func (s *search) domains() []int {
	known := map[string]int{}
	out := make([]int, len(s.tasks))
	for j, t := range s.tasks {
		d, ok := known[t.Domain]
		if !ok {
			d = len(known)
			known[t.Domain] = d
		}
		out[j] = d
	}
	return out
}

// byTask returns a variant's mean score on each task, with NaN for tasks without a score.
// It returns nil for suites with more than shownTasks tasks.
func (s *search) byTask(a *variantStats) []float64 {
	if len(s.tasks) > shownTasks {
		return nil
	}
	out := unknown(len(s.tasks))
	for _, c := range a.scores() {
		out[c.Task] = c.Sum / c.N
	}
	return out
}

// byDomain returns a variant's mean score in each domain, with NaN for domains without a
// score.
func (s *search) byDomain(a *variantStats, domains []int) []float64 {
	n := slices.Max(domains) + 1
	sum, count := make([]float64, n), make([]float64, n)
	for _, c := range a.scores() {
		sum[domains[c.Task]] += c.Sum
		count[domains[c.Task]] += c.N
	}
	out := unknown(n)
	for d := range out {
		if count[d] > 0 {
			out[d] = sum[d] / count[d]
		}
	}
	return out
}

func unknown(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
