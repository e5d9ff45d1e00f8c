package tool

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits on an expression: its length in bytes and its nesting depth.
const (
	maxExpression = 1000
	maxNesting    = 64
)

// Evaluate returns the value of an arithmetic expression. It supports + - * / ^, % as a
// remainder between two values and as a percentage after one, "of" as *, parentheses, pi,
// e, and the functions abs, avg, ceil, exp, floor, ln, log (base 10), max, min, round(x),
// round(x, digits), sqrt and sum. The result is finite.
func Evaluate(text string) (float64, error) {
	if len(text) > maxExpression {
		return 0, fmt.Errorf("expression has %d bytes, but at most %d are allowed", len(text), maxExpression)
	}
	p := &arithmetic{text: strings.NewReplacer("×", "*", "÷", "/", "−", "-", "**", "^").Replace(strings.ToLower(text))}
	p.next()
	v, err := p.sum()
	if err != nil {
		return 0, err
	}
	if p.kind != end {
		return 0, fmt.Errorf("unexpected %q", p.token)
	}
	return v, nil
}

// FormatNumber formats a number with at most twelve significant digits, so binary rounding
// does not show, and never with an exponent.
func FormatNumber(v float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		short = v
	}
	if short == 0 {
		short = 0 // no negative zero
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

type kind int

const (
	end kind = iota
	number
	name
	operator
)

// arithmetic is a recursive-descent parser of one expression.
type arithmetic struct {
	text  string
	pos   int
	depth int

	kind  kind
	token string
	value float64
	err   error
}

// next reads the next token. For a malformed number it sets err, which primary returns
// where a value is expected.
func (p *arithmetic) next() {
	rest := strings.TrimLeft(p.text[p.pos:], " \t\r\n")
	p.pos = len(p.text) - len(rest)
	switch {
	case rest == "":
		p.kind, p.token = end, "the end of the expression"
		return
	case digit(rest[0]) || rest[0] == '.':
		p.kind, p.token = number, rest[:numberLength(rest)]
		p.value, p.err = strconv.ParseFloat(strings.ReplaceAll(p.token, "_", ""), 64)
	case letter(rest[0]):
		p.kind, p.token = name, prefix(rest, func(c byte) bool { return letter(c) || digit(c) || c == '_' })
	default: // one character
		p.kind, p.token = operator, rest[:1]+prefix(rest[1:], func(c byte) bool { return c&0xC0 == 0x80 })
	}
	p.pos += len(p.token)
}

// numberLength returns the length of the number at the start of a text, including its
// exponent.
func numberLength(text string) int {
	n := len(prefix(text, func(c byte) bool { return digit(c) || c == '.' || c == '_' }))
	exponent, ok := strings.CutPrefix(text[n:], "e")
	if !ok {
		return n
	}
	sign := 0
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		sign = 1
	}
	if digits := prefix(exponent[sign:], digit); digits != "" {
		n += 1 + sign + len(digits)
	}
	return n
}

// prefix returns the longest prefix of a text whose bytes all belong to a class.
func prefix(text string, class func(c byte) bool) string {
	n := 0
	for n < len(text) && class(text[n]) {
		n++
	}
	return text[:n]
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (p *arithmetic) is(tokens ...string) bool {
	if p.kind != operator && p.kind != name {
		return false
	}
	for _, t := range tokens {
		if p.token == t {
			return true
		}
	}
	return false
}

func (p *arithmetic) sum() (float64, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return 0, errors.New("expression is nested too deeply")
	}
	v, err := p.product()
	for err == nil && p.is("+", "-") {
		op := p.token
		p.next()
		var w float64
		if w, err = p.product(); err != nil {
			break
		}
		if op == "+" {
			v, err = finite(v + w)
		} else {
			v, err = finite(v - w)
		}
	}
	return v, err
}

func (p *arithmetic) product() (float64, error) {
	v, err := p.unary()
	for err == nil && p.is("*", "/", "%", "of") {
		op := p.token
		p.next()
		var w float64
		if w, err = p.unary(); err != nil {
			break
		}
		switch {
		case op == "*" || op == "of":
			v, err = finite(v * w)
		case w == 0:
			return 0, errors.New("division by zero")
		case op == "/":
			v, err = finite(v / w)
		default:
			v, err = finite(math.Mod(v, w))
		}
	}
	return v, err
}

func (p *arithmetic) unary() (float64, error) {
	sign := 1.0
	for p.is("+", "-") {
		if p.token == "-" {
			sign = -sign
		}
		p.next()
	}
	v, err := p.power()
	return sign * v, err
}

func (p *arithmetic) power() (float64, error) {
	v, err := p.postfix()
	if err != nil || !p.is("^") {
		return v, err
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return 0, errors.New("expression is nested too deeply")
	}
	p.next()
	w, err := p.unary()
	if err != nil {
		return 0, err
	}
	return finite(math.Pow(v, w))
}

// postfix reads a value and any percent signs after it. A % that is followed by a value is
// not a percent sign.
func (p *arithmetic) postfix() (float64, error) {
	v, err := p.primary()
	for err == nil && p.is("%") {
		ahead := *p
		ahead.next()
		if ahead.kind == number || ahead.is("(") || (ahead.kind == name && ahead.token != "of") {
			break // a remainder
		}
		*p = ahead
		v /= 100
	}
	return v, err
}

func (p *arithmetic) primary() (float64, error) {
	switch {
	case p.kind == number:
		v, err := p.value, p.err
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", p.token)
		}
		p.next()
		return v, nil
	case p.is("("):
		p.next()
		v, err := p.sum()
		if err != nil {
			return 0, err
		}
		if !p.is(")") {
			return 0, fmt.Errorf("expected ) before %s", p.token)
		}
		p.next()
		return v, nil
	case p.kind == name:
		return p.call()
	}
	return 0, fmt.Errorf("expected a value before %s", p.token)
}

func (p *arithmetic) call() (float64, error) {
	fn := p.token
	p.next()
	switch fn {
	case "pi":
		return math.Pi, nil
	case "e":
		return math.E, nil
	}
	f, ok := functions[fn]
	if !ok {
		return 0, fmt.Errorf("unknown name %q", fn)
	}
	if !p.is("(") {
		return 0, fmt.Errorf("expected ( after %s", fn)
	}
	var args []float64
	for {
		p.next()
		v, err := p.sum()
		if err != nil {
			return 0, err
		}
		args = append(args, v)
		if !p.is(",") {
			break
		}
	}
	if !p.is(")") {
		return 0, fmt.Errorf("expected ) before %s", p.token)
	}
	p.next()
	if len(args) > f.most {
		return 0, fmt.Errorf("%s takes at most %d values", fn, f.most)
	}
	return finite(f.apply(args))
}

type function struct {
	most  int
	apply func(args []float64) float64
}

func one(f func(float64) float64) function {
	return function{1, func(a []float64) float64 { return f(a[0]) }}
}

var functions = map[string]function{
	"abs": one(math.Abs), "ceil": one(math.Ceil), "exp": one(math.Exp), "floor": one(math.Floor),
	"ln": one(math.Log), "log": one(math.Log10), "sqrt": one(math.Sqrt),
	"round": {2, func(a []float64) float64 {
		if len(a) == 1 {
			return math.Round(a[0])
		}
		scale := math.Pow(10, math.Trunc(math.Max(-12, math.Min(12, a[1]))))
		return math.Round(a[0]*scale) / scale
	}},
	"sum": {maxExpression, total},
	"avg": {maxExpression, func(a []float64) float64 { return total(a) / float64(len(a)) }},
	"max": {maxExpression, func(a []float64) float64 {
		m := a[0]
		for _, v := range a {
			m = math.Max(m, v)
		}
		return m
	}},
	"min": {maxExpression, func(a []float64) float64 {
		m := a[0]
		for _, v := range a {
			m = math.Min(m, v)
		}
		return m
	}},
}

func total(a []float64) float64 {
	var s float64
	for _, v := range a {
		s += v
	}
	return s
}

func finite(v float64) (float64, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("the result is not a finite number")
	}
	return v, nil
}
