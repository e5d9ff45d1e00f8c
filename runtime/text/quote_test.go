package text

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                       `""`,
		"plain":                  `"plain"`,
		"a \"b\" \\ é":           `"a \"b\" \\ é"`,
		"a\n\t\x1b[31m\u202e":    `"a\n\t\x1b[31m\u202e"`,
		"\ufe0f\u2800\xff":       `"\ufe0f\u2800\xff"`,
		strings.Repeat("é", 60):  `"` + strings.Repeat("é", 60) + `"`,
		strings.Repeat("é", 100): `"` + strings.Repeat("é", 60) + `…"`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\n\u202e\xff\ufe0f")
	f.Fuzz(func(t *testing.T, s string) {
		got := Quote(s)
		for _, r := range got {
			if !Shown(r) {
				t.Fatalf("%U is in %s", r, got)
			}
		}
		back, err := strconv.Unquote(got)
		if err != nil || utf8.RuneCountInString(s) <= maxQuoted && back != s {
			t.Fatalf("%q is quoted as %s: %v", s, got, err)
		}
	})
}
