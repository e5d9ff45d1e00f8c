package tokens

import "strings"

// kind is the kind of a token.
type kind byte

const (
	space   kind = iota // white space within a line, or a backslash and the line end after it
	newline             // a line end
	comment
	str // a string, or a preprocessor directive
	number
	name
	sign
	opens  // ( [ {
	closes // ) ] }
)

// token is a part of a text. The tokens of a text follow each other without gaps.
type token struct {
	kind     kind
	from, to int // byte offsets
}

// signs contains the operators of several characters, the longest first.
var signs = strings.Fields(">>>= === !== **= //= <<= >>= >>> <=> ... ..= &&= ||= ??= == != <= >= && || ++ -- += -= *= /= %= &= |= ^= := -> => :: .. ** // << >> ?? ?. <- <> ~= =~ !~ |>")

// lexer splits a text.
type lexer struct {
	*language
	vocabulary *vocabulary
	text       string
	at         int
	tokens     []token
	// last is the last token other than white space and comments. awaited holds the words
	// that end the here-documents whose text begins on the next line.
	last    token
	awaited []string
	// endless reports whether a here-document has no end.
	endless bool
}

// lex returns the tokens of a text.
func lex(l *language, v *vocabulary, text string) []token { return lexed(l, v, text).tokens }

// lexed returns a lexer that has read the whole text.
func lexed(l *language, v *vocabulary, text string) *lexer {
	x := &lexer{language: l, vocabulary: v, text: text}
	for x.at < len(text) {
		from := x.at
		k, size := x.next(text[from:])
		x.at += max(1, size)
		t := token{k, from, min(x.at, len(text))}
		x.at = t.to
		x.tokens = append(x.tokens, t)
		if k > comment {
			x.last = t
		}
		if k == newline && len(x.awaited) > 0 {
			x.document()
		}
	}
	return x
}

// next returns the kind and the length of the token at the beginning of rest.
func (x *lexer) next(rest string) (kind, int) {
	if blank := len(rest) - len(strings.TrimLeft(rest, " \t\r\f\v")); blank > 0 {
		return space, blank
	}
	if strings.HasPrefix(rest, "\\\n") {
		return space, 2
	}
	if rest[0] == '\n' {
		return newline, 1
	}
	if n := x.comment(rest); n > 0 {
		return comment, n
	}
	if x.directives && rest[0] == '#' && x.begins() {
		return str, x.directive(rest)
	}
	if n := x.string(rest); n > 0 {
		return str, n
	}
	if n := x.number(rest); n > 0 {
		return number, n
	}
	if n := x.name(rest); n > 0 {
		if n < len(rest) && strings.IndexByte(x.quotes, rest[n]) >= 0 && (rest[n] != '\'' || n <= 2 && !x.letters) {
			return str, n + x.string(rest[n:]) // the name is a prefix of the string
		}
		return name, n
	}
	switch rest[0] {
	case '(', '[', '{':
		return opens, 1
	case ')', ']', '}':
		return closes, 1
	}
	if x.shell && len(rest) > 3 && rest[0] == '-' && strings.Contains(" lt le gt ge eq ne ", " "+rest[1:3]+" ") && !wordByte(rest[3]) {
		return sign, 3
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			if s == "<<" {
				x.announce(rest)
			}
			return sign, len(s)
		}
	}
	return sign, 1
}

// begins reports whether only white space precedes the current position on its line.
func (x *lexer) begins() bool {
	for i := x.at - 1; i >= 0 && x.text[i] != '\n'; i-- {
		if x.text[i] != ' ' && x.text[i] != '\t' {
			return false
		}
	}
	return true
}

func line(rest string) int {
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return i
	}
	return len(rest)
}

// comment returns the length of the comment at the beginning of rest, or 0 if there is
// none.
func (x *lexer) comment(rest string) int {
	for _, c := range x.block {
		if strings.HasPrefix(rest, c[0]) {
			return x.enclosed(rest, c[0], c[1], x.nested)
		}
	}
	for _, c := range x.line {
		switch {
		case !strings.HasPrefix(rest, c):
		case x.first && !x.begins():
		case x.spaced && x.at > 0 && !strings.ContainsRune(" \t\n;", rune(x.text[x.at-1])):
		default:
			return line(rest)
		}
	}
	return 0
}

// enclosed returns the length of the text between two signs, including the signs. If the
// second sign is missing, it returns the length of rest.
func (x *lexer) enclosed(rest, open, shut string, nested bool) int {
	depth := 0
	for i := 0; i < len(rest); {
		switch {
		case i > 0 && strings.HasPrefix(rest[i:], shut):
			if i += len(shut); depth <= 1 {
				return i
			}
			depth--
		case strings.HasPrefix(rest[i:], open) && (nested || i == 0):
			i += len(open)
			depth++
		case rest[i] == '\\' && open == shut:
			i += 2
		default:
			i++
		}
	}
	return len(rest)
}

// directive returns the length of a preprocessor directive, including the lines that
// continue it.
func (*lexer) directive(rest string) int {
	n := line(rest)
	for n < len(rest) && strings.HasSuffix(rest[:n], "\\") {
		n += 1 + line(rest[n+1:])
	}
	return n
}

// string returns the length of the string at the beginning of rest. If a quotation mark has
// no counterpart, the rest of the line counts as a string.
func (x *lexer) string(rest string) int {
	if rest == "" {
		return 0
	}
	for _, r := range x.raw {
		if strings.HasPrefix(rest, r[0]) {
			return x.enclosed(rest, r[0], r[1], false)
		}
	}
	if x.slashed && rest[0] == '/' && !x.operand() {
		return expression(rest)
	}
	if x.letters && (rest[0] == 'r' || rest[0] == 'b') {
		if n := hashed(rest); n > 0 {
			return n
		}
	}
	mark := rest[0]
	if strings.IndexByte(x.quotes, mark) < 0 {
		return 0
	}
	if mark == '\'' && x.letters {
		end := strings.IndexByte(rest[1:min(len(rest), 12)], '\'')
		if end < 0 || end > 4 && rest[1] != '\\' || end == 0 {
			return 0 // a lifetime
		}
	}
	return x.quoted(rest, mark)
}

// quoted returns the length of a string in quotation marks.
func (x *lexer) quoted(rest string, mark byte) int {
	long := strings.IndexByte(x.long, mark) >= 0
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && strings.IndexByte(x.plain, mark) < 0:
			i++
		case rest[i] == mark:
			return i + 1
		case rest[i] == '\n' && !long:
			return i
		case mark == '`' && strings.HasPrefix(rest[i:], "${"):
			i += x.hole(rest[i:]) - 1
		}
	}
	return len(rest)
}

// hole returns the length of an expression embedded in a string, including the braces
// around it.
func (x *lexer) hole(rest string) int {
	depth := 0
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '`', '"', '\'':
			i += x.quoted(rest[i:], rest[i]) - 1
		}
	}
	return len(rest)
}

// expression returns the length of a regular expression between slashes, or 0 if there is
// none.
func expression(rest string) int {
	class, end := false, line(rest)
	for i := 1; i < end; i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			for i++; i < len(rest) && wordByte(rest[i]); i++ {
			}
			return i
		}
	}
	return 0
}

// hashed returns the length of a string such as r#"…"#, or 0 if there is none.
func hashed(rest string) int {
	body := strings.TrimPrefix(rest, "b")
	body, ok := strings.CutPrefix(body, "r")
	after := strings.TrimLeft(body, "#")
	if !ok || !strings.HasPrefix(after, `"`) {
		return 0
	}
	shut := `"` + body[:len(body)-len(after)]
	if i := strings.Index(after[1:], shut); i >= 0 {
		return len(rest) - len(after) + 1 + i + len(shut)
	}
	return len(rest)
}

// operand reports whether the last token ends an operand.
func (x *lexer) operand() bool {
	switch x.last.kind {
	case number, closes, str:
		return true
	case name:
		return !x.vocabulary.opening[x.text[x.last.from:x.last.to]]
	}
	return false
}

// number returns the length of the number at the beginning of rest, or 0 if there is none.
func (x *lexer) number(rest string) int {
	digit := func(i int) bool { return i < len(rest) && rest[i] >= '0' && rest[i] <= '9' }
	if !digit(0) && (rest[0] != '.' || !digit(1) || x.last.to == x.at && x.operand()) {
		return 0
	}
	i, point := 0, false
	for ; i < len(rest); i++ {
		switch c := rest[i]; {
		case wordByte(c):
			if (c == 'e' || c == 'E') && !strings.HasPrefix(rest, "0x") && i+1 < len(rest) && (rest[i+1] == '-' || rest[i+1] == '+') && digit(i+2) {
				i++
			}
		case c == '.' && !point && (digit(i+1) || i+1 == len(rest) || !wordByte(rest[i+1]) && rest[i+1] != '.'):
			point = true
		case c == '\'' && x.separated && digit(i+1):
		default:
			return i
		}
	}
	return i
}

// name returns the length of the name at the beginning of rest, or 0 if there is none.
func (x *lexer) name(rest string) int {
	i := 0
	for i < len(rest) && (wordByte(rest[i]) || i == 0 && rest[i] == '@') {
		i++
	}
	if i == 1 && (rest[0] == '@' || rest[0] == '$') {
		return 0
	}
	return i
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// announce reads the word that follows a << and that will end a here-document.
func (x *lexer) announce(rest string) {
	if !x.shell && (!x.slashed || !strings.ContainsAny(rest[:min(3, len(rest))], "-~")) {
		return
	}
	word := strings.TrimLeft(rest[2:line(rest)], "-~\"'")
	end := strings.IndexFunc(word, func(r rune) bool { return r != '_' && (r < 'A' || r > 'z') })
	if end < 0 {
		end = len(word)
	}
	if end > 0 {
		x.awaited = append(x.awaited, word[:end])
	}
}

// document reads here-documents up to the words that end them.
func (x *lexer) document() {
	from := x.at
	for len(x.awaited) > 0 && x.at < len(x.text) {
		n := line(x.text[x.at:])
		if strings.TrimSpace(x.text[x.at:x.at+n]) == x.awaited[0] {
			x.awaited = x.awaited[1:]
		}
		x.at = min(len(x.text), x.at+n+1)
	}
	x.endless = x.endless || len(x.awaited) > 0
	x.awaited = nil
	if x.at > from && x.text[x.at-1] == '\n' {
		x.at-- // the line end is left as a separate token
	}
	if x.at > from {
		x.last = token{str, from, x.at}
		x.tokens = append(x.tokens, x.last)
	}
}
