package diff

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is an in-memory base for diffs.
type tree map[string]string

func (t tree) base(path string) ([]byte, error) {
	if text, ok := t[path]; ok {
		return append([]byte{}, text...), nil
	}
	return nil, nil
}

// result applies a diff to a tree, or returns the reason for the refusal.
func result(text string, t tree) (tree, error) {
	p, err := Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	files, err := Apply(p, t.base)
	if err != nil {
		return nil, err
	}
	out := tree{}
	for _, f := range files {
		if f.New != nil {
			out[f.Path] = string(f.New)
		} else {
			out[f.Path] = "(removed)"
		}
	}
	return out, nil
}

func reason(err error) Reason {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return ""
}

const (
	song    = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
	songed  = "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\n"
	hunk4   = "@@ -2,5 +2,5 @@\n two\n three\n-four\n+FOUR\n five\n six\n"
	names   = "--- a/f\n+++ b/f\n"
	refrain = "la\nla la\nla\nlo\nla\nla la\nla\n"
)

func TestSloppyDiffsAreApplied(t *testing.T) {
	git := "diff --git a/f b/f\nindex 1234567..89abcde 100644\n" + names + hunk4
	for name, text := range map[string]string{
		"as git writes it":           git,
		"no git line":                names + hunk4,
		"no prefixes":                "--- f\n+++ f\n" + hunk4,
		"one prefix":                 "--- a/f\n+++ f\n" + hunk4,
		"other prefixes":             "--- i/f\n+++ w/f\n" + hunk4,
		"times after the names":      "--- a/f\t2026-01-01 00:00:00\n+++ b/f\t2026-01-01 00:00:01 +0200\n" + hunk4,
		"only the git line":          "diff --git a/f b/f\n" + hunk4,
		"only the new name":          "+++ b/f\n" + hunk4,
		"only the old name":          "--- a/f\n" + hunk4,
		"quoted names":               "--- \"a/\\146\"\n+++ \"b/f\"\n" + hunk4,
		"wrong numbers":              names + strings.Replace(hunk4, "-2,5 +2,5", "-40,5 +70,5", 1),
		"wrong counts":               names + strings.Replace(hunk4, "-2,5 +2,5", "-2,9 +2,1", 1),
		"no counts":                  names + strings.Replace(hunk4, "-2,5 +2,5", "-2 +2", 1),
		"no numbers":                 names + strings.Replace(hunk4, "-2,5 +2,5 @@", "... @@", 1),
		"a bare header":              names + strings.Replace(hunk4, " -2,5 +2,5 @@", "", 1),
		"no newline at its end":      strings.TrimSuffix(git, "\n"),
		"CRLF":                       strings.ReplaceAll(git, "\n", "\r\n"),
		"CRLF, no newline":           strings.TrimSuffix(strings.ReplaceAll(git, "\n", "\r\n"), "\r\n"),
		"a fence":                    "Here it is:\n\n```diff\n" + git + "```\n\n- done\n+ more\n",
		"a fence without a name":     "```\n" + git + "```",
		"a fence that is never shut": "```diff\n" + git,
		"prose around":               "The fix.\n\n" + git + "\nIt changes:\n- four\n",
		"a letter":                   "From: A\nSubject: x\n---\n f | 2 +-\n\n" + git + "-- \n2.39.5\n\n",
		"a letter, counts wrong":     strings.Replace(git, "2,5 +2,5", "2,9 +2,9", 1) + "-- \n2.39.5\n\n",
		"a letter after a letter":    "copy to all\n" + git + "-- \n2.39.5 (Git-154)\n\nFrom 1234567 Mon Sep 17\n- a\n+ b\n",
		"empty lines after it":       git + "\n\n\n",
		"less context":               names + "@@ -4 +4 @@\n-four\n+FOUR\n",
		"new lines before old":       names + "@@ -4 +4 @@\n+FOUR\n-four\n",
		"another fence before it":    "```go\nfmt.Println()\n```\n" + git,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := result(text, tree{"f": song})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tree{"f": songed}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestApply(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct {
		text string
		base tree
		want tree
	}{
		"several files, counts wrong": {
			names + "@@ -1,9 +1,9 @@\n-one\n+ONE\n two\n--- a/g\n+++ b/g\n@@ -1,2 +1,7 @@\n-x\n+y\n",
			tree{"f": song, "g": "x\n"},
			tree{"f": "ONE\n" + strings.TrimPrefix(song, "one\n"), "g": "y\n"},
		},
		"several hunks": {
			names + "@@ -1 +1 @@\n-one\n+ONE\n\n@@ -8 +8 @@\n-eight\n+EIGHT\n",
			tree{"f": song},
			tree{"f": "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\n"},
		},
		"a new file":       {"--- /dev/null\n+++ b/d/n\n@@ -0,0 +1,2 @@\n+a\n+b\n", tree{}, tree{"d/n": "a\nb\n"}},
		"a new file, bare": {"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", tree{}, tree{"n": "a"}},
		"a new file without saying so": {
			"--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", tree{}, tree{"n": "a\n"},
		},
		"a new empty file": {
			"diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", tree{}, tree{"n": ""},
		},
		"a removed file":       {"--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", tree{"f": "a\nb\n"}, tree{"f": "(removed)"}},
		"a removed empty file": {"diff --git a/f b/f\ndeleted file mode 100644\n", tree{"f": ""}, tree{"f": "(removed)"}},
		"an emptied file":      {names + "@@ -1 +0,0 @@\n-a\n", tree{"f": "a\n"}, tree{"f": ""}},
		"an empty file filled": {names + "@@ -0,0 +1 @@\n+a\n", tree{"f": ""}, tree{"f": "a\n"}},
		"a final newline gained": {
			names + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", tree{"f": "a"}, tree{"f": "a\n"},
		},
		"a final newline lost": {
			names + "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", tree{"f": "a\n"}, tree{"f": "a"},
		},
		"context at an end without newline, mark forgotten": {
			names + "@@ -1,2 +1,2 @@\n-a\n+b\n c\n", tree{"f": "a\nc"}, tree{"f": "b\nc"},
		},
		"a repeated block at its line": {
			names + "@@ -5,3 +5,3 @@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, tree{"f": "la\nla la\nla\nlo\nla\nLA\nla\n"},
		},
		"empty context lines without their space": {
			names + "@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n\n", tree{"f": "a\n\nb\n\n"}, tree{"f": "a\n\nB\n\n"},
		},
		"removed and added lines that look like names": {
			names + "@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n", tree{"f": "a\n-- x\n"}, tree{"f": "a\n++ y\n"},
		},
		"a removed line of dashes": {
			names + "@@ -1,3 +1,2 @@\n a\n-- \n b\n", tree{"f": "a\n- \nb\n"}, tree{"f": "a\nb\n"},
		},
		"CRLF in the file, as git writes it": {
			names + "@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c\r\n", tree{"f": "a\r\nc\r\n"}, tree{"f": "b\r\nc\r\n"},
		},
		"CRLF in the file, an empty context line without its space": {
			names + "@@ -1,3 +1,3 @@\n-a\r\n+b\r\n\r\n-c\r\n+d\r\n", tree{"f": "a\r\n\r\nc\r\n"}, tree{"f": "b\r\n\r\nd\r\n"},
		},
		"CRLF in the file, LF in the diff": {
			names + hunk4, tree{"f": crlf(song)}, tree{"f": crlf(songed)},
		},
		"CRLF in both": {crlf(names + hunk4), tree{"f": crlf(song)}, tree{"f": crlf(songed)}},
		"CRLF in the file but for its bare end": {
			names + "@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n", tree{"f": "a\r\nc"}, tree{"f": "b\r\nc"},
		},
		"endings changed by the diff": {
			names + "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n", tree{"f": "a\r\nb\r\n"}, tree{"f": "a\nb\n"},
		},
		"a name with spaces": {
			"diff --git a/a b c b/a b c\n--- a/a b c\t\n+++ b/a b c\t\n@@ -1 +1 @@\n-x\n+y\n", tree{"a b c": "x\n"}, tree{"a b c": "y\n"},
		},
		"a folder named a, no prefixes": {
			"--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", tree{"a/f": "x\n"}, tree{"a/f": "y\n"},
		},
		"a new file in CRLF, proven by the index line": {
			"index 0000000.." + indexHash([]byte("a\n"))[:7] + "\r\n--- /dev/null\r\n+++ b/n\r\n@@ -0,0 +1 @@\r\n+a\r\n", tree{}, tree{"n": "a\n"},
		},
		"a new file of CRLF in CRLF, proven by the index line": {
			"index 0000000.." + indexHash([]byte("a\r\n"))[:7] + "\r\n--- /dev/null\r\n+++ b/n\r\n@@ -0,0 +1 @@\r\n+a\r\n", tree{}, tree{"n": "a\r\n"},
		},
		"a repeated block without context, proven by the index line": {
			"index " + indexHash([]byte(refrain))[:7] + ".." + indexHash([]byte("la\nla la\nla\nlo\nla\nLA\nla\n"))[:7] + "\n" + names + "@@ -6 +6 @@\n-la la\n+LA\n",
			tree{"f": refrain},
			tree{"f": "la\nla la\nla\nlo\nla\nLA\nla\n"},
		},
		"lines added without context, proven by the index line": {
			"diff --git a/f b/f\nindex " + indexHash([]byte(song))[:7] + ".." + indexHash([]byte("one\nand a half\n" + song[4:]))[:7] + " 100644\n" +
				names + "@@ -1,0 +2 @@\n+and a half\n",
			tree{"f": song},
			tree{"f": "one\nand a half\n" + song[4:]},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := result(c.text, c.base)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
