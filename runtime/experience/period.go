package experience

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// Limits for a period: the number of turns listed as evidence, the number of entries in
// each list, and the length of a quotation in characters.
const (
	maxEvidenceTurns = 8
	maxEntries       = 30
	maxExcerpt       = 160
)

// A correction repeats another if the two have at least samePatternTerms terms in common,
// and these terms make up at least the share samePattern of the terms of the correction
// with fewer terms.
const (
	samePattern      = .5
	samePatternTerms = 2
)

// denialWords are words that occur in corrections of any answer, so they do not identify a
// pattern.
const denialWords = "no not wrong right incorrect correct correction false true mistake error answer reply result should meant said asked wanted actually please sorry really again still instead"

// Evidence is a count with the turns that it is based on.
type Evidence struct {
	Count int `json:"count"`
	// Turns holds the last eight turns, oldest first.
	Turns []string `json:"turns"`
}

// add counts an event in a turn.
func (e *Evidence) add(turn string) {
	e.Count++
	cite(&e.Turns, turn)
}

// cite adds a turn to a list of evidence, unless it is already there, and shortens the list
// to the last eight turns.
func cite(list *[]string, turn string) {
	if !slices.Contains(*list, turn) {
		*list = newest(append(*list, turn), maxEvidenceTurns)
	}
}

// Period holds what the turns of a period have shown. Each of its lists has at most thirty
// entries, those with the most turns or calls first.
type Period struct {
	// From and To are the times of the first and last turn.
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Turns int       `json:"turns"`
	// Succeeded counts the turns that ended ok and were not corrected, Corrected the turns
	// that people corrected, and Approved the turns whose answer people approved.
	Succeeded int      `json:"succeeded"`
	Corrected Evidence `json:"corrected"`
	Approved  Evidence `json:"approved"`
	// Outcomes counts the turns by outcome, except for ok. Turns that ended with
	// wrong_tool_boundary are not failures: the runtime accepts no referral without
	// evidence.
	Outcomes map[agent.Outcome]Evidence `json:"outcomes,omitempty"`
	Domains  []DomainUse                `json:"domains,omitempty"`
	Tools    []ToolUse                  `json:"tools,omitempty"`
	Errors   []ToolError                `json:"errors,omitempty"`
	Patterns []Pattern                  `json:"patterns,omitempty"`
	Ways     []Way                      `json:"ways,omitempty"`
	// Stated compares the confidence that the period's turns stated with their success; it
	// is zero if no turn stated a confidence.
	Stated StatedUse `json:"stated,omitzero"`
}

// DomainUse counts the turns in a domain and how many of them succeeded. Referred counts
// the turns that ended with a referral: they are neither a success nor a failure.
type DomainUse struct {
	Domain    string   `json:"domain"`
	Turns     Evidence `json:"turns"`
	Succeeded int      `json:"succeeded"`
	Referred  int      `json:"referred,omitempty"`
	// SucceededIn holds the last eight turns that succeeded, and FailedIn the last eight
	// that failed.
	SucceededIn []string `json:"succeeded_in,omitempty"`
	FailedIn    []string `json:"failed_in,omitempty"`
}

// judged is the number of turns that succeeded or failed.
func (d DomainUse) judged() int { return max(0, d.Turns.Count-d.Referred) }

// ToolUse holds the counts, results and latencies of the calls to a tool and method.
type ToolUse struct {
	Tool   string   `json:"tool"`
	Method string   `json:"method,omitempty"`
	Calls  Evidence `json:"calls"`
	// Judged and Succeeded are counted as in [Capsule.Judged] and [Capsule.Success].
	Judged    int `json:"judged"`
	Succeeded int `json:"succeeded"`
	// Repaired counts the calls whose arguments were repaired.
	Repaired int `json:"repaired,omitempty"`
	// SucceededIn holds the last eight turns with a call that succeeded, FailedIn holds
	// the last eight with a judged call that did not succeed, RepairedIn the last eight
	// with a repaired call, and MeasuredIn the last eight with a measured latency.
	SucceededIn []string `json:"succeeded_in,omitempty"`
	FailedIn    []string `json:"failed_in,omitempty"`
	RepairedIn  []string `json:"repaired_in,omitempty"`
	MeasuredIn  []string `json:"measured_in,omitempty"`
	// Measured is the number of calls with a measured latency. P50, P95 and P99 are
	// percentiles of these latencies (see [Capsule.Percentile]).
	Measured int           `json:"measured,omitempty"`
	P50      time.Duration `json:"p50_ns,omitempty"`
	P95      time.Duration `json:"p95_ns,omitempty"`
	P99      time.Duration `json:"p99_ns,omitempty"`
}

// ToolError counts the calls to a tool and method that ended in the same outcome with the
// same cause. Calls with the outcome wrong_tool_boundary are referrals, not errors. Causes
// that differ only in numbers count as the same.
type ToolError struct {
	Tool    string        `json:"tool"`
	Method  string        `json:"method,omitempty"`
	Outcome agent.Outcome `json:"outcome"`
	// Cause is the cause of the last of the calls that Calls counts.
	Cause Excerpt  `json:"cause"`
	Calls Evidence `json:"calls"`
}

// Pattern is a correction that people made to turns in one domain, either once or several
// times in similar words.
type Pattern struct {
	Domain string `json:"domain"`
	// Tools holds the tools of the corrected turns, sorted.
	Tools []string `json:"tools,omitempty"`
	// Corrected counts the corrections and lists the corrected turns.
	Corrected Evidence `json:"corrected"`
	// Quote is an excerpt from the last message that made the correction.
	Quote Excerpt `json:"quote"`
}

// StatedUse compares stated confidence with success.
type StatedUse struct {
	Turns      Evidence `json:"turns"`
	Confidence float64  `json:"confidence"` // the mean
	Succeeded  int      `json:"succeeded"`
	// FailedIn holds the last eight turns that did not succeed.
	FailedIn []string `json:"failed_in,omitempty"`
}

// period returns what turns have shown. There must be at least one turn.
func (e *Experience) period(turns []Turn) *Period {
	b := periodBuilder{
		p:         &Period{From: turns[0].Time.UTC(), To: turns[0].Time.UTC(), Outcomes: map[agent.Outcome]Evidence{}},
		corrected: map[string]bool{}, within: map[string]bool{}, sessions: map[string]string{},
		domains: map[string]*DomainUse{}, tools: map[[2]string]*toolCalls{}, errors: map[errorKey]*ToolError{},
	}
	for _, c := range e.Corrections {
		b.corrected[c.Turn] = true
	}
	for _, t := range turns {
		b.within[t.ID], b.sessions[t.ID] = true, t.Session
	}
	b.approvals(turns)
	for _, t := range turns {
		b.add(t)
	}
	b.patterns(e.Corrections)
	b.stated(e.Stated)
	return b.done()
}

type errorKey struct {
	tool, method string
	outcome      agent.Outcome
	cause        string
}

// toolCalls collects the calls to a tool and method.
type toolCalls struct {
	ToolUse
	calls Capsule
}

// periodBuilder makes a [Period].
type periodBuilder struct {
	p *Period
	// corrected and within hold the ids of the corrected turns and of the period's turns,
	// respectively. sessions maps each turn to its conversation.
	corrected, within map[string]bool
	sessions          map[string]string
	domains           map[string]*DomainUse
	tools             map[[2]string]*toolCalls
	errors            map[errorKey]*ToolError
}

// add counts a turn and its calls.
func (b *periodBuilder) add(t Turn) {
	p, at := b.p, t.Time.Round(0).UTC()
	if at.Before(p.From) {
		p.From = at
	}
	if at.After(p.To) {
		p.To = at
	}
	p.Turns++
	success := t.Outcome == agent.OK && !b.corrected[t.ID]
	domain := domainName(t.Domain)
	d := b.domains[domain]
	if d == nil {
		d = &DomainUse{Domain: domain}
		b.domains[domain] = d
	}
	d.Turns.add(t.ID)
	if success {
		d.Succeeded++
		p.Succeeded++
		cite(&d.SucceededIn, t.ID)
	}
	switch {
	case t.Outcome == agent.WrongToolBoundary:
		d.Referred++
	case !success:
		cite(&d.FailedIn, t.ID)
	}
	b.way(t, success)
	if t.Outcome != agent.OK && t.Outcome.Valid() {
		x := p.Outcomes[t.Outcome]
		x.add(t.ID)
		p.Outcomes[t.Outcome] = x
	}
	for _, c := range t.Calls {
		b.call(t, c)
	}
}

// call counts a call.
func (b *periodBuilder) call(t Turn, c Call) {
	if !c.Outcome.Valid() {
		c.Outcome = agent.ContractViolation // as learnCalls does
	}
	c.Tool, c.Method = clipped(c.Tool), clipped(c.Method)
	if c.Tool != AllTools {
		b.use(t, c)
	}
	if c.Outcome != agent.OK && !c.barred() {
		b.failure(t, c)
	}
}

// use counts a call for its tool.
func (b *periodBuilder) use(t Turn, c Call) {
	u := b.tools[[2]string{c.Tool, c.Method}]
	if u == nil {
		u = &toolCalls{ToolUse: ToolUse{Tool: c.Tool, Method: c.Method}}
		b.tools[[2]string{c.Tool, c.Method}] = u
	}
	u.Calls.add(t.ID)
	success := c.Outcome == agent.OK && !b.corrected[t.ID]
	if judged(c.Outcome) {
		u.Judged++
		if !success {
			cite(&u.FailedIn, t.ID)
		}
	}
	if success {
		u.Succeeded++
		cite(&u.SucceededIn, t.ID)
	}
	if c.Repaired {
		u.Repaired++
		cite(&u.RepairedIn, t.ID)
	}
	if c.Latency > 0 {
		u.calls.Latencies = append(u.calls.Latencies, c.Latency)
		cite(&u.MeasuredIn, t.ID)
	}
}

// failure counts a call that failed or was referred, under the cause of the failure or
// referral.
func (b *periodBuilder) failure(t Turn, c Call) {
	cause := text.Clip(text.OneLine(c.Cause), maxExcerpt, text.Runes, text.Ellipsis)
	key := errorKey{c.Tool, c.Method, c.Outcome, withoutNumbers(cause)}
	x := b.errors[key]
	if x == nil {
		x = &ToolError{Tool: c.Tool, Method: c.Method, Outcome: c.Outcome}
		b.errors[key] = x
	}
	x.Cause = Excerpt{Turn: t.ID, Session: t.Session, Text: cause}
	x.Calls.add(t.ID)
}

// withoutNumbers replaces each run of digits, so causes that differ only in a line number
// or a duration become the same.
func withoutNumbers(s string) string {
	var out strings.Builder
	digit := false
	for _, r := range s {
		switch {
		case !unicode.IsDigit(r):
			out.WriteRune(r)
		case !digit:
			out.WriteByte('#')
		}
		digit = unicode.IsDigit(r)
	}
	return out.String()
}

// approvals counts the turns whose answer was approved by the next message in their
// conversation.
func (b *periodBuilder) approvals(turns []Turn) {
	before := map[string]string{} // the last turn of each conversation
	for _, t := range turns {
		if t.Session == "" {
			continue
		}
		if last := before[t.Session]; t.Signal == Approves && last != "" {
			b.p.Approved.add(last)
		}
		before[t.Session] = t.ID
	}
}

// patterns groups corrections into patterns. It considers only corrections that messages
// in the period made.
func (b *periodBuilder) patterns(corrections []Correction) {
	lex := memory.NewLexicon()
	terms := [][]string{} // of each pattern
	denial := lex.Terms(nil, denialWords)
	for _, c := range corrections {
		by := cmp.Or(c.By, c.Turn)
		if !b.within[by] {
			continue
		}
		b.p.Corrected.add(c.Turn)
		words := slices.DeleteFunc(lex.Terms(nil, c.Text), func(w string) bool { return slices.Contains(denial, w) })
		slices.Sort(words)
		words = slices.Compact(words)
		i := slices.IndexFunc(b.p.Patterns, func(x Pattern) bool { return x.Domain == c.Domain && x.Quote.Text == excerptOf(c.Text) })
		for j := 0; i < 0 && j < len(terms); j++ {
			if b.p.Patterns[j].Domain == c.Domain && alike(terms[j], words) {
				i = j
			}
		}
		if i < 0 {
			i = len(terms)
			terms = append(terms, nil)
			b.p.Patterns = append(b.p.Patterns, Pattern{Domain: c.Domain})
		}
		x := &b.p.Patterns[i]
		x.Corrected.add(c.Turn)
		x.Quote = Excerpt{Turn: c.Turn, Session: b.sessions[by], Text: excerptOf(c.Text)}
		x.Tools = slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.Tools, c.Tools))))
		x.Tools = x.Tools[:min(len(x.Tools), maxTools)]
		terms[i] = words
	}
}

func excerptOf(s string) string {
	return text.Clip(text.OneLine(s), maxExcerpt, text.Runes, text.Ellipsis)
}

// alike reports whether two sorted lists of terms are similar enough to count as the same
// correction.
func alike(a, b []string) bool {
	common := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			common++
		}
	}
	return common >= samePatternTerms && float64(common) >= samePattern*float64(min(len(a), len(b)))
}

// stated compares the stated confidence of the period's turns with their success.
func (b *periodBuilder) stated(list []Stated) {
	s := &b.p.Stated
	sum := 0.
	for _, x := range list {
		if !b.within[x.Turn] {
			continue
		}
		s.Turns.add(x.Turn)
		sum += x.Confidence
		if x.Success {
			s.Succeeded++
		} else {
			cite(&s.FailedIn, x.Turn)
		}
	}
	if s.Turns.Count > 0 {
		s.Confidence = math.Round(1e4*sum/float64(s.Turns.Count)) / 1e4
	}
}

// done returns the period with its lists sorted and shortened to their limits.
func (b *periodBuilder) done() *Period {
	p := b.p
	for _, name := range slices.Sorted(maps.Keys(b.domains)) {
		p.Domains = append(p.Domains, *b.domains[name])
	}
	for _, key := range slices.SortedFunc(maps.Keys(b.tools), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		u := b.tools[key]
		if u.Measured = len(u.calls.Latencies); u.Measured > 0 {
			u.P50, u.P95, u.P99 = u.calls.Percentile(.5), u.calls.Percentile(.95), u.calls.Percentile(.99)
		}
		p.Tools = append(p.Tools, u.ToolUse)
	}
	for _, key := range slices.SortedFunc(maps.Keys(b.errors), compareErrors) {
		p.Errors = append(p.Errors, *b.errors[key])
	}
	slices.SortStableFunc(p.Ways, func(x, y Way) int {
		return cmp.Or(cmp.Compare(x.Domain, y.Domain), slices.Compare(x.Tools, y.Tools))
	})
	p.Ways = most(p.Ways, func(x Way) int { return x.Turns.Count })
	p.Domains = most(p.Domains, func(x DomainUse) int { return x.Turns.Count })
	p.Tools = most(p.Tools, func(x ToolUse) int { return x.Calls.Count })
	p.Errors = most(p.Errors, func(x ToolError) int { return x.Calls.Count })
	p.Patterns = most(p.Patterns, func(x Pattern) int { return x.Corrected.Count })
	return p
}

func compareErrors(x, y errorKey) int {
	return cmp.Or(cmp.Compare(x.tool, y.tool), cmp.Compare(x.method, y.method), cmp.Compare(x.outcome, y.outcome), cmp.Compare(x.cause, y.cause))
}

// most sorts list by count, highest first, and returns at most maxEntries of its entries.
func most[T any](list []T, count func(T) int) []T {
	slices.SortStableFunc(list, func(x, y T) int { return cmp.Compare(count(y), count(x)) })
	return list[:min(len(list), maxEntries)]
}
