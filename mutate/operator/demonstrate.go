package operator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// MostDemonstrations is the maximum number of demonstrations in a text. Further
// demonstrations make every call of the model more expensive and add little value
// (published measurements put the limit at 4 to 8).
const MostDemonstrations = 8

const (
	// poolAtMost is the maximum number of demonstrations in a pool.
	poolAtMost = 64
	// alike is the share of common words above which two tasks count as near-duplicates.
	alike = 0.8
	// longestShare is the number by which a text's maximum length is divided to get the
	// maximum length of one demonstration.
	longestShare = 4
)

// Solved is a search task with its answer, which a text may show as a demonstration.
type Solved struct {
	// Task is the id of the task.
	Task, Domain string
	agent.Demonstration
	line string
	// words are the distinct words of the task, sorted.
	words []string
}

// Pool holds the demonstrations that a search chooses from. Its zero value is empty.
type Pool struct {
	// Most is the maximum number of demonstrations in a text.
	Most   int
	solved []Solved
}

// Add adds a demonstration to the pool, unless it is empty, too long for the parameter or a
// near-duplicate, or the pool is full.
func (l *Pool) Add(p agent.Param, s Solved) {
	if len(l.solved) >= poolAtMost || strings.TrimSpace(s.Demonstration.Task) == "" || strings.TrimSpace(s.Answer) == "" {
		return
	}
	s.line = agent.FormatDemonstrations([]agent.Demonstration{s.Demonstration})
	if p.MaxChars > 0 && utf8.RuneCountInString(s.line) > p.MaxChars/longestShare {
		return
	}
	s.words = strings.Fields(strings.ToLower(s.Demonstration.Task))
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	if !slices.ContainsFunc(l.solved, func(o Solved) bool { return likeness(o.words, s.words) > alike }) {
		l.solved = append(l.solved, s)
	}
}

// Empty reports whether there is no demonstration to choose from.
func (l *Pool) Empty() bool { return l == nil || len(l.solved) == 0 }

// Shows reports whether a text may have demonstrations from the pool.
func (l *Pool) Shows() bool { return l != nil && l.Most > 0 }

// likeness returns the share of words that two sorted lists have in common.
func likeness(a, b []string) float64 {
	all, common := len(a)+len(b), 0
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case -1:
			a = a[1:]
		case 1:
			b = b[1:]
		default:
			a, b, common = a[1:], b[1:], common+1
		}
	}
	return float64(common) / float64(max(1, all-common))
}

// Draw returns a text of random demonstrations, whose number is also random, up to the
// allowed maximum.
func (l *Pool) Draw(p agent.Param, rng *rand.Rand) string {
	var lines []string
	for range rng.IntN(min(l.Most, len(l.solved)) + 1) {
		if at, ok := l.draw(p, lines, nil, rng); ok {
			lines = append(lines, l.solved[at].line)
		}
	}
	return strings.Join(lines, "\n")
}

// Change adds a demonstration to a text half the time, and otherwise exchanges, drops or
// moves a demonstration, if possible. ok is false if nothing changes, or if the text is not
// a list of demonstrations.
func (l *Pool) Change(p agent.Param, text string, failures []Failure, rng *rand.Rand) (next string, ok bool) {
	if _, ok := agent.ParseDemonstrations(text); !ok {
		return "", false
	}
	lines := demonstrationLines(text)
	n, move := len(lines), rng.IntN(8)
	switch {
	case n > 1 && move == 7:
		from := rng.IntN(n)
		line := lines[from]
		lines = slices.Delete(lines, from, from+1)
		lines = slices.Insert(lines, (from+1+rng.IntN(n-1))%n, line)
	case n > 0 && move == 6:
		at := rng.IntN(n)
		lines = slices.Delete(lines, at, at+1)
	default:
		at := rng.IntN(n + 1)
		if n >= l.Most || n > 0 && move >= 4 { // an exchange
			at = rng.IntN(max(1, n))
			lines = slices.Delete(lines, at, min(n, at+1))
		}
		if came, ok := l.draw(p, lines, failures, rng); ok {
			lines = slices.Insert(lines, at, l.solved[came].line)
		}
	}
	next = strings.Join(lines, "\n")
	return next, next != text && len(lines) <= l.Most
}

// draw picks a random demonstration that is not among the lines and that fits into the
// text, and returns its index in the pool. It prefers domains that the lines show less
// often and domains in which the parent fails.
func (l *Pool) draw(p agent.Param, lines []string, failures []Failure, rng *rand.Rand) (at int, ok bool) {
	shown, failed, all := map[string]int{}, map[string]int{}, 0
	for _, s := range l.solved {
		if slices.Contains(lines, s.line) {
			shown[s.Domain]++
		}
	}
	for _, f := range failures {
		failed[f.Domain] += f.Count
		all += f.Count
	}
	size := len(lines)
	for _, line := range lines {
		size += utf8.RuneCountInString(line)
	}
	weights := make([]float64, len(l.solved))
	for i, s := range l.solved {
		if slices.Contains(lines, s.line) || p.MaxChars > 0 && size+utf8.RuneCountInString(s.line) > p.MaxChars {
			continue
		}
		weights[i] = 1 / float64(1+2*shown[s.Domain])
		if all > 0 {
			weights[i] *= 1 + (failingDomain-1)*float64(failed[s.Domain])/float64(all)
		}
		ok = true
	}
	if !ok {
		return 0, false
	}
	return selection.Draw(weights, rng), true
}

// demonstrationLines returns the lines of a text that are not blank.
func demonstrationLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Demonstrates reports whether a parameter is a list of demonstrations.
func Demonstrates(p agent.Param) bool {
	return p.Kind == agent.Text && p.Use == agent.Demonstrations
}

// Operator returns the operator that changes demonstrations, using the pool.
func (l *Pool) Operator() Operator { return demonstrate{l} }

// demonstrate adds, exchanges, drops or moves one demonstration in a text.
type demonstrate struct{ pool *Pool }

func (demonstrate) Name() string { return "demonstrate" }

func (o demonstrate) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	for _, i := range rng.Perm(len(s.Space.Params)) {
		p := s.Space.Params[i]
		text, active := s.Parent[p.Name].(string)
		if !active || !Demonstrates(p) {
			continue
		}
		next, ok := o.pool.Change(p, text, s.Failures, rng)
		if !ok {
			continue
		}
		c := s.Parent.Clone()
		c[p.Name] = next
		return Child{Config: Canonical(s.Space, c), Operator: o.Name(), Rationale: p.Name + " " + o.pool.describe(text, next)}, true
	}
	return Child{}, false
}

// describe returns a description of a change that names the added and the dropped
// demonstrations by the ids of their tasks.
func (l *Pool) describe(before, after string) string {
	old, now := demonstrationLines(before), demonstrationLines(after)
	name := func(line string) string {
		if at := slices.IndexFunc(l.solved, func(s Solved) bool { return s.line == line }); at >= 0 {
			return l.solved[at].Task
		}
		return "a task from an earlier search"
	}
	var parts []string
	for _, line := range without(now, old) {
		parts = append(parts, "+ "+name(line))
	}
	for _, line := range without(old, now) {
		parts = append(parts, "− "+name(line))
	}
	if len(parts) == 0 {
		return "in a different order"
	}
	return strings.Join(parts, ", ")
}
