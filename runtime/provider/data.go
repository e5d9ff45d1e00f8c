package provider

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	foreign "evolve/runtime/text"
	"evolve/runtime/tool"
)

// Bounds on the data of a request, in bytes of one text and in paths.
const (
	maxText  = 256 << 10
	maxPaths = 500
	maxAbout = 120 // of the description of a tool that is not active
)

// dataMark begins a line of data.
const dataMark = "data: "

// datum is foreign text in a message. It is written as one line of JSON, which contains
// no line break, so that no text can end its line and pass for another part.
type datum struct {
	Kind       string   `json:"kind"`
	ID         string   `json:"id,omitempty"`
	Time       string   `json:"time,omitempty"`
	From       string   `json:"from,omitempty"`
	Key        string   `json:"key,omitempty"`
	Goal       string   `json:"goal,omitempty"`
	Text       string   `json:"text,omitempty"`
	Answer     string   `json:"answer,omitempty"`
	Confidence float64  `json:"confidence,omitempty"`
	Unsure     bool     `json:"unsure,omitempty"`
	Names      []string `json:"names,omitempty"`
	More       int      `json:"more,omitempty"` // number of names left out
}

func (d datum) line() string {
	d.Text, d.Answer = memory.Cut(d.Text, maxText), memory.Cut(d.Answer, maxText)
	return dataMark + string(encode(d))
}

// lines returns the data, one to a line.
func lines(all []datum) string {
	out := make([]string, len(all))
	for i, d := range all {
		out[i] = d.line()
	}
	return strings.Join(out, "\n")
}

// listed returns a datum with at most maxPaths names.
func listed(kind string, all []string) datum {
	n := min(len(all), maxPaths)
	return datum{Kind: kind, Names: all[:n], More: len(all) - n}
}

// enableable returns a datum with the tools that enable_tool could activate, each with
// the beginning of its description.
func enableable(req *model.Request) datum {
	names := make([]string, len(req.Inactive))
	for i, s := range req.Inactive {
		names[i] = s.Name
		if about := foreign.OneLine(s.Description); about != "" {
			names[i] += ": " + foreign.Clip(about, maxAbout)
		}
	}
	d := listed("tools_to_enable", names)
	d.More += req.Unlisted
	return d
}

func remembered(h memory.Hit) datum {
	m := h.Memory
	d := datum{Kind: "memory", ID: m.ID, Text: m.Text, Answer: m.Answer, Confidence: m.Confidence}
	if strings.HasPrefix(m.Source, tool.AgentSource) { // added by memory_add, in this turn or an earlier one
		d.From = "agent"
	}
	if !m.Time.IsZero() {
		d.Time = m.Time.UTC().Format(time.DateOnly)
	}
	return d
}

// result is the model's view of a call's result.
type result struct {
	Outcome agent.Outcome `json:"outcome"`
	Output  string        `json:"output"`
}

// encode returns JSON on one line: HTML characters are not escaped, but every line
// break is, U+0085 included. The types that are encoded here can always be encoded.
func encode(v any) json.RawMessage {
	out, err := foreign.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return bytes.ReplaceAll(out, []byte("\u0085"), []byte(`\u0085`))
}
