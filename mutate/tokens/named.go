package tokens

import (
	"slices"
	"strings"
)

// deepestHole is the maximum nesting depth of strings that contain code.
const deepestHole = 4

// Name is a name in the code of a text, with the names that precede it in a selector.
type Name struct {
	// Text consists of the names joined by dots, whatever joins them in the code, as in
	// os.path.join or std.process.exit. It begins with a dot if the first name is a member
	// of an expression that is not a name. In a shell it is a single word; the parameters
	// $@ and $* count as names.
	Text string
	// Before and After are the texts of the tokens directly before and after the name, or
	// "" if there are none. Before is also "" if the name is the first token of its logical
	// line.
	Before, After string
	// At is the byte offset of the name, Line the number of its line, from 1, and Statement
	// the byte offset of its logical line.
	At, Line, Statement int
}

// Names returns the names in a whole file, in order. It ignores comments and the contents
// of strings, except for code in strings: $(…) and parameters in a shell, {…} in an
// f-string, ${…} and #{…}. It returns false for texts of more than 256 KiB.
func Names(file, text string) ([]Name, bool) {
	if len(text) > mostRead {
		return nil, false
	}
	n := &namer{language: languageOf(file), whole: text, line: 1}
	n.vocabulary = newVocabulary(n.sql)
	n.read(text, 0, deepestHole)
	return n.names, true
}

// namer collects names.
type namer struct {
	*language
	vocabulary *vocabulary
	whole      string
	names      []Name
	// counted is the byte offset up to which line ends have been counted, and line is the
	// number of the line at that offset.
	line, counted int
}

// read adds the names in a part of the text that begins at an offset.
func (n *namer) read(part string, from, depth int) {
	v := (&Rewriter{language: n.language, vocabulary: n.vocabulary}).scan(part)
	items := v.items
	for i := 0; i < len(items); i++ {
		x := items[i]
		switch {
		case x.kind == str:
			for _, h := range n.holes(x.text) {
				if depth > 0 {
					n.read(x.text[h.From:h.To], from+x.from+h.From, depth-1)
				}
			}
		case n.shell && x.text == "$":
			if p := parameter(items[i+1:]); p != "" {
				n.add(v, i, i, p, from)
			}
		case x.kind == name:
			last, text := i, strings.TrimLeft(x.text, "@")
			if !n.shell {
				if v.member(i) {
					text = "." + text
				}
				for last+2 < len(items) && v.member(last+2) {
					last += 2
					text += "." + items[last].text
				}
			}
			n.add(v, i, last, text, from)
			i = last
		}
	}
}

// add adds a name that consists of the items from first to last.
func (n *namer) add(v *view, first, last int, text string, from int) {
	x := v.items[first]
	at := from + x.from
	if at < n.counted {
		n.line, n.counted = 1, 0
	}
	n.line += strings.Count(n.whole[n.counted:at], "\n")
	n.counted = at
	out := Name{Text: text, At: at, Line: n.line, Statement: at - x.from + v.lines[x.line].from}
	if first > v.lines[x.line].first {
		out.Before = v.items[first-1].text
	}
	if last+1 < len(v.items) {
		out.After = v.items[last+1].text
	}
	n.names = append(n.names, out)
}

// parameter returns the parameter that follows a $, if the parameter stands for all
// arguments or for the program's name, with or without braces; otherwise it returns "".
func parameter(rest []item) string {
	if len(rest) > 1 && rest[0].text == "{" {
		rest = rest[1:]
	}
	if len(rest) > 0 && slices.Contains([]string{"@", "*", "0"}, rest[0].text) {
		return "$" + rest[0].text
	}
	return ""
}

// holes returns the parts of a string that are code.
func (n *namer) holes(s string) []Span {
	quote := strings.IndexAny(s, "\"'`")
	var signs []string
	switch {
	case n.shell && quote == 0 && s[0] == '\'':
		return nil
	case n.shell && quote == 0 && s[0] == '`':
		return []Span{{From: 1, To: max(1, len(s)-1)}}
	case n.shell:
		return n.expansions(s)
	case n.indented && quote >= 0 && strings.ContainsAny(s[:quote], "fFtT"):
		signs = []string{"{"}
	case n.indented:
		return nil
	default:
		signs = []string{"${", "#{"}
	}
	var out []Span
	for i := 0; i < len(s); i++ {
		for _, sign := range signs {
			if !strings.HasPrefix(s[i:], sign) {
				continue
			}
			if sign == "{" && strings.HasPrefix(s[i:], "{{") {
				i++
				break
			}
			end := closing(s, i+len(sign)-1)
			out = append(out, Span{From: i + len(sign), To: end})
			i = end
			break
		}
	}
	return out
}

// expansions returns the parameters and commands in a shell string.
func (*namer) expansions(s string) []Span {
	var out []Span
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch {
		case rest[0] == '\\':
			i++
		case rest[0] == '`':
			if n := strings.IndexByte(rest[1:], '`'); n >= 0 {
				out = append(out, Span{From: i + 1, To: i + 1 + n})
				i += 1 + n
			}
		case strings.HasPrefix(rest, "$("):
			end := closing(s, i+1)
			out = append(out, Span{From: i + 2, To: end})
			i = end
		case rest[0] == '$':
			end := i + 1
			switch {
			case strings.HasPrefix(rest, "${"):
				end = min(len(s), closing(s, i+1)+1)
			case strings.HasPrefix(rest, "$@"), strings.HasPrefix(rest, "$*"):
				end++
			default:
				for end < len(s) && wordByte(s[end]) && s[end] != '$' {
					end++
				}
			}
			out = append(out, Span{From: i, To: end})
			i = end - 1
		}
	}
	return out
}

// closing returns the offset of the bracket that matches the bracket at an offset, or the
// length of s if there is none.
func closing(s string, at int) int {
	open, shut := s[at], byte('}')
	if open == '(' {
		shut = ')'
	}
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}
