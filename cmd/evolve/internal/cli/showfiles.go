package cli

import (
	"fmt"
	"io"

	"github.com/aymanbagabas/go-udiff"

	"evolve/archive"
	"evolve/runtime/text"
)

// printFiles lists every file of a proposal with the kind of change to it and the numbers
// of added and removed lines. If back is set, the changes are shown in reverse.
func printFiles(w io.Writer, files []archive.FileChange, back bool) {
	if len(files) > 0 {
		_, _ = fmt.Fprintln(w, "\nfiles")
	}
	for _, f := range files {
		what, added, removed := changeOf(f, back)
		_, _ = fmt.Fprintf(w, "  %-8s %s  +%d -%d\n", what, text.Visible(f.Path), added, removed)
	}
}

// changeOf describes the change to a file, and counts the added and removed lines. If back
// is set, it describes the reverse change.
func changeOf(f archive.FileChange, back bool) (what string, added, removed int) {
	if back {
		f.Old, f.New = f.New, f.Old
	}
	what = "changed"
	switch {
	case f.Old == nil:
		what = "added"
	case f.New == nil:
		what = "removed"
	}
	added, removed = lineChanges(string(f.Old), string(f.New))
	return what, added, removed
}

// lineChanges counts the lines that a change adds and removes.
func lineChanges(from, to string) (added, removed int) {
	unified, err := udiff.ToUnifiedDiff("", "", from, udiff.Lines(from, to), 0)
	if err != nil {
		return 0, 0
	}
	for _, h := range unified.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return added, removed
}
