package constants

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	foreign "evolve/runtime/text"
)

// These limits apply to untrusted source. Files without a marker are not read and do not
// count towards them.
const (
	mostBytes     = 1 << 20 // of one file
	mostConstants = 256
	mostProblems  = 100
	docLength     = 300 // characters
)

// Find searches Go files, which are keyed by path. It returns the marked constants,
// sorted by path and line, and a problem for every invalid marker. If several constants
// have the same name, each of them is a problem. A file that has a marker but does not
// parse is a problem.
func Find(files map[string][]byte) ([]Constant, []Problem) {
	var f finding
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(path, ".go") && bytes.Contains(files[path], []byte(needle)) {
			f.read(path, files[path])
		}
	}
	f.refuseTwins()
	if len(f.found) > mostConstants {
		c := f.found[mostConstants]
		f.problems = append(f.problems, Problem{c.File, c.Line, fmt.Sprintf("more than %d constants are marked", mostConstants), "keep only the marks that matter most"})
		f.found = f.found[:mostConstants]
	}
	slices.SortStableFunc(f.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	if len(f.problems) > mostProblems {
		f.problems = f.problems[:mostProblems]
	}
	return f.found, f.problems
}

// finding collects the results from all files.
type finding struct {
	found    []Constant
	problems []Problem
}

// site is the specification of a constant to which markers may refer.
type site struct {
	spec *ast.ValueSpec
	doc  *ast.CommentGroup
	// repeated reports whether the next specification implicitly repeats the value of
	// this specification.
	repeated bool
	marks    int
}

// source is a parsed file.
type source struct {
	path  string
	data  []byte
	file  *token.File
	sites map[*ast.Comment]*site
	// refusal is the reason why every marker in the file is refused; nil if the file may
	// have markers.
	refusal *fault
}

func (f *finding) read(path string, data []byte) {
	if len(data) > mostBytes {
		f.problems = append(f.problems, Problem{path, 1, fmt.Sprintf("the file has %d bytes; files of more than %d are not read", len(data), mostBytes), ""})
		return
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		line, text := 1, err.Error()
		if list := scanner.ErrorList(nil); errors.As(err, &list) && len(list) > 0 {
			// A //line comment may have changed the line of the position, so count the
			// lines instead.
			line, text = 1+bytes.Count(data[:min(len(data), list[0].Pos.Offset)], []byte("\n")), list[0].Msg
		}
		f.problems = append(f.problems, Problem{path, line, "the file does not parse: " + printable(text), ""})
		return
	}
	s := source{path: path, data: data, file: set.File(tree.FileStart), sites: map[*ast.Comment]*site{}}
	switch {
	case strings.HasSuffix(path, "_test.go"):
		s.refusal = &fault{"the mark is in a test", "proposals never change tests: move the constant"}
	case ast.IsGenerated(tree):
		s.refusal = &fault{"the mark is in a generated file", "mark a constant in a file that is written by hand"}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			s.survey(d)
		}
		return true
	})
	for _, group := range tree.Comments {
		for _, c := range group.List {
			line := s.line(c.Pos())
			rest, is := isMark(c.Text)
			if !is {
				if nearMark(c.Text) {
					f.problems = append(f.problems, Problem{path, line, "this comment looks like a mark but is not one", "write //evolve:param, with no space after // and a space after param"})
				}
				continue
			}
			found, fault := s.mark(rest, s.sites[c])
			if fault != nil {
				f.problems = append(f.problems, Problem{path, line, fault.text, fault.hint})
				continue
			}
			f.found = append(f.found, found)
		}
	}
}

// survey records the constants in a declaration, keyed by their comments.
func (s *source) survey(d *ast.GenDecl) {
	for i, x := range d.Specs {
		spec, ok := x.(*ast.ValueSpec)
		if !ok {
			continue
		}
		at := &site{spec: spec, doc: spec.Doc}
		if !d.Lparen.IsValid() {
			at.doc = d.Doc
		}
		if i+1 < len(d.Specs) {
			next, ok := d.Specs[i+1].(*ast.ValueSpec)
			at.repeated = ok && len(next.Values) == 0
		}
		for _, group := range []*ast.CommentGroup{at.doc, spec.Comment} {
			if group == nil {
				continue
			}
			for _, c := range group.List {
				s.sites[c] = at
				if _, is := isMark(c.Text); is {
					at.marks++
				}
			}
		}
	}
}

// mark returns the constant to which a marker refers.
func (s *source) mark(rest string, at *site) (Constant, *fault) {
	switch {
	case s.refusal != nil:
		return Constant{}, s.refusal
	case at == nil:
		return Constant{}, &fault{"the mark is not attached to a constant", "put it at the end of the constant's line or directly above; variables and whole blocks cannot be marked"}
	case at.marks > 1:
		return Constant{}, &fault{"the constant is marked twice", ""}
	case len(at.spec.Names) != 1:
		return Constant{}, &fault{"the marked line declares several constants", "declare each constant on its own line"}
	case len(at.spec.Values) != 1:
		return Constant{}, &fault{"the constant has no explicit value", "write out the constant's value"}
	case at.repeated:
		return Constant{}, &fault{"the next constant repeats this one's value implicitly", "write out the next constant's value as well"}
	}
	name := at.spec.Names[0]
	c := Constant{Name: name.Name, File: s.path, Line: s.line(name.Pos()), Type: typeName(at.spec.Type), Doc: docText(at.doc)}
	said, f := words(rest)
	if f != nil {
		return c, f
	}
	if f := s.value(&c, at.spec.Values[0]); f != nil {
		return c, f
	}
	if _, named := said["name"]; !named && (!validName(c.Name) || c.Name == "_") {
		return c, &fault{"the constant's name is not a valid parameter name", "set the parameter's name with name=N: ASCII letters, digits, dots, dashes and underscores"}
	}
	return c, c.apply(said)
}

// refuseTwins removes all constants whose name is not unique, and adds a problem for each
// of them.
func (f *finding) refuseTwins() {
	count := map[string]int{}
	for _, c := range f.found {
		count[c.Name]++
	}
	f.found = slices.DeleteFunc(f.found, func(c Constant) bool {
		if count[c.Name] > 1 {
			f.problems = append(f.problems, Problem{c.File, c.Line, fmt.Sprintf("%d marked constants are called %s", count[c.Name], c.Name), "give them different names with name=N"})
		}
		return count[c.Name] > 1
	})
}

// line returns the actual line of a position, ignoring //line comments.
func (s *source) line(p token.Pos) int { return s.file.PositionFor(p, false).Line }

// typeName returns a declared type as written, if it is a type that a constant can have.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if q, ok := x.X.(*ast.Ident); ok {
			return q.Name + "." + x.Sel.Name
		}
	}
	return ""
}

func docText(g *ast.CommentGroup) string {
	return foreign.Clip(printable(strings.Join(strings.Fields(g.Text()), " ")), docLength, foreign.Runes)
}

// printable replaces unprintable characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
