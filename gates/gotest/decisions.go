package gotest

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"evolve/gates/syntax"
)

// decision is a point at which code chooses what to do next: the condition of an if, a loop
// or a case; a comparison anywhere; an operand of && or ||; one element in the list of a
// case; or one argument of cmp.Or, min or max.
type decision struct {
	expr ast.Expr
	// op is && or || for an operand of this operator. Such a decision is covered if it
	// was decisive in some test. Any other condition must have been both true and false
	// in tests.
	op token.Token
	// loop reports whether the decision is the condition of a loop. Such a loop may never
	// end if its condition is forced to true.
	loop bool
	// several reports whether the condition consists of operands of && or ||. If so, the
	// operands are forced one by one instead of the whole condition.
	several bool
	// control reports whether the decision is the condition of a statement or part of
	// such a condition. Only such decisions are forced, because any other decision may
	// compute a value that is only one of several correct ones, such as the order of
	// equal elements.
	control bool
	// bodies are the statements that the condition controls. If the condition changes, they
	// count as changed.
	bodies []ast.Node
	// clause and on are set if the decision is an element in the list of a case: they are
	// the case's clause and its switch statement. call and argument are set if the
	// decision is an argument of a call that chooses among its arguments: they are the
	// call and the index of that argument.
	clause   *ast.CaseClause
	on       ast.Stmt
	call     *ast.CallExpr
	argument int
}

// key identifies a decision by its text and use, not by its position.
func (d decision) key() string {
	switch {
	case d.call != nil:
		return "choice " + syntax.Text(d.call.Fun) + " " + canonical(d.expr)
	case d.clause != nil:
		return "case " + subject(d.on) + " " + syntax.Text(d.expr)
	case d.op != token.ILLEGAL:
		return d.op.String() + " " + canonical(d.expr)
	}
	return canonical(d.expr)
}

// subject returns the text of the expression on which a switch statement switches.
func subject(s ast.Stmt) string {
	switch x := s.(type) {
	case *ast.SwitchStmt:
		return syntax.Text(x.Tag)
	case *ast.TypeSwitchStmt:
		return syntax.Text(x.Assign)
	}
	return ""
}

// decisions lists the decisions below a node, each before the decisions within it. Operands
// in one chain are sorted by their texts, so their order in the source makes no difference.
func decisions(n ast.Node) []decision {
	var w decisionFinder
	w.visit(n)
	return w.found
}

// decisionFinder collects decisions.
type decisionFinder struct{ found []decision }

// condition adds the condition e, described by d, and the decisions within it.
func (w *decisionFinder) condition(e ast.Expr, d decision) {
	if e == nil {
		return
	}
	inner := ast.Unparen(e)
	d.expr = e
	negated := false
	logic, several := inner.(*ast.BinaryExpr)
	if not, ok := inner.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		logic, several = ast.Unparen(not.X).(*ast.BinaryExpr)
		negated = true
	}
	d.several = several && (logic.Op == token.LAND || logic.Op == token.LOR)
	if negated || !d.several || d.op != logic.Op {
		w.found = append(w.found, d)
	}
	if !d.several {
		w.below(inner)
		return
	}
	operands := slices.Concat(chain(logic.X, logic.Op), chain(logic.Y, logic.Op))
	slices.SortStableFunc(operands, func(a, b ast.Expr) int { return cmp.Compare(canonical(a), canonical(b)) })
	for _, o := range operands {
		w.condition(o, decision{op: logic.Op, control: d.control})
	}
}

// chain lists the operands of a chain of the operator op.
func chain(e ast.Expr, op token.Token) []ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == op {
		return slices.Concat(chain(b.X, op), chain(b.Y, op))
	}
	return []ast.Expr{e}
}

// below visits the parts of a condition. A negated part does not count as a separate
// condition.
func (w *decisionFinder) below(e ast.Expr) {
	switch x := e.(type) {
	case *ast.BinaryExpr:
		w.visit(x.X)
		w.visit(x.Y)
	case *ast.UnaryExpr:
		w.below(ast.Unparen(x.X))
	default:
		w.visit(e)
	}
}

// visit collects the decisions below a node.
func (w *decisionFinder) visit(n ast.Node) {
	if n == nil {
		return
	}
	some := func(n ast.Node, present bool) {
		if present {
			w.visit(n)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GenDecl:
			return x.Tok != token.CONST
		case *ast.ArrayType: // the length is a constant
			some(x.Elt, true)
			return false
		case *ast.IfStmt:
			some(x.Init, x.Init != nil)
			d := decision{control: true, bodies: []ast.Node{x.Body}}
			if x.Else != nil {
				d.bodies = append(d.bodies, x.Else)
			}
			w.condition(x.Cond, d)
			w.visit(x.Body)
			some(x.Else, x.Else != nil)
			return false
		case *ast.ForStmt:
			some(x.Init, x.Init != nil)
			w.condition(x.Cond, decision{control: true, loop: true, bodies: []ast.Node{x.Body}})
			some(x.Post, x.Post != nil)
			w.visit(x.Body)
			return false
		case *ast.SwitchStmt:
			some(x.Init, x.Init != nil)
			some(x.Tag, x.Tag != nil)
			w.clauses(x, x.Body, x.Tag == nil)
			return false
		case *ast.TypeSwitchStmt:
			some(x.Init, x.Init != nil)
			w.visit(x.Assign)
			w.clauses(x, x.Body, false)
			return false
		case *ast.BinaryExpr:
			switch x.Op {
			case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				w.condition(x, decision{})
				return false
			}
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				w.condition(x, decision{})
				return false
			}
		case *ast.CallExpr:
			w.choices(x)
		}
		return true
	})
}

// clauses adds the elements in the lists of cases. In a switch without an expression these
// are conditions.
func (w *decisionFinder) clauses(on ast.Stmt, body *ast.BlockStmt, conditions bool) {
	for _, s := range body.List {
		c, ok := s.(*ast.CaseClause)
		if !ok {
			continue
		}
		var bodies []ast.Node
		for _, s := range c.Body {
			bodies = append(bodies, s)
		}
		for _, e := range c.List {
			if conditions {
				w.condition(e, decision{control: true, bodies: bodies})
				continue
			}
			w.found = append(w.found, decision{expr: e, clause: c, on: on, bodies: bodies})
			w.visit(e)
		}
		for _, s := range c.Body {
			w.visit(s)
		}
	}
}

// choices adds the arguments of a call that chooses among its arguments, unless all of them
// are literals.
func (w *decisionFinder) choices(x *ast.CallExpr) {
	fun := x.Fun
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	name := syntax.Text(fun)
	if x.Ellipsis.IsValid() || len(x.Args) < 2 || name != "cmp.Or" && name != "min" && name != "max" {
		return
	}
	if !slices.ContainsFunc(x.Args, func(e ast.Expr) bool { _, literal := ast.Unparen(e).(*ast.BasicLit); return !literal }) {
		return
	}
	for i, e := range x.Args {
		w.found = append(w.found, decision{expr: e, call: x, argument: i})
	}
}

// freshDecisions reports, for each decision in list, whether it is new. A decision is not
// new if the old text of the function has the same decision in the same order, regardless
// of the line. values holds the names of changed values; decisions that use one of them
// count as new.
func freshDecisions(old string, list []decision, values map[string]bool) []bool {
	var before []string
	if file := parseFunction(old); file != nil {
		for _, d := range decisions(file) {
			before = append(before, d.key())
		}
	}
	now := make([]string, len(list))
	fresh := make([]bool, len(list))
	for i, d := range list {
		now[i], fresh[i] = d.key(), true
	}
	for _, p := range syntax.Align(len(before), len(now), func(i, j int) bool { return before[i] == now[j] }) {
		fresh[p.New] = len(values) > 0 && syntax.Mentions(list[p.New].expr, values)
	}
	return fresh
}

// pure reports whether an expression can be evaluated again without side effects.
func pure(e ast.Expr) bool {
	return !syntax.Contains(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			id, ok := x.Fun.(*ast.Ident)
			return !ok || id.Name != "len" && id.Name != "cap" && id.Name != "string"
		case *ast.FuncLit:
			return true
		case *ast.UnaryExpr:
			return x.Op == token.ARROW
		}
		return false
	})
}
