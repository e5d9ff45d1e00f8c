package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplace(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct {
		list []Replacement
		base tree
		want []File
	}{
		"one place": {
			[]Replacement{{"f", "four", "FOUR"}},
			tree{"f": song},
			[]File{{"f", []byte(song), []byte(songed)}},
		},
		"two places of a file, in any order, and another file": {
			[]Replacement{{"f", "c\n", "C\n"}, {"g", "x", ""}, {"f", "a\n", ""}},
			tree{"f": "a\nb\nc\n", "g": "x"},
			[]File{{"f", []byte("a\nb\nc\n"), []byte("b\nC\n")}, {"g", []byte("x"), []byte{}}},
		},
		"a new file":    {[]Replacement{{"n", "", "a"}}, tree{}, []File{{"n", nil, []byte("a")}}},
		"an empty one":  {[]Replacement{{"n", "", ""}}, tree{}, []File{{"n", nil, []byte{}}}},
		"an empty file": {[]Replacement{{"f", "", "a"}}, tree{"f": ""}, []File{{"f", []byte{}, []byte("a")}}},
		"LF in a CRLF file": {
			[]Replacement{{"f", "four\nfive", "FOUR\nfive"}},
			tree{"f": crlf(song)},
			[]File{{"f", []byte(crlf(song)), []byte(crlf(songed))}},
		},
		"LF only in the new text, in a CRLF file": {
			[]Replacement{{"f", "a", "b\nc"}}, tree{"f": "a\r\n"}, []File{{"f", []byte("a\r\n"), []byte("b\r\nc\r\n")}},
		},
		"CRLF in an LF file": {
			[]Replacement{{"f", "four\r\nfive", "FOUR\r\nfive"}}, tree{"f": song}, []File{{"f", []byte(song), []byte(songed)}},
		},
		"endings changed by the pair": {
			[]Replacement{{"f", "a\r\n", "a\n"}}, tree{"f": "a\r\n"}, []File{{"f", []byte("a\r\n"), []byte("a\n")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Replace(c.list, c.base.base)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReplaceRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		list []Replacement
		base tree
		want Reason
	}{
		"nothing":             {nil, tree{}, Empty},
		"no change":           {[]Replacement{{"f", "four", "four"}}, tree{"f": song}, Empty},
		"missing":             {[]Replacement{{"f", "vier", "x"}}, tree{"f": song}, Missing},
		"twice":               {[]Replacement{{"f", "la la", "x"}}, tree{"f": refrain}, Ambiguous},
		"twice, overlapping":  {[]Replacement{{"f", "aba", "x"}}, tree{"f": "ababa"}, Ambiguous},
		"empty":               {[]Replacement{{"f", "", "x"}}, tree{"f": song}, Ambiguous},
		"absent":              {[]Replacement{{"g", "a", "x"}}, tree{"f": song}, Absent},
		"overlapping":         {[]Replacement{{"f", "one\ntwo", "x"}, {"f", "two\nthree", "y"}}, tree{"f": song}, Overlapping},
		"overlapping, before": {[]Replacement{{"f", "two\nthree", "y"}, {"f", "one\ntwo", "x"}}, tree{"f": song}, Overlapping},
		"the same":            {[]Replacement{{"f", "two", "y"}, {"f", "two", "y"}}, tree{"f": song}, Overlapping},
		"a new file twice":    {[]Replacement{{"n", "", "y"}, {"n", "", "x"}}, tree{}, Overlapping},
		"too large":           {[]Replacement{{"f", "two", strings.Repeat("x", MaxText)}}, tree{"f": song}, TooLarge},
		"too many":            {make([]Replacement, MaxFiles+1), tree{}, TooLarge},
		"a file too large":    {[]Replacement{{"f", "two", "x"}}, tree{"f": strings.Repeat("x", MaxFile+1)}, TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Replace(c.list, c.base.base)
			if reason(err) != c.want {
				t.Errorf("%v, %v; want %q", got, err, c.want)
			}
		})
	}
}
