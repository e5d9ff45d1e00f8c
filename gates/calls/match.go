package calls

import (
	"slices"
	"strings"

	"evolve/mutate/tokens"
)

// call is an occurrence of a known name in a text.
type call struct {
	kind kind
	text string
	// at is the byte offset of the call in its file, and line is its line, counted from 1.
	at, line int
}

// calls returns the known names that occur in a text. Imports of the modules in imported do
// not count.
func (f *family) calls(list []tokens.Name, imported map[string]bool) []call {
	var out []call
	for _, n := range list {
		for k := range kinds {
			if f.known(n, f.words[k]) {
				out = append(out, call{kind(k), strings.TrimPrefix(n.Text, "."), n.At, n.Line})
			}
		}
	}
	if f.imports {
		for _, m := range modules(list) {
			if !imported[m.Text] {
				out = append(out, call{reaches, "import " + m.Text, m.At, m.Line})
			}
		}
	}
	return out
}

// known reports whether a name matches any of the given words.
func (f *family) known(n tokens.Name, words string) bool {
	if f.commands && !strings.HasPrefix(n.Text, "$") && !begins(n) {
		return false
	}
	parts := strings.Split(n.Text, ".")
	for _, w := range strings.Fields(words) {
		w, alone := strings.CutPrefix(w, "=")
		bracket := strings.Trim(w, "([") != w
		if bracket && w[len(w)-1:] != n.After {
			continue
		}
		want := strings.Split(strings.TrimRight(w, "(["), ".")
		switch {
		case alone && slices.Equal(parts, want), !alone && bracket && endsWith(parts, want):
			return true
		case !alone && !bracket && contains(parts, want):
			return true
		}
	}
	return false
}

func endsWith(list, end []string) bool {
	return len(list) >= len(end) && slices.Equal(list[len(list)-len(end):], end)
}

func contains(list, part []string) bool {
	for i := range list {
		if endsWith(list[:i+1], part) {
			return true
		}
	}
	return false
}

// begins reports whether a name in a shell script begins a command.
func begins(n tokens.Name) bool {
	return n.Before == "" || slices.Contains(strings.Fields("; ;; | || & && ( ) { ! $ then do else elif if while until command builtin exec eval"), n.Before)
}

// modules returns the modules that a Python text imports.
func modules(list []tokens.Name) []tokens.Name {
	var out []tokens.Name
	for i, n := range list {
		if strings.TrimPrefix(n.Text, ".") != "import" {
			continue
		}
		if i > 0 && list[i-1].Statement == n.Statement && i > 1 && list[i-2].Text == "from" || i == 1 && list[0].Text == "from" {
			out = append(out, list[i-1])
			continue
		}
		for _, m := range list[i+1:] {
			if m.Statement == n.Statement && (m.Before == "import" || m.Before == ",") {
				out = append(out, m)
			} else if m.Before != "as" && m.Text != "as" {
				break
			}
		}
	}
	return out
}
