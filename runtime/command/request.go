package command

import (
	"encoding/json"
	"fmt"
	"time"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// request is the line that a program reads. All keys except feedback are always present; a
// missing limit is null.
type request struct {
	ID      string          `json:"id"`
	Task    task            `json:"task"`
	Config  json.RawMessage `json:"config"`
	Seed    int64           `json:"seed"`
	Limits  limits          `json:"limits"`
	Workdir string          `json:"workdir"`
	// Feedback is omitted if there is none.
	Feedback []agent.Feedback `json:"feedback,omitempty"`
}

type task struct {
	ID       string          `json:"id"`
	Domain   string          `json:"domain"`
	Goal     string          `json:"goal"`
	Messages []agent.Message `json:"messages"`
	Input    json.RawMessage `json:"input"`
	Files    []string        `json:"files"`
}

type limits struct {
	TimeoutS   float64  `json:"timeout_s"`
	MaxCostUSD *float64 `json:"max_cost_usd"`
}

// encode returns the request as one line.
func encode(req agent.Request, timeout time.Duration) ([]byte, error) {
	r := request{
		ID: req.ID,
		Task: task{
			ID: req.Task.ID, Domain: req.Task.Domain, Goal: req.Task.Goal,
			Messages: req.Task.Messages, Input: req.Task.Input, Files: req.Task.Files,
		},
		Seed: req.Seed, Limits: limits{TimeoutS: timeout.Seconds()}, Workdir: req.Workdir, Feedback: req.Feedback,
	}
	if r.Task.Messages == nil {
		r.Task.Messages = []agent.Message{}
	}
	if r.Task.Files == nil {
		r.Task.Files = []string{}
	}
	if len(r.Task.Input) == 0 {
		r.Task.Input = json.RawMessage("null")
	}
	if req.Limits.MaxCostUSD > 0 {
		r.Limits.MaxCostUSD = &req.Limits.MaxCostUSD
	}
	config, err := req.Config.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encoding the config: %w", err)
	}
	r.Config = config
	line, err := foreign.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return append(line, '\n'), nil
}
