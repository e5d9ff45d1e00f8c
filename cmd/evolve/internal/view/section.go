package view

import "strings"

// Section is a part of a description. It consists of facts, tables, lines, a text and a
// diff, in this order. Its texts may be foreign, so the pages escape them.
type Section struct {
	Title string
	Facts []Fact
	// Tables, Lines, Text and Diff are left out if they are empty. A single line is shown
	// as a paragraph, several lines as a list.
	Tables []Table
	Lines  []string
	// Text is code or similar text, and Diff is a unified diff.
	Text, Diff string
	// Folded reports whether the section is hidden until a person opens it.
	Folded bool
}

// Fact is a name with the lines of text that belong to it.
type Fact struct {
	Name  string
	Lines []string
}

// Table has a name and rows with a cell for each column.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]string
}

// diffLine is a line of a diff with its CSS class.
type diffLine struct{ Class, Text string }

// linesOf splits a diff.
func linesOf(diff string) (list []diffLine) {
	for line := range strings.Lines(diff) {
		l := diffLine{Text: strings.TrimSuffix(line, "\n")}
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			l.Class = "add"
		case strings.HasPrefix(line, "-"):
			l.Class = "del"
		}
		list = append(list, l)
	}
	return list
}
