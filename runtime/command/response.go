package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// These are upper limits on the reported usage of one task; a higher value is an error or
// untrue.
const (
	maxTokens = 1e12
	maxCost   = 1e6 // USD
)

// maxError limits the length of a stored error, in bytes.
const maxError = 300

// response is a program's or server's response after validation.
type response struct {
	answer                *string
	score                 *float64
	outcome               agent.Outcome
	usage                 agent.Usage
	transcript, artifacts json.RawMessage
	err                   string
	// refer is the referral, or nil if there is none.
	refer *tool.Boundary
}

// wrongID is the error for an answer to another request.
type wrongID struct{ got, want string }

func (e wrongID) Error() string {
	return fmt.Sprintf("the response has the id %.80q, but the request has %.80q", e.got, e.want)
}

// parse parses one line. An error means that the line violates the contract. Usage that was
// parsed before the error still counts, because it was paid for.
func parse(line []byte, id string) (response, error) {
	var r response
	if !utf8.Valid(line) {
		return r, errors.New("the response is not valid UTF-8")
	}
	// A struct would match keys regardless of upper and lower case, so the target is a map.
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		return r, fmt.Errorf("the response is not a JSON object: %s", excerpt(line))
	}
	if keys == nil {
		return r, errors.New("the response is null")
	}
	if members(line) != len(keys) {
		return r, errors.New("the response has the same key twice")
	}
	got, ok := text(keys["id"])
	if !ok {
		return r, errors.New("the response has no id")
	}
	if got != id {
		return r, wrongID{got, id}
	}
	var err error
	if r.usage, err = usage(keys["usage"]); err != nil {
		return r, err
	}
	r.transcript, r.artifacts = present(keys["transcript"]), present(keys["artifacts"])
	if raw := present(keys["error"]); raw != nil {
		if r.err, ok = text(raw); !ok {
			r.err = string(raw)
		}
	}
	r.outcome = agent.OK
	if raw := present(keys["outcome"]); raw != nil {
		name, ok := text(raw)
		if r.outcome = agent.Outcome(name); !ok || !r.outcome.Reportable() {
			return r, fmt.Errorf("the response has the outcome %s, which an agent may not report", excerpt(raw))
		}
	}
	if err := r.referral(keys["refer"]); err != nil {
		return r, err
	}
	if raw := present(keys["score"]); raw != nil {
		var score float64
		if err := json.Unmarshal(raw, &score); err != nil || !(score >= 0 && score <= 1) {
			return r, fmt.Errorf("the response has the score %s, which is not a number from 0 to 1", excerpt(raw))
		}
		score = math.Abs(score) // no negative zero
		r.score = &score
	}
	if raw := present(keys["answer"]); raw != nil {
		answer, ok := text(raw)
		if !ok {
			answer = string(raw)
		}
		r.answer = &answer
	}
	if r.outcome == agent.OK && r.answer == nil && r.score == nil {
		return r, errors.New("the response has neither answer nor score")
	}
	return r, nil
}

// referral validates the referral and sets the outcome to the one that it names, or to
// wrong_tool_boundary if it names none. The outcome wrong_tool_boundary requires a
// referral: without evidence, this outcome would be an excuse.
func (r *response) referral(raw json.RawMessage) error {
	if raw = present(raw); raw == nil {
		if r.outcome == agent.WrongToolBoundary {
			return errors.New("the response has the outcome wrong_tool_boundary but lacks refer, which must name boundary_axes, observed_task_shape and evidence")
		}
		return nil
	}
	given := struct {
		Outcome agent.Outcome `json:"outcome"`
		tool.Boundary
	}{}
	if err := json.Unmarshal(raw, &given); err != nil {
		return fmt.Errorf("the value of refer in the response is %s, which is not a referral", excerpt(raw))
	}
	if given.Outcome == "" {
		given.Outcome = agent.WrongToolBoundary
	}
	if given.Outcome != agent.WrongToolBoundary && given.Outcome != agent.LowUtility {
		return fmt.Errorf("the value of refer in the response has the outcome %.80q, which is neither wrong_tool_boundary nor low_utility", given.Outcome)
	}
	if r.outcome != agent.OK && r.outcome != given.Outcome {
		return fmt.Errorf("the response has the outcome %s, but its \"refer\" object has the outcome %s", r.outcome, given.Outcome)
	}
	b, err := given.Normalize()
	if err != nil {
		return fmt.Errorf("the response's %w", err)
	}
	r.outcome, r.refer = given.Outcome, &b
	return nil
}

// members counts the members of a valid JSON object, duplicates included.
func members(line []byte) int {
	count, depth, quoted := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			count++
		}
	}
	return count
}

// present returns the value as compact JSON, or nil if it is absent or null.
func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		return raw
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil // cannot happen: it is a part of valid JSON
	}
	return b.Bytes()
}

// text decodes a JSON string.
func text(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

func usage(raw json.RawMessage) (agent.Usage, error) {
	var u agent.Usage
	if raw = present(raw); raw == nil {
		return u, nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return u, fmt.Errorf("the response has the usage %s, which is not an object", excerpt(raw))
	}
	for _, f := range []struct {
		name  string
		max   float64
		whole bool
		set   func(float64)
	}{
		{"input_tokens", maxTokens, true, func(v float64) { u.InputTokens = int64(v) }},
		{"output_tokens", maxTokens, true, func(v float64) { u.OutputTokens = int64(v) }},
		{"cost_usd", maxCost, false, func(v float64) { u.CostUSD = v }},
	} {
		raw := present(keys[f.name])
		if raw == nil {
			continue
		}
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil || !(v >= 0 && v <= f.max) || f.whole && v != math.Trunc(v) {
			return agent.Usage{}, fmt.Errorf("the response sets %s to %s, which is not valid", f.name, excerpt(raw))
		}
		f.set(math.Abs(v)) // no negative zero
	}
	return u, nil
}

// excerpt returns the beginning of an untrusted text. The excerpt is longer than the text
// that is finally stored, so that a secret is still complete, and is recognised, when the
// excerpt is scrubbed.
func excerpt(raw []byte) string {
	const most = 4 * maxError
	if len(raw) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(string(raw[:most]), ""))
	}
	return fmt.Sprintf("%q", raw)
}
