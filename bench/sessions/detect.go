package sessions

import "encoding/json"

// Format is the format of a log.
type Format string

// The formats.
const (
	// Own is the format of the turns in the archive, which are not read from a file.
	Own Format = "own"
	// OpenAI is JSON lines of chat messages, alone or as logged requests and responses.
	OpenAI Format = "openai"
	// Anthropic is JSON lines of messages with content blocks.
	Anthropic Format = "anthropic"
	// OTel is OTLP JSON of spans and log records with gen_ai attributes and events.
	OTel Format = "otel"
	// Inspect is a log of Inspect, as JSON or .eval.
	Inspect Format = "inspect"
	// Promptfoo is the JSON or JSON lines that promptfoo writes about an evaluation.
	Promptfoo Format = "promptfoo"
	// Tau is the format of tau-bench's simulations.
	Tau Format = "tau"
	// InterCode is a list of InterCode episodes: actions with observations and rewards.
	InterCode Format = "intercode"
	// Plain is JSON lines with user and assistant, or with role and content.
	Plain Format = "plain"
)

// Formats lists the formats of files.
func Formats() []Format {
	return []Format{OpenAI, Anthropic, OTel, Inspect, Promptfoo, Tau, InterCode, Plain}
}

// detect returns the format of a record, or "" if it is unknown.
func detect(rec record) Format {
	r := rec.fields
	switch rec.list {
	case "samples":
		return Inspect
	case "resourceSpans", "resourceLogs":
		return OTel
	case "simulations":
		return Tau
	case "results":
		return Promptfoo
	case episodeList:
		return InterCode
	}
	switch {
	case isEpisode(r):
		return InterCode
	case r.has("traj") || r.has("messages") && r.has("reward_info"):
		return Tau
	case r.has("gradingResult", "testCase", "promptIdx") && r.has("response"):
		return Promptfoo
	case len(r.list("messages")) > 0:
		if blocks(r.list("messages")) || r.has("stop_reason") {
			return Anthropic
		}
		return OpenAI
	case r.inner("request").has("messages"):
		if r.inner("response").has("content", "stop_reason") || blocks(r.inner("request").list("messages")) {
			return Anthropic
		}
		return OpenAI
	case r.has("user") && r.has("assistant"), r.has("role") && r.has("content"):
		return Plain
	}
	return ""
}

// blocks reports whether messages have Anthropic's content blocks: blocks for tools or
// thinking, or answers that consist of blocks.
func blocks(messages []json.RawMessage) bool {
	for _, raw := range messages {
		var m struct {
			Role    string `json:"role"`
			Content []struct {
				Type string `json:"type"`
			} `json:"content"`
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		for _, block := range m.Content {
			switch block.Type {
			case "tool_use", "tool_result", "thinking", "redacted_thinking":
				return true
			case "text":
				if m.Role == "assistant" {
					return true
				}
			}
		}
	}
	return false
}
