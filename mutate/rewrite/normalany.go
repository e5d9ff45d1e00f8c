package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NormalAny returns the tokens of a text in any language, without comments, empty lines
// and the white space within lines. Since the ends and the indentation of lines have a
// meaning in some languages, the ends stay, and so does the order of indentations.
//
// A comment is a line that begins with #!, or with -- or # and a space; the rest of a line
// after a # between spaces; and, if a line ends in a semicolon or an opening brace, the
// rest of a line after // and what is between /* and */. Texts in quotation marks stay as
// they are. In doubt two texts are different.
func NormalAny(text string) string {
	n := normalizer{text: text, slashes: slashes(text)}
	var b strings.Builder
	levels := []int{0}
	for n.at < len(n.text) {
		indent := n.indent()
		line := n.line()
		if line == "" {
			continue
		}
		for len(levels) > 1 && indent < levels[len(levels)-1] {
			levels = levels[:len(levels)-1]
		}
		if indent > levels[len(levels)-1] {
			levels = append(levels, indent)
		}
		b.WriteString(strings.Repeat("\t", len(levels)-1))
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// slashes reports whether a text seems to be in a language with // and /* */.
func slashes(text string) bool {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); strings.HasSuffix(l, ";") || strings.HasSuffix(l, "{") {
			return true
		}
	}
	return false
}

// normalizer reads a text.
type normalizer struct {
	text    string
	at      int
	slashes bool // comments are // and /* */ too
}

// indent reads the indentation of a line; a tab counts eight.
func (n *normalizer) indent() int {
	width := 0
	for ; n.at < len(n.text); n.at++ {
		switch n.text[n.at] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		default:
			return width
		}
	}
	return width
}

// line reads the rest of a line, and returns its tokens with a space between them. Texts
// in quotation marks may contain line ends.
func (n *normalizer) line() string {
	var list []string
	for n.at < len(n.text) {
		rest := n.text[n.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\n':
			n.at++
			return strings.Join(list, " ")
		case unicode.IsSpace(r):
			n.at += size
		case n.comment(rest, len(list) == 0):
		case r == '"' || r == '\'' || r == '`':
			list = append(list, n.quoted(rest))
		case word(r):
			end := strings.IndexFunc(rest, func(r rune) bool { return !word(r) })
			if end < 0 {
				end = len(rest)
			}
			list = append(list, rest[:end])
			n.at += end
		default:
			// Signs without a space between them are one token: a - -b is not a--b.
			end := strings.IndexFunc(rest[size:], func(r rune) bool {
				return word(r) || unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{};,", r)
			})
			if end < 0 {
				end = len(rest) - size
			}
			if strings.ContainsRune("()[]{};,", r) {
				end = 0
			}
			if n.slashes {
				if i := strings.Index(rest[size:size+end], "/*"); i >= 0 {
					end = i
				}
				if i := strings.Index(rest[size:size+end], "//"); i >= 0 {
					end = i
				}
			}
			list = append(list, rest[:size+end])
			n.at += size + end
		}
	}
	return strings.Join(list, " ")
}

// comment skips a comment, and reports whether there is one.
func (n *normalizer) comment(rest string, first bool) bool {
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	spaced := n.at > 0 && (n.text[n.at-1] == ' ' || n.text[n.at-1] == '\t')
	open := func(sign string) bool {
		after, ok := strings.CutPrefix(rest[:end], sign)
		return ok && (strings.TrimSpace(after) == "" || after[0] == ' ' || after[0] == '\t')
	}
	switch {
	case first && open("--"):
	case open("#") && (first || spaced):
	case first && n.at == 0 && strings.HasPrefix(rest, "#!"):
	case n.slashes && strings.HasPrefix(rest, "//"):
	case n.slashes && strings.HasPrefix(rest, "/*"):
		if end = strings.Index(rest[2:], "*/"); end < 0 {
			return false
		}
		end += 4
	default:
		return false
	}
	n.at += end
	return true
}

// quoted reads a text in quotation marks. A mark without a counterpart on its line is a
// sign, except for three of them and for backquotes.
func (n *normalizer) quoted(rest string) string {
	mark := rest[:1]
	if triple := strings.Repeat(mark, 3); mark != "`" && strings.HasPrefix(rest, triple) {
		if end := strings.Index(rest[3:], triple); end >= 0 {
			n.at += end + 6
			return rest[:end+6]
		}
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && mark != "`":
			i++
		case rest[i] == mark[0]:
			n.at += i + 1
			return rest[:i+1]
		case rest[i] == '\n' && mark != "`":
			i = len(rest)
		}
	}
	n.at++
	return mark
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
