package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// AgentSource is the beginning of the Source of a memory that an agent added itself.
const AgentSource = "agent"

// Limits on the changes that a turn and a session make to the session's memory.
const (
	maxFact      = 1000 // characters
	maxFacts     = 50   // a turn
	maxRetracted = 200  // a session
	maxReason    = 300  // characters
)

type memoryAddArgs struct {
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence"`
	Replaces   string  `json:"replaces"`
}

func memoryAdd() Tool {
	return with(Remember, define("memory_add",
		"Remember a fact for this session, in the turn's domain; it may replace a memory by its id. Later turns of the session recall it.",
		`{"type":"object","required":["text"],"additionalProperties":false,"properties":{"text":{"type":"string","minLength":1,"maxLength":4000},"confidence":{"type":"number","minimum":0,"maximum":1},"replaces":{"type":"string","maxLength":200}}}`,
		Available, nil,
		func(_ context.Context, env *Env, a memoryAddArgs) Result {
			text := strings.TrimSpace(a.Text)
			switch {
			case text == "":
				return Failed(agent.ContractViolation, "a memory must have text")
			case utf8.RuneCountInString(text) > maxFact:
				return Failed(agent.ContractViolation, "a memory can have at most %d characters", maxFact)
			case env.added >= maxFacts:
				return Failed(agent.BudgetExceeded, "a turn can add at most %d memories", maxFacts)
			}
			sum := sha256.Sum256([]byte(env.Domain + "\x00" + text))
			m := agent.Memory{
				ID: "fact-" + hex.EncodeToString(sum[:8]), Domain: env.Domain, Text: text,
				Source: AgentSource, Time: env.Now, Confidence: a.Confidence,
			}
			if a.Replaces == m.ID {
				return Failed(agent.ContractViolation, "a memory cannot replace itself")
			}
			if a.Replaces != "" {
				if res, ok := env.retract(a.Replaces, "replaced by "+m.ID); !ok {
					return res
				}
				m.Source = AgentSource + "; replaces " + a.Replaces
			}
			delete(env.Retracted, m.ID) // adding a memory again undoes its retraction
			if slices.ContainsFunc(env.Facts, func(f agent.Memory) bool { return f.ID == m.ID }) {
				return OK("already known as " + m.ID)
			}
			env.Facts = append(env.Facts, m)
			env.added++
			return OK("remembered as " + m.ID)
		}))
}

type memoryRetractArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Undo   bool   `json:"undo"`
}

func memoryRetract() Tool {
	return with(Remember, define("memory_retract",
		"Mark a memory by its id as not to be recalled in this session, with a reason; undo takes the mark away. Nothing is deleted, and nothing outside the session changes.",
		`{"type":"object","required":["id","reason"],"additionalProperties":false,"properties":{"id":{"type":"string","minLength":1,"maxLength":200},"reason":{"type":"string","minLength":1,"maxLength":2000},"undo":{"type":"boolean"}}}`,
		Available, nil,
		func(_ context.Context, env *Env, a memoryRetractArgs) Result {
			if a.Undo {
				if _, ok := env.Retracted[a.ID]; !ok {
					return Failed(agent.Execution, "the memory is not retracted in this session")
				}
				delete(env.Retracted, a.ID)
				return OK("holds again: " + a.ID)
			}
			reason := strings.TrimSpace(a.Reason)
			if reason == "" || utf8.RuneCountInString(reason) > maxReason {
				return Failed(agent.ContractViolation, "a reason must have between 1 and %d characters", maxReason)
			}
			if res, ok := env.retract(a.ID, reason); !ok {
				return res
			}
			return OK("retracted for this session: " + a.ID)
		}))
}

// retract marks a memory as retracted. If that is impossible, it returns false and a result
// that states the reason.
func (e *Env) retract(id, reason string) (Result, bool) {
	if _, known := e.Retracted[id]; !known && len(e.Retracted) >= maxRetracted {
		return Failed(agent.BudgetExceeded, "a session can retract at most %d memories", maxRetracted), false
	}
	if e.Retracted == nil {
		e.Retracted = map[string]string{}
	}
	e.Retracted[id] = reason
	return Result{}, true
}
