package typed

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/gates/syntax"
	"evolve/mutate/tokens"
)

// plainExits holds the lost early exits in changed files that are not read with type
// information: files in languages other than Go, and Go files that are not built on this
// system. Their tokens are compared instead.
type plainExits struct {
	lost []Finding
	// read contains the paths of the files that were read, and unread contains the paths
	// of files in languages that are not read.
	read, unread []string
}

// plainFile is a changed file in the base and in the candidate.
type plainFile struct {
	// from is the path of the file on the base; it differs from path if the file was
	// moved.
	path, from string
	was, is    string
	// lost and added are the early exits that only one side has.
	lost, added []tokens.Exit
}

// readPlain compares the early exits in the changed files. It leaves out tests, test data,
// and the files that were read with type information.
func readPlain(c Change, typed map[string]bool) plainExits {
	var out plainExits
	var files []*plainFile
	for _, p := range c.Changed {
		if typed[p] || strings.HasSuffix(p, "_test.go") || strings.Contains("/"+p, "/testdata/") {
			continue
		}
		was, errWas := os.ReadFile(filepath.Join(c.Base, filepath.FromSlash(p)))
		is, errIs := os.ReadFile(filepath.Join(c.Candidate, filepath.FromSlash(p)))
		f := &plainFile{path: p, was: string(was), is: string(is)}
		if errWas == nil {
			f.from = p
		}
		if errIs != nil {
			f.path = ""
		}
		files = append(files, f)
	}
	for _, f := range joinMoved(files) {
		old, readOld := tokens.Exits(f.from, f.was)
		now, readNow := tokens.Exits(f.path, f.is)
		if f.from != "" && !readOld || f.path != "" && !readNow {
			out.unread = append(out.unread, f.name())
			continue
		}
		out.read = append(out.read, f.name())
		f.lost, f.added = without(old, now), without(now, old)
	}
	for _, f := range files {
		if f.path == "" || f.from == "" {
			continue
		}
		for _, e := range f.lost {
			if !movedTo(e, files) {
				out.lost = append(out.lost, f.finding(e))
			}
		}
	}
	return out
}

// name returns the path of a file. If the file was removed, it is the path on the base.
func (f *plainFile) name() string {
	if f.path == "" {
		return f.from
	}
	return f.path
}

// joinMoved joins each removed file with the new file that has the most lines in common
// with it, if the common lines are more than half of all lines in the two files.
func joinMoved(files []*plainFile) []*plainFile {
	gone := map[*plainFile]bool{}
	for _, f := range files {
		if f.path != "" || f.from == "" {
			continue
		}
		share, to := .5, (*plainFile)(nil)
		for _, g := range files {
			if g.from == "" && g.path != "" {
				if s := syntax.Share(strings.Split(f.was, "\n"), strings.Split(g.is, "\n")); s > share {
					share, to = s, g
				}
			}
		}
		if to != nil {
			to.from, to.was, gone[f] = f.from, f.was, true
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f *plainFile) bool { return gone[f] })
}

// without returns the exits of a list that occur less often in the other list. Each exit
// is returned as many times as the other list lacks it.
func without(list, other []tokens.Exit) []tokens.Exit {
	have := map[string]int{}
	for _, e := range other {
		have[e.Key]++
	}
	var out []tokens.Exit
	for _, e := range list {
		if have[e.Key]--; have[e.Key] < 0 {
			out = append(out, e)
		}
	}
	return out
}

// movedTo reports whether an exit was added to any of the files. It removes the exit that
// it finds from the file's added exits, so that each is matched only once.
func movedTo(e tokens.Exit, files []*plainFile) bool {
	for _, f := range files {
		i := slices.IndexFunc(f.added, func(a tokens.Exit) bool { return a.Key == e.Key })
		if i >= 0 {
			f.added = slices.Delete(f.added, i, i+1)
			return true
		}
	}
	return false
}

// finding returns the finding for an exit that the file has lost. If the patch added an
// exit whose condition shares a name with the condition of the lost exit, the added exit
// is given as its replacement.
func (f *plainFile) finding(e tokens.Exit) Finding {
	i := slices.IndexFunc(f.added, func(a tokens.Exit) bool {
		return slices.ContainsFunc(a.Names, func(name string) bool { return slices.Contains(e.Names, name) })
	})
	if i < 0 {
		return lostExit(f.path, lineNow(f.was, f.is, e.Line), "", f.from, e.Line, shownText(e.Text, longestExit))
	}
	now := f.added[i]
	f.added = slices.Delete(f.added, i, i+1)
	return lostExit(f.path, now.Line, shownText(now.Text, longestExit), f.from, e.Line, shownText(e.Text, longestExit))
}

// lostExit returns the finding for an early exit of the base that is missing or changed
// in the candidate. path and was are its file and line in the base; at and line are the
// position in the candidate; now is the exit's replacement, or "".
func lostExit(at string, line int, now, path string, was int, text string) Finding {
	where := fmt.Sprintf("%s (%s:%d)", text, plainText(path), was)
	if now == "" {
		return Finding{Path: at, Line: line, Why: "an early exit is missing: the base has " + where}
	}
	return Finding{Path: at, Line: line, Why: fmt.Sprintf("an early exit changed: now %s; in the base %s", now, where), Told: true}
}

// lineNow returns the line of the new text (is) that corresponds to the given line of the
// old text (was). It is the line after the last common line of the texts that comes
// before the given line in was.
func lineNow(was, is string, line int) int {
	x, y := strings.Split(was, "\n"), strings.Split(is, "\n")
	out := 1
	for _, p := range syntax.Align(len(x), len(y), func(i, j int) bool { return x[i] == y[j] }) {
		if p.Old < line-1 {
			out = p.New + 2
		}
	}
	return min(out, len(y))
}

// typedFiles returns the paths of the files that were read with types, on either side.
func typedFiles(list []*pair) map[string]bool {
	out := map[string]bool{}
	for _, p := range list {
		for _, r := range []*reading{p.was, p.is} {
			if r != nil {
				maps.Copy(out, r.files)
			}
		}
	}
	return out
}
