package bench

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decoded returns the node as the standard decoder would decode it. If keys are equal, the
// last one counts.
func (n jsonNode) decoded(t *testing.T, line []byte) any {
	first := map[byte]string{'{': "{", '[': "[", '"': `"`, '0': "-0123456789", 't': "tf", 'n': "n"}[n.kind]
	if bytes.IndexByte([]byte(first), line[n.off]) < 0 {
		t.Fatalf("a node of kind %c is said to stand at %q", n.kind, line[n.off:])
	}
	switch n.kind {
	case '{':
		m := map[string]any{}
		for _, member := range n.members {
			if line[member.off] != '"' {
				t.Fatalf("a key is said to stand at %q", line[member.off:])
			}
			m[member.key] = member.val.decoded(t, line)
		}
		return m
	case '[':
		list := []any{}
		for _, item := range n.items {
			list = append(list, item.decoded(t, line))
		}
		return list
	case '"':
		return n.text
	case '0':
		return json.Number(n.text)
	case 't':
		return line[n.off] == 't'
	}
	return nil
}

// FuzzParseJSON compares parseJSON with the standard decoder.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"a" : [1, -2.5e+3,true,false , null,"x\n\"\\\u00e9\ud800"], "":{} , "b":[]}`, ` 1 `, `"\\"`, `[[],{}]`, `{`, ``, `[1,]`, `{"a":1,"a":{"b":2}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		n, bad := parseJSON(line)
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var want any
		valid := dec.Decode(&want) == nil && json.Valid(line)
		if valid != (bad == nil) {
			t.Fatalf("%q: %v", line, bad)
		}
		if bad != nil {
			if bad.off < 0 || bad.off > len(line) || bad.text == "" {
				t.Fatalf("%q: %+v", line, bad)
			}
			return
		}
		if InvalidUTF8(line) >= 0 {
			return // refused before parsing
		}
		if d := cmp.Diff(want, n.decoded(t, line)); d != "" {
			t.Fatalf("%q: %s", line, d)
		}
	})
}
