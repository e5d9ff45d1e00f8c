package beside

import (
	"go/ast"
	"go/constant"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/syntax"
)

// The maximum number of seeds of each kind.
const (
	mostInts    = 60
	mostFloats  = 30
	mostStrings = 60
	longestSeed = 400
)

// seeds are the values around which inputs are drawn, the most relevant values first.
type seeds struct {
	ints    []int64
	floats  []float64
	strings []string
}

func add[T comparable](list []T, v T, most int) []T {
	if len(list) >= most || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

func (s *seeds) integer(n int64) {
	for _, x := range []int64{n, n + 1, n - 1, -n} {
		s.ints = add(s.ints, x, mostInts)
	}
}

func (s *seeds) float(f float64) {
	for _, x := range []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1)), -f} {
		s.floats = add(s.floats, x, mostFloats)
	}
}

func (s *seeds) text(t string) {
	if len(t) <= longestSeed {
		s.strings = add(s.strings, t, mostStrings)
	}
}

// from adds the constants and the values of the constant expressions in a piece of source
// code.
func (s *seeds) from(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			_, imports := n.(*ast.ImportSpec)
			return !imports
		}
		if lit, ok := n.(*ast.BasicLit); !ok || lit.Kind != token.CHAR {
			s.add(value(e))
			return true
		}
		if v := value(e); v.Kind() == constant.Int {
			if r, ok := constant.Int64Val(v); ok {
				s.text(string(rune(r)))
			}
		}
		return true
	})
}

func (s *seeds) add(v constant.Value) {
	switch v.Kind() {
	case constant.Int:
		if n, exact := constant.Int64Val(v); exact {
			s.integer(n)
		}
	case constant.Float:
		f, _ := constant.Float64Val(v)
		s.float(f)
	case constant.String:
		s.text(constant.StringVal(v))
	}
}

// value evaluates an expression that consists of literals; it returns an unknown value for
// other expressions.
func value(e ast.Expr) (v constant.Value) {
	defer func() {
		if recover() != nil { // mismatched operands: the source does not compile
			v = constant.MakeUnknown()
		}
	}()
	switch x := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(x.Value, x.Kind, 0)
	case *ast.ParenExpr:
		return value(x.X)
	case *ast.UnaryExpr:
		if v := value(x.X); v.Kind() == constant.Int || v.Kind() == constant.Float {
			return constant.UnaryOp(x.Op, v, 0)
		}
	case *ast.BinaryExpr:
		a, b := value(x.X), value(x.Y)
		if a.Kind() == constant.Unknown || b.Kind() == constant.Unknown {
			break
		}
		switch x.Op {
		case token.SHL, token.SHR:
			if n, ok := constant.Uint64Val(b); ok && n < 64 {
				return constant.Shift(a, x.Op, uint(n))
			}
		case token.ADD, token.SUB, token.MUL:
			return constant.BinaryOp(a, x.Op, b)
		}
	}
	return constant.MakeUnknown()
}

// literals returns the literals in a piece of source code, keyed by their text.
func literals(n ast.Node) map[string]*ast.BasicLit {
	out := map[string]*ast.BasicLit{}
	for n := range ast.Preorder(n) {
		if l, ok := n.(*ast.BasicLit); ok {
			out[l.Value] = l
		}
	}
	return out
}

// collect returns the seeds for some functions. Literals that occur in only one version
// come first, followed by all other literals from the functions, from the values and
// functions that these use, from the corpora, and from the tests that name the functions.
func collect(was, is code, names []string, tests []*ast.File, corpora [][]byte) seeds {
	var s seeds
	bodies := func(c code) (out []ast.Node) {
		for _, n := range names {
			if d := c.functions[n]; d != nil {
				out = append(out, d)
			}
		}
		used := map[string]bool{}
		for _, d := range out {
			maps.Copy(used, uses(d))
		}
		for _, n := range slices.Sorted(maps.Keys(used)) {
			if v := c.values[n]; v != nil {
				out = append(out, v)
			} else if d := c.functions[n]; d != nil {
				out = append(out, d)
			}
		}
		return out
	}
	before, after := bodies(was), bodies(is)
	all := func(list []ast.Node) map[string]*ast.BasicLit {
		out := map[string]*ast.BasicLit{}
		for _, n := range list {
			maps.Copy(out, literals(n))
		}
		return out
	}
	old, now := all(before), all(after)
	for _, pair := range [][2]map[string]*ast.BasicLit{{now, old}, {old, now}} {
		for _, text := range slices.Sorted(maps.Keys(pair[0])) {
			if pair[1][text] == nil {
				s.from(pair[0][text])
			}
		}
	}
	for _, n := range after {
		s.from(n)
	}
	for _, n := range before {
		s.from(n)
	}
	for _, data := range corpora {
		s.corpus(string(data))
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[short(n)] = true
	}
	for _, f := range tests {
		for fn := range syntax.Functions(f) {
			if syntax.Mentions(fn, wanted) {
				s.from(fn)
			}
		}
	}
	return s
}

// corpus adds the values in a corpus entry of a fuzz target.
func (s *seeds) corpus(text string) {
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[0], "go test fuzz v1") {
		return
	}
	for _, line := range lines[1:] {
		kind, rest, ok := strings.Cut(strings.TrimSpace(line), "(")
		if !ok {
			continue
		}
		rest = strings.TrimSuffix(rest, ")")
		switch {
		case kind == "string" || kind == "[]byte":
			if t, err := strconv.Unquote(rest); err == nil {
				s.text(t)
			}
		case strings.HasPrefix(kind, "float"):
			if f, err := strconv.ParseFloat(rest, 64); err == nil {
				s.float(f)
			}
		default:
			if n, err := strconv.ParseInt(rest, 0, 64); err == nil {
				s.integer(n)
			}
		}
	}
}
