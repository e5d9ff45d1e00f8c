package diff

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/text"
)

// again passes a change through Unified, Parse and Apply, and returns the resulting
// change.
func again(t interface{ Fatalf(string, ...any) }, files []File) []File {
	text := Unified(files)
	p, err := Parse(text)
	if err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	got, err := Apply(p, func(path string) ([]byte, error) {
		for _, f := range files {
			if f.Path == path {
				return f.Old, nil
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatalf("applying %q: %v", text, err)
	}
	return got
}

// content generates files with all kinds of line endings from a small set of different
// lines, so that blocks repeat.
func content() *rapid.Generator[[]byte] {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "", " ", "-- x", "++ y", "@@ -1 +1 @@", "```", "\\", "a ", "\x00\xff", "diff --git a/f b/f"}), 0, 12)
	return rapid.Custom(func(t *rapid.T) []byte {
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "ending")
		text := strings.Join(lines.Draw(t, "lines"), end)
		if rapid.Bool().Draw(t, "ended") && text != "" {
			text += end
		}
		return []byte(text)
	})
}

func TestUnifiedComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := File{Path: "dir/f x.go", Old: content().Draw(t, "old"), New: content().Draw(t, "new")}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			f.Old = nil
		case 1:
			f.New = nil
		}
		if f.Old != nil && f.New != nil && bytes.Equal(f.Old, f.New) {
			if text := Unified([]File{f}); len(text) > 0 {
				t.Fatalf("no change, but %q", text)
			}
			return
		}
		got := again(t, []File{f})
		if len(got) != 1 || !bytes.Equal(got[0].New, f.New) || (got[0].New == nil) != (f.New == nil) {
			t.Fatalf("%q became %q", f.New, got[0].New)
		}
	})
}

// TestDistortedIsRightOrRefused distorts changes to files in which everything repeats,
// where mistakes are likely.
func TestDistortedIsRightOrRefused(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "a\n", "b\n", "\n", "a \n", "{\n", "}\n"}), 1, 40)
	kinds := distortions()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		old := []byte(strings.Join(lines.Draw(t, "old"), ""))
		if rapid.Bool().Draw(t, "bare") {
			old = bytes.TrimSuffix(old, []byte("\n"))
		}
		if rapid.IntRange(0, 3).Draw(t, "endings") == 0 {
			old = bytes.ReplaceAll(old, []byte("\n"), []byte("\r\n"))
		}
		f := File{Path: "f", Old: old, New: edited(r, old)}
		if bytes.Equal(f.Old, f.New) {
			return
		}
		var some []distortion
		for i, k := range kinds {
			if rapid.IntRange(0, 3).Draw(t, "distorted") == 0 && (k.name != "mark of a bare end lost" || i == len(kinds)-1) {
				some = append(some, k)
			}
		}
		text, says, ok := distorted(r, takeApart(string(Unified([]File{f}))), some...)
		if !ok {
			return
		}
		got, err := once(text, f)
		if err == nil && !same(got, f.New) && !same(got, says.literal(f.Old)) {
			t.Fatalf("%q became %q, not %q, by\n%s", f.Old, got, f.New, text)
		}
		if err != nil && reason(err) == "" {
			t.Fatal(err)
		}
	})
}

func TestBlocksSumUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := content().Draw(t, "old"), content().Draw(t, "new")
		context := rapid.IntRange(0, 4).Draw(t, "context")
		lines, news := split(before), split(after)
		var got []string
		at := 0
		for _, b := range blocks(before, after, context) {
			if b.oldStart < at {
				t.Fatalf("a block begins at %d, before %d", b.oldStart, at)
			}
			got = append(got, lines[at:b.oldStart]...)
			if b.newStart != len(got) {
				t.Fatalf("a block states the start %d, not %d", b.newStart, len(got))
			}
			at = b.oldStart
			for _, p := range b.lines {
				if p.kind != '+' {
					if lines[at] != p.full() {
						t.Fatalf("line %d is %q, not %q", at, lines[at], p.full())
					}
					at++
				}
				if p.kind != '-' {
					got = append(got, p.full())
				}
			}
		}
		got = append(got, lines[at:]...)
		if strings.Join(got, "") != strings.Join(news, "") {
			t.Fatalf("%q, want %q", got, news)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		names + hunk4, "```diff\n" + names + hunk4 + "```\n", strings.ReplaceAll(names+hunk4, "\n", "\r\n"),
		"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file",
		"--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n@@\n-a\n+b\n-- \n2.39\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			if reason(err) == "" {
				t.Fatalf("no reason: %v", err)
			}
			return
		}
		lines := 0
		for _, s := range p.sections {
			if bad := checkPath(s.path); bad != "" {
				t.Fatalf("%q: %s", s.path, bad)
			}
			for _, h := range s.hunks {
				lines += len(h.lines)
			}
		}
		if n := bytes.Count(text, []byte("\n")) + 1; lines > n {
			t.Fatalf("%d lines out of %d", lines, n)
		}
		if _, err := Apply(p, tree{"f": song}.base); err != nil && reason(err) == "" {
			t.Fatalf("no reason: %v", err)
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(song), []byte(songed))
	f.Add([]byte(refrain), []byte("la\n"))
	f.Add([]byte("a\r\nb"), []byte("a\nb\r\n\r"))
	f.Add([]byte(""), []byte("x"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(before)+len(after) > 1<<16 || bytes.Equal(before, after) {
			return
		}
		change := []File{{Path: "f", Old: before, New: after}}
		if got := again(t, change); !bytes.Equal(got[0].New, after) {
			t.Fatalf("%q became %q", after, got[0].New)
		}
		for _, s := range Render(change, 3) {
			if s != '\n' && s != '\t' && !text.Shown(s) {
				t.Fatalf("%U is shown", s)
			}
		}
	})
}
