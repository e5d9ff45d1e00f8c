package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnsafePaths(t *testing.T) {
	for _, path := range []string{
		"../etc/passwd", "a/../../b", "a/./b", "/etc/passwd", "a//b", "a/", ".git/hooks/post-commit", "a/.GIT/config", ".git./x", ".git /x",
		".git::$INDEX_ALLOCATION/x", "GIT~1/config", `a\b`, "a\x07b", "a\u202eb", "a\u200bb", "a\u00a0b", "C:/x", "a\xffb", "a/.../b/", "...",
		"a/" + strings.Repeat("b", 256),
	} {
		for form, text := range map[string]string{
			"names":      "--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-a\n+b\n",
			"git line":   "diff --git a/%[1]s b/%[1]s\n@@ -1 +1 @@\n-a\n+b\n",
			"new":        "--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1 @@\n+b\n",
			"new, empty": "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n",
			"bare":       "--- %[1]s\n+++ %[1]s\n@@ -1 +1 @@\n-a\n+b\n",
		} {
			p, err := Parse(fmt.Appendf(nil, text, path))
			if err == nil {
				t.Errorf("%s: %q was read as %q", form, path, p.Paths())
			}
		}
		quoted := fmt.Sprintf("--- %q\n+++ %q\n@@ -1 +1 @@\n-a\n+b\n", "a/"+path, "b/"+path)
		if p, err := Parse([]byte(quoted)); err == nil {
			t.Errorf("quoted: %q was read as %q", path, p.Paths())
		}
		if _, err := Replace([]Replacement{{Path: path, Old: "", New: "x"}}, tree{}.base); reason(err) != UnsafePath {
			t.Errorf("Replace: %q: %v", path, err)
		}
	}
}

func TestPaths(t *testing.T) {
	hunk := "@@ -1 +1 @@\n-a\n+b\n"
	for text, want := range map[string]string{
		"--- a/x/y.go\n+++ b/x/y.go\n":                                       "x/y.go",
		"--- \"a/\\303\\244.txt\"\n+++ \"b/\\303\\244.txt\"\n":               "ä.txt",
		"--- a/ä.txt\n+++ b/ä.txt\n":                                         "ä.txt",
		"--- a/say \"hi\"\n+++ b/say \"hi\"\n":                               `say "hi"`,
		"diff --git a/b b/b b/b b/b\n":                                       "b b/b",
		"diff --git \"a/q\\\"\" \"b/q\\\"\"\n":                               `q"`,
		"diff --git b/x b/x\n--- b/x\n+++ b/x\n":                             "b/x",
		"diff --git x.go x.go\n--- x.go\n+++ x.go\n":                         "x.go",
		"--- x.go  \n+++ x.go\n":                                             "x.go",
		"diff --git a/x b/x\n--- /dev/null\n+++ b/x\n":                       "x",
		"diff --git c/x w/x\nindex 1234567..1234568\n--- c/x\n+++ w/x\n":     "x",
		"--- a/.github/w.yml\n+++ b/.github/w.yml\n":                         ".github/w.yml",
		"diff --git b/x b/x\n--- b/x\n+++ /dev/null\n":                       "b/x",
		"diff --git b/x b/x\nnew file mode 100644\nindex 1234567..1234568\n": "b/x",
	} {
		p, err := Parse([]byte(text + hunk))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if d := cmp.Diff([]string{want}, p.Paths()); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// Paths lists the files that the patch names, in order. Each path is relative,
// slash-separated and printable, has no ".." and does not lead into a .git folder.
func (p Patch) Paths() []string {
	out := make([]string, len(p.sections))
	for i, s := range p.sections {
		out[i] = s.path
	}
	return out
}
