package tokens

import (
	"go/scanner"
	gotoken "go/token"
	"path"
	"strings"
)

// Span is a part of a text, in byte offsets; the byte at To is not included.
type Span struct{ From, To int }

// Enclosed returns, in order, the strings and comments in a whole file that span several
// lines. It returns only those whose ends are certain. It returns none for a file whose
// name does not determine the language, and none for a file in which a string or comment
// has no end. It also leaves out what looks like a string in quotation marks but may be
// the code between two strings, for example after an apostrophe in a text. A Span may
// begin or end with white space.
func Enclosed(file, text string) []Span {
	if strings.ToLower(path.Ext(file)) == ".go" {
		return enclosedGo(text)
	}
	l := languageOf(file)
	if l.unknown {
		return nil
	}
	text += "\n" // so that a comment or string that reaches the end of the text counts as having no end
	x := lexed(l, newVocabulary(l.sql), text)
	var out []Span
	for _, t := range x.tokens {
		if t.kind != str && t.kind != comment {
			continue
		}
		if t.to == len(text) {
			return nil
		}
		if strings.Contains(text[t.from:t.to], "\n") && x.certain(t) {
			from := t.from
			if t.kind == str && from > 0 && text[from-1] == '\n' {
				from-- // the first line of a here-document belongs to it
			}
			out = append(out, Span{from, t.to})
		}
	}
	if x.endless {
		return nil
	}
	return out
}

// enclosedGo returns the strings and comments in Go source that span several lines; it
// returns none if a token is faulty.
func enclosedGo(text string) []Span {
	var s scanner.Scanner
	set := gotoken.NewFileSet()
	file := set.AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	var out []Span
	from, last := 0, gotoken.ILLEGAL
	for {
		pos, kind, _ := s.Scan()
		at := file.Offset(pos)
		// A literal is shorter than its source if the source contains carriage returns, so
		// the offset of the next token is used instead.
		if (last == gotoken.STRING || last == gotoken.COMMENT) && strings.Contains(text[from:at], "\n") {
			out = append(out, Span{from, at})
		}
		if kind == gotoken.EOF {
			break
		}
		from, last = at, kind
	}
	if s.ErrorCount > 0 {
		return nil
	}
	return out
}

// certain reports whether a string or comment of several lines begins and ends where it
// seems to. What looks like a string in quotation marks may be the code between two
// strings; in that case, what looks like the string begins directly after a word and ends
// directly before a word.
func (x *lexer) certain(t token) bool {
	if t.kind == comment || x.letters || x.sql {
		return true
	}
	sign := strings.TrimLeftFunc(x.text[t.from:t.to], func(r rune) bool { return r < 0x80 && wordByte(byte(r)) }) // a prefix
	for _, r := range x.raw {
		if strings.HasPrefix(sign, r[0]) {
			return true
		}
	}
	switch {
	case sign != "" && sign[0] == '`' && !x.worded, strings.IndexByte(x.quotes, x.text[t.from]) < 0 && len(sign) == t.to-t.from:
		return true // a template, or a here-document
	case len(sign) < t.to-t.from:
		return false
	}
	return (t.from == 0 || strings.IndexByte(" \t\n=([{,:+|", x.text[t.from-1]) >= 0) && !wordByte(x.text[t.to])
}
