package authored

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	// maxBits limits the length of a whole number, in bits. The interpreter counts one step
	// for any operation, however long its operands are, so with numbers of unlimited length
	// one step could take seconds.
	maxBits = 4096
	// maxDigits is the largest number of decimal digits that a number within maxBits can
	// have.
	maxDigits = 1234
	// productsPerStep is the number of products of machine words that cost as much as one
	// step.
	productsPerStep = 64
)

var errLong = fmt.Errorf("a whole number exceeds the limit of %d bits (about %d digits)", maxBits, maxDigits)

// operators returns the replacements for the interpreter's own operators, under names that
// no source can contain.
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

// counted lists the operators whose result may be longer than their operands, or whose
// work grows faster than the length of their operands.
var counted = map[syntax.Token]bool{
	syntax.PLUS: true, syntax.MINUS: true, syntax.STAR: true, syntax.LTLT: true, syntax.SLASHSLASH: true, syntax.PERCENT: true,
}

// augmented maps the operators of augmented assignments, such as *=, to their replacements.
// The replacement for += extends a list in place.
var augmented = map[syntax.Token]string{
	syntax.PLUS_EQ: extension, syntax.MINUS_EQ: operatorName(syntax.MINUS), syntax.STAR_EQ: operatorName(syntax.STAR),
	syntax.LTLT_EQ: operatorName(syntax.LTLT), syntax.SLASHSLASH_EQ: operatorName(syntax.SLASHSLASH), syntax.PERCENT_EQ: operatorName(syntax.PERCENT),
}

const extension = " +="

func operatorName(op syntax.Token) string { return " " + op.String() }

// operate applies an operator. For whole numbers it limits the length of the result, and it
// counts work in proportion to the product of the operands' lengths.
func operate(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	a, whole := x.(starlark.Int)
	b, both := y.(starlark.Int)
	if whole && both && op != syntax.LTLT { // the interpreter itself limits a shift
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

// short reports whether a number fits into an int64. It is checked first because getting
// the length of any other number copies the number.
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

// toInt implements the language's built-in function int with a limit on its result.
func toInt(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	for _, arg := range arguments(args, kwargs) {
		// Parsing takes time quadratic in the length of the text, even if it is all zeros.
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

// jsonModule returns the language's json module with a limit on decoded numbers.
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

// arguments returns both the positional and the named arguments of a call.
func arguments(args starlark.Tuple, kwargs []starlark.Tuple) []starlark.Value {
	all := slices.Clone(args)
	for _, pair := range kwargs {
		all = append(all, pair[1])
	}
	return all
}

// longNumber reports whether a JSON text has a number with more consecutive digits than are
// permitted. Digits inside strings do not count.
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

// bounding rewrites a source so that it uses the functions of [operators]. Only a parsed
// tree whose names are not yet resolved can be rewritten.
type bounding struct {
	err error
	// held counts the variables introduced to hold parts of assignments.
	held int
}

// bound rewrites the statements of a file. It refuses a file that contains too long a
// number.
func bound(f *syntax.File) error {
	var b bounding
	f.Stmts = b.statements(f.Stmts)
	return b.err
}

func (b *bounding) statements(list []syntax.Stmt) []syntax.Stmt {
	out := make([]syntax.Stmt, 0, len(list))
	for _, s := range list {
		b.rewrite(reflect.ValueOf(s))
		if a, ok := s.(*syntax.AssignStmt); ok {
			out = append(out, b.assignment(a)...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// rewrite replaces the operators in everything that a node contains. It refuses unknown
// kinds of nodes, because a later version of the interpreter may count their steps
// differently.
func (b *bounding) rewrite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if list, ok := v.Interface().([]syntax.Stmt); ok && len(list) > 0 {
			v.Set(reflect.ValueOf(b.statements(list)))
			return
		}
		for i := range v.Len() {
			b.rewrite(v.Index(i))
		}
	case reflect.Interface:
		b.rewrite(v.Elem())
		// Named arguments such as f(a=1) are binary expressions too, but their operator is
		// not counted.
		if e, ok := v.Interface().(*syntax.BinaryExpr); ok && counted[e.Op] {
			v.Set(reflect.ValueOf(application(operatorName(e.Op), e.OpPos, e.X, e.Y)))
		}
	case reflect.Pointer:
		if e, ok := v.Interface().(*syntax.Literal); ok {
			if n, ok := e.Value.(*big.Int); ok && n.BitLen() > maxBits && b.err == nil {
				b.err = fmt.Errorf("%v: %w", e.TokenPos, errLong)
			}
			return
		}
		if n, ok := v.Interface().(syntax.Node); ok && !rewritable(n) && b.err == nil {
			b.err = fmt.Errorf("unsupported language construct: %T", n)
		}
		if node := v.Elem(); node.Kind() == reflect.Struct {
			for i := range node.NumField() {
				if node.Type().Field(i).IsExported() {
					b.rewrite(node.Field(i))
				}
			}
		}
	}
}

// rewritable reports whether a node is of a kind that has all its operators among its
// fields.
func rewritable(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.AssignStmt, *syntax.BranchStmt, *syntax.DefStmt, *syntax.ExprStmt, *syntax.ForStmt, *syntax.IfStmt, *syntax.LoadStmt, *syntax.ReturnStmt,
		*syntax.WhileStmt, *syntax.ForClause, *syntax.IfClause, *syntax.BinaryExpr, *syntax.CallExpr, *syntax.Comprehension, *syntax.CondExpr, *syntax.DictEntry,
		*syntax.DictExpr, *syntax.DotExpr, *syntax.Ident, *syntax.IndexExpr, *syntax.LambdaExpr, *syntax.ListExpr, *syntax.ParenExpr, *syntax.SliceExpr,
		*syntax.TupleExpr, *syntax.UnaryExpr:
		return true
	}
	return false
}

// assignment turns x op= y into x = op(x, y). For x[i] op= y, both x and i are first stored
// in variables, so each is evaluated once.
func (b *bounding) assignment(s *syntax.AssignStmt) []syntax.Stmt {
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
