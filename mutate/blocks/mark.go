package blocks

import (
	"strings"
	"unicode"
)

const (
	opening = "evolve:begin"
	closing = "evolve:end"
	// nameLength is the maximum length of a block's name, in bytes.
	nameLength = 64
)

// leaders are the signs that begin a one-line comment, each with the sign that closes the
// comment. The order matters, because some signs begin with another sign.
var leaders = []struct{ open, shut string }{
	{"//", ""},
	{"#", ""},
	{"--", ""},
	{";", ""},
	{"%", ""},
	{"'", ""},
	{`"`, ""},
	{"!", ""},
	{"/*", "*/"},
	{"(*", "*)"},
	{"{-", "-}"},
	{"<!--", "-->"},
	{"REM", ""},
}

// mark is the content of a marker line.
type mark struct {
	opens bool
	name  string // the name; it may be empty in an evolve:end
}

// readMark reads a line as a marker, or returns false for any other line.
func readMark(line string) (mark, bool) {
	line = strings.TrimSpace(line)
	for _, l := range leaders {
		rest, found := strings.CutPrefix(line, l.open)
		if !found {
			continue
		}
		if l.shut != "" {
			if rest, found = strings.CutSuffix(rest, l.shut); !found {
				continue
			}
		}
		// The first character of a comment marker may be repeated, as in "///
		// evolve:begin" and ";; evolve:begin".
		rest = strings.TrimSpace(strings.TrimLeft(rest, l.open[:1]))
		for _, word := range []string{opening, closing} {
			name, found := strings.CutPrefix(rest, word)
			if found && (name == "" || unicode.IsSpace(rune(name[0]))) {
				return mark{word == opening, strings.TrimSpace(name)}, true
			}
		}
	}
	return mark{}, false
}

// validName reports whether name is a valid name for a block and for its parameter.
func validName(name string) bool {
	if name == "" || len(name) > nameLength {
		return false
	}
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '.' && r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}
