package diff

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is a base in memory.
type tree map[string]string

func (t tree) base(path string) ([]byte, error) {
	if text, ok := t[path]; ok {
		return append([]byte{}, text...), nil
	}
	return nil, nil
}

// result is what a diff makes of a tree, or why it is refused.
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

func TestRefused(t *testing.T) {
	git := "diff --git a/f b/f\n"
	for name, c := range map[string]struct {
		text string
		base tree
		want Reason
	}{
		"nothing":                          {"", tree{}, Empty},
		"prose":                            {"I would change line 4.\n", tree{}, Empty},
		"binary":                           {git + "GIT binary patch\nliteral 1\n", tree{"f": "x"}, Unsupported},
		"binary, described":                {git + "Binary files a/f and b/f differ\n", tree{"f": "x"}, Unsupported},
		"a rename":                         {"diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n", tree{"f": song}, Unsupported},
		"a rename, no git line":            {"similarity index 100%\nrename from f\nrename to g\n" + names + hunk4, tree{"f": song}, Unsupported},
		"two names":                        {"--- a/f\n+++ b/g\n" + hunk4, tree{"f": song}, Unsupported},
		"names unlike those of git":        {"diff --git a/g b/g\n" + names + hunk4, tree{"f": song, "g": song}, Unsupported},
		"a mode":                           {git + "old mode 100644\nnew mode 100755\n", tree{"f": song}, Unsupported},
		"a new mode":                       {git + "new file mode 100755\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", tree{}, Unsupported},
		"a link":                           {git + "new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+/etc\n", tree{}, Unsupported},
		"a changed link":                   {git + "index 1234567..1234568 120000\n" + names + "@@ -1 +1 @@\n-a\n+b\n", tree{"f": "a\n"}, Unsupported},
		"a submodule":                      {git + "index 1234567..1234568 160000\n" + names + "@@ -1 +1 @@\n-a\n+b\n", tree{"f": "a\n"}, Unsupported},
		"a merge":                          {"diff --cc f\n" + names + "@@@ -1,1 -1,1 +1,1 @@@\n", tree{"f": song}, Unsupported},
		"twice":                            {names + hunk4 + names + "@@ -1 +1 @@\n-one\n+ONE\n", tree{"f": song}, Malformed},
		"no names":                         {hunk4, tree{"f": song}, Malformed},
		"no hunks":                         {git + names, tree{"f": song}, Malformed},
		"no header of the hunk":            {names + "-four\n+FOUR\n", tree{"f": song}, Malformed},
		"a line without its first sign":    {names + "@@ -2,5 +2,5 @@\n two\nthree\n-four\n+FOUR\n", tree{"f": song}, Malformed},
		"lost after an empty line":         {names + "@@ -2,5 +2,5 @@\n-two\n+TWO\n\nthree\n-four\n+FOUR\n", tree{"f": song}, Malformed},
		"a second hunk after a fence":      {"```diff\n" + names + hunk4 + "```\n\n```diff\n@@ -1 +1 @@\n-one\n+ONE\n```\n", tree{"f": song}, Malformed},
		"a diff's fence without a file":    {names + hunk4 + "\n```diff\n  --- a/g\n  +++ b/g\n```\n", tree{"f": song}, Malformed},
		"cut off":                          {names + "@@ -2,5 +2,5 @@\n two\n three\n-four\n+FO", tree{"f": song}, Malformed},
		"cut off in a fence":               {"```diff\n" + names + "@@ -2,5 +2,5 @@\n two\n three\n-four\n+FOUR\n", tree{"f": song}, Malformed},
		"a mark after nothing":             {names + "@@ -1 +1 @@\n\\ No newline at end of file\n", tree{"f": song}, Malformed},
		"a new file with context":          {"--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n a\n+b\n", tree{}, Malformed},
		"absent":                           {names + hunk4, tree{}, Absent},
		"lines added to an absent file":    {names + "@@ -7,0 +8 @@\n+a\n", tree{}, Absent},
		"exists":                           {"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", tree{"f": song}, Exists},
		"exists and is empty":              {"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", tree{"f": ""}, Exists},
		"a removed file that goes on":      {"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", tree{"f": song}, Contradiction},
		"missing":                          {names + "@@ -4 +4 @@\n-vier\n+FOUR\n", tree{"f": song}, Missing},
		"made already":                     {names + hunk4, tree{"f": songed}, Missing},
		"white space of context stripped":  {names + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", tree{"f": "a  \nb\n"}, Missing},
		"stripped, and there elsewhere":    {names + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", tree{"f": "a  \nb\nx\na\nb\n"}, Ambiguous},
		"ambiguous":                        {names + "@@ -9,3 +9,3 @@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, Ambiguous},
		"ambiguous, no number":             {names + "@@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, Ambiguous},
		"ambiguous, nothing around it":     {names + "@@ -6 +6 @@\n-la la\n+LA\n", tree{"f": refrain}, Ambiguous},
		"ambiguous, wrong counts":          {names + "@@ -5,4 +5,4 @@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, Ambiguous},
		"ambiguous, numbers apart":         {names + "@@ -5,3 +9,3 @@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, Ambiguous},
		"ambiguous, another hunk not so":   {names + "@@ -2 +2 @@\n-lo\n+LO\n@@ -5,3 +5,3 @@\n la\n-la la\n+LA\n la\n", tree{"f": refrain}, Ambiguous},
		"lines added nowhere":              {names + "@@ -2,0 +3 @@\n+x\n", tree{"f": song}, Ambiguous},
		"overlapping":                      {names + "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n@@ -2,2 +2,2 @@\n-two\n+TWO\n three\n", tree{"f": song}, Overlapping},
		"out of order":                     {names + "@@ -8 +8 @@\n-eight\n+EIGHT\n@@ -1 +1 @@\n-one\n+ONE\n", tree{"f": song}, OutOfOrder},
		"nothing changed":                  {names + "@@ -1 +1 @@\n-one\n+one\n", tree{"f": song}, Empty},
		"the mark forgotten":               {names + "@@ -1 +1 @@\n-a\n+b\n", tree{"f": "a"}, FinalNewline},
		"a mark too many":                  {names + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", tree{"f": "a\n"}, FinalNewline},
		"added after a bare end":           {names + "@@ -1 +1,2 @@\n a\n+b\n", tree{"f": "a"}, FinalNewline},
		"a bare line in the middle":        {names + "@@ -1 +1 @@\n-one\n+ONE\n\\ No newline at end of file\n", tree{"f": song}, FinalNewline},
		"a bare line in a new file":        {"--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n\\ No newline at end of file\n+b\n", tree{}, FinalNewline},
		"endings of a new file":            {"--- /dev/null\r\n+++ b/n\r\n@@ -0,0 +1 @@\r\n+a\r\n", tree{}, Endings},
		"endings mixed in the file":        {strings.ReplaceAll(names+"@@ -1 +1 @@\n-a\n+b\n", "\n", "\r\n"), tree{"f": "a\nb\r\n"}, Endings},
		"endings mixed in the diff":        {"--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n-one\n+ONE\r\n two\n", tree{"f": song}, Endings},
		"the end of a CRLF line lost":      {names + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c", tree{"f": "a\r\nb\r\n"}, Endings},
		"a result that the index denies":   {git + "index " + indexHash([]byte(song)) + ".." + indexHash([]byte("x")) + " 100644\n" + names + hunk4, tree{"f": song}, Contradiction},
		"a file too large":                 {names + hunk4, tree{"f": strings.Repeat(song, MaxFile/len(song)+1)}, TooLarge},
		"a diff too large":                 {strings.Repeat("x", MaxText+1), tree{}, TooLarge},
		"too many hunks":                   {names + strings.Repeat("@@ -1 +1 @@\n-one\n+ONE\n", MaxHunks+1), tree{"f": song}, TooLarge},
		"a second file that does not fit ": {names + hunk4 + "--- a/g\n+++ b/g\n" + hunk4, tree{"f": song, "g": "x\n"}, Missing},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := result(c.text, c.base)
			if err == nil {
				t.Fatalf("it was applied: %q", got)
			}
			if reason(err) != c.want {
				t.Errorf("%q (%v), want %q", reason(err), err, c.want)
			}
			var refused *RefusedError
			if errors.As(err, &refused) && refused.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestRefusalsNameTheSpot(t *testing.T) {
	_, err := result(names+hunk4+"--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n@@ -3,3 +3,3 @@\n three\n-fuor\x1b[2J\n+FOUR\n five\n",
		tree{"f": song, "g": "x\n" + song})
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	want := &RefusedError{
		Path: "g", Hunk: 2, Line: 17, Reason: Missing,
		Text: `its context and removed lines are nowhere in the file; line 5 of the file is "four", not "fuor⟦U+001B⟧[2J"`,
		Hint: "copy them from the file as it is now, character by character",
	}
	if d := cmp.Diff(want, refused); d != "" {
		t.Error(d)
	}
}

func TestErrorsOfTheBaseArePassedOn(t *testing.T) {
	broken := errors.New("the disk is gone")
	base := func(string) ([]byte, error) { return nil, broken }
	p, err := Parse([]byte(names + hunk4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(p, base); !errors.Is(err, broken) {
		t.Errorf("Apply: %v", err)
	}
	if _, err := Replace([]Replacement{{Path: "f", Old: "a", New: "b"}}, base); !errors.Is(err, broken) {
		t.Errorf("Replace: %v", err)
	}
}
