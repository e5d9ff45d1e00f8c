package gotest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// forcedCondition is a condition that the gate can force to true or false. If no test fails
// in either case, no test depends on the condition.
type forcedCondition struct {
	pkg  *pkg
	file string
	line int
	text string
	// never and always are the words that, when given to a run, force the condition to
	// false and to true, respectively. seenTrue and seenFalse are the words that a run
	// reports when the condition is true and false, respectively.
	never, always       string
	seenTrue, seenFalse string
	loop                bool
}

// conditionProbe instruments the decisions in the source of a package.
type conditionProbe struct {
	out    *instrumentedCode
	nonces *nonces
	pkg    *pkg
	in     source
	helper string
	// choosing reports whether a call that chooses among its arguments was instrumented,
	// which requires further helpers.
	choosing *bool
}

// ask instruments the new decisions in a function.
func (a conditionProbe) ask(f function, put *edits, list []decision) {
	var ends []edit
	calls := map[*ast.CallExpr][]string{}
	var order []*ast.CallExpr
	own := declares(f.whole)
	for _, d := range list {
		at := a.in.fset.Position(d.expr.Pos())
		new := func(text, wants string) string {
			w := a.nonces.word()
			a.out.probes = append(a.out.probes, probe{file: f.file, line: at.Line, word: w, condition: text, wants: wants})
			return w
		}
		switch {
		case d.clause != nil:
			a.element(f, put, d, new)
		case d.call != nil:
			fun, _, _ := strings.Cut(syntax.Text(d.call.Fun), ".")
			if own[fun] || a.in.functions()[fun] != nil {
				continue // not the predeclared function
			}
			if calls[d.call] == nil {
				calls[d.call] = make([]string, len(d.call.Args))
				order = append(order, d.call)
			}
			calls[d.call][d.argument] = new(syntax.Text(d.expr)+" of "+syntax.Text(d.call.Fun), "chosen")
		default:
			text := syntax.Text(d.expr)
			x := forcedCondition{pkg: a.pkg, file: f.file, line: at.Line, text: text, never: a.nonces.word(), always: a.nonces.word(), loop: d.loop}
			switch d.op {
			case token.LOR:
				x.seenTrue, x.seenFalse = new(text, "true"), a.nonces.word()
			case token.LAND:
				x.seenTrue, x.seenFalse = a.nonces.word(), new(text, "false")
			default:
				x.seenTrue, x.seenFalse = new(text, "true"), new(text, "false")
			}
			if d.control && !d.several {
				a.out.forced = append(a.out.forced, x)
			}
			put.insert(at.Offset, "((")
			// The result of a comparison is untyped, so it fits conditions of any type.
			call := fmt.Sprintf(") && %[1]sTrue(%[2]q, %[3]q) == 0 || %[1]sFalse(%[4]q, %[5]q) != 0)", a.helper, x.seenTrue, x.never, x.seenFalse, x.always)
			ends = append(ends, edit{a.in.fset.Position(d.expr.End()).Offset, 0, call})
		}
	}
	for _, call := range order {
		a.choice(put, call, calls[call])
	}
	for _, e := range slices.Backward(ends) { // inner ends come first
		*put = append(*put, e)
	}
}

// element inserts code at the beginning of a clause. The code reports whether the element
// d of the clause's list matched.
func (a conditionProbe) element(f function, put *edits, d decision, new func(text, wants string) string) {
	at := a.in.fset.Position(d.clause.Colon).Offset + 1
	reach := func(condition string) {
		put.insert(at, fmt.Sprintf(" if %s { %sReach(%q) };", condition, a.helper, new("case "+syntax.Text(d.expr), "matched")))
	}
	switch on := d.on.(type) {
	case *ast.SwitchStmt:
		if !pure(on.Tag) || !pure(d.expr) {
			return // the probe in the clause itself has to suffice
		}
		reach(fmt.Sprintf("(%s) == (%s)", oneLine(a.in.raw(f.file, on.Tag)), oneLine(a.in.raw(f.file, d.expr))))
	case *ast.TypeSwitchStmt:
		var x ast.Expr
		switch s := on.Assign.(type) {
		case *ast.ExprStmt:
			x = s.X
		case *ast.AssignStmt:
			x = s.Rhs[0]
		}
		assert, ok := x.(*ast.TypeAssertExpr)
		if !ok || !pure(assert.X) {
			return
		}
		value, kind := "any("+oneLine(a.in.raw(f.file, assert.X))+")", oneLine(a.in.raw(f.file, d.expr))
		if kind == "nil" {
			reach(value + " == nil")
			return
		}
		reach(fmt.Sprintf("_, is := %s.(%s); is", value, kind))
	}
}

// choice instruments a call that chooses among its arguments: the instrumented call
// reports which argument was chosen.
func (a conditionProbe) choice(put *edits, call *ast.CallExpr, words []string) {
	fun := call.Fun
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	kind := map[string]string{"cmp.Or": "Or", "min": "Min", "max": "Max"}[syntax.Text(fun)]
	from, to := a.in.fset.Position(fun.Pos()).Offset, a.in.fset.Position(fun.End()).Offset
	put.replace(from, to-from, a.helper+kind)
	put.insert(a.in.fset.Position(call.Lparen).Offset+1, fmt.Sprintf("%q, ", strings.Join(words, ",")))
	*a.choosing = true
}

// declares returns the identifiers that a function uses in any way other than calling them
// or selecting from them. The function may declare these names itself.
func declares(n ast.Node) map[string]bool {
	out := map[string]bool{}
	called := map[*ast.Ident]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok {
				called[id] = true
			}
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				called[id] = true
			}
			called[x.Sel] = true
		case *ast.Ident:
			out[x.Name] = out[x.Name] || !called[x]
		}
		return true
	})
	return out
}

// deciding is the code added to a package with instrumented conditions.
const deciding = `
func %[1]sTrue(seen, never string) int {
	%[1]sReach(seen)
	if %[1]sWord == never {
		return 1
	}
	return 0
}

func %[1]sFalse(seen, always string) int {
	%[1]sReach(seen)
	if %[1]sWord == always {
		return 1
	}
	return 0
}
`

// choosing is the code added to a package in which calls that choose are instrumented.
// Every argument that equals the result counts as chosen.
const choosing = `
func %[1]sChosen[T comparable](words string, chosen T, list []T) T {
	for i, word := range %[1]sStrings.Split(words, ",") {
		if word != "" && list[i] == chosen {
			%[1]sReach(word)
		}
	}
	return chosen
}

func %[1]sOr[T comparable](words string, list ...T) T {
	var zero T
	for i, x := range list {
		if x != zero {
			word := %[1]sStrings.Split(words, ",")[i]
			if word != "" {
				%[1]sReach(word)
			}
			return x
		}
	}
	return %[1]sChosen(words, zero, list)
}

type %[1]sOrdered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string
}

func %[1]sMin[T %[1]sOrdered](words string, list ...T) T {
	out := list[0]
	for _, x := range list {
		out = min(out, x)
	}
	return %[1]sChosen(words, out, list)
}

func %[1]sMax[T %[1]sOrdered](words string, list ...T) T {
	out := list[0]
	for _, x := range list {
		out = max(out, x)
	}
	return %[1]sChosen(words, out, list)
}
`
