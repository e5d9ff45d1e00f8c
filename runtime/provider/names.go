package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// maxName is the longest name of a tool that all providers accept, in bytes.
const maxName = 64

var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// names maps the tools' names to those that fit the pattern of the providers, and back.
type names struct {
	to, from map[string]string
}

// wire returns the name of a tool for the provider.
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

// real returns the tool for a name that a provider used; one that was never offered is
// unchanged.
func (n *names) real(wire string) string {
	if name, ok := n.from[wire]; ok {
		return name
	}
	return wire
}

// callID returns the id of the i-th call of a conversation. The ids from providers are
// foreign text, sometimes missing or duplicate, and not needed. Nine letters and digits
// suit all providers.
func callID(i int) string { return fmt.Sprintf("call%05d", i) }

// object returns text as a JSON object: itself if it is one, otherwise an object that
// contains it. Providers accept only objects as the arguments of a call.
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

// schema returns the schema of an object: itself if it is one, otherwise that of any.
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
