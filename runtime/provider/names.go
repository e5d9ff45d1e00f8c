package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// maxName is the longest name of a tool that all providers take, in bytes.
const maxName = 64

var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// names maps the tools' names to those that fit the pattern of the providers, and back.
type names struct {
	to, from map[string]string
}

// wire is the name under which a provider hears of a tool.
func (n *names) wire(name string) string {
	if w, ok := n.to[name]; ok {
		return w
	}
	if n.to == nil {
		n.to, n.from = map[string]string{}, map[string]string{}
	}
	base := unfit.ReplaceAllString(name, "_")
	if base == "" {
		base = "unnamed"
	}
	w := base[:min(len(base), maxName)]
	for i := 2; ; i++ {
		if _, taken := n.from[w]; !taken {
			break
		}
		suffix := fmt.Sprintf("_%d", i)
		w = base[:min(len(base), maxName-len(suffix))] + suffix
	}
	n.to[name], n.from[w] = w, name
	return w
}

// real is the tool behind a name that a provider used; one that was never offered
// stays as it is.
func (n *names) real(wire string) string {
	if name, ok := n.from[wire]; ok {
		return name
	}
	return wire
}

// callID names the i-th call of a conversation. The ids that a provider gives are
// foreign text, sometimes missing or the same for two calls; nothing needs them. Nine
// letters and digits suit all providers.
func callID(i int) string { return fmt.Sprintf("call%05d", i) }

// object is text as a JSON object: itself if it is one, otherwise an object that
// shows it. A provider takes nothing else for the arguments of a call.
func object(text string) json.RawMessage {
	trimmed := bytes.TrimSpace([]byte(text))
	if len(trimmed) == 0 {
		return json.RawMessage("{}")
	}
	if trimmed[0] == '{' {
		var out bytes.Buffer
		if json.Compact(&out, trimmed) == nil {
			return out.Bytes()
		}
	}
	return encode(struct {
		Malformed string `json:"malformed_arguments"`
	}{text})
}

// schema is the schema of an object: itself if it is one, otherwise that of any.
func schema(text json.RawMessage) json.RawMessage {
	var form struct {
		Type any `json:"type"`
	}
	var out bytes.Buffer
	if json.Unmarshal(text, &form) != nil || form.Type != "object" || json.Compact(&out, text) != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out.Bytes()
}
