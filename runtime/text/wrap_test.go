package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"   ", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 6, []string{"one", "two", "three"}},
		{"one  two", 8, []string{"one  two"}},
		{" one   two ", 5, []string{"one", "two"}},
		{"abcdefgh ij k", 4, []string{"abcd", "efgh", "ij k"}},
		{"a bcdefg", 4, []string{"a", "bcde", "fg"}},
		{"漢字漢字", 5, []string{"漢字", "漢字"}},
		{"漢字", 1, []string{"漢", "字"}},
		{"漢", 0, []string{"漢"}},
		{"e\u0301e\u0301", 1, []string{"e\u0301", "e\u0301"}},
	} {
		if diff := cmp.Diff(c.want, Wrap(c.s, c.width)); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", c.s, c.width, diff)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two  three 漢字e\u0301", 4)
	f.Fuzz(func(t *testing.T, s string, width int) {
		lines := Wrap(s, width)
		for _, l := range lines {
			_, first := utf8.DecodeRuneInString(l)
			if Width(l) > width && Width(l[first:]) > 0 {
				t.Fatalf("%q has %d cells, more than %d", l, Width(l), width)
			}
			if l != strings.Trim(l, " ") {
				t.Fatalf("%q has a space at an end", l)
			}
		}
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := without(strings.Join(lines, "")); got != without(s) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}
