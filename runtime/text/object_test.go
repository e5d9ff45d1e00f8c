package text

import (
	"strings"
	"testing"
)

func TestRepeatedKey(t *testing.T) {
	exact := func(a, b string) bool { return a == b }
	for _, c := range []struct {
		object        string
		exact, folded string
	}{
		{`{"a":1,"b":2}`, "", ""},
		{`{"a":1,"b":{"a":2,"a":3}}`, "", ""},
		{`{"a":1,"b":2,"a":1}`, "a", "a"},
		{`{"a":1,"\u0061":[2]}`, "a", "a"},
		{`{"a":1,"A":2}`, "", "A"},
		{`[{"a":1,"a":2}]`, "", ""},
		{`{"a":1,"b"`, "", ""},
		{``, "", ""},
	} {
		for want, same := range map[*string]func(a, b string) bool{&c.exact: exact, &c.folded: strings.EqualFold} {
			if got, ok := RepeatedKey([]byte(c.object), same); got != *want || ok != (*want != "") {
				t.Errorf("%s: %q, %v, want %q", c.object, got, ok, *want)
			}
		}
	}
}
