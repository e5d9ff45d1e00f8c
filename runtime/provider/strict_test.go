package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file describes the requests of the two protocols as the providers document them,
// with the rules that their servers enforce. A request that breaks one of these rules is
// answered with status 400.

var (
	wireName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	wireID   = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`) // as required by the strictest server
)

type openaiWire struct {
	Model               string   `json:"model"`
	Temperature         *float64 `json:"temperature"`
	MaxTokens           *int     `json:"max_tokens"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`
	Seed                *int64   `json:"seed"`
	Stream              bool     `json:"stream"`
	ReasoningEffort     string   `json:"reasoning_effort"`
	ResponseFormat      *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Messages []struct {
		Role       string  `json:"role"`
		Content    *string `json:"content"`
		ToolCallID string  `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func strictly(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func checkTool(name string, schema json.RawMessage) error {
	if !wireName.MatchString(name) {
		return fmt.Errorf("tool name %q", name)
	}
	var form struct{ Type string }
	if json.Unmarshal(schema, &form) != nil || form.Type != "object" {
		return fmt.Errorf("schema of %s is of no object: %s", name, schema)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", doc); err != nil {
		return err
	}
	_, err = c.Compile("tool.json")
	return err
}

func isObject(text string) bool {
	var v map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &v) == nil && v != nil
}

func checkOpenAI(body []byte) error {
	var r openaiWire
	if err := strictly(body, &r); err != nil {
		return err
	}
	if r.Model == "" || len(r.Messages) == 0 || r.Stream {
		return fmt.Errorf("no model, no messages, or a stream")
	}
	if (r.MaxTokens == nil) == (r.MaxCompletionTokens == nil) {
		return fmt.Errorf("max_tokens and max_completion_tokens: one of them")
	}
	names := map[string]bool{}
	for _, t := range r.Tools {
		if t.Type != "function" || names[t.Function.Name] {
			return fmt.Errorf("tool %q of type %q, or twice", t.Function.Name, t.Type)
		}
		names[t.Function.Name] = true
		if err := checkTool(t.Function.Name, t.Function.Parameters); err != nil {
			return err
		}
	}
	open, seen := map[string]bool{}, map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d: calls without results: %v", i, open)
		}
		switch m.Role {
		case "system":
			if i != 0 {
				return fmt.Errorf("message %d: a system message that is not the first", i)
			}
		case "user":
			if m.Content == nil || strings.TrimSpace(*m.Content) == "" {
				return fmt.Errorf("message %d: the user says nothing", i)
			}
		case "assistant":
			if m.Content == nil && len(m.ToolCalls) == 0 {
				return fmt.Errorf("message %d: neither content nor calls", i)
			}
			for _, c := range m.ToolCalls {
				if !wireID.MatchString(c.ID) || seen[c.ID] || c.Type != "function" || !wireName.MatchString(c.Function.Name) || !isObject(c.Function.Arguments) {
					return fmt.Errorf("message %d: bad call %+v", i, c)
				}
				seen[c.ID], open[c.ID] = true, true
			}
		case "tool":
			if !open[m.ToolCallID] || m.Content == nil {
				return fmt.Errorf("message %d: a result without its call", i)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("message %d: role %q", i, m.Role)
		}
	}
	if last := r.Messages[len(r.Messages)-1].Role; last != "user" && last != "tool" {
		return fmt.Errorf("the last message is the %s's", last)
	}
	return nil
}

type cacheWire struct {
	Type string `json:"type"`
}

type anthropicWire struct {
	Model       string   `json:"model"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	System      []struct {
		Type         string     `json:"type"`
		Text         string     `json:"text"`
		CacheControl *cacheWire `json:"cache_control"`
	} `json:"system"`
	Messages []struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
}

type textWire struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type useWire struct {
	Type  string                     `json:"type"`
	ID    string                     `json:"id"`
	Name  string                     `json:"name"`
	Input map[string]json.RawMessage `json:"input"`
}

type resultWire struct {
	Type      string     `json:"type"`
	ToolUseID string     `json:"tool_use_id"`
	Content   []textWire `json:"content"`
	IsError   bool       `json:"is_error"`
}

func checkAnthropic(body []byte) error {
	var r anthropicWire
	if err := strictly(body, &r); err != nil {
		return err
	}
	switch {
	case r.Model == "":
		return fmt.Errorf("model: field required")
	case r.MaxTokens < 1:
		return fmt.Errorf("max_tokens: field required")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		return fmt.Errorf("temperature: range: 0..1")
	case r.ToolChoice != nil && len(r.Tools) == 0:
		return fmt.Errorf("tool_choice may only be specified while providing tools")
	}
	for _, b := range r.System {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" || b.CacheControl != nil && b.CacheControl.Type != "ephemeral" {
			return fmt.Errorf("bad system block %+v", b)
		}
	}
	for _, t := range r.Tools {
		if err := checkTool(t.Name, t.InputSchema); err != nil {
			return err
		}
	}
	var open map[string]bool
	seen := map[string]bool{}
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("messages.%d: role %s, want %s: roles must alternate", i, m.Role, want)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("messages.%d: no content", i)
		}
		next := map[string]bool{}
		text := false
		for _, raw := range m.Content {
			var kind struct{ Type string }
			if err := json.Unmarshal(raw, &kind); err != nil {
				return err
			}
			switch kind.Type {
			case "text":
				var b textWire
				if err := strictly(raw, &b); err != nil || strings.TrimSpace(b.Text) == "" {
					return fmt.Errorf("messages.%d: bad text %s", i, raw)
				}
				text = true
			case "tool_use":
				var b useWire
				if err := strictly(raw, &b); err != nil || m.Role != "assistant" || b.Input == nil || seen[b.ID] || !wireName.MatchString(b.Name) {
					return fmt.Errorf("messages.%d: bad tool_use %s", i, raw)
				}
				seen[b.ID], next[b.ID] = true, true
			case "tool_result":
				var b resultWire
				if err := strictly(raw, &b); err != nil || m.Role != "user" || text || !open[b.ToolUseID] || len(b.Content) == 0 {
					return fmt.Errorf("messages.%d: bad tool_result %s", i, raw)
				}
				delete(open, b.ToolUseID)
			default:
				return fmt.Errorf("messages.%d: block of type %q", i, kind.Type)
			}
		}
		if len(open) > 0 {
			return fmt.Errorf("messages.%d: tool_use without tool_result: %v", i, open)
		}
		open = next
	}
	switch {
	case len(r.Messages)%2 == 0:
		return fmt.Errorf("this model does not support prefill")
	case len(seen) > 0 && len(r.Tools) == 0:
		return fmt.Errorf("requests with tool_use blocks must define tools")
	}
	return nil
}
