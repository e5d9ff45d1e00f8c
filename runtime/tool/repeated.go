package tool

import (
	"bytes"
	"encoding/json"
)

// repeated returns the name of a member that occurs twice in the same object, at any depth
// of the arguments. Parsers differ in which of the two members they use: the checks here
// could read a harmless value, and a server the other one.
func repeated(args json.RawMessage) (string, bool) {
	type level struct {
		object bool
		// key reports whether the next token is a member's name in an object.
		key  bool
		seen map[string]bool
	}
	var open []level
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return "", false // the end; invalid JSON was already refused
		}
		top := len(open) - 1
		if top >= 0 && open[top].object && open[top].key {
			if name, ok := token.(string); ok {
				if open[top].seen[name] {
					return name, true
				}
				if open[top].seen == nil {
					open[top].seen = map[string]bool{}
				}
				open[top].seen[name], open[top].key = true, false
				continue
			}
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if top >= 0 {
				open[top].key = true
			}
			open = append(open, level{object: token == json.Delim('{'), key: true})
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
		default:
			if top >= 0 {
				open[top].key = true
			}
		}
	}
}
