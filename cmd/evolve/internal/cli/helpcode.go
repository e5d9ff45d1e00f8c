package cli

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	// shellLine matches a shell command that a person can copy, or an assignment in a
	// systemd unit or a crontab, whose lines are continued like those of a command.
	shellLine = regexp.MustCompile(`^(?:\$ |ExecStart=|(?:cat|curl|crontab|evolve|gh|git|go|kubectl|make|nats|npx|ollama|printf|python3|ssh-keygen|sudo|systemctl)(?: |$))`)
	// messageLine matches a message printed by evolve.
	messageLine = regexp.MustCompile(`^(?:(?:error|hint|warning|note): |\S+:\d+:\d+: )`)
	// yamlLine matches a YAML key with its value.
	yamlLine = regexp.MustCompile(`^(?:- )*[\w.-]+: +\S`)
	// columned matches a line with a second column.
	columned = regexp.MustCompile(`^ +\S.*?  +\S`)
	// commentStart matches the spaces and the number sign that begin a comment after YAML
	// or shell code.
	commentStart = regexp.MustCompile(`  +# `)
)

// codeLines fits an indented line of the manual to a width so that it can still be copied:
// a command continues after a backslash and a YAML collection after a comma, and a comment
// moves above its line. A complete JSON value stays on one line, because each line is a
// record. ok is false for any other kind of line.
func codeLines(line string, width int) (parts []string, ok bool) {
	body := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(body)]
	switch {
	case json.Valid([]byte(body)):
		return []string{line}, true
	case shellLine.MatchString(body):
		if at := commentStart.FindStringIndex(body); at != nil && !tabled.MatchString(strings.Replace(line, body[at[0]:at[1]], " ", 1)) {
			comment := commentLines(lead, body[at[1]:], width)
			return append(comment, broken(lead, body[:at[0]], width, shellBreak, ` \`)...), true
		}
		if tabled.MatchString(line) {
			return nil, false
		}
		return broken(lead, body, width, shellBreak, ` \`), true
	case messageLine.MatchString(body):
		return foldLine(line, width), true
	}
	code := body
	if at := commentStart.FindStringIndex(body); at != nil {
		parts, code = commentLines(lead, body[at[1]:], width), body[:at[0]]
	}
	if strings.HasPrefix(body, "# ") {
		return commentLines(lead, body[2:], width), true
	}
	if yamlLine.MatchString(code) {
		return append(parts, broken(lead, code, width, yamlBreak, "")...), true
	}
	if len(parts) == 0 && (len(lead) >= deepest || columned.MatchString(line) || !strings.ContainsAny(code, "[{(\"")) {
		return nil, false
	}
	return append(parts, broken(lead, code, width, commaBreak, "")...), true
}

// deepest is an indent that only the continuation lines of tables reach: code is always
// indented less.
const deepest = 20

// breaks selects the spaces at which a line may be broken: best selects the preferred
// spaces, and other selects those to use if there is no suitable preferred one.
type breaks struct{ best, other func(c cut) bool }

// cut is a space in a line: the characters around it, and whether it is within quotes or
// brackets.
type cut struct {
	before, after     byte
	quoted, bracketed bool
}

var (
	shellBreak = breaks{
		func(c cut) bool { return !c.quoted && c.after == '-' },
		func(c cut) bool { return !c.quoted && c.before != '$' && c.before != '\\' },
	}
	commaBreak = breaks{best: func(c cut) bool { return !c.quoted && c.bracketed && c.before == ',' }}
	// A YAML scalar may continue on further lines; each line break is read as a space.
	yamlBreak = breaks{commaBreak.best, func(c cut) bool { return c.before != ' ' && c.after != ' ' && c.after != '#' && c.before != '-' }}
)

// commentLines returns a comment on separate lines, folded to a width.
func commentLines(lead, comment string, width int) (lines []string) {
	for _, l := range foldLine(comment, max(width-len(lead)-2, leastColumns)) {
		lines = append(lines, lead+"# "+strings.TrimLeft(l, " "))
	}
	return lines
}

// broken breaks a line of code at spaces and ends each line but the last with mark. The
// continuation lines are indented by four more spaces. Code that cannot be broken stays as
// it is.
func broken(lead, code string, width int, at breaks, mark string) []string {
	var lines []string
	for indent := lead; ; indent = lead + "    " {
		room := width - len(indent)
		if cellsOf(code) <= room {
			return append(lines, indent+code)
		}
		place := breakAt(code, room-len(mark), at.best)
		if place == 0 || cellsOf(code[:place]) > room-len(mark) || place < room/3 {
			if other := breakAt(code, room-len(mark), at.other); other > 0 && (place == 0 || cellsOf(code[:other]) < cellsOf(code[:place]) || place < room/3) {
				place = other
			}
		}
		if place == 0 {
			return append(lines, indent+code)
		}
		lines = append(lines, indent+strings.TrimRight(code[:place], " ")+mark)
		code = strings.TrimLeft(code[place:], " ")
	}
}

// breakAt returns the last position at which code may be broken without exceeding a width
// or, if there is none, the first such position beyond the width. It returns 0 if code
// may not be broken anywhere.
func breakAt(code string, width int, may func(cut) bool) int {
	if may == nil {
		return 0
	}
	place, quote, depth := 0, byte(0), unopened(code)
	if code[0] == '"' || code[0] == '\'' {
		quote = code[0]
	}
	for i := 1; i+1 < len(code); i++ {
		c := code[i]
		switch {
		case quote == 0 && (c == '{' || c == '[' || c == '('):
			depth++
		case quote == 0 && (c == '}' || c == ']' || c == ')'):
			depth--
		case c == ' ' && may(cut{code[i-1], code[i+1], quote != 0, depth > 0 || strings.ContainsRune("{[(\"", rune(code[0]))}):
			if cellsOf(code[:i]) > width && place > 0 {
				return place
			}
			if place = i; cellsOf(code[:i]) > width {
				return place
			}
		}
		quote = quoteAfter(code, i, quote)
	}
	return place
}

// unopened returns the number of brackets that code closes but that earlier lines opened.
func unopened(code string) int {
	depth, least := 0, 0
	for _, c := range code {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
			least = min(least, depth)
		}
	}
	return -least
}

// quoteAfter returns the quotation mark that is open after the character at i, or 0 if none
// is open.
func quoteAfter(code string, i int, quote byte) byte {
	c := code[i]
	switch {
	case quote != 0 && c == quote && code[i-1] != '\\':
		return 0
	case quote == 0 && (c == '"' || c == '\'' && !letter(code[i-1])):
		return c
	}
	return quote
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
