package source

import (
	"slices"
	"strings"

	foreign "evolve/runtime/text"
)

// readPython adds the declarations in the logical lines of a module.
func (s *Summary) readPython(source string) {
	part, cut := lexable(source)
	s.Truncated = s.Truncated || cut
	toks := lex(part, true)
	if strings.HasPrefix(part, "#!") && strings.Contains(firstLine(part), "python") {
		s.Entry = "shebang"
	}
	p := pythonReader{Summary: s, source: part}
	for _, line := range logicalLines(toks) {
		p.line(line)
	}
	if s.Doc == "" {
		s.Doc = topComment(toks, "!", "-*-", " -*-", "type:", " type:")
	}
	s.Touches = touches(Python, s.Imports)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// logicalLines joins lines that are continued by brackets or backslashes, and drops
// comments and empty lines.
func logicalLines(toks []tok) [][]tok {
	var (
		lines [][]tok
		line  []tok
		depth int
	)
	for _, t := range toks {
		switch {
		case t.kind == comment:
			continue
		case t.kind == newline && depth == 0:
			if len(line) > 0 {
				lines = append(lines, line)
			}
			line = nil
			continue
		case t.kind == newline:
			continue
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth = max(0, depth-1)
		case depth > 0 && t.column == 0 && t.is("def", "class", "import", "from"):
			// A statement at the start of a line ends the logical line, because otherwise
			// the rest of the file would belong to the unclosed bracket.
			lines, line, depth = append(lines, line), nil, 0
		}
		line = append(line, t)
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// pythonReader keeps track of the nesting in a module.
type pythonReader struct {
	*Summary
	source string
	began  bool // something other than the docstring has been seen
	// classes holds the classes that enclose the current line, outermost first; functions
	// holds the indentations of the functions that enclose it.
	classes   []openClass
	functions []int
}

type openClass struct {
	name   string
	indent int
}

func (p *pythonReader) line(line []tok) {
	indent := line[0].column
	for len(p.classes) > 0 && p.classes[len(p.classes)-1].indent >= indent {
		p.classes = p.classes[:len(p.classes)-1]
	}
	for len(p.functions) > 0 && p.functions[len(p.functions)-1] >= indent {
		p.functions = p.functions[:len(p.functions)-1]
	}
	first := !p.began
	p.began = true
	if first && line[0].kind == text && line[0].tight && len(line) == 1 {
		p.Doc = line[0].text
		return
	}
	if indent == 0 && mainGuard(line) {
		p.Entry = "__main__"
	}
	words := line
	if words[0].is("async") && len(words) > 1 {
		words = words[1:]
	}
	switch {
	case words[0].is("def") && len(words) > 1 && words[1].kind == word:
		p.def(line, words[1].text, indent)
	case words[0].is("class") && len(words) > 1 && words[1].kind == word:
		p.class(words[1].text, indent)
	default:
		p.simple(line, indent > 0)
	}
}

func (p *pythonReader) def(line []tok, name string, indent int) {
	inFunction := len(p.functions) > 0
	p.functions = append(p.functions, indent)
	exported := publicName(name)
	full := name
	if n := len(p.classes); n > 0 {
		// A method is a function directly inside its class. Functions nested in other
		// functions cannot be called from outside.
		if n > 8 || inFunction && p.functions[0] > p.classes[n-1].indent {
			return
		}
		var parts []string
		for _, c := range p.classes {
			parts = append(parts, c.name)
			exported = exported && publicName(c.name)
		}
		full = strings.Join(append(parts, name), ".")
	} else if inFunction {
		return
	}
	if p.Test && strings.HasPrefix(name, "test") {
		p.Tests = append(p.Tests, full)
	}
	p.Functions = append(p.Functions, Function{Name: full, Signature: p.head(line), Exported: exported})
}

// head returns a logical line up to the colon that introduces its body.
func (p *pythonReader) head(line []tok) string {
	depth := 0
	end := line[len(line)-1].end
	for _, t := range line {
		switch {
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth--
		case t.is(":") && depth == 0:
			end = t.at
		default:
			continue
		}
		if end == t.at {
			break
		}
	}
	return flatten(p.source, line, end)
}

// flatten joins the tokens that lie before an offset (end) into one line of at most
// maxSignature bytes, without comments.
func flatten(source string, line []tok, end int) string {
	var b strings.Builder
	at := line[0].at
	for _, t := range line {
		if t.at >= end || b.Len() > maxSignature {
			break
		}
		if t.kind == newline || t.kind == comment {
			continue
		}
		if t.at > at && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Join(strings.Fields(foreign.Clip(source[t.at:t.end], maxSignature)), " "))
		at = t.end
	}
	return foreign.Clip(b.String(), maxSignature)
}

func (p *pythonReader) class(name string, indent int) {
	if len(p.functions) > 0 {
		return
	}
	full := name
	exported := publicName(name)
	for i := len(p.classes) - 1; i >= 0; i-- {
		full = p.classes[i].name + "." + full
		exported = exported && publicName(p.classes[i].name)
		if len(full) > maxName {
			break
		}
	}
	p.classes = append(p.classes, openClass{name, indent})
	p.Types = append(p.Types, Type{Name: full, Kind: "class", Exported: exported})
}

func publicName(name string) bool {
	return !strings.HasPrefix(name, "_") || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// simple finds the imports in a logical line. The line may hold several statements, and the
// first may follow the colon of a compound statement.
func (p *pythonReader) simple(line []tok, conditional bool) {
	depth, start := 0, true
	for i, t := range line {
		switch {
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth--
		case depth != 0:
		case t.is(";"):
			start = true
			continue
		case t.is(":"):
			start, conditional = true, true
			continue
		case start && t.is("import"):
			p.imports(line[i+1:], conditional)
		case start && t.is("from"):
			p.from(line[i+1:], conditional)
		}
		start = false
	}
	p.dynamic(line)
}

// dotted returns a module's name and the number of tokens that it consists of.
func dotted(line []tok) (string, int) {
	var b strings.Builder
	n := 0
	for n < len(line) && b.Len() <= maxName {
		t := line[n]
		named := t.kind == word && t.text != "import" && t.text != "as"
		if !named && !t.is(".") || named && n > 0 && line[n-1].kind == word {
			break
		}
		b.WriteString(t.text)
		n++
	}
	return b.String(), n
}

// imports parses statements such as: import a.b as c, d.
func (p *pythonReader) imports(line []tok, conditional bool) {
	for len(line) > 0 {
		name, n := dotted(line)
		if n == 0 {
			return
		}
		p.add(Import{Path: name, Form: Static, Conditional: conditional})
		line = line[n:]
		if len(line) > 1 && line[0].is("as") {
			line = line[2:]
		}
		if len(line) == 0 || !line[0].is(",") {
			return
		}
		line = line[1:]
	}
}

// from parses statements such as: from .a import (b as c, d).
func (p *pythonReader) from(line []tok, conditional bool) {
	name, n := dotted(line)
	if n == 0 || n >= len(line) || !line[n].is("import") {
		return
	}
	imp := Import{Path: name, Form: Static, Conditional: conditional}
	alias := false
	for _, t := range line[n+1:] {
		if t.is(";") || len(imp.Names) > maxList {
			break
		}
		switch {
		case t.is("as"):
			alias = true
		case t.kind == word && !alias, t.is("*"):
			imp.Names = append(imp.Names, foreign.Clip(t.text, maxName))
		default:
			alias = false
		}
	}
	p.add(imp)
}

// dynamic finds calls such as importlib.import_module("a") and __import__("a").
func (p *pythonReader) dynamic(line []tok) {
	for i := 0; i+2 < len(line); i++ {
		if line[i].is("import_module", "__import__") && line[i+1].is("(") &&
			line[i+2].kind == text && line[i+2].tight && line[i+2].text != "" {
			p.add(Import{Path: line[i+2].text, Form: Dynamic, Conditional: true})
		}
	}
}

// add stores an import. Imports of the same module in the same form share one entry, which
// lists the names from all of them.
func (s *Summary) add(imp Import) {
	if imp.Path == "" || len(imp.Path) > maxName || strings.ContainsAny(imp.Path, "\x00\n") {
		return
	}
	imp.Kind = kindOf(s.Language, imp.Path)
	i := slices.IndexFunc(s.Imports, func(o Import) bool { return o.Path == imp.Path && o.Form == imp.Form })
	if i < 0 {
		if len(s.Imports) > maxList {
			return // bound cuts the list and sets Truncated
		}
		s.Imports = append(s.Imports, imp)
		return
	}
	o := &s.Imports[i]
	o.TypeOnly = o.TypeOnly && imp.TypeOnly
	o.Conditional = o.Conditional && imp.Conditional
	for _, n := range imp.Names {
		if len(o.Names) <= maxList && !slices.Contains(o.Names, n) {
			o.Names = append(o.Names, n)
		}
	}
}

// mainGuard reports whether a line is the condition if __name__ == "__main__", with the
// operands in either order.
func mainGuard(line []tok) bool {
	if len(line) < 5 || !line[0].is("if") {
		return false
	}
	var name, main, equal bool
	for _, t := range line[1:min(len(line), 12)] {
		name = name || t.is("__name__")
		main = main || t.kind == text && t.text == "__main__"
		equal = equal || t.is("=")
	}
	return name && main && equal
}

// topComment joins the comments at the top of a file, leaving out those that begin with one
// of the markers.
func topComment(toks []tok, skip ...string) string {
	var b strings.Builder
	blank := 0
	for _, t := range toks {
		if t.kind == newline {
			if blank++; blank > 1 && b.Len() > 0 {
				break
			}
			continue
		}
		if t.kind != comment || b.Len() > 16*MaxDoc {
			break
		}
		blank = 0
		if slices.ContainsFunc(skip, func(m string) bool { return strings.HasPrefix(t.text, m) }) {
			continue
		}
		b.WriteString(plain(t.text))
		b.WriteByte(' ')
	}
	return b.String()
}

// plain returns the prose of a comment, without comment markers such as * and #.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(foreign.Clip(text, 16*MaxDoc)) {
		line = strings.Trim(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "*/")), "*/#!- \t")
		if strings.HasPrefix(line, "@") { // the tags of JSDoc follow the prose
			if b.Len() > 0 {
				break
			}
			_, line, _ = strings.Cut(line, " ")
		}
		b.WriteString(line)
		b.WriteByte(' ')
	}
	return b.String()
}
