package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// shorter returns the shorter of an agent's own timeout and the request's, where 0 means
// that there is none. If there is neither, it returns the default timeout.
func shorter(own, asked time.Duration) time.Duration {
	t := own
	if asked > 0 && (t == 0 || asked < t) {
		t = asked
	}
	if t == 0 {
		t = defaultTimeout
	}
	return t
}

// judge converts a response into a result, for both kinds of agents. An error means that
// the response was invalid, and that a program that sent it must not get another request.
func judge(line []byte, req agent.Request, scrub func(string) string) (agent.Result, error) {
	r, err := parse(line, req.ID)
	res := agent.Result{Usage: r.usage, Outcome: r.outcome}
	keep(&res, r, scrub)
	if err != nil {
		res.Outcome, res.Error = agent.ContractViolation, clip(err.Error(), scrub)
		return res, err
	}
	if text := exceeded(req.Limits, r.usage, len(line)); text != "" {
		res.Outcome, res.Error = agent.BudgetExceeded, text
		return res, nil
	}
	if r.outcome.Gradable() {
		res.Answer, res.Score = r.answer, r.score
	}
	if r.outcome != agent.OK {
		res.Error = clip(r.err, scrub)
		if res.Error == "" && r.refer != nil {
			res.Error = clip(r.refer.Shape, scrub)
		}
		if res.Error == "" {
			res.Error = fmt.Sprintf("the agent reported %s", r.outcome)
		}
	}
	return res, nil
}

// keep copies the referral, the transcript and the artifacts of a response, scrubbed, into
// the result.
func keep(res *agent.Result, r response, scrub func(string) string) {
	if r.refer != nil {
		if raw, err := json.Marshal(r.refer); err == nil {
			res.Transcript.Add(0, agent.Event{Kind: agent.EventCheck, Name: agent.Referral, Outcome: r.outcome, Data: scrubbed(raw, scrub)})
		}
	}
	if r.transcript != nil {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventForeign, Data: scrubbed(r.transcript, scrub)})
	}
	if r.artifacts != nil {
		res.Artifacts = scrubbed(r.artifacts, scrub)
	}
}

// exceeded returns a description of the limit that a task exceeded, or "" if it exceeded
// none.
func exceeded(l agent.Limits, u agent.Usage, size int) string {
	switch {
	case l.MaxCostUSD > 0 && u.CostUSD > l.MaxCostUSD:
		return fmt.Sprintf("the task cost %g USD, more than the limit of %g", u.CostUSD, l.MaxCostUSD)
	case l.MaxTokens > 0 && u.InputTokens+u.OutputTokens > l.MaxTokens:
		return fmt.Sprintf("the task used %d tokens, more than the limit of %d", u.InputTokens+u.OutputTokens, l.MaxTokens)
	case l.MaxOutputBytes > 0 && int64(size) > l.MaxOutputBytes:
		return fmt.Sprintf("the response has %d bytes, more than the limit of %d", size, l.MaxOutputBytes)
	}
	return ""
}

// scrubbed returns JSON with the credentials removed. If that makes the JSON invalid, the
// text is returned as a JSON string.
func scrubbed(raw json.RawMessage, scrub func(string) string) json.RawMessage {
	text := scrub(string(raw))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil // cannot happen: every string has a JSON form
	}
	return quoted
}

// clip returns untrusted text as one scrubbed line of bounded length.
func clip(s string, scrub func(string) string) string {
	return foreign.Clip(strings.Join(strings.Fields(scrub(s)), " "), maxError, foreign.Mark)
}
