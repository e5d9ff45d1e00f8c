package agent

import (
	"encoding/json"
	"strings"
)

// TextUse is how an agent uses a text parameter. It determines which changes a search makes
// to the text.
type TextUse string

// The uses of a text.
const (
	// Instruction is free text that the agent reads as instructions. It is the zero value.
	Instruction TextUse = ""
	// Demonstrations is a list of solved tasks in the form of [FormatDemonstrations]. A
	// search adds, drops and exchanges whole demonstrations, taken from search tasks that
	// the agent solved.
	Demonstrations TextUse = "demonstrations"
	// Code is the text of a marked block of source code.
	Code TextUse = "code"
)

// Demonstration is a solved task that a prompt shows as an example.
type Demonstration struct {
	Task   string `json:"task"`
	Answer string `json:"answer"`
}

// FormatDemonstrations returns demonstrations as text. Each line is a JSON object with the
// keys task and answer. A task or answer that contains line breaks is also written on one
// line.
func FormatDemonstrations(list []Demonstration) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, d := range list {
		_ = enc.Encode(d) // two strings can always be encoded and written to a builder
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ParseDemonstrations returns the demonstrations in a text, and reports whether every line
// that is not blank is a demonstration. It is the inverse of [FormatDemonstrations].
func ParseDemonstrations(text string) ([]Demonstration, bool) {
	var list []Demonstration
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		var d Demonstration
		if err := dec.Decode(&d); err != nil || dec.More() || d.Task == "" {
			return nil, false
		}
		list = append(list, d)
	}
	return list, true
}
