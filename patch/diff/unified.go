package diff

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"strings"
)

// defaultContext is git's default number of unchanged lines around a change.
const defaultContext = 3

// Unified returns the exact diff of files, for programs: Parse and Apply, as well as `git
// apply`, restore the same bytes from it, whatever these bytes are. The diff is not safe to
// display in a terminal; use Render for that. Unchanged files are omitted.
func Unified(files []File) []byte {
	var b bytes.Buffer
	for _, f := range files {
		if f.Old == nil && f.New == nil || f.Old != nil && f.New != nil && bytes.Equal(f.Old, f.New) {
			continue
		}
		before, after := "a/"+f.Path, "b/"+f.Path
		fmt.Fprintf(&b, "diff --git %s %s\n", name(before), name(after))
		switch {
		case f.Old == nil:
			before = null
			b.WriteString("new file mode 100644\n")
		case f.New == nil:
			after = null
			b.WriteString("deleted file mode 100644\n")
		}
		fmt.Fprintf(&b, "index %s..%s\n", indexHash(f.Old), indexHash(f.New))
		all := blocks(f.Old, f.New, defaultContext)
		if len(all) == 0 { // an empty file is added or removed
			continue
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", tabName(before), tabName(after))
		for _, h := range all {
			b.WriteString(h.header() + "\n")
			for _, l := range h.lines {
				b.WriteString(string(l.kind) + l.text + "\n")
				if l.bare {
					b.WriteString("\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.Bytes()
}

// header returns the header line, including line numbers, of a hunk that was made from
// blocks. A side without lines is numbered by the line that precedes it.
func (h hunk) header() string {
	before, after := h.count()
	old, now := h.oldStart, h.newStart
	if before > 0 {
		old++
	}
	if after > 0 {
		now++
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", old, before, now, after)
}

func indexHash(content []byte) string {
	if content == nil {
		return strings.Repeat("0", 2*sha1.Size)
	}
	return blobHash(sha1.New(), content)
}

// name returns a path, quoted as git quotes it if that is necessary.
func name(path string) string {
	if !strings.ContainsAny(path, `"\`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// tabName returns a path as it is written on a --- or +++ line, where a tab ends a path
// that contains spaces.
func tabName(path string) string {
	if q := name(path); q != path || !strings.Contains(path, " ") {
		return q
	}
	return path + "\t"
}
