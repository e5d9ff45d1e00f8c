package clitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// fakeQuestion holds the parts of a request that behaviours use, whatever the protocol.
type fakeQuestion struct {
	model       string
	temperature float64
	system      string
	goal        string   // the text after "Goal:"
	data        []string // lines of data in user messages
	results     []string // tool outputs since the goal, oldest first
	rounds      int      // replies with calls since the goal
	tools       map[string]bool
	nth         int    // the index of the request for this model, from 1
	key         string // the API key of the request
}

// strictly decodes JSON and returns an error for unknown fields.
func strictly(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// takeGoal extracts the goal from a user message.
func (q *fakeQuestion) takeGoal(text string) {
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			q.data = append(q.data, data)
		}
	}
	if _, goal, ok := strings.Cut("\n"+text, "\nGoal:\n"); ok {
		q.goal, q.results, q.rounds = goal, nil, 0
	}
}

// found adds a tool result, after removing the JSON in which the runtime wraps it.
func (q *fakeQuestion) found(text string) error {
	var r struct{ Outcome, Output string }
	if err := strictly([]byte(text), &r); err != nil {
		return fmt.Errorf("a result is not wrapped: %w", err)
	}
	q.results = append(q.results, r.Output)
	return nil
}

func readOpenAI(body []byte) (fakeQuestion, error) {
	var r struct {
		Model               string
		Temperature         float64
		Seed                int64
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		Messages            []struct {
			Role, Content string
			ToolCallID    string `json:"tool_call_id"`
			ToolCalls     []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        struct{ Type string }
			}
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return fakeQuestion{}, err
	}
	q := fakeQuestion{model: r.Model, temperature: r.Temperature, tools: map[string]bool{}}
	if err := known(body, "model", "temperature", "seed", "max_tokens", "max_completion_tokens", "messages", "tools", "stream", "response_format"); err != nil {
		return q, err
	}
	for _, t := range r.Tools {
		if t.Type != "function" || q.tools[t.Function.Name] || t.Function.Parameters.Type != "object" {
			return q, fmt.Errorf("tool %q", t.Function.Name)
		}
		q.tools[t.Function.Name] = true
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return q, fmt.Errorf("message %d: calls without results: %v", i, open)
		}
		switch m.Role {
		case "system":
			q.system += m.Content
		case "user":
			q.takeGoal(m.Content)
		case "assistant":
			for _, c := range m.ToolCalls {
				var object map[string]any
				if json.Unmarshal([]byte(c.Function.Arguments), &object) != nil || c.ID == "" {
					return q, fmt.Errorf("message %d: the arguments are not an object", i)
				}
				open[c.ID] = true
			}
			if len(m.ToolCalls) > 0 {
				q.rounds++
			}
		case "tool":
			if !open[m.ToolCallID] {
				return q, fmt.Errorf("message %d: a result without its call", i)
			}
			delete(open, m.ToolCallID)
			if err := q.found(m.Content); err != nil {
				return q, fmt.Errorf("message %d: %w", i, err)
			}
		default:
			return q, fmt.Errorf("message %d: role %q", i, m.Role)
		}
	}
	if len(open) > 0 || len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role == "assistant" {
		return q, fmt.Errorf("the conversation ends without a question")
	}
	return q, nil
}

func readAnthropic(body []byte) (fakeQuestion, error) {
	type text struct{ Type, Text string }
	var r struct {
		Model       string
		Temperature float64
		MaxTokens   int `json:"max_tokens"`
		System      []text
		Messages    []struct {
			Role    string
			Content []struct {
				Type, Text, ID, Name string
				Input                map[string]any
				ToolUseID            string `json:"tool_use_id"`
				Content              []text
			}
		}
		Tools []struct {
			Name   string
			Schema struct{ Type string } `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return fakeQuestion{}, err
	}
	q := fakeQuestion{model: r.Model, temperature: r.Temperature, tools: map[string]bool{}}
	if err := known(body, "model", "temperature", "max_tokens", "system", "messages", "tools", "tool_choice"); err != nil {
		return q, err
	}
	if r.MaxTokens < 1 {
		return q, fmt.Errorf("max_tokens: field required")
	}
	for _, s := range r.System {
		q.system += s.Text
	}
	for _, t := range r.Tools {
		if q.tools[t.Name] || t.Schema.Type != "object" {
			return q, fmt.Errorf("tool %q", t.Name)
		}
		q.tools[t.Name] = true
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return q, fmt.Errorf("messages.%d: the role is %s, not %s", i, m.Role, want)
		}
		next := map[string]bool{}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				if m.Role == "user" {
					q.takeGoal(b.Text)
				}
			case "tool_use":
				next[b.ID] = true
			case "tool_result":
				if !open[b.ToolUseID] || len(b.Content) != 1 {
					return q, fmt.Errorf("messages.%d: a result without its call", i)
				}
				delete(open, b.ToolUseID)
				if err := q.found(b.Content[0].Text); err != nil {
					return q, fmt.Errorf("messages.%d: %w", i, err)
				}
			default:
				return q, fmt.Errorf("messages.%d: a block of type %q", i, b.Type)
			}
		}
		if len(open) > 0 {
			return q, fmt.Errorf("messages.%d: calls without results: %v", i, open)
		}
		if open = next; len(next) > 0 {
			q.rounds++
		}
	}
	if len(r.Messages)%2 == 0 {
		return q, fmt.Errorf("the conversation ends without a question")
	}
	return q, nil
}

// known returns an error for a field that the protocol does not have.
func known(body []byte, names ...string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	for _, n := range names {
		delete(fields, n)
	}
	for n := range fields {
		return fmt.Errorf("unknown field %s", n)
	}
	return nil
}
