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

// soon is a delay after which no test still waits.
const soon = 5 * time.Second

// question is one thing that a part asks of the world outside.
type question struct {
	what string
	node ast.Node
}

// outside lists what a package begins to ask of the world outside: a part asks it that
// did not, and the package asks it more often.
func (p *pair) outside() []Finding {
	was, is, pairs := p.was, p.is, p.pairs
	before, total := map[string]map[string]int{}, map[string]int{}
	if was != nil {
		carriers := was.carriers(was)
		for _, name := range was.order {
			before[name] = map[string]int{}
			for _, q := range was.questions(was.parts[name], carriers) {
				before[name][q.what]++
				total[q.what]--
			}
		}
	}
	carriers := is.carriers(was)
	asked := map[string][]question{}
	for _, name := range is.order {
		asked[name] = is.questions(is.parts[name], carriers)
		for _, q := range asked[name] {
			total[q.what]++
		}
	}
	var out []Finding
	for _, name := range is.order {
		had := before[pairs[name]]
		if from, ok := p.moved[name]; ok {
			had = map[string]int{}
			for _, q := range from.in.questions(from.in.parts[from.name], from.in.carriers(from.in)) {
				had[q.what]++
			}
		}
		seen := map[string]int{}
		for _, q := range asked[name] {
			if seen[q.what]++; seen[q.what] <= had[q.what] || total[q.what] <= 0 {
				continue
			}
			total[q.what]--
			path, line := is.place(q.node)
			out = append(out, Finding{path, line, q.what + ": " + shown(q.node)})
		}
	}
	return out
}

// carriers are the variables, fields and small functions of a package through which it
// asks: they hold a function that does, or do nothing else.
func (r *reading) carriers(base *reading) map[types.Object]string {
	out := map[types.Object]string{}
	for v, list := range r.defined {
		for _, d := range list {
			o := r.callee(d.from)
			if _, ok := o.(*types.Func); ok && r.asks(nameOf(o)) && (global(v) || v.IsField() || d.result < 0) {
				out[v] = nameOf(o)
			}
		}
	}
	for _, name := range r.order {
		p := r.parts[name]
		if p.body == nil || len(p.body.List) != 1 || base == nil || base.parts[name].body == nil {
			continue // a new one is found itself
		}
		ast.Inspect(p.body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if o := r.callee(call.Fun); o != nil && r.asks(nameOf(o)) {
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

// asks reports whether an object is of the world outside.
func (r *reading) asks(name string) bool {
	return named(ambient, name) || !r.main() && named(settings, name)
}

// questions lists what a part asks.
func (r *reading) questions(p part, carriers map[types.Object]string) []question {
	if r.main() && p.name == "main" {
		return nil // it is there to ask
	}
	var out []question
	add := func(n ast.Node, what string, args ...any) {
		out = append(out, question{fmt.Sprintf(what, args...), n})
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
			if name := nameOf(o); r.asks(name) {
				add(x, "it asks %s, which answers a gate and real use differently", short(name))
			} else if name := carriers[o]; name != "" && r.asks(name) {
				add(x, "it asks %s through %s, which answers a gate and real use differently", short(name), plainText(x.Name))
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
				add(x, "it asks what a reader or writer is made of")
			case name == "time.AfterFunc" && len(x.Args) == 2:
				if d, ok := r.delay(x.Args[0]); ok && d >= soon {
					add(x, "it runs code %s later, when no test waits any more", d)
				}
			case (name == "time.After" || name == "time.NewTimer" || name == "time.Sleep" || name == "time.Tick" || name == "time.NewTicker") && len(x.Args) == 1:
				if d, ok := r.delay(x.Args[0]); ok && d >= time.Minute {
					add(x, "it waits %s, longer than a test does", d)
				}
			}
		}
		return true
	})
	return out
}

// delay is the value of a delay, where it is a constant, or a variable that is only ever
// set to one.
func (r *reading) delay(e ast.Expr) (time.Duration, bool) {
	e = r.origin(e)
	tv := r.info.Types[e]
	if tv.Value == nil {
		return 0, false
	}
	n, ok := value.Int64Val(value.ToInt(tv.Value))
	return time.Duration(n), ok
}

// origin is what a local or package variable with one value is set to, and a value
// without its conversions to interfaces.
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

// typeSwitch reads a switch on the type of something.
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

// typeTest reads a question for the type of a reader or writer, outside of programs.
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
			add(kind, "it asks whether a reader or writer is a %s", plainText(typeText(t)))
		}
	}
}

// stream reports whether a type is an interface that reads or writes bytes.
func stream(t types.Type) bool {
	return t != nil && types.IsInterface(t) && (method(t, "Read") || method(t, "Write"))
}

// method reports whether a type has a method.
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

// partOf is the name of the part that a function of the package is; "" for any other.
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
