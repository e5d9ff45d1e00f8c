package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scripted creates a small repository with all kinds of changes that occur in histories.
// Each map is a commit, and an entry whose name begins with - removes the file.
func scripted(t *testing.T) *native {
	n := newNative(t, t.TempDir())
	n.git("init", "--quiet", "--initial-branch=main")
	n.git("config", "core.autocrlf", "false")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	long := ""
	for i := range 120 {
		long += fmt.Sprintf("func f%d() {\n\tif x {\n\t\treturn %d\n\t}\n}\n\n", i, i%7)
	}
	for i, tree := range []map[string]string{
		{"song": song, "refrain": refrain, "windows": crlf(song), "bare": "a\nb", "go": long, "empty": "", "mixed": "a\r\nb\nc\r\nd\n"},
		{"song": songed, "refrain": strings.Replace(refrain, "la la", "LA", 1), "windows": crlf(songed), "bare": "a\nc"},
		{"bare": "a\nc\n", "song": strings.TrimSuffix(songed, "\n"), "empty": "no more\n", "mixed": "a\r\nb\nC\r\nd\n"},
		{"go": strings.Replace(long, "return 3", "return 30", 4), "a name with spaces": "x\ny\n", "grün/ü": "1\n2\n3\n"},
		{"go": strings.Replace(long, "func f50() {\n", "func f50() {\n\tstart()\n", 1), "a name with spaces": "x\nY\n", "say \"hi\"": "hi"},
		{"-song": "", "grün/ü": "1\n2\n3\n4", "windows": crlf(songed) + "nine\n", "refrain": refrain + refrain},
		{"trailing": "a  \nb\t\n\n\nc \n", "windows": strings.Replace(songed, "six\n", "", 1), "diffs": "-- a\n++ b\n@@ -1 +1 @@\n"},
		{"trailing": "a  \nb\t\n\nX\n\nc \n", "refrain": refrain + "x\n" + refrain, "diffs": "++ b\n-- a\n@@ -1 +1 @@\n```\n"},
		{"image": "\x00\x01", "-bare": "", "-empty": "", "diffs": "@@ -1 +1 @@\n--- a/x\n+++ b/x\n"},
		{"image": "\x00\x02", "trailing": "", "go": strings.ReplaceAll(long, "\tif x {\n", "\tif y {\n")},
	} {
		for name, text := range tree {
			path := filepath.Join(n.dir, filepath.FromSlash(strings.TrimPrefix(name, "-")))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			err := os.WriteFile(path, []byte(text), 0o644)
			if strings.HasPrefix(name, "-") {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if i == 6 {
			n.git("update-index", "--chmod=+x", "windows")
			if err := os.Symlink("song", filepath.Join(n.dir, "link")); err != nil {
				t.Fatal(err)
			}
		}
		n.git("add", "--all")
		n.git("commit", "--quiet", "--message=next")
	}
	return n
}

func TestScriptedHistory(t *testing.T) {
	n := scripted(t)
	p := newProof(t, n, 7)
	p.report(n.walk(0, p.change))
	if p.files < 30 || p.other < 3 {
		t.Errorf("only %d changes of text, %d of other kinds: the history is not what it was", p.files, p.other)
	}
}

// TestGitAppliesWhatUnifiedWrites checks that git produces the same bytes from all kinds of
// changes.
func TestGitAppliesWhatUnifiedWrites(t *testing.T) {
	n := newNative(t, t.TempDir())
	r := rand.New(rand.NewPCG(1, 2))
	lines := []string{"a", "b", "", " ", "a ", "-- x", "++ y", "\\", "\x01\xff", "@@ -1 +1 @@", "diff --git a/f b/f"}
	content := func() []byte {
		end := []string{"\n", "\n", "\r\n"}[r.IntN(3)]
		var b bytes.Buffer
		for range r.IntN(25) {
			b.WriteString(lines[r.IntN(len(lines))] + end)
		}
		return b.Bytes()[:max(0, b.Len()-r.IntN(2)*len(end))]
	}
	for i := range 80 {
		f := File{Path: []string{"f", "d/e/f", "a name", `say "hi"`, "grün/ü"}[i%5], Old: content(), New: content()}
		switch {
		case i%8 == 0:
			f.Old = nil
		case i%8 == 1:
			f.New = nil
		case bytes.Equal(f.Old, f.New):
			continue
		default:
			f.New = edited(r, f.Old)
		}
		text := string(Unified([]File{f}))
		if got, ok := n.apply(text, f); text != "" && (!ok || !same(got, f.New)) {
			t.Errorf("git makes %q (%v) of\n%s\nwant %q", got, ok, text, f.New)
		}
	}
}

// edited returns the content with some lines changed.
func edited(r *rand.Rand, content []byte) []byte {
	lines := split(content)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(lines) + 1)
		if r.IntN(2) == 0 && at < len(lines) {
			lines = slices.Delete(lines, at, at+1)
		} else if at < len(lines) || len(content) == 0 || bytes.HasSuffix(content, []byte("\n")) {
			lines = slices.Insert(lines, at, "new\n")
		}
	}
	out := []byte(strings.Join(lines, ""))
	if out == nil {
		out = []byte{}
	}
	return out
}
