package reports

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, ü and 字":       "plain text, ü and 字",
		"\x1b[31mred":               `\x1b[31mred`,
		"a\nb\tc\rd\x00":            `a\nb\tc\rd\x00`,
		"\u009b1m":                  `\x9b1m`,
		"\u202etxt":                 `\u202etxt`,
		"\U000e0041":                `\U000e0041`,
		"\xff":                      `\xff`,
		"no\u00a0break":             `no\xa0break`,
		"\u3164":                    `\u3164`,
		"e\u0301\u0302\u0303\u0304": "e\u0301\u0302\u0303" + `\u0304`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "n")
		got := clip(s, n)
		if got == s {
			return
		}
		if utf8.RuneCountInString(got) != n || !strings.HasPrefix(s, strings.TrimSuffix(got, ellipsis)) || utf8.RuneCountInString(s) <= n {
			t.Fatalf("clip(%q, %d) is %q", s, n, got)
		}
	})
}

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z字ü]{1,12}`)).Draw(t, "words")
		width := rapid.IntRange(2, 30).Draw(t, "width")
		var all strings.Builder
		for _, l := range wrap(say(strings.Join(words, " ")), width) {
			if l.width() > width {
				t.Fatalf("%q is wider than %d", l.raw(), width)
			}
			all.WriteString(strings.ReplaceAll(l.raw(), " ", ""))
		}
		if all.String() != strings.Join(words, "") {
			t.Fatalf("%q became %q", words, all.String())
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{score(.6124), ".612"},
		{score(1), "1.000"},
		{score(0), ".000"},
		{score(-.25), "−.250"},
		{points(.0821), "+8.2"},
		{points(-.004), "−0.4"},
		{points(0), "0.0"},
		{points(-.0001), "0.0"},
		{size(-.031), "3.1"},
		{pvalue(.0031), ".0031"},
		{pvalue(.16), ".16"},
		{pvalue(.00001), "<.0001"},
		{pvalue(1), "1"},
		{pvalue(.025), ".025"},
		{count(0), "0"},
		{count(1234567), "1,234,567"},
		{count(-1234), "-1,234"},
		{some(1, "task"), "1 task"},
		{some(1200, "task"), "1,200 tasks"},
		{number(.75), ".75"},
		{number(-.5), "−.5"},
		{number(12), "12"},
		{number(1e-6), "1e−06"},
		{money(.0041), ".41¢"},
		{money(.5), "50.0¢"},
		{money(12.3), "$12.30"},
		{money(0), "$0"},
		{duration(.0000005), "0 µs"},
		{duration(.84), "840 ms"},
		{duration(1.94), "1.9 s"},
		{duration(200), "3 m 20 s"},
		{duration(25500), "7 h 5 m"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
