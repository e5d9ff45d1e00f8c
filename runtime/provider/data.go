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

// Limits on the data in a request: the length of one text in bytes, the number of names in
// a list, and the length of the description of an inactive tool.
const (
	maxText  = 256 << 10
	maxPaths = 500
	maxAbout = 120 // of the description of an inactive tool
)

// dataMark begins a line of data.
const dataMark = "data: "

// datum is untrusted text in a message. It is written as JSON on one line, without line
// breaks, so no text can end its line and pass for another part of the message.
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

// lines returns the data, one datum per line.
func lines(all []datum) string {
	out := make([]string, len(all))
	for i, d := range all {
		out[i] = d.line()
	}
	return strings.Join(out, "\n")
}

// listed returns a datum that lists the first maxPaths of the given names and the number of
// the others.
func listed(kind string, all []string) datum {
	n := min(len(all), maxPaths)
	return datum{Kind: kind, Names: all[:n], More: len(all) - n}
}

// enableable returns a datum that lists the tools that enable_tool could activate, each
// with the beginning of its description.
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

// result is the result of a call as the model sees it.
type result struct {
	Outcome agent.Outcome `json:"outcome"`
	Output  string        `json:"output"`
}

// encode returns JSON on one line. It does not escape HTML characters but escapes every
// line break, including U+0085. The types that are encoded here can always be encoded.
func encode(v any) json.RawMessage {
	out, err := foreign.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return bytes.ReplaceAll(out, []byte("\u0085"), []byte(`\u0085`))
}
