package source

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Patterns of import statements and of export … from, up to the string that names the
// module. They match tokens, each followed by a blank.
const (
	namePattern = `(?:[\p{L}_$][\p{L}\p{N}\p{M}_$]* )`
	itemPattern = `(?:` + namePattern + `|"[^"]*" |'[^']*' )`
	itemAs      = itemPattern + `(?:as ` + itemPattern + `)?`
	listPattern = `\{ (?:` + itemAs + `(?:, ` + itemAs + `)*(?:, )?)?\} `
	starPattern = `\* as ` + namePattern
)

var (
	importClause = regexp.MustCompile(`^import (?:(?:(?:defer |source )?` + namePattern + `(?:, (?:` + starPattern + `|` + listPattern + `))?` +
		`|(?:defer )?` + starPattern + `|` + listPattern + `)from )?$`)
	exportClause = regexp.MustCompile(`^export (?:\* (?:as ` + itemPattern + `)?|` + listPattern + `)from $`)
)

// maxClause limits the length of an import or export statement before the string that names
// the module, in bytes.
const maxClause = 4 << 10

// clause parses an import or export statement up to the string that names the module. An
// export statement without a module exports names that the file itself declares.
func (r *scriptReader) clause(i int, form Form) {
	var b strings.Builder
	var names []string
	typeOnly, inner, typed := false, 0, 0
	for n := range maxAhead {
		prev, t, next := r.at(i+n-1), r.at(i+n), r.at(i+n+1)
		switch {
		case t.kind == text && prev.is("import", "from"):
			r.from(b.String(), t, form, typeOnly || inner > 0 && inner == typed)
			return
		case t.is("type") && n == 1 && (next.is("{", "*") || next.kind == word && !next.is("from")):
			typeOnly = true
			continue
		case t.is("type") && prev.is("{", ",") && next.kind == word && !next.is("as"):
			typed++
			continue
		case t.is("}") && form == ReExport && !next.is("from"):
			for _, name := range names {
				r.shared[name] = true
			}
			return
		case t.kind == word && prev.is("{", ",", "type"):
			inner++
			names = append(names, t.text)
		case t.kind != word && t.kind != text && !t.is("{", "}", ",", "*"):
			return
		}
		if b.WriteString(r.source[t.at:t.end]); b.Len() > maxClause {
			return
		}
		b.WriteByte(' ')
	}
}

// from adds the import of a module if the part of the statement before the module's name is
// valid.
func (r *scriptReader) from(statement string, module tok, form Form, typeOnly bool) {
	pattern := importClause
	if form == ReExport {
		pattern = exportClause
	}
	path, ok := r.module(module)
	if ok && path != "" && r.source[module.to] != '`' && pattern.MatchString(statement) {
		r.add(Import{Path: path, Form: form, TypeOnly: typeOnly})
	}
}

// escapePattern matches an escape in a JavaScript string.
var escapePattern = regexp.MustCompile(`(?s)\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^ux1-9])`)

// controls maps the character after the backslash of an escape to the control character
// that the escape stands for.
var controls = strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t", "v", "\v", "0", "\x00")

// module returns the contents of a string that names a module, with its escapes decoded. It
// returns false for an unterminated string, a template with an expression, a regular
// expression, and an invalid escape.
func (r *scriptReader) module(t tok) (string, bool) {
	if t.kind != text || !t.tight || t.end != t.to+1 || r.source[t.to] != r.source[t.at] || r.source[t.at] == '/' {
		return "", false
	}
	valid := !strings.Contains(escapePattern.ReplaceAllLiteralString(t.text, ""), `\`)
	path := escapePattern.ReplaceAllStringFunc(t.text, func(escape string) string {
		switch c := escape[1]; c {
		case 'u', 'x':
			n, err := strconv.ParseInt(strings.Trim(escape[2:], "{}"), 16, 32)
			valid = valid && err == nil && n <= unicode.MaxRune
			return string(rune(n))
		case '\n':
			return ""
		default:
			return controls.Replace(escape[1:])
		}
	})
	return path, valid
}
