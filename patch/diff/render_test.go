package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
⟦binary, or too large to show: 2 bytes with SHA-256 ffe9aaeaa2a2d504 before, 3 bytes with SHA-256 2b7d2121198c3170 after⟧
--- a/long
+++ b/long
⟦1 lines longer than 500 bytes are truncated⟧
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
