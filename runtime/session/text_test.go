package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"One. Two! Three? four":         {"One.", "Two!", "Three?", "four"},
		"It is 4. Then 3.5 e.g. more":   {"It is 4.", "Then 3.5 e.g. more"},
		"1. First thing\n2. Second\n\n": {"1. First thing", "2. Second"},
		"Dr. J. Smith left. No. Yes":    {"Dr. J. Smith left.", "No.", "Yes"},
		"see a.go and v1.2.3":           {"see a.go and v1.2.3"},
	} {
		var got []string
		sentences(text, func(s string) bool {
			got = append(got, s)
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	n := 0
	sentences(strings.Repeat("a b. ", 50), func(string) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("%d sentences after being told to stop", n)
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		" two\r\n lines\t": "two lines", "a\x00b\u200bc\u202ed\ufeff\x7f": "abcd", "\xff\xfe": "", "naïve 日本": "naïve 日本",
		"a\u2028b\u00a0c": "a b c",
	} {
		if got := clean(text); got != want || clean(got) != got {
			t.Errorf("%q: %q", text, got)
		}
	}
}
