package diff

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		"too long a search":                {names + strings.Repeat("@@ -1 +1 @@\n-x\n+y\n", 101), tree{"f": strings.Repeat("\n", 2_000_000)}, TooLarge},
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
		Text: `the hunk's context and removed lines are not in the file; line 5 of the file is "four", not "fuor⟦U+001B⟧[2J"`,
		Hint: "copy them from the current file, character by character",
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
