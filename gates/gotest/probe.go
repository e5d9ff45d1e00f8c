package gotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
)

// mutant is a changed function and the word that makes it panic as soon as it is called.
// If no test notices the panic, the code is not tested.
type mutant struct {
	function
	pkg *pkg
	// word is the word that makes the function panic, and reached is the word that the
	// function reports when it is called.
	word, reached string
}

// probe is a changed statement or a new condition, together with a word. A statement
// reports its word when it is reached; a condition reports its word when it has the value
// that some test must produce.
type probe struct {
	file string
	line int
	word string
	// condition is the text of the condition; it is "" for a statement. wants is the
	// required value: true, false, matched or chosen.
	condition, wants string
}

// instrumentedCode is the instrumented code of changed packages. It reports which changed
// statements are reached, and a run can make a function in it panic. All mutants are in one
// build, because building takes longer than running.
type instrumentedCode struct {
	files    map[string][]byte // by path from the root of the tree
	mutants  []mutant
	probes   []probe
	forced   []forcedCondition
	unseen   []string
	variable string
	all      string // the word that makes every mutant panic
}

// add instruments the changed code in one folder.
func (out *instrumentedCode) add(m *nonces, p *pkg, was, is source) {
	c := compare(was, is)
	for _, u := range c.unseen {
		out.unseen = append(out.unseen, p.dir+": "+u)
	}
	if len(c.functions) == 0 {
		return
	}
	helper := m.word()
	puts := map[string]*edits{}
	choice := false
	asks := conditionProbe{out, m, p, is, helper, &choice}
	for _, f := range c.functions {
		put := puts[f.file]
		if put == nil {
			put = &edits{}
			puts[f.file] = put
		}
		x := mutant{f, p, m.word(), m.word()}
		out.mutants = append(out.mutants, x)
		put.insert(is.fset.Position(f.body.Lbrace).Offset+1, fmt.Sprintf(" %sBreak(%q, %q);", helper, x.word, x.reached))
		if f.why != "" && len(f.values) == 0 {
			continue // nothing changed in it
		}
		first := is.fset.Position(f.whole.Pos()).Line
		fresh := freshLines(f.old, is.raw(f.file, f.whole))
		var list []decision
		all := decisions(f.body)
		for i, fresh := range freshDecisions(f.old, all, f.values) {
			if fresh {
				list = append(list, all[i])
			}
		}
		changed := func(from, to token.Pos) bool {
			for _, d := range list {
				for _, body := range d.bodies {
					if body.Pos() <= from && to <= body.End() {
						return true // the condition that controls this code is new
					}
				}
			}
			a, b := is.fset.Position(from).Line-first, is.fset.Position(to).Line-first
			return f.why == "" && slices.Contains(fresh[a:min(b+1, len(fresh))], true)
		}
		for _, s := range spots(f.body) {
			if changed(s.from, s.to) {
				w := m.word()
				out.probes = append(out.probes, probe{file: f.file, line: is.fset.Position(s.from).Line, word: w})
				put.insert(is.fset.Position(s.at).Offset, fmt.Sprintf("%sReach(%q); ", helper, w))
			}
		}
		asks.ask(f, put, list)
	}
	name := ""
	for file, put := range puts {
		for _, i := range is.files[file].Imports {
			if choice && i.Path.Value == `"cmp"` && i.Name == nil {
				// The instrumented code may not use the import any more. The use is added
				// on the import's own line, which other code may share.
				put.insert(is.fset.Position(lastImport(is.files[file])).Offset, "; var _ = cmp.Or[int]")
			}
		}
		out.files[file] = put.apply(is.texts[file])
		name = is.files[file].Name.Name
	}
	text := fmt.Appendf(nil, instrument, name, helper, out.variable, out.all, armed(out.variable))
	text = fmt.Appendf(text, deciding, helper)
	if choice {
		text = fmt.Appendf(text, choosing, helper)
	}
	out.files[path.Join(p.dir, m.word()+".go")] = text
}

// lastImport returns the position at which the last of a file's import declarations ends,
// or at which the package clause ends if there are none.
func lastImport(f *ast.File) token.Pos {
	end := f.Name.End()
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = g.End()
		}
	}
	return end
}

// spot is the extent of a piece of code (from, to), and the position (at) at which a report
// that it was reached can be inserted.
type spot struct{ from, to, at token.Pos }

// spots returns the statements in a block, including those in nested blocks and function
// literals, and the branches that are not statements of their own: cases and else ifs. Of a
// statement with a block, only the part before the block is included.
func spots(body *ast.BlockStmt) []spot {
	var out []spot
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
			out = append(out, spot{n.Pos(), n.Colon, n.Colon + 1})
		case *ast.CommClause:
			list = n.Body
			out = append(out, spot{n.Pos(), n.Colon, n.Colon + 1})
		case *ast.IfStmt:
			if other, ok := n.Else.(*ast.IfStmt); ok {
				out = append(out, spot{other.Pos(), other.Body.Lbrace, other.Body.Lbrace + 1})
			}
		}
		for _, s := range list {
			switch s.(type) {
			case *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt: // a report cannot be inserted before these
			default:
				out = append(out, spot{s.Pos(), head(s), s.Pos()})
			}
		}
		return true
	})
	return out
}

// head returns the end of the part of a statement that precedes its block.
func head(s ast.Stmt) token.Pos {
	switch x := s.(type) {
	case *ast.LabeledStmt:
		return head(x.Stmt)
	case *ast.BlockStmt:
		return x.Lbrace
	case *ast.IfStmt:
		return x.Body.Lbrace
	case *ast.ForStmt:
		return x.Body.Lbrace
	case *ast.RangeStmt:
		return x.Body.Lbrace
	case *ast.SwitchStmt:
		return x.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return x.Body.Lbrace
	case *ast.SelectStmt:
		return x.Body.Lbrace
	}
	return s.End()
}

// instrument is the code that is added to each changed package. Each instrumented
// position reports once, when execution first reaches it.
const instrument = `package %[1]s

import (
	%[2]sOS "os"
	%[2]sStrings "strings"
	%[2]sSync "sync"
)

var %[2]sWord, %[2]sFile, _ = %[2]sStrings.Cut(%[2]sOS.Getenv(%[3]q), ":")

var %[2]sReached %[2]sSync.Map

func %[2]sBreak(word, reached string) {
	%[2]sReach(reached)
	if %[2]sWord != word && %[2]sWord != %[4]q {
		return
	}
	if _, armed := %[2]sOS.LookupEnv(%[5]q); armed {
		panic("broken on purpose, to see whether a test fails")
	}
}

func %[2]sReach(word string) {
	if _, again := %[2]sReached.LoadOrStore(word, true); again {
		return
	}
	if f, err := %[2]sOS.OpenFile(%[2]sFile, %[2]sOS.O_WRONLY|%[2]sOS.O_APPEND, 0); err == nil {
		_, _ = f.WriteString(word + "\n")
		_ = f.Close()
	}
}
`
