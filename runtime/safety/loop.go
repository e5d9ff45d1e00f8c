package safety

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

const (
	// maxRemembered bounds the calls a Loop remembers.
	maxRemembered = 256
	// maxCycle is the longest cycle that is detected, in calls.
	maxCycle = 3
	// cycleRounds is how often a cycle of several calls must repeat to be detected.
	cycleRounds = 3
	// maxArguments is the size in bytes above which arguments are compared without
	// canonicalization.
	maxArguments = 1 << 20
	// maxFailures is the number of equal failures in a row that ends a goal.
	maxFailures = 4
)

// Loop detects repetition in the tool calls of one goal. Its zero value allows no call
// twice; use [NewLoop]. It remembers at most 256 different calls and is not safe for
// concurrent use.
type Loop struct {
	limit int
	// seen counts calls; order holds them by age, the oldest first.
	seen  map[call]int
	order []call
	last  []call // the latest calls, at most maxCycle·cycleRounds
	// failure is the failure of the latest calls of one tool, and failures their
	// number.
	failure  string
	failures int
}

// call is a tool and the hash of its canonical arguments.
type call [16]byte

// NewLoop returns a detector that allows the same call limit times, at least once.
func NewLoop(limit int) *Loop { return &Loop{limit: max(limit, 1)} }

// Call returns why a call must not be made: the same tool with the same arguments has
// been called too often, or the last calls form a cycle. An empty reason allows the
// call, and counts it.
func (l *Loop) Call(tool string, args json.RawMessage) string {
	c := identify(tool, args)
	limit := max(l.limit, 1)
	if n := l.seen[c]; n >= limit {
		return fmt.Sprintf("%s was called %d times with the same arguments", tool, n)
	}
	last := append(slices.Clone(l.last), c)
	for length := 2; length <= maxCycle; length++ {
		if circles(last, length) {
			return fmt.Sprintf("the last %d calls repeat %d times in the same order", length, cycleRounds)
		}
	}
	l.remember(c)
	l.last = last[max(0, len(last)-maxCycle*cycleRounds):]
	return ""
}

// Result returns why the goal must end after a call: the same tool has failed in the
// same way four times in a row, whatever its arguments. Detail is the failure's text;
// numbers in it are ignored.
func (l *Loop) Result(tool string, outcome agent.Outcome, detail string) string {
	if outcome == agent.OK {
		l.failure, l.failures = "", 0
		return ""
	}
	detail = detail[:min(len(detail), 200)]
	failure := tool + "\x00" + string(outcome) + "\x00" + strings.Join(strings.FieldsFunc(detail, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || '0' <= r && r <= '9'
	}), " ")
	if failure != l.failure {
		l.failure, l.failures = failure, 0
	}
	l.failures++
	if l.failures < maxFailures {
		return ""
	}
	return fmt.Sprintf("%s ended with %s %d times in a row", tool, outcome, l.failures)
}

// remember counts a call, and forgets the oldest when there are too many.
func (l *Loop) remember(c call) {
	if l.seen == nil {
		l.seen = map[call]int{}
	}
	if l.seen[c]++; l.seen[c] > 1 {
		return
	}
	l.order = append(l.order, c)
	if len(l.order) > maxRemembered {
		delete(l.seen, l.order[0])
		l.order = slices.Clone(l.order[1:])
	}
}

// circles reports whether the last calls repeat one cycle of a given length.
func circles(last []call, length int) bool {
	need := length * cycleRounds
	if len(last) < need {
		return false
	}
	last = last[len(last)-need:]
	for i := length; i < need; i++ {
		if last[i] != last[i-length] {
			return false
		}
	}
	// Repetition of a single call is subject to the limit instead.
	return slices.ContainsFunc(last[:length], func(c call) bool { return c != last[0] })
}

// identify hashes a call, so that equivalent calls are equal.
func identify(tool string, args json.RawMessage) call {
	sum := sha256.Sum256(append([]byte(tool+"\x00"), Canonical(args)...))
	return call(sum[:16])
}

// Canonical returns JSON with sorted keys, without white space, with one form for every
// number and with strings cut of trailing white space; text that is not JSON is
// trimmed.
func Canonical(args json.RawMessage) []byte {
	if len(args) > maxArguments {
		return args
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return bytes.TrimSpace(args)
	}
	if _, err := dec.Token(); err != io.EOF {
		return bytes.TrimSpace(args)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(folded(v)); err != nil {
		return bytes.TrimSpace(args)
	}
	return bytes.TrimSpace(out.Bytes())
}

// folded returns a JSON value in its canonical form.
func folded(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = folded(e)
		}
	case []any:
		for i, e := range v {
			v[i] = folded(e)
		}
	case string:
		return strings.TrimRight(v, " \t\r\n")
	case json.Number:
		return number(v)
	}
	return v
}

// number returns the shortest form of a number. Whole numbers keep all their digits;
// others are rounded to a float64.
func number(n json.Number) json.Number {
	text := string(n)
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return n
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}
