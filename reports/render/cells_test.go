package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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

// TestChop checks that preformatted lines keep their spaces regardless of where they are
// broken.
func TestChop(t *testing.T) {
	line := say("    return ", foreign("raw"), "  // 世界 as it is")
	for width := 2; width < 40; width++ {
		var whole string
		for i, l := range chop(line, width) {
			if n := l.width(); n > width || n == 0 {
				t.Errorf("width %d: line %d takes %d", width, i+1, n)
			}
			whole += l.raw()
		}
		if whole != line.raw() {
			t.Errorf("width %d: %q", width, whole)
		}
	}
}
