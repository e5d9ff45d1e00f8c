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
	"evolve/runtime/text"
)

const (
	// maxRemembered is the maximum number of different calls that a Loop remembers.
	maxRemembered = 256
	// maxCycle is the length of the longest cycle that is detected, in replies.
	maxCycle = 3
	// cycleRounds is the number of consecutive rounds after which a cycle of several
	// replies is detected.
	cycleRounds = 3
	// maxArguments is the size, in bytes, above which arguments are compared without being
	// canonicalized first.
	maxArguments = 1 << 20
	// maxFailures is the number of consecutive replies with the same failure after which a
	// goal ends.
	maxFailures = 4
)

// Loop detects repetition in the replies to one goal. Equal calls that one reply makes in
// parallel count once, because the model has not seen their results yet. The zero value
// allows each call once; use [NewLoop] for another limit. A Loop remembers at most 256
// different calls and is not safe for concurrent use.
type Loop struct {
	limit int
	// seen counts, for each call, the replies that made it. order holds the calls by age,
	// the oldest first.
	seen  map[call]int
	order []call
	last  []call // the latest replies, at most maxCycle·cycleRounds of them
	// failures counts, for each failure in the latest reply, the consecutive replies that
	// had it.
	failures map[string]int
}

// Made is a call from a reply, with its outcome once the call has been made. Detail is
// the text of a failure.
type Made struct {
	Tool      string
	Arguments json.RawMessage
	Outcome   agent.Outcome
	Detail    string
}

// call is the hash of a tool and its canonical arguments.
type call [16]byte

// NewLoop returns a detector that allows the same call in limit replies; a limit below 1
// means 1.
func NewLoop(limit int) *Loop { return &Loop{limit: max(limit, 1)} }

// Reply returns why the calls of a reply must not be made: one of them was made in too many
// replies, or the last replies form a cycle. If it returns an empty reason, the calls are
// allowed and the reply is counted.
func (l *Loop) Reply(calls []Made) string {
	var own []call
	for _, m := range calls {
		c := identify(m.Tool, m.Arguments)
		if n := l.seen[c]; n >= max(l.limit, 1) {
			return fmt.Sprintf("%s was requested again with the same arguments, after %d such calls", m.Tool, n)
		}
		if !slices.Contains(own, c) {
			own = append(own, c)
		}
	}
	last := append(slices.Clone(l.last), together(own))
	for length := 2; length <= maxCycle; length++ {
		if circles(last, length) {
			return fmt.Sprintf("the same sequence of %d calls was requested %d times in a row", length, cycleRounds)
		}
	}
	for _, c := range own {
		l.remember(c)
	}
	l.last = last[max(0, len(last)-maxCycle*cycleRounds):]
	return ""
}

// Last returns the tool of a call that was allowed in this reply and in an earlier one,
// but that would be refused in a further reply (see Reply). It returns "" if there is no
// such call.
func (l *Loop) Last(calls []Made) string {
	for _, m := range calls {
		if n := l.seen[identify(m.Tool, m.Arguments)]; n > 1 && n >= l.limit {
			return m.Tool
		}
	}
	return ""
}

// Results returns the reason why the goal must end after a reply: a tool has failed in the
// same way in four consecutive replies without any successful call, whatever the arguments
// were. Numbers in the texts of the failures are ignored.
func (l *Loop) Results(calls []Made) string {
	now := map[string]int{}
	why := ""
	for _, m := range calls {
		if m.Outcome == agent.OK {
			l.failures = nil
			return ""
		}
		f := failureOf(m)
		now[f] = l.failures[f] + 1
		if now[f] >= maxFailures && why == "" {
			why = fmt.Sprintf("%s ended with %s %d times in a row", m.Tool, m.Outcome, now[f])
		}
	}
	l.failures = now
	return why
}

// failureOf returns a key that is the same for equal failures.
func failureOf(m Made) string {
	detail := m.Detail[:min(len(m.Detail), 200)]
	return m.Tool + "\x00" + string(m.Outcome) + "\x00" + strings.Join(strings.FieldsFunc(detail, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || '0' <= r && r <= '9'
	}), " ")
}

// together returns the identity of a reply with these calls, regardless of their order.
func together(calls []call) call {
	if len(calls) == 1 {
		return calls[0]
	}
	slices.SortFunc(calls, func(a, b call) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, c := range calls {
		h.Write(c[:])
	}
	return call(h.Sum(nil)[:16])
}

// remember counts a call, and forgets the oldest one if there are too many.
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

// circles reports whether the last replies consist of cycleRounds rounds of one cycle of
// the given length.
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
	// A cycle of a single call is left to the limit on calls.
	return slices.ContainsFunc(last[:length], func(c call) bool { return c != last[0] })
}

// identify returns a hash of a call. Equivalent calls have equal hashes.
func identify(tool string, args json.RawMessage) call {
	sum := sha256.Sum256(append([]byte(tool+"\x00"), Canonical(args)...))
	return call(sum[:16])
}

// Canonical returns JSON in a canonical form: with sorted keys, without white space, with
// one form for equal numbers, and with trailing white space removed from strings. Text that
// is not JSON is only trimmed.
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
	out, err := text.Marshal(folded(v))
	if err != nil {
		return bytes.TrimSpace(args)
	}
	return out
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

// number returns the shortest form of a number. Whole numbers retain all their digits;
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
