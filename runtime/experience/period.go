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

// Bounds of a period: its turns named as evidence, the entries of each list, and the
// characters of a quotation.
const (
	maxEvidenceTurns = 8
	maxEntries       = 30
	maxExcerpt       = 160
)

// A correction repeats another if they share samePattern of the terms of the one with fewer,
// and at least samePatternTerms.
const (
	samePattern      = .5
	samePatternTerms = 2
)

// denialWords are the words that occur in corrections of any answer. They show no
// pattern.
const denialWords = "no not wrong right incorrect correct correction false true mistake error answer reply result should meant said asked wanted actually please sorry really again still instead"

// Evidence is a count with the turns that it rests on.
type Evidence struct {
	Count int `json:"count"`
	// Turns are the last eight, oldest first.
	Turns []string `json:"turns"`
}

// add counts an event of a turn.
func (e *Evidence) add(turn string) {
	e.Count++
	cite(&e.Turns, turn)
}

// cite adds a turn to a list of evidence.
func cite(list *[]string, turn string) {
	if !slices.Contains(*list, turn) {
		*list = newest(append(*list, turn), maxEvidenceTurns)
	}
}

// Period is what the turns of a period have shown. Its lists have at most thirty entries
// each, those with the most turns or calls first.
type Period struct {
	// From and To are the times of the first and last turn.
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Turns int       `json:"turns"`
	// Succeeded counts the turns that ended ok and were not corrected, Corrected those that
	// people corrected, and Approved those with an answer that people approved.
	Succeeded int      `json:"succeeded"`
	Corrected Evidence `json:"corrected"`
	Approved  Evidence `json:"approved"`
	// Outcomes counts the turns by an outcome that is not ok. Those that ended with
	// wrong_tool_boundary are no failures: the runtime accepts no referral without evidence.
	Outcomes map[agent.Outcome]Evidence `json:"outcomes,omitempty"`
	Domains  []DomainUse                `json:"domains,omitempty"`
	Tools    []ToolUse                  `json:"tools,omitempty"`
	Errors   []ToolError                `json:"errors,omitempty"`
	Patterns []Pattern                  `json:"patterns,omitempty"`
	Ways     []Way                      `json:"ways,omitempty"`
	// Stated is the calibration of its turns; zero where none stated a confidence.
	Stated StatedUse `json:"stated,omitzero"`
}

// DomainUse counts the turns in a domain, and those of them that succeeded. Referred counts
// those that ended with a referral: they are neither a success nor a failure.
type DomainUse struct {
	Domain    string   `json:"domain"`
	Turns     Evidence `json:"turns"`
	Succeeded int      `json:"succeeded"`
	Referred  int      `json:"referred,omitempty"`
	// SucceededIn are the last eight turns that succeeded, FailedIn those of the others.
	SucceededIn []string `json:"succeeded_in,omitempty"`
	FailedIn    []string `json:"failed_in,omitempty"`
}

// judged is the number of the turns that succeeded or failed.
func (d DomainUse) judged() int { return max(0, d.Turns.Count-d.Referred) }

// ToolUse is what the calls of a tool and method did.
type ToolUse struct {
	Tool   string   `json:"tool"`
	Method string   `json:"method,omitempty"`
	Calls  Evidence `json:"calls"`
	// Judged and Succeeded are those of [Capsule.Judged] and [Capsule.Success].
	Judged    int `json:"judged"`
	Succeeded int `json:"succeeded"`
	// Repaired counts the calls whose arguments were repaired.
	Repaired int `json:"repaired,omitempty"`
	// SucceededIn are the last eight turns with a call that succeeded, FailedIn those with a
	// judged call that did not, RepairedIn those with a repaired call, and MeasuredIn those
	// with a latency.
	SucceededIn []string `json:"succeeded_in,omitempty"`
	FailedIn    []string `json:"failed_in,omitempty"`
	RepairedIn  []string `json:"repaired_in,omitempty"`
	MeasuredIn  []string `json:"measured_in,omitempty"`
	// Measured is the number of calls with a latency. P50, P95 and P99 are its percentiles
	// (see [Capsule.Percentile]).
	Measured int           `json:"measured,omitempty"`
	P50      time.Duration `json:"p50_ns,omitempty"`
	P95      time.Duration `json:"p95_ns,omitempty"`
	P99      time.Duration `json:"p99_ns,omitempty"`
}

// ToolError counts the calls of a tool and method that ended in an outcome by one cause.
// Those with the outcome wrong_tool_boundary are referrals, not errors. Causes that differ
// only in numbers count as the same.
type ToolError struct {
	Tool    string        `json:"tool"`
	Method  string        `json:"method,omitempty"`
	Outcome agent.Outcome `json:"outcome"`
	// Cause is the cause of the last call.
	Cause Excerpt  `json:"cause"`
	Calls Evidence `json:"calls"`
}

// Pattern is a correction that people made of turns in one domain, once or more in similar
// words.
type Pattern struct {
	Domain string `json:"domain"`
	// Tools are those of the corrected turns, sorted.
	Tools []string `json:"tools,omitempty"`
	// Corrected counts the corrections, with the corrected turns.
	Corrected Evidence `json:"corrected"`
	// Quote is the last correcting message.
	Quote Excerpt `json:"quote"`
}

// StatedUse compares stated confidence with success.
type StatedUse struct {
	Turns      Evidence `json:"turns"`
	Confidence float64  `json:"confidence"` // the mean
	Succeeded  int      `json:"succeeded"`
	// FailedIn are the last eight turns that did not succeed.
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

// toolCalls collects the calls of a tool and method.
type toolCalls struct {
	ToolUse
	calls Capsule
}

// periodBuilder makes a [Period].
type periodBuilder struct {
	p *Period
	// corrected and within hold the ids of the corrected turns and of those of the period,
	// sessions the conversation of each turn.
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

// failure counts a call that failed or was referred by its cause.
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

// withoutNumbers replaces each run of digits, so that causes that differ in a line number or
// a duration are the same.
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

// approvals counts the turns whose answers the next message of their conversation approved.
func (b *periodBuilder) approvals(turns []Turn) {
	before := map[string]string{} // the last turn of a conversation
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

// patterns groups the corrections that messages of the period made.
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

// alike reports whether two sorted lists of terms are taken to come from the same correction.
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

// done returns the period with its lists in order and within their bounds.
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

// most returns the entries with the highest counts, in descending order.
func most[T any](list []T, count func(T) int) []T {
	slices.SortStableFunc(list, func(x, y T) int { return cmp.Compare(count(y), count(x)) })
	return list[:min(len(list), maxEntries)]
}
