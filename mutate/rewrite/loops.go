package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// fixtures returns descriptions of the parts that no operator may change: the for
// statements, with the statements that lead to their end, and the functions that are
// recursive, use goto, or initialise the package. A result is refused if it has a fixture
// that its origin does not have.
func (v *view) fixtures() map[string]int {
	found := map[string]int{}
	for _, d := range v.tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if v.still[f] {
			found["function "+f.Name.Name+" "+v.line1(f.Body)]++
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if loop, ok := n.(*ast.ForStmt); ok {
				found[v.loop(loop, f)]++
			}
			return true
		})
	}
	return found
}

// jumps reports whether a body contains a goto statement.
func jumps(b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}

// line1 returns the source of a node on one line.
func (v *view) line1(n ast.Node) string { return oneLine(v.text(n)) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// control is the part of a for statement that determines its end.
type control struct {
	v *view
	// vars and functions hold the variables and the functions on which the end of the loop
	// depends.
	vars      map[types.Object]bool
	functions map[string]bool
	// constants holds the constants in the statements that lead to the end, with their
	// values.
	constants map[string]bool
	// exits reports whether break, continue and return statements matter, too. They do if
	// the loop has no condition, or no post statement, that leads to its end.
	exits bool
}

// loop returns a description of a for statement and of the statements on which its end
// depends.
func (v *view) loop(f *ast.ForStmt, in *ast.FuncDecl) string {
	c := control{v, map[types.Object]bool{}, map[string]bool{}, map[string]bool{}, f.Cond == nil || f.Post == nil}
	header := ""
	if f.Init != nil {
		header = v.line1(f.Init)
	}
	header += ";"
	if f.Cond != nil {
		c.note(f.Cond)
		clear(c.constants) // a limit may change
		header += v.line1(f.Cond)
	}
	header += ";"
	inputs := map[types.Object]bool{}
	if f.Post != nil {
		c.note(f.Post)
		header += v.line1(f.Post)
		if _, step := f.Post.(*ast.IncDecStmt); !step {
			inputs = v.variables(f.Post)
		}
	}
	body := ""
	for before := -1; before < len(c.vars); {
		before = len(c.vars)
		body = c.list(f.Body.List)
	}
	if c.exits || body != "" {
		inputs = c.vars
	}
	pointed := false
	ast.Inspect(in.Body, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND && c.uses(u.X) {
			pointed = true
		}
		return !pointed
	})
	if pointed {
		return "function " + in.Name.Name + " " + v.line1(in.Body)
	}
	return "for " + header + "{" + body + "}" + c.origins(f, inputs)
}

// origins returns a description of the sources of a loop's inputs: the statements outside
// the loop that set them, constants, and functions.
func (c *control) origins(f *ast.ForStmt, inputs map[types.Object]bool) string {
	v := c.v
	list := slices.Sorted(maps.Keys(c.constants))
	sets := func(x ast.Expr) bool {
		for o := range v.variables(x) {
			if inputs[o] {
				return true
			}
		}
		return false
	}
	for _, d := range v.tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && c.functions[fn.Name.Name] {
			list = append(list, v.line1(fn))
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				return n != f
			case *ast.AssignStmt:
				if slices.ContainsFunc(n.Lhs, sets) {
					list = append(list, v.line1(n))
				}
			case *ast.IncDecStmt:
				if sets(n.X) {
					list = append(list, v.line1(n))
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					if sets(name) {
						list = append(list, v.line1(n))
					}
				}
			}
			return true
		})
	}
	return strings.Join(list, ";")
}

// variables returns the variables in a node.
func (v *view) variables(n ast.Node) map[types.Object]bool {
	list := map[types.Object]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o, ok := v.object(id).(*types.Var); ok {
				list[o] = true
			}
		}
		return true
	})
	return list
}

// note adds the variables, constants and functions in a node to those on which the end of
// the loop depends.
func (c *control) note(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := c.v.object(id).(type) {
		case *types.Var:
			c.vars[o] = true
		case *types.Const:
			c.constants[o.Name()+"="+o.Val().ExactString()] = true
		case *types.Func:
			c.v.mentions.closure(o.Name(), c.functions)
		}
		return true
	})
}

// uses reports whether a node contains one of the variables.
func (c *control) uses(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && c.vars[c.v.object(id)] {
			found = true
		}
		return !found
	})
	return found
}

// object returns the object to which an identifier refers.
func (v *view) object(id *ast.Ident) types.Object {
	if o := v.info.Uses[id]; o != nil {
		return o
	}
	return v.info.Defs[id]
}

// list returns a description of those statements in a list that matter for the end of the
// loop, and notes their variables.
func (c *control) list(list []ast.Stmt) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(c.statement(s))
	}
	return b.String()
}

// statement returns a description of a statement, or "" if the statement does not matter
// for the end of the loop.
func (c *control) statement(s ast.Stmt) string {
	inner := func(header ast.Node, bodies ...string) string {
		body := strings.Join(bodies, "|")
		if strings.Trim(body, "|") == "" {
			return ""
		}
		text := ""
		if header != nil {
			c.note(header)
			text = c.v.line1(header)
		}
		return text + "{" + body + "}"
	}
	optional := func(s ast.Stmt) string {
		if s == nil {
			return ""
		}
		return c.statement(s)
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		return inner(nil, c.list(s.List))
	case *ast.LabeledStmt:
		return s.Label.Name + ":" + c.statement(s.Stmt)
	case *ast.IfStmt:
		return inner(s.Cond, optional(s.Init), c.list(s.Body.List), optional(s.Else))
	case *ast.ForStmt:
		body := inner(nil, optional(s.Init), c.list(s.Body.List), optional(s.Post))
		if body != "" && s.Cond != nil {
			c.note(s.Cond)
			body += c.v.line1(s.Cond)
		}
		return body
	case *ast.RangeStmt:
		own := false
		for _, x := range []ast.Expr{s.Key, s.Value} {
			own = own || x != nil && c.uses(x)
		}
		body := c.list(s.Body.List)
		if own {
			body += "range"
		}
		return inner(s.X, body)
	case *ast.SwitchStmt:
		var tag ast.Node
		if s.Tag != nil {
			tag = s.Tag
		}
		return inner(tag, optional(s.Init), c.list(s.Body.List))
	case *ast.TypeSwitchStmt:
		return inner(s.Assign, optional(s.Init), c.list(s.Body.List))
	case *ast.SelectStmt:
		return inner(nil, c.list(s.Body.List))
	case *ast.CaseClause:
		body := c.list(s.Body)
		if body == "" {
			return ""
		}
		text := ""
		for _, x := range s.List {
			c.note(x)
			text += c.v.line1(x) + ","
		}
		return text + "{" + body + "}"
	case *ast.CommClause:
		return inner(nil, optional(s.Comm), c.list(s.Body))
	case *ast.ReturnStmt:
		if c.exits {
			return "return;" // with any result
		}
	case *ast.BranchStmt:
		if c.exits {
			return c.v.line1(s) + ";"
		}
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if c.uses(x) {
				c.note(s)
				return c.v.line1(s) + ";"
			}
		}
	case *ast.IncDecStmt:
		if c.uses(s.X) {
			return c.v.line1(s) + ";"
		}
	case *ast.ExprStmt, *ast.DeclStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt:
		if c.uses(s) {
			c.note(s)
			return c.v.line1(s) + ";"
		}
	}
	return ""
}
