package bench

import (
	"fmt"
	"slices"
	"strings"

	foreign "evolve/runtime/text"
)

// Issue is a problem in a suite file, with its position.
type Issue struct {
	// File is the suite file as shown to users, for instance suites/tasks.jsonl.
	File string
	// Line counts from 1; it is 0 for an issue about the whole file.
	Line int
	// Column counts characters from 1, without a byte order mark; it is 0 for an issue
	// about the whole line.
	Column int
	Text   string
	// Err is the failure of this machine that the issue reports, such as a shortage of file
	// handles ([HostFailure]). It is nil if the file is at fault.
	Err error
}

// String returns the issue as file:line:column: text, a form in which editors can jump to
// the position.
func (i Issue) String() string {
	switch {
	case i.Line == 0:
		return fmt.Sprintf("%s: %s", i.File, i.Text)
	case i.Column == 0:
		return fmt.Sprintf("%s:%d: %s", i.File, i.Line, i.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", i.File, i.Line, i.Column, i.Text)
}

// unknown returns a message for an invalid word, with either the nearest valid word or all
// valid words.
func unknown(what, word string, valid []string) string {
	text := fmt.Sprintf("unknown %s %s", what, foreign.Quote(word))
	if near := foreign.Nearest(word, valid); near != "" {
		return fmt.Sprintf("%s (did you mean %q?)", text, near)
	}
	sorted := slices.Sorted(slices.Values(valid))
	return fmt.Sprintf("%s (valid: %s)", text, strings.Join(sorted, ", "))
}

// FoldIssues shortens a list of issues. If issues have the same text on four or more
// lines of a file, it keeps only the first of them and adds the number of the others to
// its text.
func FoldIssues(issues []Issue) []Issue {
	const many = 4
	type kind struct{ file, text string }
	counts := map[kind]int{}
	for _, i := range issues {
		counts[kind{i.File, i.Text}]++
	}
	var out []Issue
	for _, i := range issues {
		k := kind{i.File, i.Text}
		switch n := counts[k]; {
		case n == 0: // folded
			continue
		case n >= many:
			i.Text += fmt.Sprintf("; the same on %d more lines", n-1)
			counts[k] = 0
		}
		out = append(out, i)
	}
	return out
}
