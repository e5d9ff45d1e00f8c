package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// gitDiff is the parsed diff of one file as written by git.
type gitDiff struct {
	head  []string // lines before the first hunk
	hunks []gitHunk
}

type gitHunk struct {
	oldStart, oldCount, newStart, newCount int
	heading                                string
	body                                   []string
	numberless                             bool
}

// takeApart parses git's output strictly, because its counts are right.
func takeApart(text string) gitDiff {
	var d gitDiff
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := hunkForm.FindStringSubmatch(l); m != nil {
			h := gitHunk{heading: l[len(m[0]):]}
			h.oldStart, h.oldCount = number(m[1], m[2])
			h.newStart, h.newCount = number(m[3], m[4])
			d.hunks = append(d.hunks, h)
			continue
		}
		if len(d.hunks) == 0 {
			d.head = append(d.head, l)
			continue
		}
		last := &d.hunks[len(d.hunks)-1]
		last.body = append(last.body, l)
	}
	return d
}

func (d gitDiff) clone() gitDiff {
	out := gitDiff{head: slices.Clone(d.head), hunks: slices.Clone(d.hunks)}
	for i := range out.hunks {
		out.hunks[i].body = slices.Clone(out.hunks[i].body)
	}
	return out
}

func (d gitDiff) String() string {
	var b strings.Builder
	for _, l := range d.head {
		b.WriteString(l + "\n")
	}
	for _, h := range d.hunks {
		if h.numberless {
			b.WriteString("@@ ... @@\n")
		} else {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@%s\n", h.oldStart, h.oldCount, h.newStart, h.newCount, h.heading)
		}
		for _, l := range h.body {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// keep retains only the header lines that the given function accepts.
func (d *gitDiff) keep(which func(string) bool) {
	d.head = slices.DeleteFunc(d.head, func(l string) bool { return !which(l) })
}

// shorten reduces the context around the changes in a hunk to at most n lines, and
// renumbers the hunk accordingly.
func (h *gitHunk) shorten(n int) {
	first := slices.IndexFunc(h.body, func(l string) bool { return l[0] == '+' || l[0] == '-' })
	for ; first > n; first-- {
		h.body = h.body[1:]
		h.oldStart, h.newStart, h.oldCount, h.newCount = h.oldStart+1, h.newStart+1, h.oldCount-1, h.newCount-1
	}
	last := len(h.body) - 1
	for h.body[last][0] != '+' && h.body[last][0] != '-' {
		last--
	}
	tail := 0
	for i := last + 1; i < len(h.body); i++ {
		if h.body[i][0] == '\\' {
			if tail == 0 || tail <= n {
				continue
			}
		} else {
			tail++
		}
		if tail > n {
			for _, l := range h.body[i:] {
				if l[0] == ' ' {
					h.oldCount, h.newCount = h.oldCount-1, h.newCount-1
				}
			}
			h.body = h.body[:i]
			break
		}
	}
	// A side without lines has the number of the line before it.
	if h.oldCount == 0 {
		h.oldStart--
	}
	if h.newCount == 0 {
		h.newStart--
	}
}

// distortion is a kind of error in diffs. do returns false if the distortion does not apply
// to the diff.
type distortion struct {
	name string
	do   func(r *rand.Rand, d *gitDiff) bool
	text func(r *rand.Rand, s string) string // applied to the whole text, after do
}

// distortions lists all distortions. Each keeps the change recognizable: the added lines,
// their endings and the end of the file. If several distortions are combined, they change
// the hunks in order from the last distortion to the first, and then the whole text in
// order from the first to the last.
func distortions() []distortion {
	eachHunk := func(do func(r *rand.Rand, h *gitHunk)) func(*rand.Rand, *gitDiff) bool {
		return func(r *rand.Rand, d *gitDiff) bool {
			for i := range d.hunks {
				do(r, &d.hunks[i])
			}
			return len(d.hunks) > 0
		}
	}
	return []distortion{
		{name: "lines shifted alike", do: func(r *rand.Rand, d *gitDiff) bool {
			by := 1 + r.IntN(40)
			for i := range d.hunks {
				d.hunks[i].oldStart += by
				d.hunks[i].newStart += by
			}
			return len(d.hunks) > 0 && d.hunks[0].oldCount > 0
		}},
		{name: "lines shifted at random", do: eachHunk(func(r *rand.Rand, h *gitHunk) {
			h.oldStart = max(0, h.oldStart+r.IntN(41)-20)
			h.newStart = max(0, h.newStart+r.IntN(41)-20)
		})},
		{name: "lines left out", do: eachHunk(func(_ *rand.Rand, h *gitHunk) { h.numberless = true })},
		{name: "counts wrong", do: eachHunk(func(r *rand.Rand, h *gitHunk) {
			h.oldCount, h.newCount = max(0, h.oldCount+r.IntN(7)-3), max(0, h.newCount+r.IntN(7)-3)
		})},
		{name: "git lines dropped", do: func(_ *rand.Rand, d *gitDiff) bool {
			d.keep(func(l string) bool { return strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") })
			return len(d.hunks) > 0
		}},
		{name: "prefixes dropped", do: func(_ *rand.Rand, d *gitDiff) bool {
			d.keep(func(l string) bool { return !strings.HasPrefix(l, "diff --git ") })
			for i, l := range d.head {
				l = strings.Replace(l, "--- a/", "--- ", 1)
				l = strings.Replace(l, "+++ b/", "+++ ", 1)
				d.head[i] = l
			}
			return len(d.hunks) > 0
		}},
		{name: "fences and prose", text: func(_ *rand.Rand, s string) string {
			return "Here is the change:\n\n```diff\n" + s + "```\n\nIt does this:\n\n- one thing\n+ another\n--- and more\n"
		}},
		{name: "CRLF", text: func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{name: "its last newline lost", text: func(_ *rand.Rand, s string) string { return strings.TrimSuffix(s, "\n") }},
		{name: "context stripped", do: func(_ *rand.Rand, d *gitDiff) bool {
			found := false
			for _, h := range d.hunks {
				for j, l := range h.body {
					if l[0] == ' ' {
						h.body[j] = strings.TrimRight(l, " \t")
						found = found || h.body[j] != l
						if h.body[j] == "" && l == "\r" {
							h.body[j] = l
						}
					}
				}
			}
			return found
		}},
		{name: "mark of a bare end lost", do: func(_ *rand.Rand, d *gitDiff) bool {
			// The mark is lost only if the old file has no newline at its end. A mark for
			// the new file alone could not be inferred without seeing that file.
			found := false
			for i, h := range d.hunks {
				for j, l := range h.body {
					found = found || j > 0 && l[0] == '\\' && h.body[j-1][0] != '+'
				}
				if found {
					d.hunks[i].body = slices.DeleteFunc(h.body, func(l string) bool { return l[0] == '\\' })
				}
			}
			return found
		}},
		{name: "context of one line", do: eachHunk(func(_ *rand.Rand, h *gitHunk) { h.shorten(1) })},
		{name: "no context", do: eachHunk(func(_ *rand.Rand, h *gitHunk) { h.shorten(0) })},
	}
}

// distorted returns a diff after one or several distortions, randomly with or without the
// index line that would prove the result. The second result (says) is the diff as it was
// before the distortions of its whole text. The kinds are in the order of distortions.
func distorted(r *rand.Rand, d gitDiff, kinds ...distortion) (text string, says gitDiff, ok bool) {
	d = d.clone()
	if r.IntN(2) == 0 {
		d.keep(func(l string) bool { return !strings.HasPrefix(l, "index ") })
	}
	for _, k := range slices.Backward(kinds) {
		if k.do != nil && !k.do(r, &d) {
			return "", d, false
		}
	}
	text = d.String()
	for _, k := range kinds {
		if k.text != nil {
			text = k.text(r, text)
		}
	}
	return text, d, true
}
