package provider

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Bounds on the data of a request, in bytes of one text and in paths.
const (
	maxText  = 256 << 10
	maxPaths = 500
)

// datum is foreign text in a message. It is written as one line of JSON, and JSON has
// no line break inside, so that no text can end its own line and speak outside of it.
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
	More       int      `json:"more,omitempty"` // names left out
}

func (d datum) line() string {
	d.Text, d.Answer = memory.Cut(d.Text, maxText), memory.Cut(d.Answer, maxText)
	return "data: " + string(encode(d))
}

// lines joins data, one to a line.
func lines(all []datum) string {
	out := make([]string, len(all))
	for i, d := range all {
		out[i] = d.line()
	}
	return strings.Join(out, "\n")
}

// listed is a datum with names, at most so many.
func listed(kind string, all []string) datum {
	n := min(len(all), maxPaths)
	return datum{Kind: kind, Names: all[:n], More: len(all) - n}
}

func remembered(h memory.Hit) datum {
	m := h.Memory
	d := datum{Kind: "memory", ID: m.ID, Text: m.Text, Answer: m.Answer, Confidence: m.Confidence}
	if strings.HasPrefix(m.Source, "agent") { // added by memory_add, in this turn or an earlier one
		d.From = "agent"
	}
	if !m.Time.IsZero() {
		d.Time = m.Time.UTC().Format(time.DateOnly)
	}
	return d
}

// result is what a model sees of a call.
type result struct {
	Outcome agent.Outcome `json:"outcome"`
	Output  string        `json:"output"`
}

// encode is JSON on one line: no sign of HTML is escaped, but every line break is,
// U+0085 included. The types that are encoded here always have JSON.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return json.RawMessage("{}")
	}
	return bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\u0085"), []byte(`\u0085`))
}
