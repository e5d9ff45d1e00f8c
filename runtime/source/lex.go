package source

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	foreign "evolve/runtime/text"
)

// kind is the kind of a token.
type kind uint8

const (
	word kind = iota
	number
	text // a string or regular expression, without its quotes
	comment
	newline
	punct // one bracket, separator or operator
)

// tok is one token. Strings and comments are one token each.
type tok struct {
	kind kind
	text string
	line int // from 1
	// column is the number of characters before the token on its line; a tab counts as one.
	column int
	// at and end are the token's byte offsets in the source; from and to are those of its
	// contents.
	at, end, from, to int
	// tight reports whether a string certainly contains no expressions.
	tight bool
}

// is reports whether a token is one of the given words or operators.
func (t tok) is(any ...string) bool {
	return (t.kind == punct || t.kind == word) && slices.Contains(any, t.text)
}

// lexable returns the part of a text that is tokenized: at most [MaxLexed] bytes, up to the
// end of the last whole line.
func lexable(text string) (part string, cut bool) {
	if len(text) <= MaxLexed {
		return text, false
	}
	part = foreign.Clip(text, MaxLexed)
	if i := strings.LastIndexByte(part, '\n'); i >= 0 {
		part = part[:i+1]
	}
	return part, true
}

// lexer tokenizes Python or, if python is not set, JavaScript and TypeScript. Each byte is
// read a limited number of times, so the time is linear on any text. An unterminated string
// ends at the end of its line, so an apostrophe in JSX hides no declarations.
type lexer struct {
	source string
	python bool
	toks   []tok
	// at is the offset of the next token; line and column are its position.
	at, line, column int
	// holes contains the number of open braces in each template expression that surrounds
	// the next token.
	holes []int
}

// lex returns the tokens of a text, without white space within a line. Template text that
// follows an expression is not part of any token.
func lex(source string, python bool) []tok {
	l := lexer{source: source, python: python, line: 1}
	if !python && strings.HasPrefix(source, "#!") {
		l.comment(2, "\n")
	}
	for l.at < len(source) {
		l.next()
	}
	return l.toks
}

// The beginnings of tokens.
var (
	wordPattern  = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}\p{M}_$]*`)
	digits       = regexp.MustCompile(`^[0-9][\p{L}\p{N}_.]*`)
	stringPrefix = regexp.MustCompile(`^([rRbBuUfFtT]{0,2})("""|'''|"|')`)
	regexFlags   = regexp.MustCompile(`^[a-z]{0,8}`)
	// beforeRegex matches what precedes a slash that begins a regular expression; after
	// anything else, a slash is a division. A wrong guess affects only the rest of the
	// line.
	beforeRegex = regexp.MustCompile(`(?:^|[=(,:\[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case))[ \t]{0,8}$`)
)

// next reads one token, or skips a blank.
func (l *lexer) next() {
	rest := l.source[l.at:]
	switch r, n := utf8.DecodeRuneInString(rest); {
	case strings.ContainsRune(" \t\f\v\u00a0\ufeff", r):
		l.advance(n)
	case r == '\n', !l.python && (r == '\u2028' || r == '\u2029'):
		l.add(newline, n)
	case l.python && l.onlyPython(rest, r), !l.python && l.onlyScript(rest, r):
	case r == '_', r == '$', unicode.IsLetter(r):
		l.add(word, len(wordPattern.FindString(rest)))
	case r >= '0' && r <= '9':
		l.add(number, len(digits.FindString(rest)))
	default:
		l.add(punct, n)
	}
}

// onlyPython reads a token that exists only in Python, and reports whether there was one.
func (l *lexer) onlyPython(rest string, r rune) bool {
	if strings.ContainsRune("rRbBuUfFtT\"'", r) {
		if opening := stringPrefix.FindStringSubmatch(rest); opening != nil {
			l.quoted(len(opening[1]), opening[2], !strings.ContainsAny(opening[1], "fFtT"))
			return true
		}
	}
	switch {
	case strings.HasPrefix(rest, "\\\n"):
		l.advance(2)
	case r == '#':
		l.comment(1, "\n")
	case strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, ":="):
		l.add(punct, 2)
	default:
		return false
	}
	return true
}

// onlyScript reads a token that exists only in JavaScript and TypeScript, and reports
// whether there was one.
func (l *lexer) onlyScript(rest string, r rune) bool {
	last := len(l.holes) - 1
	switch {
	case strings.HasPrefix(rest, "//"):
		l.comment(2, "\n")
	case strings.HasPrefix(rest, "/*"):
		l.comment(2, "*/")
	case r == '/' && beforeRegex.MatchString(l.source[max(0, l.at-20):l.at]):
		l.regex()
	case r == '"', r == '\'', r == '`':
		l.quoted(0, rest[:1], true)
	case strings.HasPrefix(rest, "..."):
		l.add(punct, 3)
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, "?."):
		l.add(punct, 2)
	case r == '{' && last >= 0:
		l.holes[last]++
		l.advance(1)
	case r == '}' && last >= 0 && l.holes[last] > 0:
		l.holes[last]--
		l.advance(1)
	case r == '}' && last >= 0:
		l.holes = l.holes[:last]
		l.advance(1)
		l.template()
	default:
		return false
	}
	return true
}

// advance moves the position by n bytes.
func (l *lexer) advance(n int) {
	passed := l.source[l.at : l.at+n]
	l.at += n
	if lines := strings.Count(passed, "\n"); lines > 0 {
		l.line += lines
		l.column = 0
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	l.column += utf8.RuneCountInString(passed)
}

// add adds a token of n bytes.
func (l *lexer) add(k kind, n int) { l.contents(k, n, l.at, l.at+n, false) }

// contents adds a token of n bytes with the offsets of its contents.
func (l *lexer) contents(k kind, n, from, to int, tight bool) {
	l.toks = append(l.toks, tok{
		kind: k, text: l.source[from:to], line: l.line, column: l.column, at: l.at, end: l.at + n, from: from, to: to, tight: tight,
	})
	l.advance(n)
}

// comment reads a comment. The contents of a block comment include its end.
func (l *lexer) comment(opening int, end string) {
	n := len(l.source) - l.at
	if i := strings.Index(l.source[l.at+opening:], end); i >= 0 {
		n = opening + i
		if end != "\n" {
			n += len(end)
		}
	}
	l.contents(comment, n, l.at+opening, l.at+n, false)
}

// quoted reads a string, or a template up to its first expression.
func (l *lexer) quoted(prefix int, quote string, tight bool) {
	from := l.at + prefix + len(quote)
	to, closing := l.scan(from, quote)
	if closing == "${" {
		tight = false
	}
	l.contents(text, to+len(closing)-l.at, from, to, tight)
}

// template skips the part of a template that follows an expression, up to the end of the
// template or its next expression.
func (l *lexer) template() {
	to, closing := l.scan(l.at, "`")
	l.advance(to + len(closing) - l.at)
}

// scan returns the end of a string's contents, and the closing quote or the beginning of an
// expression found there, or "" if the string has no end.
func (l *lexer) scan(from int, quote string) (to int, closing string) {
	for i := from; i < len(l.source); i++ {
		switch rest := l.source[i:]; {
		case strings.HasPrefix(rest, quote):
			return i, quote
		case rest[0] == '\n' && (quote == `"` || quote == "'"):
			return i, ""
		case quote == "`" && strings.HasPrefix(rest, "${"):
			l.holes = append(l.holes, 0)
			return i, "${"
		case rest[0] == '\\':
			i++
		}
	}
	return len(l.source), ""
}

// regex reads a regular expression. Like a string, it ends at the end of its line at the
// latest.
func (l *lexer) regex() {
	class := false
	i := l.at + 1
	for ; i < len(l.source) && l.source[i] != '\n'; i++ {
		switch c := l.source[i]; {
		case c == '\\' && !strings.HasPrefix(l.source[i+1:], "\n"):
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			flags := len(regexFlags.FindString(l.source[i+1:]))
			l.contents(text, i+1+flags-l.at, l.at+1, i, true)
			return
		}
	}
	i = min(i, len(l.source))
	l.contents(text, i-l.at, l.at+1, i, true)
}
