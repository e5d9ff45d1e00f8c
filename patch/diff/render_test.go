package diff

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext":            "plain\ttext",
		"grün, 日本, é":            "grün, 日本, é",
		"\x1b[31mred":            "⟦U+001B⟧[31mred",
		"a\rb\x7f":               "a⟦U+000D⟧b⟦U+007F⟧",
		"\u202eevil\u2066":       "⟦U+202E⟧evil⟦U+2066⟧",
		"zero\u200bwidth\ufeff":  "zero⟦U+200B⟧width⟦U+FEFF⟧",
		"a\u00a0b\u3000c\u2028d": "a⟦U+00A0⟧b⟦U+3000⟧c⟦U+2028⟧d",
		"\u3164\u2800\ufe0f\xff": "⟦U+3164⟧⟦U+2800⟧⟦U+FE0F⟧⟦0xFF⟧",
		"\U000e0041\u00ad":       "⟦U+E0041⟧⟦U+00AD⟧",
		"\u009b31m":              "⟦U+009B⟧31m",
		"⟦U+202E⟧":               "⟦U+27E6⟧U+202E⟦U+27E7⟧",
		"e\u0301\u0301\u0301":    "e\u0301\u0301⟦U+0301⟧",
		" \u0338x":               " ⟦U+0338⟧x",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestVisibleSaysEverything checks that all characters of the output are visible and that
// the input can be recovered from it.
func TestVisibleSaysEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		shown := Visible(in)
		for _, r := range shown {
			if r != '\t' && !unicode.IsPrint(r) {
				t.Fatalf("%q has %U", shown, r)
			}
		}
		if other := rapid.String().Draw(t, "other"); other != in && Visible(other) == shown {
			t.Fatalf("%q and %q look alike", in, other)
		}
	})
}

func TestRender(t *testing.T) {
	long := strings.Repeat("x", maxShown) + "evil"
	files := []File{
		{Path: "a.go", Old: []byte("one\ntwo\nthree\nfour\n"), New: []byte("one\ntwo\nthree\u202e\nfour")},
		{Path: "new", New: []byte("a\x1b]0;b\x07\n")},
		{Path: "gone", Old: []byte("a\n")},
		{Path: "nul", Old: []byte("a\n"), New: []byte("a text with\x00 and \xff in it\n")},
		{Path: "bin", Old: []byte("a\x00"), New: []byte("b\x00c")},
		{Path: "long", Old: []byte("a\n"), New: []byte(long + "\n")},
	}
	want := `--- a/a.go
+++ b/a.go
@@ -2,3 +2,3 @@
 two
-three
-four
+three⟦U+202E⟧
+four
\ No newline at end of file
--- /dev/null
+++ b/new
@@ -0,0 +1,1 @@
+a⟦U+001B⟧]0;b⟦U+0007⟧
--- a/gone
+++ /dev/null
@@ -1,1 +0,0 @@
-a
--- a/nul
+++ b/nul
@@ -1,1 +1,1 @@
-a
+a text with⟦U+0000⟧ and ⟦0xFF⟧ in it
--- a/bin
+++ b/bin
⟦no text: 2 bytes with SHA-256 ffe9aaeaa2a2d504 before, 3 bytes with SHA-256 2b7d2121198c3170 after⟧
--- a/long
+++ b/long
⟦1 lines of more than 500 bytes are cut⟧
@@ -1,1 +1,1 @@
-a
+` + long[:maxShown] + ` ⟦… 4 bytes more, SHA-256 b5c1fb2efc6d6b46⟧
`
	if d := cmp.Diff(want, Render(files, 1)); d != "" {
		t.Error(d)
	}
	shown := Show(files[:1], 1)[0]
	if shown.Added != 2 || shown.Removed != 2 || shown.Kind != "changed" {
		t.Errorf("%+v", shown)
	}
	if l := shown.Lines[3]; l.Kind != '-' || l.Old != 4 || l.New != 0 {
		t.Errorf("%+v", l)
	}
}
