package beside

import (
	"cmp"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/syntax"
)

//go:embed harness/*.go
var harnessSource embed.FS

// The limits on comparing one package.
const (
	mostFunctions = 24
	// callersWithin is the maximum number of calls in a chain from a compared caller to a
	// changed function.
	callersWithin = 2
	mostHelpers   = 40
)

// Package holds both versions of a package that a patch changes.
type Package struct {
	// Dir is the folder of the package, slash-separated and relative to the root of the
	// tree. Path is its import path.
	Dir, Path string
	// Base and Candidate map paths to the Go files of each version that are built on this
	// system, without tests.
	Base, Candidate map[string][]byte
	// Tests are the base's test files. Corpora are the corpus entries of the base's fuzz
	// targets.
	Tests, Corpora [][]byte
	// Harness is the location of the harness package. The zero value stands for a folder
	// named Words.Test inside the package's folder.
	Harness Harness
}

// Harness is the location of the harness package, which draws the inputs. Dir and Path are
// as in [Package].
type Harness struct{ Dir, Path string }

// Words are random lower-case names, drawn for one comparison so that the code under test
// cannot use them.
type Words struct {
	// Variable is the name of an environment variable, Test is the name of the test, and
	// Key is the key that seals the reports.
	Variable, Test, Key string
}

// Reason names a function that is not compared, and gives the reason.
type Reason struct{ Function, Why string }

// Plan is a planned comparison of a package.
type Plan struct {
	Package Package
	Words   Words
	// Functions are the functions to compare, in the order of their numbers in reports.
	Functions []Subject
	// Left lists the changed functions that are not compared.
	Left []Reason
	// Names are the names of the changed functions and of their callers.
	Names []string
	// Tuned reports whether only constants marked //evolve:param differ. They are meant to
	// be changed, so a difference in behaviour is expected.
	Tuned bool
	// Reached names the function that returns the numbers of the changed statements that
	// were reached; it is "" if the package has no such function.
	Reached string

	pkg     string
	was, is code
	seeds   seeds
	makers  []string
	steps   []string
	looks   []string
	sources []string
	types   []string
	errs    []string
	dropped map[string]bool
}

// Subject is one function, or one instance of a generic function.
type Subject struct {
	// Call is the expression that source code uses to call the function, and Name is the
	// name in the function's declaration. Why is the reason for comparing a function
	// whose own text did not change; it is "" for a changed function.
	Call, Name, Why string
}

// NewPlan chooses the functions of a package to compare. A plan without functions
// compares nothing.
func NewPlan(p Package, w Words) *Plan {
	if p.Harness == (Harness{}) {
		p.Harness = Harness{path.Join(p.Dir, w.Test), p.Path + "/" + w.Test}
	}
	plan := &Plan{Package: p, Words: w, was: parse(p.Base), is: parse(p.Candidate), dropped: map[string]bool{}}
	if len(plan.is.files) == 0 || len(plan.was.files) == 0 {
		return plan
	}
	plan.pkg = plan.is.files[0].Name.Name
	reasons, tuned := changed(plan.was, plan.is)
	plan.Tuned = tuned
	reasons = callers(plan.is, reasons, callersWithin)
	var own, rest []string
	for n := range reasons {
		switch {
		case plan.was.functions[n] == nil:
			continue
		case reasons[n] == "":
			own = append(own, n)
		default:
			rest = append(rest, n)
		}
	}
	exportedFirst := func(a, b string) int {
		x, y := ast.IsExported(short(a)), ast.IsExported(short(b))
		if x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	}
	slices.SortFunc(own, exportedFirst)
	slices.SortFunc(rest, exportedFirst)
	for _, n := range slices.Concat(own, rest) {
		plan.Names = append(plan.Names, n)
		plan.subject(n, reasons[n])
	}
	if len(plan.Functions) == 0 {
		return plan
	}
	var tests []*ast.File
	for _, text := range p.Tests {
		if f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution); err == nil {
			tests = append(tests, f)
		}
	}
	plan.seeds = collect(plan.was, plan.is, plan.Names, tests, p.Corpora)
	plan.helpers()
	return plan
}

// subject adds a function to the plan, or to the list of functions that are not compared,
// with the reason.
func (p *Plan) subject(n, why string) {
	was, is := p.was.functions[n], p.is.functions[n]
	leave := func(reason string) {
		if why == "" {
			p.Left = append(p.Left, Reason{n, reason})
		}
	}
	switch {
	case n == "main" && p.pkg == "main" || n == "init":
		leave("nothing calls it")
		return
	case n == "_" || short(n) == "_":
		return
	case syntax.Text(was.Type) != syntax.Text(is.Type) || was.Recv != nil && syntax.Text(was.Recv.List[0].Type) != syntax.Text(is.Recv.List[0].Type):
		leave("its parameters or results changed")
		return
	}
	calls := p.calls(n)
	if len(calls) == 0 {
		leave("no type argument was found for its type parameters")
		return
	}
	if len(p.Functions)+len(calls) > mostFunctions {
		leave("there are too many functions")
		return
	}
	for _, c := range calls {
		p.Functions = append(p.Functions, Subject{c, n, why})
	}
}

// calls returns the expressions with which to call a function: one expression, or one for
// each instance of a generic function.
func (p *Plan) calls(n string) []string {
	d := p.is.functions[n]
	var out []string
	if d.Recv == nil {
		for _, list := range p.is.instances(d.Type.TypeParams) {
			out = append(out, d.Name.Name+bracketed(list))
		}
		return out
	}
	base, params, pointer := receiver(d)
	t := p.is.types[base]
	if t == nil {
		return nil
	}
	for _, list := range p.is.instances(t.TypeParams) {
		if len(list) != params {
			continue
		}
		star := ""
		if pointer {
			star = "*"
		}
		out = append(out, "("+star+base+bracketed(list)+")."+d.Name.Name)
	}
	return out
}

func bracketed(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// helpers finds the functions that make values of the package's types, change such values,
// return parts of them, or return texts that other functions may accept.
func (p *Plan) helpers() {
	for _, n := range slices.Sorted(maps.Keys(p.is.functions)) {
		d, old := p.is.functions[n], p.was.functions[n]
		if old == nil || d.Body == nil || syntax.Text(old.Type) != syntax.Text(d.Type) || short(n) == "_" || n == "init" || blocking(d.Body) || blocking(old.Body) {
			continue
		}
		results := 0
		if d.Type.Results != nil {
			results = d.Type.Results.NumFields()
		}
		if results > 0 && results < 3 && !slices.Contains(p.Names, n) {
			if made := syntax.Text(d.Type.Results.List[0].Type); made == "string" || made == "[]byte" {
				p.sources = append(p.sources, p.calls(n)...)
			}
		}
		switch {
		case d.Recv == nil && results > 0 && results < 3 && p.owns(d.Type.Results.List[0].Type):
			p.makers = append(p.makers, p.calls(n)...)
		case d.Recv == nil:
		case d.Type.Params.NumFields() == 0 && results > 0 && ast.IsExported(d.Name.Name) && !writes(d):
			p.looks = append(p.looks, p.calls(n)...)
		case writes(d):
			p.steps = append(p.steps, p.calls(n)...)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.is.types)) {
		t := p.is.types[n]
		if p.was.types[n] == nil || n == "_" {
			continue
		}
		if i, ok := t.Type.(*ast.InterfaceType); ok && !plainInterface(i) {
			continue
		}
		for _, list := range p.is.instances(t.TypeParams) {
			p.types = append(p.types, n+bracketed(list))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.is.values)) {
		if p.was.values[n] == nil || n == "_" || !strings.HasPrefix(p.is.texts[n], n) && !strings.Contains(p.is.texts[n], n) {
			continue
		}
		for _, v := range p.is.values[n].Values {
			if c, ok := v.(*ast.CallExpr); ok && (syntax.Text(c.Fun) == "errors.New" || syntax.Text(c.Fun) == "fmt.Errorf") {
				p.errs = append(p.errs, n)
				break
			}
		}
	}
	for _, list := range []*[]string{&p.makers, &p.steps, &p.looks, &p.sources} {
		*list = (*list)[:min(len(*list), mostHelpers)]
	}
}

// plainInterface reports whether an interface has only methods, so that it can be the type
// of a value.
func plainInterface(i *ast.InterfaceType) bool {
	for _, m := range i.Methods.List {
		if len(m.Names) == 0 {
			return false
		}
	}
	return true
}

// owns reports whether the type of a result is declared in the package or is a pointer to
// such a type.
func (p *Plan) owns(e ast.Expr) bool {
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	id, ok := e.(*ast.Ident)
	if !ok || p.is.types[id.Name] == nil {
		return false
	}
	_, simple := p.is.types[id.Name].Type.(*ast.Ident) // a type based on a plain named type, such as a number or a string, needs no maker
	return !simple
}

// blocking reports whether the body of a function starts goroutines, waits, or ends the
// process.
func blocking(b *ast.BlockStmt) bool {
	return syntax.Contains(b, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt:
			return true
		case *ast.UnaryExpr:
			return x.Op == token.ARROW
		case *ast.CallExpr:
			s, ok := x.Fun.(*ast.SelectorExpr)
			return ok && (s.Sel.Name == "Wait" || s.Sel.Name == "Sleep" || s.Sel.Name == "Accept" || s.Sel.Name == "Exit")
		}
		return false
	})
}

// writes reports whether a method may change its receiver, because it assigns to a part of
// the receiver, takes the address of a part, or calls a method on the receiver or a part.
func writes(d *ast.FuncDecl) bool {
	if len(d.Recv.List[0].Names) == 0 {
		return false
	}
	self := d.Recv.List[0].Names[0].Name
	root := func(e ast.Expr) bool {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.SelectorExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.Ident:
				return x.Name == self
			default:
				return false
			}
		}
	}
	return syntax.Contains(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			return slices.ContainsFunc(x.Lhs, func(l ast.Expr) bool { _, plain := l.(*ast.Ident); return !plain && root(l) })
		case *ast.IncDecStmt:
			return root(x.X)
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(x.Args) > 0 && root(x.Args[0]) {
				return true
			}
			if slices.ContainsFunc(x.Args, func(a ast.Expr) bool { u, ok := a.(*ast.UnaryExpr); return ok && u.Op == token.AND && root(u.X) }) {
				return true
			}
			harmless := []string{"Lock", "Unlock", "RLock", "RUnlock", "Load", "Len", "String"} // another method may write
			s, ok := x.Fun.(*ast.SelectorExpr)
			return ok && root(s.X) && !slices.Contains(harmless, s.Sel.Name)
		}
		return false
	})
}

// alike returns the types that both versions declare with the same text, and, for structs
// that differ, the fields that both versions have.
func (p *Plan) alike() (same []string, fields map[string][]string) {
	fields = map[string][]string{}
	for n, t := range p.is.types {
		old := p.was.types[n]
		switch {
		case old == nil:
		case syntax.Text(old) == syntax.Text(t):
			same = append(same, n)
		default:
			a, ok := t.Type.(*ast.StructType)
			b, too := old.Type.(*ast.StructType)
			if ok && too {
				fields[n] = common(a, b)
			}
		}
	}
	slices.Sort(same)
	return same, fields
}

func common(a, b *ast.StructType) []string {
	list := func(s *ast.StructType) map[string]string {
		out := map[string]string{}
		for _, f := range s.Fields.List {
			for _, n := range f.Names {
				out[n.Name] = syntax.Text(f.Type)
			}
			if len(f.Names) == 0 {
				out[short(strings.TrimPrefix(syntax.Text(f.Type), "*"))] = syntax.Text(f.Type)
			}
		}
		return out
	}
	x, y := list(a), list(b)
	maps.DeleteFunc(x, func(n, t string) bool { return y[n] != t })
	return slices.Sorted(maps.Keys(x))
}

// Files returns the source files to add to both versions, by path.
func (p *Plan) Files() (map[string][]byte, error) {
	out := map[string][]byte{path.Join(p.Package.Dir, p.Words.Test+"_test.go"): p.source()}
	harness, err := HarnessSources()
	for name, text := range harness {
		out[path.Join(p.Package.Harness.Dir, name)] = text
	}
	return out, err
}

// HarnessSources returns the files of the package that draws the inputs, keyed by name.
func HarnessSources() (map[string][]byte, error) {
	out := map[string][]byte{}
	entries, err := harnessSource.ReadDir("harness")
	if err != nil {
		return nil, fmt.Errorf("reading the harness: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := harnessSource.ReadFile("harness/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the harness: %w", err)
		}
		// Make the file use at least Go 1.22 even if the go.mod of an old module names an
		// earlier version.
		out[e.Name()] = append([]byte("//go:build go1.22\n\n"), text...)
	}
	return out, nil
}

// source returns the test that passes the package's functions to the harness. Each name is
// on its own line, so a name that does not compile can be dropped.
func (p *Plan) source() []byte {
	var b strings.Builder
	h := p.Words.Test + "H"
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t%s %q\n\t%sT \"testing\"\n)\n\n", p.pkg, h, p.Package.Harness.Path, p.Words.Test)
	fmt.Fprintf(&b, "func Test%s(*%sT.T) {\n\ttype own struct{}\n\tset := &%s.Set{Key: %q, Variable: %q, Package: %s.TypeOf((*own)(nil)).PkgPath(), Name: %q}\n",
		strings.ToUpper(p.Words.Test), p.Words.Test, h, p.Words.Key, p.Words.Variable, h, p.pkg)
	line := func(kind, name, format string, args ...any) {
		if !p.dropped[kind+" "+name] {
			fmt.Fprintf(&b, "\t"+format+" // %s %s\n", append(args, kind, name)...)
		}
	}
	for i := range p.Functions {
		f := p.Functions[i]
		fmt.Fprintf(&b, "\tset.Functions = append(set.Functions, %s.Function{Name: %q, Func: %s}) // function %s\n", h, f.Call, f.Call, f.Call)
	}
	for _, helper := range []struct {
		kind string
		list []string
	}{{"Makers", p.makers}, {"Steps", p.steps}, {"Looks", p.looks}, {"Sources", p.sources}} {
		for _, n := range helper.list {
			line(helper.kind, n, "set.%s = append(set.%s, %s.Function{Name: %q, Func: %s})", helper.kind, helper.kind, h, n, n)
		}
	}
	for _, n := range p.types {
		line("type", n, "set.Types = append(set.Types, %s.TypeOf((*%s)(nil)))", h, n)
	}
	for _, n := range p.errs {
		line("error", n, "set.Errors = append(set.Errors, %s.Error{Name: %q, Value: %s})", h, n, n)
	}
	if p.Reached != "" {
		fmt.Fprintf(&b, "\tset.Reached = %s\n", p.Reached)
	}
	same, fields := p.alike()
	fmt.Fprintf(&b, "\tset.Alike = %#v\n\tset.Fields = %#v\n", same, fields)
	b.WriteString("\tset.Ints = []int64{")
	for _, n := range p.seeds.ints {
		if n == math.MinInt64 {
			continue
		}
		b.WriteString(strconv.FormatInt(n, 10) + ", ")
	}
	b.WriteString("}\n\tset.Floats = []float64{")
	for _, f := range p.seeds.floats {
		if !math.IsInf(f, 0) && !math.IsNaN(f) {
			b.WriteString(strconv.FormatFloat(f, 'g', -1, 64) + ", ")
		}
	}
	fmt.Fprintf(&b, "}\n\tset.Strings = %#v\n\t%s.Run(set)\n}\n", p.seeds.strings, h)
	return []byte(b.String())
}

// Drop removes from the generated test the lines for which the compiler reports errors, and
// reports whether there were any. Functions whose lines are removed are no longer compared.
func (p *Plan) Drop(compilerErrors string) bool {
	lines := strings.Split(string(p.source()), "\n")
	found := false
	for message := range strings.Lines(compilerErrors) {
		_, rest, ok := strings.Cut(message, p.Words.Test+"_test.go:")
		if !ok {
			continue
		}
		number, why, _ := strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(lines) {
			continue
		}
		_, what, ok := strings.Cut(lines[n-1], " // ")
		if !ok {
			continue
		}
		found = true
		call, isFunction := strings.CutPrefix(what, "function ")
		if !isFunction {
			p.dropped[what] = true
			continue
		}
		p.Functions = slices.DeleteFunc(p.Functions, func(s Subject) bool {
			if s.Call != call {
				return false
			}
			if s.Why == "" {
				_, why, _ = strings.Cut(why, ":")
				p.Left = append(p.Left, Reason{s.Name, "a call to it does not compile: " + strings.TrimSpace(why)})
			}
			return true
		})
	}
	return found
}

// Reaches returns the names of a function and of all functions in the package that call it,
// directly or indirectly. Methods are named without their receiver's type, in the argument
// as well as in the result.
func (p *Plan) Reaches(function string) map[string]bool {
	list := callers(p.is, map[string]string{function: ""}, len(p.is.functions))
	out := map[string]bool{}
	for n := range list {
		out[short(n)] = true
	}
	return out
}

// Mentions lists the top-level functions of a test file that use any of the names, directly
// or through other functions in the file.
func Mentions(test []byte, names map[string]bool) []string {
	c := parse(map[string][]byte{"t_test.go": test})
	found := map[string]string{}
	for n, d := range c.functions {
		if d.Body != nil && syntax.Mentions(d.Body, names) {
			found[n] = ""
		}
	}
	return slices.Sorted(maps.Keys(callers(c, found, len(c.functions))))
}
