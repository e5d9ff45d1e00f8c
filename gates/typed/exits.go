package typed

import (
	"go/ast"
	"go/token"
	"slices"

	"evolve/gates/syntax"
)

// exit is an early exit: a condition whose body only leaves the enclosing function, loop or
// program.
type exit struct {
	cond ast.Expr
	// how describes how the body leaves: by a return, by a branch with its label, or by a
	// panic or the end of the program.
	how string
	// source is the condition as it is written. value is the condition with its operands
	// replaced by their values, as far as these can be followed.
	source, value string
	node          ast.Node
	// body is the function that contains the condition.
	body ast.Node
	in   *reading
}

// longestExit is the maximum length of an early exit's source that is shown, in bytes.
const longestExit = 160

// enders are the functions that end the program or the goroutine.
var enders = []string{"panic", "os.Exit", "syscall.Exit", "runtime.Goexit", "log.Fatal*", "log.Panic*", "log.Logger.Fatal*", "log.Logger.Panic*"}

// leaves records an if statement if its condition and body are an early exit.
func (w *walker) leaves(x *ast.IfStmt) {
	if len(x.Body.List) != 1 {
		return
	}
	how := ""
	switch x := x.Body.List[0].(type) {
	case *ast.ReturnStmt:
		how = "return"
	case *ast.BranchStmt:
		if x.Tok == token.FALLTHROUGH {
			return
		}
		how = x.Tok.String()
		if x.Label != nil {
			how += " " + x.Label.Name
		}
	case *ast.ExprStmt:
		call, ok := x.X.(*ast.CallExpr)
		if !ok || !named(enders, nameOf(w.callee(call.Fun))) {
			return
		}
		how = "end"
	default:
		return
	}
	w.exits = append(w.exits, exit{
		cond: x.Cond, how: how, source: syntax.Text(x.Cond), value: w.value(x.Cond), body: w.body, in: w.reading,
		node: &ast.IfStmt{If: x.If, Init: x.Init, Cond: x.Cond, Body: x.Body}, // without the else branch
	})
}

// above returns the ancestor of the current node that is the given number of levels up; nil
// if there is none.
func (w *walker) above(levels int) ast.Node {
	if i := len(w.stack) - 1 - levels; i >= 0 {
		return w.stack[i]
	}
	return nil
}

// exits returns the findings for those early exits in a package that the patch removed or
// changed.
func (p *pair) exits() []Finding {
	if p.was == nil {
		return nil
	}
	var out []Finding
	for _, name := range p.is.order {
		if old := p.pairs[name]; old != "" {
			out = append(out, compareExits(p.was.walk(old).exits, p.is.walk(name).exits, p.is, p.is.parts[name].node)...)
		}
	}
	for _, name := range p.is.order {
		if from, ok := p.moved[name]; ok {
			out = append(out, compareExits(from.in.walk(from.name).exits, p.is.walk(name).exits, p.is, p.is.parts[name].node)...)
		}
	}
	return out
}

// compareExits returns the findings for early exits in a function of the base that the
// candidate lacks. whole is the candidate's function. Exits are matched first by the source
// and the value of their conditions, then by the source, and then by the value if only
// names changed.
func compareExits(old, now []exit, is *reading, whole ast.Node) []Finding {
	kept, matched := make([]bool, len(old)), make([]bool, len(now))
	for _, same := range []func(a, b exit) bool{
		func(a, b exit) bool { return a.source == b.source && a.value == b.value },
		func(a, b exit) bool { return a.source == b.source },
		func(a, b exit) bool { return a.value == b.value && renamed(a, b) },
	} {
		for i, a := range old {
			if kept[i] {
				continue
			}
			if j := pick(now, matched, func(b exit) bool { return a.how == b.how && same(a, b) }); j >= 0 {
				kept[i], matched[j] = true, true
			}
		}
	}
	var out []Finding
	for i, a := range old {
		if kept[i] {
			continue
		}
		names := namesOf(a.cond)
		j := pick(now, matched, func(b exit) bool { return syntax.Mentions(b.cond, names) })
		if j < 0 {
			at, line := is.place(whole)
			out = append(out, a.finding(at, line, ""))
			continue
		}
		matched[j] = true
		at, line := now[j].in.place(now[j].node)
		out = append(out, a.finding(at, line, shownText(syntax.Text(now[j].node), longestExit)))
	}
	return out
}

// pick returns the index of the first exit that fits and has no counterpart yet; -1 if
// there is none.
func pick(list []exit, matched []bool, fits func(exit) bool) int {
	for j, b := range list {
		if !matched[j] && fits(b) {
			return j
		}
	}
	return -1
}

// finding returns the finding that an exit of the base is missing. at and line are the
// position in the candidate, and now is the exit that replaced the base's exit, or "".
func (e exit) finding(at string, line int, now string) Finding {
	path, was := e.in.place(e.node)
	return lostExit(at, line, now, path, was, shownText(syntax.Text(e.node), longestExit))
}

// renamed reports whether two conditions differ only in names, none of which occurs in the
// function of the other condition.
func renamed(a, b exit) bool {
	x, y := identifiers(a.cond), identifiers(b.cond)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && (syntax.Mentions(b.body, map[string]bool{x[i]: true}) || syntax.Mentions(a.body, map[string]bool{y[i]: true})) {
			return false
		}
	}
	return true
}

// identifiers returns the identifiers in a condition, in order.
func identifiers(e ast.Expr) []string {
	var out []string
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id.Name)
		}
	}
	return out
}

// namesOf returns the identifiers in a condition, except those that are part of the
// language.
func namesOf(e ast.Expr) map[string]bool {
	out := map[string]bool{}
	for _, name := range identifiers(e) {
		if !slices.Contains([]string{"nil", "true", "false", "len"}, name) {
			out[name] = true
		}
	}
	return out
}
