package text

import (
	"bytes"
	"encoding/json"
	"slices"
)

// RepeatedKey returns the first key that a JSON object has twice by the comparison same.
// The standard decoder takes the last of two members, so that foreign text with both "true"
// and "false" would count. Objects within the object are not searched. It returns false for
// anything but a valid object.
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
