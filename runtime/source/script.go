package source

import (
	"slices"
	"strings"

	foreign "evolve/runtime/text"
)

// maxAhead limits the look-ahead, in tokens, so that reading takes linear time.
const maxAhead = 400

// scriptReader makes one pass over the tokens of a JavaScript or TypeScript file.
type scriptReader struct {
	*Summary
	source string
	toks   []tok  // without comments or line ends
	fresh  []bool // whether the token is the first on its line
	// depth is the number of open brackets. classes holds the names of the open classes
	// with the depths of their bodies.
	depth   int
	classes []openClass
	shared  map[string]bool // names exported separately from their declaration
}

// readScript adds the top-level declarations and the methods of top-level classes.
func (s *Summary) readScript(source string) {
	part, cut := lexable(source)
	s.Truncated = s.Truncated || cut
	toks := lex(part, false)
	if line := firstLine(part); strings.HasPrefix(line, "#!") && slices.ContainsFunc([]string{"node", "deno", "bun", "tsx"}, func(n string) bool {
		return strings.Contains(line, n)
	}) {
		s.Entry = "shebang"
	}
	s.Doc = topComment(toks, "/usr/", "!", "/ <", "eslint", " eslint", "* eslint", " @ts-", "@ts-", " jshint", " global ", " prettier")
	r := scriptReader{Summary: s, source: part, shared: map[string]bool{}}
	line := true
	for _, t := range toks {
		switch t.kind {
		case comment:
		case newline:
			line = true
		default:
			r.toks, r.fresh = append(r.toks, t), append(r.fresh, line)
			line = false
		}
	}
	for i := range r.toks {
		r.token(i)
	}
	for i := range s.Functions {
		s.Functions[i].Exported = s.Functions[i].Exported || r.shared[s.Functions[i].Name]
	}
	for i := range s.Types {
		s.Types[i].Exported = s.Types[i].Exported || r.shared[s.Types[i].Name]
	}
	s.Touches = touches(s.Language, s.Imports)
}

// at returns the token at an index, or an empty token if there is none.
func (r *scriptReader) at(i int) tok {
	if i < 0 || i >= len(r.toks) {
		return tok{kind: newline}
	}
	return r.toks[i]
}

// begins reports whether a statement may begin at a token.
func (r *scriptReader) begins(i int) bool {
	p := r.at(i - 1)
	return i == 0 || r.fresh[i] || p.is(";", "}", "{")
}

func (r *scriptReader) token(i int) {
	t := r.toks[i]
	if t.kind == word {
		r.loads(i)
		switch n := len(r.classes); {
		case t.text == "exports" && (r.begins(i) || r.at(i-1).is(".") && r.at(i-2).is("module")):
			r.commonJS(i)
		case r.depth == 0 && r.begins(i):
			r.statement(i)
		case n > 0 && r.classes[n-1].indent == r.depth && (r.begins(i) || r.at(i-1).is("#") && r.begins(i-1)):
			r.method(i, r.classes[n-1].name)
		}
	}
	switch {
	case t.is("(", "[", "{"):
		r.depth++
	case t.is(")", "]", "}"):
		r.depth = max(0, r.depth-1)
		for n := len(r.classes); n > 0 && r.classes[n-1].indent > r.depth; n-- {
			r.classes = r.classes[:n-1]
		}
	}
}

// loads examines a word, at any place in the file, that may begin an import or a test or
// may indicate the program's entry point.
func (r *scriptReader) loads(i int) {
	member := r.at(i-1).is(".", "?.")
	next := r.at(i + 1)
	switch r.toks[i].text {
	case "import":
		switch {
		case member:
		case next.is("("):
			r.call(Dynamic, i+2)
		case next.is(".") && r.at(i+2).is("meta") && r.at(i+3).is(".") && r.at(i+4).is("main") && r.Entry == "":
			r.Entry = "main module"
		}
	case "require":
		switch {
		case member:
		case next.is("("):
			r.call(Require, i+2)
		case next.is(".") && r.at(i+2).is("resolve") && r.at(i+3).is("("):
			r.call(Require, i+4)
		case next.is(".") && r.at(i+2).is("main") && r.at(i+3).is("=") && r.Entry == "":
			r.Entry = "main module"
		}
	case "test", "it", "describe":
		if name := r.at(i + 2); r.Test && !member && next.is("(") && name.kind == text && len(r.Tests) <= maxList {
			r.Tests = append(r.Tests, strings.Join(strings.Fields(foreign.Clip(name.text, maxName)), " "))
		}
	}
}

// call adds the import made by a call, if the token at the given index (argument) is the
// call's argument and a plain string.
func (r *scriptReader) call(form Form, argument int) {
	path, ok := r.module(r.at(argument))
	if ok && path != "" && r.at(argument+1).is(")", ",") {
		r.add(Import{Path: path, Form: form, Conditional: r.depth > 0})
	}
}

// statement parses a declaration at the top level.
func (r *scriptReader) statement(i int) {
	start, exported, standard := i, false, false
	for steps := 0; steps < 6; steps++ {
		switch t := r.at(i); {
		case t.is("export"):
			exported = true
			if n := r.at(i + 1); n.is("{", "*") || n.is("type") && r.at(i+2).is("{", "*") {
				r.clause(i, ReExport)
				return
			}
		case t.is("default"):
			standard = true
		case t.is("declare", "abstract"), t.is("async") && r.at(i+1).is("function"),
			t.is("const") && r.at(i+1).is("enum"):
		default:
			r.declaration(start, i, exported, standard)
			return
		}
		i++
	}
}

func (r *scriptReader) declaration(start, i int, exported, standard bool) {
	next := r.at(i + 1)
	switch t := r.at(i); t.text {
	case "import":
		if start == i && t.kind == word {
			r.clause(i, Static)
		}
	case "function":
		if next.is("*") {
			next = r.at(i + 2)
		}
		name := next.text
		if next.kind != word {
			if !standard {
				return
			}
			name = "default"
		}
		r.function(name, start, i, exported)
	case "class":
		r.class(i, exported)
	case "interface", "enum":
		if next.kind == word {
			r.typ(next.text, t.text, exported)
		}
	case "namespace", "module":
		if next.kind == word && r.at(i+2).is("{") {
			r.typ(next.text, "namespace", exported)
		}
	case "type":
		if next.kind == word && r.at(i+2).is("=", "<") {
			r.typ(next.text, "type", exported)
		}
	case "const", "let", "var":
		if next.kind == word && r.isFunction(i+2) {
			r.function(next.text, start, i, exported)
		}
	default:
		if exported && standard && t.kind == word {
			r.shared[t.text] = true // export default name
		}
	}
}

// class adds a class and opens it so that its methods can be added.
func (r *scriptReader) class(i int, exported bool) {
	name := r.at(i + 1)
	if name.kind != word || name.is("extends", "implements") {
		name.text = "default"
	}
	r.typ(name.text, "class", exported)
	if body := r.find(i, "{"); body > 0 {
		// The brackets between here and the body are balanced, so the body is one level
		// deeper.
		r.classes = append(r.classes[:0], openClass{name.text, r.depth + 1})
	}
}

func (r *scriptReader) typ(name, kind string, exported bool) {
	if len(r.Types) <= maxList {
		r.Types = append(r.Types, Type{Name: name, Kind: kind, Exported: exported})
	}
}

func (r *scriptReader) function(name string, start, i int, exported bool) {
	if len(r.Functions) > maxList {
		return
	}
	// The modifiers of an export are not part of the signature.
	for start < i && r.at(start).is("export", "default", "declare") {
		start++
	}
	r.Functions = append(r.Functions, Function{Name: name, Signature: r.signature(start), Exported: exported})
}

// signature returns the source from a token to the end of the parameters and the result
// type.
func (r *scriptReader) signature(start int) string {
	depth, closed := 0, false
	last := min(len(r.toks), start+maxAhead) - 1
	end := r.toks[last].end
	for i := start; i <= last; i++ {
		t := r.toks[i]
		switch {
		case t.is("=>") && depth == 0, t.is(";") && depth == 0,
			t.is("{") && depth == 0 && closed && !r.at(i-1).is(":"),
			closed && depth == 0 && r.fresh[i]:
			return flatten(r.source, r.toks[start:i], t.at)
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth--
			closed = closed || t.is(")") && depth == 0
		}
		if depth < 0 {
			end = t.at
			break
		}
	}
	return flatten(r.source, r.toks[start:last+1], end)
}

// isFunction reports whether a name is followed by "= function" or "= (…) =>", with or
// without types.
func (r *scriptReader) isFunction(i int) bool {
	depth := 0
	for n := range maxAhead {
		t := r.at(i + n)
		switch {
		case t.kind == newline, t.is(";"), t.is(",") && depth == 0:
			return false
		case t.is("=") && depth == 0:
			return r.isArrow(i + n + 1)
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return false
}

func (r *scriptReader) isArrow(i int) bool {
	if r.at(i).is("async") {
		i++
	}
	if r.at(i).is("function") || r.at(i).kind == word && r.at(i+1).is("=>") {
		return true
	}
	if r.at(i).is("<") {
		if i = r.find(i, "("); i < 0 {
			return false
		}
	}
	if !r.at(i).is("(") {
		return false
	}
	depth := 0
	for n := range maxAhead {
		t := r.at(i + n)
		switch {
		case t.kind == newline:
			return false
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth--
			if depth == 0 && t.is(")") {
				next := r.at(i + n + 1)
				return next.is("=>", ":")
			}
		}
	}
	return false
}

// find returns the index of the first token from i on that equals what, or -1 if a
// semicolon precedes it or there is none within maxAhead tokens.
func (r *scriptReader) find(i int, what string) int {
	for n := range maxAhead {
		switch t := r.at(i + n); {
		case t.is(what):
			return i + n
		case t.kind == newline, t.is(";"):
			return -1
		}
	}
	return -1
}

// method adds a method of a class.
func (r *scriptReader) method(i int, class string) {
	start := i
	for steps := 0; steps < 6 && modifier(r.at(i).text) && !r.at(i+1).is("(") && !r.at(i+1).is("="); steps++ {
		i++
	}
	for r.at(i).is("*", "#") {
		i++
	}
	name, next := r.at(i), r.at(i+1)
	private := r.at(i-1).is("#") || r.at(start).is("private", "protected")
	if name.kind != word || !next.is("(") && !(next.is("<") && r.find(i, "(") > 0) && !(next.is("=") && r.isArrow(i+2)) {
		return
	}
	if len(r.Functions) > maxList {
		return
	}
	shown := name.text
	if r.at(i - 1).is("#") {
		shown = "#" + shown
	}
	r.Functions = append(r.Functions, Function{
		Name: class + "." + shown, Signature: r.signature(start), Exported: !private && !strings.HasPrefix(shown, "_") && r.exports(class),
	})
}

func (r *scriptReader) exports(class string) bool {
	return slices.ContainsFunc(r.Types, func(t Type) bool { return t.Name == class && t.Exported })
}

func modifier(w string) bool {
	switch w {
	case "static", "async", "get", "set", "public", "private", "protected", "readonly", "abstract", "override", "declare":
		return true
	}
	return false
}

// commonJS parses an assignment of one name or of an object to exports, or an assignment to
// a member of exports.
func (r *scriptReader) commonJS(i int) {
	next := r.at(i + 1)
	switch {
	case next.is(".") && r.at(i+3).is("=") && r.at(i+2).kind == word:
		name := r.at(i + 2).text
		if r.isArrow(i+4) && !r.at(i+4).is(name) {
			r.function(name, i+2, i+2, true)
		}
		r.shared[name] = true
	case next.is("=") && r.at(i+2).kind == word:
		r.shared[r.at(i+2).text] = true
	case next.is("=") && r.at(i+2).is("{"):
		for n := range maxAhead {
			t := r.at(i + 3 + n)
			if t.is("}") || t.kind == newline {
				break
			}
			if t.kind == word {
				r.shared[t.text] = true
			}
		}
	}
}
