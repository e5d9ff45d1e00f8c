package tool

import (
	"context"
	"time"
	"unicode/utf8"

	"evolve/runtime/agent"
)

type memorySearchArgs struct {
	Query string `json:"query"`
}

// Remembered is one entry in the result of memory_search, which is a JSON array.
type Remembered struct {
	ID     string    `json:"id"`
	Text   string    `json:"text"`
	Answer string    `json:"answer,omitempty"`
	Source string    `json:"source,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Score  float64   `json:"score"`
}

func memorySearch() Tool {
	return define("memory_search",
		"What the memory holds on a subject, as widely as when a goal refers to the past.",
		`{"type":"object","required":["query"],"additionalProperties":false,"properties":{"query":{"type":"string","minLength":1,"maxLength":2000}}}`,
		Essential, []string{"research", "marketing"},
		func(ctx context.Context, env *Env, a memorySearchArgs) Result {
			if env.Recall == nil {
				return Failed(agent.Execution, "there is no memory")
			}
			found := []Remembered{}
			for _, h := range env.Recall(ctx, a.Query, true) {
				m := h.Memory
				found = append(found, Remembered{
					ID: m.ID, Text: m.Text, Answer: m.Answer, Source: m.Source, Time: m.Time, Score: h.Score,
				})
			}
			return asJSON(found)
		})
}

type noteArgs struct {
	Text string `json:"text"`
}

func note() Tool {
	return define("note",
		"Keep a note of at most 500 characters for the rest of the session.",
		`{"type":"object","required":["text"],"additionalProperties":false,"properties":{"text":{"type":"string","minLength":1,"maxLength":4000}}}`,
		Essential, nil,
		func(_ context.Context, env *Env, a noteArgs) Result {
			switch {
			case utf8.RuneCountInString(a.Text) > maxNote:
				return Failed(agent.ContractViolation, "a note can have at most %d characters", maxNote)
			case len(env.Notes) >= maxNotes:
				return Failed(agent.BudgetExceeded, "a session can have at most %d notes", maxNotes)
			}
			env.Notes = append(env.Notes, a.Text)
			return OK("noted")
		})
}

type enableToolArgs struct {
	Name  string `json:"name"`
	Query string `json:"query"`
}

func enableTool() Tool {
	return define("enable_tool",
		"Activate a tool that is available but not active: by its name, or those that fit a query best.",
		`{"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":false,"properties":{"name":{"type":"string","minLength":1,"maxLength":64},"query":{"type":"string","minLength":1,"maxLength":300}}}`,
		Essential, nil,
		func(_ context.Context, env *Env, a enableToolArgs) Result {
			if env.Enable == nil {
				return Failed(agent.Denied, "no tool can be activated here")
			}
			if a.Query != "" && env.Find != nil {
				return env.Find(a.Query)
			}
			return env.Enable(a.Name)
		})
}
