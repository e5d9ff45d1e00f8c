package session

import "testing"

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
