package diff

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"strings"
)

// defaultContext is the number of unchanged lines around a change, as git has it.
const defaultContext = 3

// Unified is the exact diff of files, for programs: Parse and Apply, as well as
// `git apply`, make of it the same bytes again, whatever they are. It is not safe to
// look at in a terminal; Render is. Files that stay as they are are left out.
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
		if len(all) == 0 { // an empty file comes or goes
			continue
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", tabbed(before), tabbed(after))
		for _, h := range all {
			b.WriteString(h.header() + "\n")
			for _, p := range h.pieces {
				b.WriteByte(p.kind)
				b.WriteString(p.text)
				if !strings.HasSuffix(p.text, "\n") {
					b.WriteString("\n\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.Bytes()
}

// header is a block's line of numbers. A side without lines is numbered by the line
// before it.
func (b block) header() string {
	before, after := b.count()
	old, now := b.oldStart, b.newStart
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

// name quotes a path as git does where it has to be.
func name(path string) string {
	if !strings.ContainsAny(path, `"\`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// tabbed is a path for a line of its own, where a tab ends one with spaces.
func tabbed(path string) string {
	if q := name(path); q != path || !strings.Contains(path, " ") {
		return q
	}
	return path + "\t"
}
