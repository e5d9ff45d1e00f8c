package authored

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	// maxBits bounds a whole number, in bits. The interpreter counts one step for any
	// operation, however long its operands: unbounded numbers would take seconds a
	// step.
	maxBits = 4096
	// maxDigits is the largest number of decimal digits of a number within maxBits.
	maxDigits = 1234
	// productsPerStep is how many products of machine words cost as much as one step.
	productsPerStep = 64
)

var errLong = fmt.Errorf("a number of more than %d bits (about %d digits): whole numbers are bounded", maxBits, maxDigits)

// operators returns the replacements of the interpreter's own operators, under names
// that no source can contain.
func operators() starlark.StringDict {
	world := starlark.StringDict{}
	for op := range counted {
		world[operatorName(op)] = starlark.NewBuiltin(op.String(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return operate(t, op, args[0], args[1])
		})
	}
	world[extension] = starlark.NewBuiltin("+=", extend)
	return world
}

// counted are the operators whose result may be longer than their operands, or whose
// work grows faster than their operands.
var counted = map[syntax.Token]bool{
	syntax.PLUS: true, syntax.MINUS: true, syntax.STAR: true, syntax.LTLT: true, syntax.SLASHSLASH: true, syntax.PERCENT: true,
}

// augmented maps the operators of augmented assignments, such as *=, to the
// replacement. That of += extends a list in place.
var augmented = map[syntax.Token]string{
	syntax.PLUS_EQ: extension, syntax.MINUS_EQ: operatorName(syntax.MINUS), syntax.STAR_EQ: operatorName(syntax.STAR),
	syntax.LTLT_EQ: operatorName(syntax.LTLT), syntax.SLASHSLASH_EQ: operatorName(syntax.SLASHSLASH), syntax.PERCENT_EQ: operatorName(syntax.PERCENT),
}

const extension = " +="

func operatorName(op syntax.Token) string { return " " + op.String() }

// operate applies an operator. For whole numbers it bounds the result and counts the
// work by their length.
func operate(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	a, whole := x.(starlark.Int)
	b, both := y.(starlark.Int)
	if whole && both && op != syntax.LTLT { // the interpreter bounds a shift
		t.Steps += words(a) * words(b) / productsPerStep
	}
	z, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	if n, ok := z.(starlark.Int); ok {
		return bounded(n)
	}
	return z, nil
}

// extend implements x += y.
func extend(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	list, ok := args[0].(*starlark.List)
	more, iterable := args[1].(starlark.Iterable)
	if !ok || !iterable {
		return operate(t, syntax.PLUS, args[0], args[1])
	}
	method, err := list.Attr("extend")
	if err != nil {
		return nil, err
	}
	_, err = starlark.Call(t, method, starlark.Tuple{more}, nil)
	return list, err
}

// short reports whether a number fits into an int64; getting the length of another
// copies it.
func short(n starlark.Int) bool {
	_, ok := n.Int64()
	return ok
}

// words returns the length of a number in machine words.
func words(n starlark.Int) uint64 {
	if short(n) {
		return 1
	}
	return uint64(len(n.BigInt().Bits()))
}

func bounded(n starlark.Int) (starlark.Value, error) {
	if !short(n) && n.BigInt().BitLen() > maxBits {
		return nil, errLong
	}
	return n, nil
}

// toInt is the language's int with a bound on its result.
func toInt(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	for _, arg := range arguments(args, kwargs) {
		// Even a text of zeros takes time quadratic in its length.
		if text, ok := arg.(starlark.String); ok && len(text) > maxBits+len("-0b") {
			return nil, errLong
		}
	}
	v, err := starlark.Call(t, starlark.Universe["int"], args, kwargs)
	if n, ok := v.(starlark.Int); ok && err == nil {
		return bounded(n)
	}
	return v, err
}

// jsonModule returns the language's json module with a bound on decoded numbers.
func jsonModule() starlark.Value {
	module := *starjson.Module
	members := starlark.StringDict{}
	for name, v := range module.Members {
		members[name] = v
	}
	members["decode"] = starlark.NewBuiltin("json.decode", decodeJSON)
	module.Members = members
	return &module
}

func decodeJSON(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	for _, arg := range arguments(args, kwargs) {
		if text, ok := arg.(starlark.String); ok && longNumber(string(text)) {
			return nil, errLong
		}
	}
	return starlark.Call(t, starjson.Module.Members["decode"], args, kwargs)
}

// arguments returns the arguments of a call, positional and named.
func arguments(args starlark.Tuple, kwargs []starlark.Tuple) []starlark.Value {
	all := slices.Clone(args)
	for _, pair := range kwargs {
		all = append(all, pair[1])
	}
	return all
}

// longNumber reports whether a JSON text has a number with more digits in a row than a
// bounded one can have. Digits inside strings do not count.
func longNumber(text string) bool {
	row, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, row = !quoted, 0
		case !quoted && '0' <= c && c <= '9':
			if row++; row > maxDigits {
				return true
			}
		default:
			row = 0
		}
	}
	return false
}

// bounding rewrites a source so that it uses the operators of [operators]. Only parsed
// trees can be rewritten, before their names are resolved.
type bounding struct {
	err error
	// held counts the variables that hold parts of assignments.
	held int
}

// bound rewrites a file, or refuses it for too long a number in it.
func bound(f *syntax.File) error {
	var b bounding
	f.Stmts = b.statements(f.Stmts)
	return b.err
}

func (b *bounding) statements(list []syntax.Stmt) []syntax.Stmt {
	out := make([]syntax.Stmt, 0, len(list))
	for _, s := range list {
		out = append(out, b.statement(s)...)
	}
	return out
}

func (b *bounding) statement(s syntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return b.assignment(s)
	case *syntax.DefStmt:
		b.all(s.Params)
		s.Body = b.statements(s.Body)
	case *syntax.ExprStmt:
		b.rewrite(&s.X)
	case *syntax.ForStmt:
		b.rewrite(&s.Vars)
		b.rewrite(&s.X)
		s.Body = b.statements(s.Body)
	case *syntax.IfStmt:
		b.rewrite(&s.Cond)
		s.True = b.statements(s.True)
		if s.False != nil {
			s.False = b.statements(s.False)
		}
	case *syntax.WhileStmt:
		b.rewrite(&s.Cond)
		s.Body = b.statements(s.Body)
	case *syntax.ReturnStmt:
		b.rewrite(&s.Result)
	case *syntax.LoadStmt, *syntax.BranchStmt:
	default:
		b.unknown(s)
	}
	return []syntax.Stmt{s}
}

// assignment turns x op= y into x = op(x, y). For x[i] op= y both x and i are held in
// variables first, so that each is evaluated once.
func (b *bounding) assignment(s *syntax.AssignStmt) []syntax.Stmt {
	b.rewrite(&s.LHS)
	b.rewrite(&s.RHS)
	name := augmented[s.Op]
	if name == "" {
		return []syntax.Stmt{s}
	}
	var out []syntax.Stmt
	hold := func(e syntax.Expr) func() syntax.Expr {
		b.held++
		at, name := syntax.Start(e), fmt.Sprintf(" %d", b.held)
		out = append(out, &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: at, Name: name}, RHS: e})
		return func() syntax.Expr { return &syntax.Ident{NamePos: at, Name: name} }
	}
	target := s.LHS
	for {
		inner, ok := target.(*syntax.ParenExpr)
		if !ok {
			break
		}
		target = inner.X
	}
	var old syntax.Expr
	switch v := target.(type) {
	case *syntax.Ident:
		old = &syntax.Ident{NamePos: v.NamePos, Name: v.Name}
	case *syntax.IndexExpr:
		x, i := hold(v.X), hold(v.Y)
		v.X, v.Y = x(), i()
		old = &syntax.IndexExpr{X: x(), Lbrack: v.Lbrack, Y: i(), Rbrack: v.Rbrack}
	default:
		return []syntax.Stmt{s} // attributes of a tool's values cannot be assigned
	}
	s.Op, s.RHS = syntax.EQ, application(name, s.OpPos, old, s.RHS)
	return append(out, s)
}

func application(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

func (b *bounding) all(list []syntax.Expr) {
	for i := range list {
		b.rewrite(&list[i])
	}
}

// rewrite replaces the operators in an expression, which may be absent.
func (b *bounding) rewrite(at *syntax.Expr) {
	switch e := (*at).(type) {
	case nil, *syntax.Ident:
	case *syntax.Literal:
		if n, ok := e.Value.(*big.Int); ok && n.BitLen() > maxBits && b.err == nil {
			b.err = fmt.Errorf("%v: %w", e.TokenPos, errLong)
		}
	case *syntax.BinaryExpr: // named arguments such as f(a=1) are binary expressions too
		b.rewrite(&e.X)
		b.rewrite(&e.Y)
		if counted[e.Op] {
			*at = application(operatorName(e.Op), e.OpPos, e.X, e.Y)
		}
	case *syntax.UnaryExpr:
		b.rewrite(&e.X)
	case *syntax.ParenExpr:
		b.rewrite(&e.X)
	case *syntax.CallExpr:
		b.rewrite(&e.Fn)
		b.all(e.Args)
	case *syntax.DotExpr:
		b.rewrite(&e.X)
	case *syntax.IndexExpr:
		b.rewrite(&e.X)
		b.rewrite(&e.Y)
	case *syntax.SliceExpr:
		for _, part := range []*syntax.Expr{&e.X, &e.Lo, &e.Hi, &e.Step} {
			b.rewrite(part)
		}
	case *syntax.ListExpr:
		b.all(e.List)
	case *syntax.TupleExpr:
		b.all(e.List)
	case *syntax.DictExpr:
		b.all(e.List)
	case *syntax.DictEntry:
		b.rewrite(&e.Key)
		b.rewrite(&e.Value)
	case *syntax.CondExpr:
		b.rewrite(&e.Cond)
		b.rewrite(&e.True)
		b.rewrite(&e.False)
	case *syntax.LambdaExpr:
		b.all(e.Params)
		b.rewrite(&e.Body)
	case *syntax.Comprehension:
		b.rewrite(&e.Body)
		b.clauses(e.Clauses)
	default:
		b.unknown(e)
	}
}

// clauses replaces the operators in the clauses of a comprehension.
func (b *bounding) clauses(list []syntax.Node) {
	for _, c := range list {
		switch c := c.(type) {
		case *syntax.ForClause:
			b.rewrite(&c.Vars)
			b.rewrite(&c.X)
		case *syntax.IfClause:
			b.rewrite(&c.Cond)
		default:
			b.unknown(c)
		}
	}
}

// unknown refuses syntax that a later version of the interpreter introduced.
func (b *bounding) unknown(n syntax.Node) {
	if b.err == nil {
		b.err = errors.New("a part of the language that is not supported: " + fmt.Sprintf("%T", n))
	}
}
