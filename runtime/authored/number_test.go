package authored

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// long has an expression for each way in which an integer can grow. None may reach the
// deadline, because the work up to the bound is a small part of the allowed steps.
var long = map[string]string{
	"squares":             "def run(args):\n  x = 10\n  for i in range(60):\n    x = x * x\n  return x % 7\n",
	"squares in place":    "def run(args):\n  x = 10\n  for i in range(60):\n    x *= x\n  return x % 7\n",
	"squares in a list":   "def run(args):\n  x = [10]\n  for i in range(60):\n    x[0] *= x[0]\n  return x[0] % 7\n",
	"squares in a dict":   "def run(args):\n  x = {'a': [10]}\n  for i in range(60):\n    (x['a'][-1]) *= x['a'][0]\n  return 1\n",
	"squares at the top":  "def run(args):\n  return 1\ny = [10]\ndef up():\n  y[0] *= y[0]\n[up() for i in range(60)]\n",
	"squares by lambda":   "def run(args):\n  x = [10]\n  up = lambda n: n * n\n  for i in range(60):\n    x = [up(n) for n in x]\n  return 1\n",
	"squares by default":  "def run(args):\n  x = 10\n  for i in range(60):\n    def f(n = x * x):\n      return n\n    x = f()\n  return 1\n",
	"squares in a call":   "def run(args):\n  def f(n, m = 1):\n    return n\n  x = 10\n  for i in range(60):\n    x = f(m = 1, n = x * x)\n  return 1\n",
	"squares by if":       "def run(args):\n  x = 10\n  for i in range(60):\n    x = (x * x if i >= 0 else 1)\n  return 1\n",
	"doubling":            "def run(args):\n  x = 1\n  for i in range(1000000):\n    x = x + x\n  return x % 7\n",
	"doubling in place":   "def run(args):\n  x = 1\n  for i in range(1000000):\n    x += x\n  return x % 7\n",
	"doubling downwards":  "def run(args):\n  x = 1\n  for i in range(1000000):\n    x -= -x\n  return x % 7\n",
	"shifts":              "def run(args):\n  x = 1\n  for i in range(1000000):\n    x = x << 511\n  return x % 7\n",
	"shifts in place":     "def run(args):\n  x = 1\n  for i in range(1000000):\n    x <<= 511\n  return x % 7\n",
	"text":                "def run(args):\n  return int('9' * 5000000) % 7\n",
	"text with a base":    "def run(args):\n  return int('z' * 1000, 36) % 7\n",
	"text by name":        "def run(args):\n  return int(base = 10, x = '9' * 5000000)\n",
	"text in an iterable": "def run(args):\n  return [f('9' * 5000000) for f in [int]][0]\n",
	"json":                "def run(args):\n  return json.decode('[' + '9' * 5000000 + ']')[0] % 7\n",
	"json by name":        "def run(args):\n  return json.decode(x = '\"a\\\\\"\": 1', default = 1) or json.decode('9' * 5000)\n",
	"literal":             "def run(args):\n  return " + strings.Repeat("9", 5000) + " % 7\n",
}

func TestLongNumbers(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	for name, source := range long {
		r := call(t, p, source, `{}`)
		if r.outcome != agent.Execution || name != "json by name" && !strings.Contains(r.Text, "4096 bits") || r.Steps > maxSteps/10 {
			t.Errorf("%s: %s, %q after %d steps", name, r.outcome, r.Text, r.Steps)
		}
		if r := call(t, p, sum, `{"numbers":[1,2]}`); string(r.Value) != `{"sum":3}` {
			t.Errorf("after %s: %s %s %s", name, r.outcome, r.Value, r.Text)
		}
	}
	// A tool that fails with some arguments still works with others afterwards.
	squares := "def run(args):\n  x = 10\n  for i in range(args['n']):\n    x = x * x\n  return x % 7\n"
	for range 4 {
		if r := call(t, p, squares, `{"n":40}`); r.outcome != agent.Execution || !strings.Contains(r.Text, "(line 4)") {
			t.Errorf("%s: %s", r.outcome, r.Text)
		}
		if r := call(t, p, squares, `{"n":2}`); string(r.Value) != "4" {
			t.Errorf("%s: %s %s", r.outcome, r.Value, r.Text)
		}
	}
}

// TestLongNumbersCost tests that work on long numbers is counted in proportion to its cost.
func TestLongNumbersCost(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	const most = 2000 // bits
	for _, op := range []string{"*", "//", "%"} {
		r := call(t, p, "def run(args):\n  x = 1\n  for i in range(4):\n    x = x << 500\n  for i in range(10000):\n    z = x "+op+" x\n  return 1\n", `{}`)
		if least := uint64(10000 * (most / 64) * (most / 64) / productsPerStep); r.outcome != agent.OK || r.Steps < least {
			t.Errorf("%s: %s after %d steps: %s", op, r.outcome, r.Steps, r.Text)
		}
	}
}

// TestOperators tests that the replaced operators behave like those of the language.
func TestOperators(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	for source, want := range map[string]string{
		"return [7 + 2, 7 - 2, 7 * 2, 7 // 2, -7 // 2, 7 % 2, -7 % 2, 7 << 2, 7 / 2, 2.5 * 2, 1 + 0.5]":                                    "[9,5,14,3,-4,1,1,28,3.5,5.0,1.5]",
		"return ['a' + 'b', 'a' * 3, [1] + [2], 2 * [1], list((1,) + (2,)), 'x%d%s' % (1, 'y')]":                                           `["ab","aaa",[1,2],[1,1],[1,2],"x1y"]`,
		"a = [1]\n  b = a\n  b += [2]\n  b += (3,)\n  b += b\n  return a":                                                                  "[1,2,3,1,2,3]",
		"a = [1]\n  b = a\n  b = b + [2]\n  return a":                                                                                      "[1]",
		"a = {'k': [1]}\n  b = a['k']\n  a['k'] += [2]\n  return b":                                                                        "[1,2]",
		"a = 'x'\n  a += 'y'\n  a *= 2\n  return a":                                                                                        `"xyxy"`,
		"a = '%d'\n  a %= 3\n  b = 9\n  b //= 2\n  b <<= 2\n  b -= 1\n  b |= 32\n  return [a, b]":                                          `["3",47]`,
		"n = []\n  def f(v):\n    n.append(v)\n    return v\n  a = {1: 5}\n  a[f(1)] += f(2)\n  a[f(1)] -= f(3)\n  return [n, a.values()]": "[[1,2,1,3],[4]]",
		"a = {'n': 1}\n  def f():\n    a['n'] = 100\n    return 1\n  a['n'] += f()\n  return a['n']":                                       "2",
		"return [int('12'), int('-0x1f', 16), int('0b11', 0), int(3.9), int(True), int(x = '7'), type(int(1))]":                            `[12,-31,3,3,1,7,"int"]`,
		"return json.decode('{\"a\": [\"' + '1' * 2000 + '\\\\\"\", 12]}')['a'][1]":                                                        "12",
		"return json.decode('x', default = 3)":                                                                                             "3",
		"return [i * 2 for i in range(4) if i % 2 == 0] + [x + y for x in [1] for y in [2]]":                                               "[0,4,3]",
		"return {k + 'x': v - 1 for k, v in {'a': 1}.items()}":                                                                             `{"ax":0}`,
		"return (lambda a, b = 2 * 3, *c, **d: a + b + len(c) + len(d))(1, 2, 3, e = 1 + 1, **{'f': 1})":                                   "6",
		"return 'abcdef'[0 + 1:2 + 2:2 - 1]":                                                                                               `"bcd"`,
		"return 2 * 3 if 1 + 1 == 2 else 1 - 1":                                                                                            "6",
		"x, y = 1 + 1, 2\n  return -x + y":                                                                                                 "0",
	} {
		if r := call(t, p, "def run(args):\n  "+source+"\n", `{}`); !same(r.Value, []byte(want)) {
			t.Errorf("%s: %s %s %s", source, r.outcome, r.Value, r.Text)
		}
	}
	for source, want := range map[string]string{
		"return 1 + 'a'":                            "unknown binary op: int + string",
		"return 1 // 0":                             "division by zero",
		"a = {}\n  a['b'] += 1":                     "not in dict",
		"(a, b) = 1, 2\n  (a, b) += 1":              "augmented",
		"a = (1,)\n  a[0] += 1":                     "does not support item assignment",
		"args.x += 1":                               "no .x",
		"return 1 << 512":                           "shift count too large",
		"return int('" + "9" + "' * 10) + int('x')": "invalid literal",
	} {
		if r := call(t, p, "def run(args):\n  "+source+"\n", `{}`); r.outcome != agent.Execution || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s %s", source, r.outcome, r.Text)
		}
	}
	frozen := "keep = [1]\ndef run(args):\n  a = keep\n  a += [2]\n  return 1\n"
	if r := call(t, p, frozen, `{}`); r.outcome != agent.Execution || !strings.Contains(r.Text, "frozen") {
		t.Errorf("%s: %s", r.outcome, r.Text)
	}
}

func TestLongNumberRows(t *testing.T) {
	row := strings.Repeat("1", maxDigits)
	for text, want := range map[string]bool{
		row: false, row + "1": true, "[" + row + "," + row + "]": false, `"` + row + `1"`: false, `"\"` + row + `1"`: false,
		`"\\"` + row + "1": true, "1." + row: false, `{"a":-` + row + "2}": true,
	} {
		if got := longNumber(text); got != want {
			t.Errorf("%s: %t", fmt.Sprint(len(text), text[:4]), got)
		}
	}
	names := []string{}
	for name := range operators() {
		names = append(names, name)
	}
	if slices.ContainsFunc(names, func(n string) bool { return n[0] != ' ' }) {
		t.Errorf("a source can write %v", names)
	}
}

// TestUnknownSyntax checks that a kind of node that the rewriter does not support is
// refused.
func TestUnknownSyntax(t *testing.T) {
	type later struct{ *syntax.Ident }
	name := &syntax.Ident{Name: "a"}
	for _, c := range []struct {
		x       syntax.Expr
		refused bool
	}{{name, false}, {&later{name}, true}, {&syntax.ListExpr{List: []syntax.Expr{&later{name}}}, true}} {
		if err := bound(&syntax.File{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: c.x}}}); (err != nil) != c.refused {
			t.Errorf("%T: %v", c.x, err)
		}
	}
}
