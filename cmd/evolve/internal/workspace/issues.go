package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/scrub"
	rtext "evolve/runtime/text"
)

// maxIssues is the maximum number of issues reported for one file.
const maxIssues = 100

// Issue is one problem at one position in a workspace.
type Issue struct {
	// File is relative to the root, with slashes.
	File string
	// Line and Column count from 1, columns in characters. Column is 0 if the issue
	// concerns a whole line, and both are 0 if it concerns the file.
	Line, Column int
	// Message describes the issue, in lower case.
	Message string
	// Hint describes a remedy; it is empty if the message is enough.
	Hint string
	// Err is the failure of this machine that the issue reports, such as a shortage of file
	// handles ([bench.HostFailure]). It is nil if the file is at fault.
	Err error
}

// String formats the issue on one line: agents/solver/agent.yaml:7:5: unknown key
// "protocal" (did you mean "protocol"?).
func (i Issue) String() string {
	var b strings.Builder
	b.WriteString(i.File)
	if i.Line > 0 {
		fmt.Fprintf(&b, ":%d", i.Line)
	}
	if i.Column > 0 {
		fmt.Fprintf(&b, ":%d", i.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(i.Message)
	if i.Hint != "" {
		fmt.Fprintf(&b, " (%s)", i.Hint)
	}
	return b.String()
}

// Errors lists all issues in a workspace, by file and position.
type Errors struct {
	Issues []Issue
}

// Error lists the issues, one per line.
func (e *Errors) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the failures of this machine among the issues.
func (e *Errors) Unwrap() []error {
	var errs []error
	for _, issue := range e.Issues {
		if issue.Err != nil {
			errs = append(errs, issue.Err)
		}
	}
	return errs
}

// collector collects issues during loading.
type collector struct {
	issues  []Issue
	perFile map[string]int
	// total is the number of all issues, including those that are left out.
	total int
	scrub *scrub.Scrubber
}

// add adds an issue. It removes text that looks like a secret, and the middle of a text
// that is too long.
func (c *collector) add(i Issue) {
	// Scrub before cutting, because half of a secret would not be recognized.
	i.Message, i.Hint = c.scrubber().String(i.Message), c.scrubber().String(i.Hint)
	i.Message, i.Hint = Shorten(i.Message, mostMessage), Shorten(i.Hint, mostMessage)
	if c.perFile == nil {
		c.perFile = map[string]int{}
	}
	c.perFile[i.File]++
	c.total++
	switch n := c.perFile[i.File]; {
	case n <= maxIssues:
		c.issues = append(c.issues, i)
	case n == maxIssues+1:
		c.issues = append(c.issues, Issue{File: i.File, Line: i.Line, Column: i.Column, Message: "further problems in this file are not listed"})
	}
}

// failed reports whether a file has an issue.
func (c *collector) failed(file string) bool { return c.perFile[file] > 0 }

// err returns the issues as an error, or nil if there are none.
func (c *collector) err() error {
	if len(c.issues) == 0 {
		return nil
	}
	slices.SortStableFunc(c.issues, func(a, b Issue) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Errors{Issues: c.issues}
}

// didYouMean returns a hint with the nearest candidate, or "" if no candidate is near.
func didYouMean(word string, candidates []string) string {
	if n := rtext.Nearest(word, candidates); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return ""
}
