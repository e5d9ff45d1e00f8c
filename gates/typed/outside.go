package typed

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"

	value "go/constant"
)

// longDelay is the shortest delay that is considered too long for a test to wait for.
const longDelay = 5 * time.Second

// externalUse is one use of the environment outside the program.
type externalUse struct {
	what string
	node ast.Node
}

// outside returns findings for the uses of the environment that are new in a package.
func (p *pair) outside() []Finding {
	return p.added(func(r *reading) func(part) []externalUse {
		base := r
		if r == p.is {
			base = p.was
		}
		carriers := r.carriers(base)
		return func(of part) []externalUse { return r.externalUses(of, carriers) }
	})
}

// added returns findings for new uses of a kind. A use is new if the part did not contain
// it before and the package now contains more uses of the same form.
func (p *pair) added(kind func(*reading) func(part) []externalUse) []Finding {
	was, is, pairs := p.was, p.is, p.pairs
	before, total := map[string]map[string]int{}, map[string]int{}
	if was != nil {
		usesOf := kind(was)
		for _, name := range was.order {
			before[name] = map[string]int{}
			for _, u := range usesOf(was.parts[name]) {
				before[name][u.what]++
				total[u.what]--
			}
		}
	}
	usesOf := kind(is)
	uses := map[string][]externalUse{}
	for _, name := range is.order {
		uses[name] = usesOf(is.parts[name])
		for _, u := range uses[name] {
			total[u.what]++
		}
	}
	var out []Finding
	for _, name := range is.order {
		had := before[pairs[name]]
		if from, ok := p.moved[name]; ok {
			had = map[string]int{}
			for _, u := range kind(from.in)(from.in.parts[from.name]) {
				had[u.what]++
			}
		}
		seen := map[string]int{}
		for _, u := range uses[name] {
			if seen[u.what]++; seen[u.what] <= had[u.what] || total[u.what] <= 0 {
				continue
			}
			total[u.what]--
			path, line := is.place(u.node)
			out = append(out, Finding{Path: path, Line: line, Why: u.what + ": " + shown(u.node)})
		}
	}
	return out
}

// carriers returns the variables, fields and small functions through which a package uses
// the environment, each with the name of what it gives access to. The variables and fields
// hold a function that uses the environment; the small functions only call one.
func (r *reading) carriers(base *reading) map[types.Object]string {
	out := map[types.Object]string{}
	for v, list := range r.defined {
		for _, d := range list {
			o := r.callee(d.from)
			if _, ok := o.(*types.Func); ok && r.isExternal(nameOf(o)) && (global(v) || v.IsField() || d.result < 0) {
				out[v] = nameOf(o)
			}
		}
	}
	for _, name := range r.order {
		p := r.parts[name]
		if p.body == nil || len(p.body.List) != 1 || base == nil || base.parts[name].body == nil {
			continue // a use in a new function is found in the function's body
		}
		ast.Inspect(p.body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if o := r.callee(call.Fun); o != nil && r.isExternal(nameOf(o)) {
					out[r.info.Defs[p.decl.Name]] = nameOf(o)
				}
			}
			return true
		})
	}
	delete(out, nil)
	return out
}

// main reports whether the package is a program.
func (r *reading) main() bool { return r.pkg != nil && r.pkg.Name() == "main" }

// isExternal reports whether an object belongs to the environment outside the program.
func (r *reading) isExternal(name string) bool {
	return named(ambient, name) || !r.main() && named(settings, name)
}

// externalUses returns the uses of the environment in a part.
func (r *reading) externalUses(p part, carriers map[types.Object]string) []externalUse {
	if r.main() && p.name == "main" {
		return nil // main reads the environment
	}
	var out []externalUse
	add := func(n ast.Node, what string, args ...any) {
		out = append(out, externalUse{fmt.Sprintf(what, args...), n})
	}
	ast.Inspect(p.node, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			o := r.info.Uses[x]
			switch o.(type) {
			case *types.Func, *types.Var:
			default:
				return true
			}
			if name := nameOf(o); r.isExternal(name) {
				add(x, "it uses %s, whose result differs between gates and real use", short(name))
			} else if name := carriers[o]; name != "" && r.isExternal(name) {
				add(x, "it uses %s through %s, whose result differs between gates and real use", short(name), plainText(x.Name))
			}
		case *ast.TypeAssertExpr:
			if x.Type != nil {
				r.typeTest(x.X, []ast.Expr{x.Type}, add)
			}
		case *ast.TypeSwitchStmt:
			r.typeSwitch(x, add)
		case *ast.CallExpr:
			o := r.callee(x.Fun)
			switch name := nameOf(o); {
			case (name == "reflect.TypeOf" || name == "reflect.ValueOf") && len(x.Args) == 1 && !r.main() && stream(r.info.TypeOf(r.origin(x.Args[0]))):
				add(x, "it inspects the type of a reader or writer")
			case name == "time.AfterFunc" && len(x.Args) == 2:
				if d, ok := r.delay(x.Args[0]); ok && d >= longDelay {
					add(x, "it runs code after a delay of %s, when all tests have already ended", d)
				}
			case (name == "time.After" || name == "time.NewTimer" || name == "time.Sleep" || name == "time.Tick" || name == "time.NewTicker") && len(x.Args) == 1:
				if d, ok := r.delay(x.Args[0]); ok && d >= time.Minute {
					add(x, "it waits for %s, which is longer than any test runs", d)
				}
			}
		}
		return true
	})
	return out
}

// delay returns the value of a delay that is a constant, or a variable that is only ever
// set to a constant.
func (r *reading) delay(e ast.Expr) (time.Duration, bool) {
	e = r.origin(e)
	tv := r.info.Types[e]
	if tv.Value == nil {
		return 0, false
	}
	n, ok := value.Int64Val(value.ToInt(tv.Value))
	return time.Duration(n), ok
}

// origin follows an expression to where its value comes from: through variables that are
// set only once, and through conversions to interfaces.
func (r *reading) origin(e ast.Expr) ast.Expr {
	for range deepest {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, ok := r.object(x).(*types.Var)
			if !ok || len(r.defined[v]) != 1 || r.defined[v][0].result >= 0 {
				return x
			}
			e = r.defined[v][0].from
		case *ast.CallExpr:
			if tv := r.info.Types[x.Fun]; !tv.IsType() || len(x.Args) != 1 || !types.IsInterface(tv.Type) {
				return x
			}
			e = x.Args[0]
		default:
			return x
		}
	}
	return e
}

// typeSwitch reports tests for the type of a reader or writer in a type switch; see
// typeTest.
func (r *reading) typeSwitch(x *ast.TypeSwitchStmt, add func(ast.Node, string, ...any)) {
	var on ast.Expr
	switch s := x.Assign.(type) {
	case *ast.ExprStmt:
		on = s.X
	case *ast.AssignStmt:
		on = s.Rhs[0]
	}
	assert, ok := on.(*ast.TypeAssertExpr)
	if !ok {
		return
	}
	for _, s := range x.Body.List {
		if c, ok := s.(*ast.CaseClause); ok {
			r.typeTest(assert.X, c.List, add)
		}
	}
}

// typeTest reports tests for the type of a reader or writer, except in package main.
func (r *reading) typeTest(on ast.Expr, kinds []ast.Expr, add func(ast.Node, string, ...any)) {
	if r.main() {
		return
	}
	is := stream(r.info.TypeOf(on)) || stream(r.info.TypeOf(r.origin(on)))
	for _, kind := range kinds {
		t := r.info.TypeOf(kind)
		if t == nil || types.Identical(t, types.Typ[types.UntypedNil]) {
			continue
		}
		if is || ownerName(t) == "os.File" || method(t, "Fd") {
			add(kind, "it tests whether a reader or writer is a %s", plainText(typeText(t)))
		}
	}
}

// stream reports whether a type is an interface for reading or writing bytes.
func stream(t types.Type) bool {
	return t != nil && types.IsInterface(t) && (method(t, "Read") || method(t, "Write"))
}

// method reports whether a type has a method with the given name. Unless the name is Fd,
// the method must have a single []byte parameter.
func method(t types.Type, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, ok := o.(*types.Func)
	if !ok {
		return false
	}
	if name == "Fd" {
		return true
	}
	p := f.Signature().Params()
	return p.Len() == 1 && strings.HasSuffix(typeText(p.At(0).Type()), "[]byte")
}

// partOf returns the name of the part that corresponds to a function of the package; "" for
// any other function.
func (r *reading) partOf(o types.Object) string {
	f, ok := o.(*types.Func)
	if !ok || f.Pkg() == nil || r.pkg == nil || f.Pkg().Path() != r.pkg.Path() {
		return ""
	}
	name := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		owner := ownerName(recv.Type())
		name = owner[strings.LastIndex(owner, ".")+1:] + "." + f.Name()
	}
	if _, ok := r.parts[name]; !ok || !slices.Contains(r.order, name) {
		return ""
	}
	return name
}
