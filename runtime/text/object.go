package text

import (
	"bytes"
	"encoding/json"
	"slices"
)

// RepeatedKey returns the first key that occurs twice in a JSON object, where same
// decides which keys are equal. The standard decoder uses the last of two members, so
// untrusted text with both "true" and "false" would otherwise be accepted. Nested objects
// are not searched. RepeatedKey returns false for anything but a valid object.
func RepeatedKey(object []byte, same func(a, b string) bool) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return "", false
	}
	var seen []string
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return "", false
		}
		if slices.ContainsFunc(seen, func(k string) bool { return same(k, key) }) {
			return key, true
		}
		seen = append(seen, key)
	}
	return "", false
}
