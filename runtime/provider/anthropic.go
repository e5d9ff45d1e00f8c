package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"evolve/runtime/model"
)

// anthropicClient uses the Messages API.
type anthropicClient struct {
	exchanger
	quirks quirks
}

func newAnthropic(e Endpoint, scrub func(string) string) *anthropicClient {
	return &anthropicClient{exchanger: newExchanger(e, scrub)}
}

// anthropicBody is the body of a request.
type anthropicBody struct {
	MaxTokens   int                `json:"max_tokens"`
	Messages    []anthropicMessage `json:"messages"`
	Model       string             `json:"model"`
	Temperature *float64           `json:"temperature,omitempty"`
	System      []anthropicBlock   `json:"system,omitempty"`
	ToolChoice  *anthropicType     `json:"tool_choice,omitempty"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
}

type anthropicMessage struct {
	Content []anthropicBlock `json:"content"`
	Role    Role             `json:"role"`
}

// anthropicBlock is a text, a tool call or the result of a tool call, in a request or a
// response.
type anthropicBlock struct {
	ID           string           `json:"id,omitempty"`
	Input        json.RawMessage  `json:"input,omitempty"`
	ToolUseID    string           `json:"tool_use_id,omitempty"`
	IsError      *bool            `json:"is_error,omitempty"`
	Content      []anthropicBlock `json:"content,omitempty"`
	Text         string           `json:"text,omitempty"`
	Name         string           `json:"name,omitempty"`
	CacheControl *anthropicType   `json:"cache_control,omitempty"`
	Type         string           `json:"type"`
}

type anthropicTool struct {
	InputSchema json.RawMessage `json:"input_schema"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
}

type anthropicType struct {
	Type string `json:"type"`
}

// anthropicReply is the body of a response.
type anthropicReply struct {
	Content    []anthropicBlock `json:"content"`
	StopReason string           `json:"stop_reason"`
	Usage      struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Cached  int64 `json:"cache_read_input_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// ask sends the question. If the model refuses the temperature, ask sends the question
// again without it.
func (c *anthropicClient) ask(ctx context.Context, q question) (answer, error) {
	for known := c.quirks.get(q.model); ; {
		x := c.exchange()
		err := c.post(ctx, x, anthropicRequest(q, known))
		if err == nil && x.ok() {
			var a answer
			if a, err = anthropicAnswer(x.body); err == nil {
				c.quirks.learn(q.model, known)
				a.notes, a.untempered = known.notes(q), known.untempers(q)
				return a, nil
			}
		}
		f := c.fault(ctx, x, err)
		if f.Trouble != Rejected || refused(complaintOf(x.body)) != noTemperature || known&noTemperature != 0 {
			return answer{}, f
		}
		known |= noTemperature
	}
}

// post sends a request. Afterwards, x holds the response.
func (c *anthropicClient) post(ctx context.Context, x *exchange, body anthropicBody) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint.BaseURL+"/v1/messages", bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	if c.endpoint.Key != "" {
		req.Header.Set("X-Api-Key", c.endpoint.Key)
	}
	resp, err := x.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func anthropicRequest(q question, known quirk) anthropicBody {
	r := anthropicBody{Model: q.model, MaxTokens: q.maxTokens}
	if q.temperature != nil && known&noTemperature == 0 {
		r.Temperature = new(min(*q.temperature, 1))
	}
	for _, b := range q.chat.System {
		r.System = append(r.System, anthropicBlock{Type: "text", Text: b.Text})
	}
	if last := len(r.System) - 1; last >= 0 {
		r.System[last].CacheControl = &anthropicType{"ephemeral"}
	}
	for _, m := range q.chat.Messages {
		r.Messages = append(r.Messages, anthropicTurn(m))
	}
	for _, t := range q.chat.Tools {
		r.Tools = append(r.Tools, anthropicTool{InputSchema: t.Schema, Name: t.Name, Description: t.Description})
	}
	if q.chat.Final && len(r.Tools) > 0 {
		r.ToolChoice = &anthropicType{"none"}
	}
	return r
}

func anthropicTurn(m Message) anthropicMessage {
	out := anthropicMessage{Role: m.Role}
	for _, r := range m.Results {
		out.Content = append(out.Content, anthropicBlock{
			Type: "tool_result", ToolUseID: r.ID, IsError: &r.Failed, Content: []anthropicBlock{{Type: "text", Text: r.Text}},
		})
	}
	if m.Text != "" {
		out.Content = append(out.Content, anthropicBlock{Type: "text", Text: m.Text})
	}
	for _, call := range m.Calls {
		out.Content = append(out.Content, anthropicBlock{Type: "tool_use", ID: call.ID, Name: call.Tool, Input: call.Arguments})
	}
	return out
}

func anthropicAnswer(body []byte) (answer, error) {
	var r anthropicReply
	// A member of the wrong type counts as missing.
	if err := json.Unmarshal(body, &r); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return answer{}, err
	}
	if r.StopReason == "" && len(r.Content) == 0 {
		return answer{}, errors.New("it is not a message")
	}
	a := answer{stop: model.StopEnd}
	var texts []string
	for _, b := range r.Content {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_use":
			a.calls = append(a.calls, reported{b.Name, b.Input})
		}
	}
	a.text = strings.Join(texts, "")
	switch {
	case r.StopReason == "refusal":
		a.stop = model.StopRefusal
	case r.StopReason == "max_tokens", r.StopReason == "model_context_window_exceeded":
		a.stop = model.StopLength
	case len(a.calls) > 0:
		a.stop = model.StopCalls
	}
	u := r.Usage
	// The provider's input count excludes cached tokens.
	cached, written := bounded(u.Cached), bounded(u.Written)
	a.usage = usage{
		input: bounded(u.Input) + cached + written, cached: cached, written: written, output: u.Output,
	}.sane()
	return a, nil
}
