package source

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2"
)

// The rules are our own for three reasons, each seen on real or hostile input: chroma's
// TypeScript takes the < of i<n for a tag and reads the rest of the file as attributes;
// its JavaScript lets an unterminated string run over lines, so that the apostrophe in
// a line of JSX swallows declarations; and its patterns may scan the whole rest of the
// text from every position. Here every pattern scans at most 200 characters, so that
// the time is linear, and a string ends with its line.

// kind is the kind of a token.
type kind uint8

const (
	word kind = iota
	number
	text // contents of a string, without quotes
	comment
	newline
	punct // one bracket, separator or operator
)

// tok is one token. Strings and comments are one token each.
type tok struct {
	kind kind
	text string
	line int // from 1
	// column is the number of characters before it in its line, a tab counting as one.
	column int
	// at and end are its byte offsets in the source, from and to those of its contents.
	at, end, from, to int
	// tight reports that a string contains no expression.
	tight bool
}

func (t tok) is(s string) bool { return (t.kind == punct || t.kind == word) && t.text == s }

// The token types of our rules. The openings of strings and comments have types of
// their own, because two of them may touch.
const (
	opening = chroma.LiteralStringDelimiter
	inside  = chroma.LiteralString
	escape  = chroma.LiteralStringEscape
	hole    = chroma.LiteralStringInterpol
	closing = chroma.LiteralStringAffix
	remark  = chroma.Comment
	remarks = chroma.CommentSingle
)

// untimed removes chroma's timeout of a quarter of a second from every rule: it is
// measured by the wall clock of a background goroutine, and a busy machine would read a
// file differently from an idle one.
type untimed struct{}

func (untimed) Mutate(*chroma.LexerState) error { return nil }

func (untimed) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	for _, list := range rules {
		for _, r := range list {
			if r.Regexp != nil {
				r.Regexp.MatchTimeout = regexp2.DefaultMatchTimeout
			}
		}
	}
	rules[state][rule].Mutator = nil
	return nil
}

// blank returns the first rule of every language.
func blank() chroma.Rule {
	return chroma.Rule{Pattern: `[ \t\f\v\x{a0}\x{feff}]{1,200}`, Type: chroma.Text, Mutator: untimed{}}
}

// quoted adds the states of a string between quotes that ends with its line.
func quoted(rules chroma.Rules, state, quote string) {
	rules[state] = []chroma.Rule{
		{Pattern: `[^\\\n` + quote + `]{1,200}`, Type: inside},
		{Pattern: `\\(?:\n|.)`, Type: escape},
		{Pattern: quote, Type: closing, Mutator: chroma.Pop(1)},
		chroma.Default(chroma.Pop(1)),
	}
}

// names matches a word of either language.
const names = `[\p{L}_$][\p{L}\p{N}\p{M}_$]{0,199}`

var pythonLexer = sync.OnceValues(func() (*chroma.RegexLexer, error) {
	return chroma.NewLexer(&chroma.Config{Name: "python"}, func() chroma.Rules {
		rules := chroma.Rules{
			"root": {
				blank(),
				{Pattern: `\n`, Type: chroma.TextWhitespace},
				{Pattern: `\\\n`, Type: chroma.Text},
				{Pattern: `#`, Type: remark, Mutator: chroma.Push("line")},
				{Pattern: `(?:[rRbBuUfFtT]{1,2})?"""`, Type: opening, Mutator: chroma.Push("tdq")},
				{Pattern: `(?:[rRbBuUfFtT]{1,2})?'''`, Type: opening, Mutator: chroma.Push("tsq")},
				{Pattern: `(?:[rRbBuUfFtT]{1,2})?"`, Type: opening, Mutator: chroma.Push("dq")},
				{Pattern: `(?:[rRbBuUfFtT]{1,2})?'`, Type: opening, Mutator: chroma.Push("sq")},
				{Pattern: names, Type: chroma.Name},
				{Pattern: `[0-9][\p{L}\p{N}_.]{0,199}`, Type: chroma.Number},
				{Pattern: `->|:=|.`, Type: chroma.Operator},
			},
			"line": {{Pattern: `[^\n]{1,200}`, Type: remarks}, chroma.Default(chroma.Pop(1))},
			"tdq": {
				{Pattern: `[^\\"]{1,200}`, Type: inside},
				{Pattern: `\\(?:\n|.)`, Type: escape},
				{Pattern: `"""`, Type: closing, Mutator: chroma.Pop(1)},
				{Pattern: `["\\]`, Type: inside},
			},
			"tsq": {
				{Pattern: `[^\\']{1,200}`, Type: inside},
				{Pattern: `\\(?:\n|.)`, Type: escape},
				{Pattern: `'''`, Type: closing, Mutator: chroma.Pop(1)},
				{Pattern: `['\\]`, Type: inside},
			},
		}
		quoted(rules, "dq", `"`)
		quoted(rules, "sq", `'`)
		return rules
	})
})

// A slash begins a regular expression after these and divides after everything else; a
// wrong guess affects the rest of its line.
const beforeRegex = `(?<=(?:[=(,:\[!&|?{};+\-*%~^<>\n]|\breturn|\btypeof|\bcase)[ \t]{0,8}|\A)`

var scriptLexer = sync.OnceValues(func() (*chroma.RegexLexer, error) {
	return chroma.NewLexer(&chroma.Config{Name: "script"}, func() chroma.Rules {
		code := []chroma.Rule{
			blank(),
			{Pattern: `[\n\x{2028}\x{2029}]`, Type: chroma.TextWhitespace},
			{Pattern: `//`, Type: remark, Mutator: chroma.Push("line")},
			{Pattern: `/\*`, Type: remark, Mutator: chroma.Push("block")},
			{Pattern: beforeRegex + `/`, Type: opening, Mutator: chroma.Push("regex")},
			{Pattern: `"`, Type: opening, Mutator: chroma.Push("dq")},
			{Pattern: `'`, Type: opening, Mutator: chroma.Push("sq")},
			{Pattern: "`", Type: opening, Mutator: chroma.Push("template")},
			{Pattern: names, Type: chroma.Name},
			{Pattern: `[0-9][\p{L}\p{N}_.]{0,199}`, Type: chroma.Number},
		}
		operators := chroma.Rule{Pattern: `=>|\.\.\.|\?\.|.`, Type: chroma.Operator}
		rules := chroma.Rules{
			"root": append(append([]chroma.Rule{{Pattern: `\A#!`, Type: remark, Mutator: chroma.Push("line")}}, code...), operators),
			"line": {{Pattern: `[^\n]{1,200}`, Type: remarks}, chroma.Default(chroma.Pop(1))},
			"block": {
				{Pattern: `[^*]{1,200}`, Type: remarks},
				{Pattern: `\*/`, Type: remarks, Mutator: chroma.Pop(1)},
				{Pattern: `\*`, Type: remarks},
			},
			"regex": {
				{Pattern: `[^/\\\n\[]{1,200}`, Type: inside},
				{Pattern: `\\[^\n]`, Type: escape},
				{Pattern: `\[`, Type: inside, Mutator: chroma.Push("class")},
				{Pattern: `/[a-z]{0,8}`, Type: closing, Mutator: chroma.Pop(1)},
				chroma.Default(chroma.Pop(1)),
			},
			"class": {
				{Pattern: `[^\]\\\n]{1,200}`, Type: inside},
				{Pattern: `\\[^\n]`, Type: escape},
				{Pattern: `\]`, Type: inside, Mutator: chroma.Pop(1)},
				chroma.Default(chroma.Pop(1)),
			},
			"template": {
				{Pattern: "[^`\\\\$]{1,200}", Type: inside},
				{Pattern: `\\(?:\n|.)`, Type: escape},
				{Pattern: `\$\{`, Type: hole, Mutator: chroma.Push("hole")},
				{Pattern: "`", Type: closing, Mutator: chroma.Pop(1)},
				{Pattern: `[$\\]`, Type: inside},
			},
			// A hole contains code, which is tokenized only to find its end.
			"hole": {
				{Pattern: `\}`, Type: hole, Mutator: chroma.Pop(1)},
				{Pattern: `\{`, Type: hole, Mutator: chroma.Push("hole")},
				chroma.Include("code"),
				operators,
			},
			"code": code,
		}
		quoted(rules, "dq", `"`)
		quoted(rules, "sq", `'`)
		return rules
	})
})

// lexable returns the part of a text that is tokenized: at most [MaxLexed] bytes, up to
// the last whole line.
func lexable(text string) (part string, cut bool) {
	if len(text) <= MaxLexed {
		return text, false
	}
	part = clip(text, MaxLexed)
	if i := strings.LastIndexByte(part, '\n'); i >= 0 {
		part = part[:i+1]
	}
	return part, true
}

// lex returns the tokens of a text, without white space within a line.
func lex(build func() (*chroma.RegexLexer, error), source string) []tok {
	lexer, err := build()
	if err != nil { // the rules above are constants
		return nil
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, source)
	if err != nil {
		return nil
	}
	a := assembler{source: source, line: 1}
	for t := next(); t != chroma.EOF; t = next() {
		a.add(t)
	}
	return a.done()
}

// assembler joins chroma's pieces: a string or comment becomes one token.
type assembler struct {
	source       string
	toks         []tok
	at           int
	line, column int
}

func (a *assembler) add(t chroma.Token) {
	here := tok{line: a.line, column: a.column, at: a.at, end: a.at + len(t.Value)}
	here.from, here.to = here.at, here.end
	a.at = here.end
	if n := strings.Count(t.Value, "\n"); n > 0 {
		a.line += n
		a.column = utf8.RuneCountInString(t.Value[strings.LastIndexByte(t.Value, '\n')+1:])
	} else {
		a.column += utf8.RuneCountInString(t.Value)
	}
	var last *tok
	if n := len(a.toks); n > 0 && a.toks[n-1].end == here.at {
		last = &a.toks[n-1]
	}
	switch t.Type {
	case opening:
		here.kind, here.from, here.tight = text, here.end, !strings.ContainsAny(t.Value, "fFtT")
	case remark:
		here.kind, here.from = comment, here.end
	case inside, escape, remarks:
		if last != nil && (last.kind == text || last.kind == comment) {
			last.end, last.to = here.end, here.end
		}
		return
	case closing, hole:
		// The end of a string, or of the part of a template before a hole, whose code
		// follows as separate tokens.
		if last != nil && last.kind == text {
			last.end = here.end
			last.tight = last.tight && t.Type == closing
		}
		return
	case chroma.Name:
		here.kind = word
		if last != nil && last.kind == word { // longer than one match
			last.end, last.to = here.end, here.end
			return
		}
	case chroma.Number:
		here.kind = number
	case chroma.TextWhitespace:
		here.kind = newline
	case chroma.Text:
		return
	default:
		here.kind = punct
	}
	a.toks = append(a.toks, here)
}

// done sets the text of every token.
func (a *assembler) done() []tok {
	for i := range a.toks {
		t := &a.toks[i]
		t.text = a.source[t.from:max(t.from, t.to)]
	}
	return a.toks
}
