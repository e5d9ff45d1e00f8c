package tokens

import (
	"slices"
	"strings"
)

// mostRead is the maximum length, in bytes, of the texts that Exits and Names read.
const mostRead = 256 << 10

// Exit is an early exit: a condition whose body does nothing except leave the enclosing
// function, loop or program, by return, continue, break, goto, throw, raise, or a call that
// ends the program or panics.
type Exit struct {
	Line int // from 1
	// Text is the source of the condition and its body, joined into one line.
	Text string
	// Key consists of the condition and the way in which the body leaves, without layout
	// and without the value that is returned or thrown. Exits with equal keys are the same.
	Key string
	// Names are the names in the condition.
	Names []string
}

// Exits returns the early exits in a whole file, in order. It reads Python and similar
// languages, and languages with braces such as C, Java, JavaScript, Rust and Go. It returns
// false for other languages and for texts of more than 256 KiB.
func Exits(file, text string) ([]Exit, bool) {
	l := languageOf(file)
	if !l.braced && !l.indented || len(text) > mostRead {
		return nil, false
	}
	e := exits{(&Rewriter{language: l, vocabulary: newVocabulary(l.sql)}).scan(text)}
	var out []Exit
	line, at := 1, 0
	for i, x := range e.items {
		if x.kind != name || e.member(i) {
			continue
		}
		from, to, body, end, ok := e.condition(i)
		if !ok {
			continue
		}
		how, ok := e.leaves(body, end)
		if !ok {
			continue
		}
		line, at = line+strings.Count(text[at:x.from], "\n"), x.from
		out = append(out, Exit{
			Line: line, Text: strings.Join(strings.Fields(text[x.from:e.items[end-1].to]), " "),
			Key: strings.TrimPrefix(x.text, "el") + " " + strings.Join(texts(e.items[from:to]), " ") + " → " + how, Names: e.names(from, to),
		})
	}
	return out, true
}

// exits finds early exits in a text.
type exits struct{ *view }

// condition returns the range of the items in the condition that a word such as "if"
// introduces (from, to), and the range of the items in the condition's body (body, end),
// including the brackets of a block; ok is false if the word does not introduce a
// condition.
func (e exits) condition(i int) (from, to, body, end int, ok bool) {
	word := e.items[i].text
	switch {
	case word != "if" && word != "elif" && word != "guard" || i+1 >= len(e.items):
		return
	case e.r.language.indented:
		return e.indented(i)
	case word == "if" && !e.r.language.bare:
		open := e.items[i+1]
		if open.text != "(" || open.match < 0 || open.match+1 >= len(e.items) {
			return
		}
		from, to, body = i+2, open.match, open.match+1
	default:
		from, to = i+1, e.until(i+1, word == "guard")
		if body = to; word == "guard" {
			body++
		}
	}
	if from >= to || body >= len(e.items) {
		return
	}
	if x := e.items[body]; x.text == "{" {
		return from, to, body, x.match + 1, x.match > body
	}
	return from, to, body, e.statement(body, len(e.items)), !e.r.language.bare
}

// until returns the item at which a condition without parentheses ends: the opening brace
// of its block or, if otherwise is true, the word "else". If neither follows, it returns
// the value of the parameter from.
func (e exits) until(from int, otherwise bool) int {
	for j := from; j < len(e.items) && (j == from || e.lines[e.items[j].line].first != j); j++ {
		switch x := e.items[j]; {
		case otherwise && x.kind == name && x.text == "else", !otherwise && x.text == "{":
			return j
		case x.kind == closes, x.text == ";" && e.r.language.semicolons, x.text == "=>":
			return from
		case x.kind == opens && x.match > j:
			j = x.match
		}
	}
	return from
}

// indented does what condition does, for languages in which indentation delimits blocks.
func (e exits) indented(i int) (from, to, body, end int, ok bool) {
	n := e.items[i].line
	l := e.lines[n]
	if l.first != i {
		return
	}
	from = i + 1
	for to = from; to <= l.last && e.items[to].text != ":"; to++ {
		if x := e.items[to]; x.match > to {
			to = x.match
		}
	}
	switch {
	case to > l.last:
		return
	case to < l.last: // the body is on the same line
		return from, to, to + 1, l.last + 1, true
	case n+1 >= len(e.lines) || len(e.lines[n+1].indent) <= len(l.indent):
		return
	case n+2 < len(e.lines) && len(e.lines[n+2].indent) > len(l.indent):
		return
	}
	return from, to, to + 1, e.lines[n+1].last + 1, true
}

// statement returns the item after the statement that begins at an item.
func (e exits) statement(from, to int) int {
	for j := from; j < to; j++ {
		x := e.items[j]
		switch {
		case x.text == ";":
			return j + 1
		case j > from && (x.kind == closes || e.lines[x.line].first == j):
			return j
		case x.match > j:
			j = x.match
		}
	}
	return to
}

var (
	// leaving holds the words that begin a statement that leaves the enclosing function or
	// loop; ending holds the functions that end a program or panic.
	leaving = words("return continue break goto throw raise")
	ending  = words("exit _exit _Exit quick_exit Exit exitProcess quit abort die halt panic fatalError FailFast bail unreachable todo Goexit Fatal Fatalf Fatalln")
)

// leaves returns the way in which a body leaves the function, loop or program; ok reports
// whether the body does nothing else.
func (e exits) leaves(from, to int) (how string, ok bool) {
	if e.items[from].text == "{" {
		from, to = from+1, to-1
	}
	if from >= to || e.items[from].kind != name {
		return "", false
	}
	end := e.statement(from, to)
	last := end
	for end < to && e.items[end].text == ";" {
		end++
	}
	if end < to {
		return "", false
	}
	if how = e.items[from].text; leaving[how] {
		if next := from + 1; how != "return" && how != "throw" && how != "raise" && next < last && e.items[next].kind != sign {
			how += " " + e.items[next].text // a label
		}
		return how, true
	}
	at := from // in a call, the name of the function follows its package or object
	for at+2 < last && e.items[at+1].kind == sign && e.member(at+2) {
		at += 2
	}
	open := at + 1
	if open < last && e.items[open].text == "!" { // a macro
		open++
	}
	if !ending[e.items[at].text] || open >= last || e.items[open].text != "(" {
		return "", false
	}
	rest := e.items[open].match + 1
	return "ends", rest > open && (rest == last || rest+1 == last && e.items[rest].text == ";")
}

// names returns the distinct names in the items.
func (e exits) names(from, to int) []string {
	var out []string
	for _, x := range e.items[from:to] {
		if x.kind == name && !x.is(e.r.vocabulary.reserved) && !slices.Contains(out, x.text) {
			out = append(out, x.text)
		}
	}
	return out
}
