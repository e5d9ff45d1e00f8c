package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s       string
		n       int
		options []Option
		want    string
	}{
		{"", 0, nil, ""},
		{"abc", 3, nil, "abc"},
		{"abc", 2, nil, "ab"},
		{"abc", 0, nil, ""},
		{"abc", -1, nil, ""},
		{"aéb", 2, nil, "a"},
		{"aéb", 3, nil, "aé"},
		{"漢字", 5, nil, "漢"},
		{"\x80\x80\x80\x80\x80\x80", 5, nil, "\x80\x80\x80\x80\x80"},
		{"aéb", 2, []Option{Runes}, "aé"},
		{"aéb", 3, []Option{Runes}, "aéb"},
		{"abcdef", 5, []Option{Ellipsis}, "ab…"},
		{"abcdef", 2, []Option{Ellipsis}, ""},
		{"abcdef", 5, []Option{Runes, Ellipsis}, "abcd…"},
		{"éééé", 4, []Option{Runes, Ellipsis}, "éééé"},
		{"éééé", 1, []Option{Runes, Ellipsis}, "…"},
		{"éééé", 0, []Option{Runes, Ellipsis}, ""},
		{"abcdef", 5, []Option{Mark}, "abcde…"},
		{"abcde", 5, []Option{Mark}, "abcde"},
		{"ééé", 2, []Option{Runes, Mark}, "éé…"},
		{"one two. three four", 16, []Option{Ellipsis, Words}, "one two.…"},
		{"one two three four", 17, []Option{Ellipsis, Words}, "one two three…"},
		{"a onelongwordfollows", 15, []Option{Ellipsis, Words}, "a onelongwor…"},
	} {
		if got := Clip(c.s, c.n, c.options...); got != c.want {
			t.Errorf("Clip(%q, %d, %v) = %q, want %q", c.s, c.n, c.options, got, c.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("grün. 漢字 \xff\x80", 5, byte(0))
	f.Add("one two. three", 9, byte(Words|Ellipsis))
	f.Fuzz(func(t *testing.T, s string, n int, b byte) {
		o := Option(b)
		got := Clip(s, n, o)
		size := func(s string) int {
			if o&Runes != 0 {
				return utf8.RuneCountInString(s)
			}
			return len(s)
		}
		if size(s) <= n && got != s {
			t.Fatalf("%q of at most %d became %q", s, n, got)
		}
		if got == s {
			return
		}
		if o&Mark != 0 && o&Ellipsis == 0 {
			got = strings.TrimSuffix(got, ellipsis)
		}
		if size(got) > max(n, 0) {
			t.Fatalf("%q clipped to %d is %q", s, n, got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q clipped to %d has half a character: %q", s, n, got)
		}
		if head := strings.TrimSuffix(got, ellipsis); !strings.HasPrefix(s, head) {
			t.Fatalf("%q is not the beginning of %q", head, s)
		}
	})
}

func TestClipToCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "n")
		got := Clip(s, n, Runes, Ellipsis)
		if got == s {
			return
		}
		if utf8.RuneCountInString(got) != n || !strings.HasPrefix(s, strings.TrimSuffix(got, ellipsis)) || utf8.RuneCountInString(s) <= n {
			t.Fatalf("clip(%q, %d) is %q", s, n, got)
		}
	})
}

func TestClipMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"a long text", 10, "a … text"},
		{"ääääääääää", 15, "ä … äää"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff", 7, " … \xff\xff"},
		{"abc", 0, " … "},
	} {
		if got := ClipMiddle(c.in, c.n); got != c.want {
			t.Errorf("%q to %d bytes: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
