package typed

import (
	"fmt"
	"go/ast"
	value "go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// event is one use of a guard in a function.
type event struct {
	rule rule
	// compared is the text by which two uses of a guard are compared.
	compared string
	node     ast.Node
	in       *reading
	// before holds the calls that precede the guard.
	before map[string]bool
	// after contains every call in the function, including the calls before the guard.
	after map[string]bool
}

// key returns the kind of the guard and the compared text, which must both stay the same.
func (e event) key() string { return e.rule.what + ": " + e.compared }

// access is a read or write of data that may be shared: a field, or a package-level
// variable.
type access struct {
	name  string
	write bool
	// held lists the locks that are held during the access. Locks held for reading are
	// marked.
	held []string
	node ast.Node
	in   *reading
	// call reports whether the access is a call to a function of the package.
	call bool
}

// walker walks a function from top to bottom and records its guards, its accesses to data
// that may be shared, and its early exits.
type walker struct {
	scope
	events   []event
	accesses []access
	exits    []exit
	// body is the function that is being walked or inlined.
	body ast.Node
	// stack holds the ancestors of the current node, followed by the node itself.
	stack []ast.Node
	held  []string
	// seen holds the calls that have been walked so far.
	seen map[string]bool
	// deep is the number of nested inlined calls.
	deep int
}

// walk walks one part.
func (r *reading) walk(name string) *walker {
	p := r.parts[name]
	w := &walker{scope: r.scopeOf(p), seen: map[string]bool{}, body: p.node}
	if p.body != nil {
		w.node(p.body)
	} else {
		w.node(p.node)
	}
	return w
}

// node walks a node and its children.
func (w *walker) node(n ast.Node) {
	if n == nil {
		return
	}
	w.stack = append(w.stack, n)
	defer func() { w.stack = w.stack[:len(w.stack)-1] }()
	switch x := n.(type) {
	case *ast.IfStmt:
		w.leaves(x)
		w.children(x.Init, x.Cond)
		w.branch(x.Body)
		w.branch(x.Else)
		return
	case *ast.ForStmt:
		w.children(x.Init, x.Cond)
		w.branch(x.Body)
		w.children(x.Post)
		return
	case *ast.CaseClause:
		if s, ok := w.above(2).(*ast.SwitchStmt); ok && s.Tag == nil && len(x.List) == 1 {
			w.leaves(&ast.IfStmt{If: x.Case, Cond: x.List[0], Body: &ast.BlockStmt{List: x.Body}})
		}
		for _, e := range x.List {
			w.node(e)
		}
		w.list(x.Body)
		return
	case *ast.CommClause:
		w.children(x.Comm)
		w.list(x.Body)
		return
	case *ast.GoStmt:
		for _, e := range x.Call.Args {
			w.node(e)
		}
		held := w.held
		w.held = nil
		w.node(x.Call.Fun)
		if _, literal := x.Call.Fun.(*ast.FuncLit); !literal {
			w.call(x.Call)
		}
		w.held = held
		return
	case *ast.AssignStmt:
		for _, e := range x.Rhs {
			w.node(e)
		}
		for i, e := range x.Lhs {
			if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && len(x.Lhs) == len(x.Rhs) {
				w.field(s, x.Rhs[i])
			}
			w.node(e)
		}
		return
	case *ast.CallExpr:
		for _, e := range x.Args {
			w.node(e)
		}
		w.node(x.Fun)
		w.call(x)
		return
	case *ast.CompositeLit:
		w.literal(x)
	case *ast.SelectorExpr:
		w.access(x)
		w.mention(x.Sel, x)
		w.node(x.X)
		return
	case *ast.Ident:
		w.access(x)
		w.mention(x, x)
		return
	}
	for c := range children(n) {
		w.node(c)
	}
}

// children yields the direct children of a node.
func children(n ast.Node) func(func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		first, more := true, true
		ast.Inspect(n, func(c ast.Node) bool {
			if c == nil || !more {
				return false
			}
			if first {
				first = false
				return true
			}
			more = yield(c)
			return false
		})
	}
}

func (w *walker) children(list ...ast.Node) {
	for _, n := range list {
		switch x := n.(type) {
		case nil:
		case ast.Stmt:
			if x != nil {
				w.node(x)
			}
		default:
			w.node(n)
		}
	}
}

// branch walks a statement that does not run in every case. If the statement leaves the
// function or loop, the code after it runs with the locks that were held before it.
func (w *walker) branch(n ast.Stmt) {
	switch x := n.(type) {
	case nil:
	case *ast.BlockStmt:
		w.stack = append(w.stack, x)
		w.list(x.List)
		w.stack = w.stack[:len(w.stack)-1]
	default:
		w.node(n)
	}
}

func (w *walker) list(list []ast.Stmt) {
	held := slices.Clone(w.held)
	for _, s := range list {
		w.node(s)
	}
	if len(list) > 0 && ends(list[len(list)-1]) {
		w.held = held
	}
}

// ends reports whether a statement never passes control to the code that follows it.
func ends(s ast.Stmt) bool {
	switch x := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := x.X.(*ast.CallExpr)
		return ok && syntax.Text(call.Fun) == "panic"
	}
	return false
}

// isLock reports whether a method is a method of a lock: it has the name of such a method
// and no parameters.
func isLock(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && locks[f.Name()] && f.Signature().Recv() != nil && f.Signature().Params().Len() == 0
}

// call records a call after its function and arguments have been walked.
func (w *walker) call(x *ast.CallExpr) {
	o := w.callee(x.Fun)
	name := nameOf(o)
	if isLock(o) {
		w.lock(x, o)
		return
	}
	if r, ok := ruleOf(name); ok {
		if _, isType := o.(*types.TypeName); !isType || r.opens {
			w.add(r, x, w.signature(r, name, x))
		}
	}
	if name != "" && !named(plain, name) && !w.computes(o) {
		w.seen[name] = true
		if w.partOf(o) != "" {
			w.accesses = append(w.accesses, access{name: "a call to " + name, held: slices.Clone(w.held), node: x, in: w.reading, call: true})
		}
	}
	w.inline(x, o)
}

// home returns the package that declares a function, and the function's name in that
// package. It returns nil if that package is not one of the packages that are read.
func (r *reading) home(o types.Object) (*reading, string) {
	if o == nil || o.Pkg() == nil || r.pkg == nil {
		return nil, ""
	}
	in := r
	if path := o.Pkg().Path(); path != r.pkg.Path() {
		in = r.peers[path]
	}
	if in == nil {
		return nil, ""
	}
	return in, in.partOf(o)
}

// inline walks the body of a called function as part of the caller if only this side of the
// patch has that function, so that code that was moved into a function compares as equal.
func (w *walker) inline(x *ast.CallExpr, o types.Object) {
	in, name := w.home(o)
	if name == "" || w.deep >= 3 || in.parts[name].body == nil {
		return
	}
	if in == w.reading && !in.fresh[name] || in != w.reading && !in.unique[name] {
		return
	}
	p := in.parts[name]
	inner := in.scopeOf(p)
	outer := w.scope
	values := map[*types.Var]string{}
	for v, at := range inner.params {
		var n int
		switch at {
		case "receiver":
			if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
				values[v] = outer.value(s.X)
			}
		default:
			if _, err := fmt.Sscanf(at, "parameter %d", &n); err == nil && n <= len(x.Args) && n > 0 {
				values[v] = outer.value(x.Args[n-1])
			}
		}
	}
	inner.values = values
	stack, body := w.stack, w.body
	w.scope, w.deep, w.body = inner, w.deep+1, p.node
	for _, s := range p.body.List {
		w.node(s)
	}
	w.scope, w.deep, w.stack, w.body = outer, w.deep-1, stack, body
}

// lock records that a lock is acquired or released.
func (w *walker) lock(x *ast.CallExpr, o types.Object) {
	s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	on := w.value(s.X)
	way := w.way(true)
	key := w.lockOf(s.X)
	if !strings.HasSuffix(o.Name(), "nlock") { // a changed release of a lock shows in the locks that are held during accesses
		w.add(rule{what: lockRule, kept: true}, x, way+on+"."+o.Name())
	}
	switch o.Name() {
	case "Lock", "TryLock":
		w.held = append(w.held, key)
	case "RLock", "TryRLock":
		w.held = append(w.held, key+" for reading")
	case "Unlock", "RUnlock":
		if strings.Contains(way, "defer") {
			return
		}
		if o.Name() == "RUnlock" {
			key += " for reading"
		}
		if at := slices.Index(w.held, key); at >= 0 {
			w.held = slices.Delete(slices.Clone(w.held), at, at+1)
		}
	}
}

// lockOf returns the name of a lock: a field with its type, a package-level variable, or
// the type that embeds the lock.
func (w *walker) lockOf(e ast.Expr) string {
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if name, ok := w.fieldName(s); ok {
			return name
		}
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := w.object(id).(*types.Var); ok {
			if global(v) {
				return nameOf(v)
			}
			if owner := ownerName(v.Type()); owner != "" && !strings.HasPrefix(owner, "sync.") {
				return owner // the lock is embedded
			}
		}
	}
	return "a certain lock"
}

// mention records a use of a guard other than a call, such as passing it on or storing it
// in a variable.
func (w *walker) mention(id *ast.Ident, n ast.Node) {
	o := w.object(id)
	if len(w.stack) < 2 {
		return
	}
	above := w.stack[len(w.stack)-2]
	switch v := o.(type) {
	case *types.Func:
	case *types.Var: // such as the source of random bytes
		r, ok := ruleOf(nameOf(o))
		if call, within := above.(*ast.CallExpr); ok && global(v) {
			compared := nameOf(o)
			if within {
				compared = w.value(call)
			}
			w.add(r, n, compared)
		}
		return
	default:
		return
	}
	if call, ok := above.(*ast.CallExpr); ok && ast.Unparen(call.Fun) == n {
		return
	}
	if s, ok := above.(*ast.SelectorExpr); ok && s.Sel == id {
		return
	}
	if r, ok := ruleOf(nameOf(o)); ok {
		w.add(r, n, nameOf(o)+" as a value")
	}
}

// literal records the values that a struct literal gives to fields that are guards.
func (w *walker) literal(x *ast.CompositeLit) {
	owner := ownerName(w.orNothing(x))
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && owner != "" {
			w.setting(owner+"."+id.Name, kv.Value, kv)
		}
	}
}

func (w *walker) orNothing(e ast.Expr) types.Type {
	if t := w.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// field records an assignment to a field that is a guard.
func (w *walker) field(s *ast.SelectorExpr, to ast.Expr) {
	if name, ok := w.fieldName(s); ok {
		w.setting(name, to, s)
	}
}

func (w *walker) setting(name string, to ast.Expr, n ast.Node) {
	r, ok := ruleOf(name)
	value := w.value(to)
	if !ok || r.opens && value == "false" {
		return
	}
	w.add(r, n, name+" = "+value)
}

// signature returns the text by which calls to a guard are compared.
func (w *walker) signature(r rule, name string, x *ast.CallExpr) string {
	at := ""
	if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && w.info.Selections[s] != nil {
		at = " on " + w.value(s.X)
	}
	var args []string
	switch r.count {
	case whole:
		for _, e := range x.Args {
			args = append(args, w.value(e))
		}
	case chosen:
		at = ""
		for _, i := range r.args {
			if i < len(x.Args) {
				args = append(args, w.value(x.Args[i]))
			}
		}
	case constant:
		for _, e := range x.Args {
			if tv := w.info.Types[e]; tv.Type != nil && types.AssignableTo(tv.Type, types.Typ[types.String]) {
				args = append(args, map[bool]string{true: "a constant", false: "built at run time"}[tv.Value != nil])
				break
			}
		}
		return strings.Join(args, "")
	case anchors:
		if tv := w.info.Types[x.Args[0]]; tv.Value != nil && tv.Value.Kind() == value.String {
			begin, end := bound(value.StringVal(tv.Value))
			return fmt.Sprintf("anchored at the beginning: %t, at the end: %t", begin, end)
		}
		return "a pattern that is built at run time"
	case strength:
		return w.way(true) + algorithm(name)
	case itself:
		return w.way(true) + name + at
	}
	if r.kept {
		return w.way(false) + name + "(" + strings.Join(args, ", ") + ")" + at
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// way returns the conditions under which the current node is reached, and how its result is
// used. If short is set, it leaves out the use of the result and conditions on the result.
func (w *walker) way(short bool) string {
	var out strings.Builder
	for i, n := range w.stack {
		var inner ast.Node
		if i+1 < len(w.stack) {
			inner = w.stack[i+1]
		}
		switch x := n.(type) {
		case *ast.DeferStmt:
			out.WriteString("defer ")
		case *ast.GoStmt:
			out.WriteString("go ")
		case *ast.IfStmt:
			switch inner {
			case x.Cond:
				if !short {
					out.WriteString("if " + shape(x.Cond) + " → " + last(x.Body) + ": ")
				}
			case x.Body, x.Else:
				out.WriteString("if " + w.value(x.Cond) + " { ")
			}
		case *ast.ExprStmt:
			if !short && i == len(w.stack)-2 {
				out.WriteString("dropped: ")
			}
		case *ast.AssignStmt:
			if !short && slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool { return syntax.Text(e) == "_" }) && inner != nil && slices.ContainsFunc(x.Rhs, func(e ast.Expr) bool { return e == inner }) {
				out.WriteString("_ = ")
			}
		}
	}
	return out.String()
}

// shape returns the structure of a condition: its operators and literals, with x for every
// other part.
func shape(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return x.Op.String() + shape(x.X)
	case *ast.BinaryExpr:
		return shape(x.X) + " " + x.Op.String() + " " + shape(x.Y)
	case *ast.BasicLit:
		return x.Value
	}
	return "x"
}

// last returns the kind of the last statement of a block.
func last(b *ast.BlockStmt) string {
	if len(b.List) == 0 {
		return "nothing"
	}
	switch x := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		if n := len(x.Results); n > 0 && syntax.Text(x.Results[n-1]) == "nil" {
			return "return nil"
		}
		return "return"
	case *ast.BranchStmt:
		return x.Tok.String()
	}
	return "go on"
}

func (w *walker) add(r rule, n ast.Node, compared string) {
	w.events = append(w.events, event{r, compared, n, w.reading, maps.Clone(w.seen), w.seen})
}

// access records an access to data that may be shared.
func (w *walker) access(n ast.Expr) {
	if len(w.stack) < 1 {
		return
	}
	name := ""
	switch x := n.(type) {
	case *ast.SelectorExpr:
		name, _ = w.fieldName(x)
		if name == "" || w.pkg == nil || !strings.HasPrefix(name, w.pkg.Path()+".") {
			return
		}
		if base, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			if v, ok := w.object(base).(*types.Var); ok && !global(v) && w.made(v) {
				return // this function has just made the data, so no other goroutine has it yet
			}
		}
	case *ast.Ident:
		v, ok := w.object(x).(*types.Var)
		if !ok || !global(v) || v.Pkg() != w.pkg {
			return
		}
		name = nameOf(v)
	}
	if t := w.info.TypeOf(n); t == nil || strings.HasPrefix(ownerName(t), "sync") {
		return
	}
	w.accesses = append(w.accesses, access{name: name, write: w.writes(), held: slices.Clone(w.held), node: n, in: w.reading})
}

// made reports whether a local variable is assigned a value that the function itself
// creates.
func (w *walker) made(v *types.Var) bool {
	return slices.ContainsFunc(w.defined[v], func(d definition) bool {
		e := ast.Unparen(d.from)
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		_, literal := e.(*ast.CompositeLit)
		call, isCall := e.(*ast.CallExpr)
		return literal || isCall && syntax.Text(call.Fun) == "new"
	})
}

// writes reports whether the code modifies what the node on top of the stack denotes.
func (w *walker) writes() bool {
	for i := len(w.stack) - 1; i > 0; i-- {
		n, above := w.stack[i], w.stack[i-1]
		switch x := above.(type) {
		case *ast.AssignStmt:
			return slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool { return e == n })
		case *ast.IncDecStmt:
			return true
		case *ast.CallExpr:
			f := syntax.Text(x.Fun)
			return (f == "delete" || f == "clear") && len(x.Args) > 0 && x.Args[0] == n
		case *ast.IndexExpr:
			if x.X != n {
				return false
			}
		case *ast.ParenExpr:
		default:
			return false
		}
	}
	return false
}
