package tokens

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// operator is one kind of change, with its weight in the random draw.
type operator struct {
	name   string
	weight int
	apply  func(*mutation) (change, bool)
}

// operators lists the operators from which Mutate draws; the weights are those of package
// rewrite.
var operators = []operator{
	{"constant", 16, (*mutation).constant},
	{"arithmetic", 6, (*mutation).arithmetic},
	{"comparison", 5, (*mutation).comparison},
	{"connective", 2, (*mutation).connective},
	{"negate", 3, (*mutation).negate},
	{"name", 10, (*mutation).renamed},
	{"grow", 14, (*mutation).grow},
	{"drop", 8, (*mutation).drop},
	{"swap", 2, (*mutation).swap},
	{"delete", 4, (*mutation).remove},
	{"duplicate", 3, (*mutation).duplicate},
}

// pick draws an element of a list.
func pick[T any](m *mutation, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[m.rng.IntN(len(list))], true
}

// where returns the indices of the items that may be changed and for which the function
// keep returns true.
func (m *mutation) where(keep func(int) bool) []int {
	var out []int
	for i, x := range m.items {
		if !x.fixed && keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// replace returns the change that replaces a place with a text.
func (m *mutation) replace(p place, text string) (change, bool) {
	from, to := m.items[p.from].from, m.items[p.to].to
	return change{[]edit{{from, to, text}}, m.text[from:to], text, from}, text != m.text[from:to]
}

// numeral is a parsed number.
type numeral struct {
	value  float64
	whole  bool
	suffix string
}

// parsed reads a number.
func parsed(s string) (numeral, bool) {
	s = strings.NewReplacer("_", "", "'", "").Replace(s)
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return numeral{float64(n), true, ""}, true
	}
	end := len(s)
	for end > 0 && (s[end-1] < '0' || s[end-1] > '9') && s[end-1] != '.' {
		end--
	}
	if i := strings.IndexAny(s[:end], "fiu"); i > 0 { // 1f64
		end = i
	}
	x, err := strconv.ParseFloat(s[:end], 64)
	n := numeral{x, !strings.ContainsAny(s[:end], ".eE"), s[end:]}
	return n, err == nil && !strings.ContainsAny(s[:end], "xX")
}

// format formats another value in the form in which the number is written.
func (n numeral) format(x float64) string {
	if n.whole {
		return strconv.FormatFloat(x, 'f', 0, 64) + n.suffix
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if a := math.Abs(x); a >= 1e-4 && a < 1e15 {
		s = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + n.suffix
}

// constant perturbs a number as package rewrite does. Whole numbers remain whole.
func (m *mutation) constant() (change, bool) {
	i, ok := pick(m, m.where(func(i int) bool {
		return m.items[i].kind == number && (i == 0 || m.items[i-1].text != ".")
	}))
	if !ok {
		return change{}, false
	}
	n, ok := parsed(m.items[i].text)
	if !ok {
		return change{}, false
	}
	x, to := n.value, 0.0
	switch k := m.rng.IntN(12); {
	case k == 0:
		to = []float64{0, 1, -1}[m.rng.IntN(3)]
	case k == 1:
		to = -x
	case n.whole && k < 8:
		to = x + math.Round(m.rng.NormFloat64()*max(1, 0.1*x))
		if to == x {
			to += float64(2*m.rng.IntN(2) - 1)
		}
	case x == 0:
		to = rounded(m.rng.NormFloat64())
	case k < 6:
		to = rounded(x + 0.2*max(1, x)*m.rng.NormFloat64())
	default:
		to = rounded(x * math.Exp(0.7*m.rng.NormFloat64()))
	}
	if n.whole {
		to = math.Round(to)
	}
	if to == x || math.Abs(to) > 1e15 || math.IsNaN(to) {
		return change{}, false
	}
	text := n.format(to + 0) // no negative zero
	if to < 0 {
		switch {
		case m.r.language.shell && !m.calculated(i):
			return change{}, false
		case i > 0 && m.items[i-1].kind == sign && precedences[m.items[i-1].text] > 0 && m.items[i-1].line == m.items[i].line:
			text = "(" + text + ")"
		}
	}
	return m.replace(place{i, i}, text)
}

// rounded returns a number rounded to three significant digits.
func rounded(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return r
}

// exchange replaces the operator at an item with another operator from a list.
func (m *mutation) exchange(i int, list ...string) (change, bool) {
	op, ok := pick(m, slices.DeleteFunc(list, func(s string) bool { return s == m.items[i].text }))
	if !ok {
		return change{}, false
	}
	x, from, to := m.items[i], m.items[i-1].from, m.items[i+1].to
	if l, r, ok := m.operands(i); ok {
		from, to = m.items[l.from].from, m.items[r.to].to
	}
	return change{[]edit{{x.from, x.to, op}}, m.text[from:to], m.text[from:x.from] + op + m.text[x.to:to], from}, true
}

// arithmetic replaces one of the operators +, -, * and / with another of them, or one of
// the assignments +=, -=, *= and /= with another of them.
func (m *mutation) arithmetic() (change, bool) {
	signs, assignments := []string{"+", "-", "*", "/"}, []string{"+=", "-=", "*=", "/="}
	i, ok := pick(m, m.where(func(i int) bool {
		s := m.items[i].text
		if i == 0 || i+1 >= len(m.items) || m.items[i-1].kind == str || m.items[i+1].kind == str {
			return false
		}
		return m.binary(i) >= 6 && (slices.Contains(signs, s) || s == "%" || s == "//") || slices.Contains(assignments, s)
	}))
	switch {
	case !ok:
		return change{}, false
	case slices.Contains(assignments, m.items[i].text):
		return m.exchange(i, assignments...)
	}
	return m.exchange(i, signs...)
}

// comparison replaces a comparison operator with another one.
func (m *mutation) comparison() (change, bool) {
	i, ok := pick(m, m.where(func(i int) bool { return m.binary(i) == 4 }))
	if !ok {
		return change{}, false
	}
	orders, equals := m.comparisons(m.items[i].text)
	nothing := func(x item) bool {
		return x.kind == str || slices.Contains([]string{"None", "null", "nil", "NULL", "undefined", "true", "false", "True", "False"}, x.text)
	}
	switch {
	case nothing(m.items[i-1]) || nothing(m.items[i+1]):
		return m.exchange(i, equals...)
	case m.rng.IntN(4) > 0:
		return m.exchange(i, orders...)
	}
	return m.exchange(i, append(orders, equals...)...)
}

// comparisons returns the operators that can replace a comparison operator: those that
// compare order, and those that compare equality.
func (m *mutation) comparisons(op string) (orders, equals []string) {
	orders, equals = []string{"<", "<=", ">", ">="}, []string{"==", cmp.Or(m.r.language.unequal, "!=")}
	switch {
	case strings.HasPrefix(op, "-"):
		return []string{"-lt", "-le", "-gt", "-ge"}, []string{"-eq", "-ne"}
	case m.r.language.sql:
		equals[0] = "="
	case op == "===" || op == "!==":
		equals = []string{"===", "!=="}
	}
	return orders, equals
}

// connective replaces "and" with "or", or "or" with "and".
func (m *mutation) connective() (change, bool) {
	pairs := map[string]string{"and": "or", "or": "and", "&&": "||", "||": "&&", "AND": "OR", "OR": "AND"}
	i, ok := pick(m, m.where(func(i int) bool { return pairs[m.items[i].text] != "" && i > 0 && i+1 < len(m.items) }))
	if !ok {
		return change{}, false
	}
	return m.exchange(i, pairs[m.items[i].text])
}

// negate negates a condition: a comparison or a constant becomes its opposite, and for any
// other condition a "not" is added or removed.
func (m *mutation) negate() (change, bool) {
	opposites := map[string]string{
		"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<>": "=", "~=": "==",
		"-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt", "-eq": "-ne", "-ne": "-eq",
	}
	truths := map[string]string{"True": "False", "False": "True", "true": "false", "false": "true"}
	w := m.r.vocabulary
	i, ok := pick(m, m.where(func(i int) bool {
		x := m.items[i]
		return m.binary(i) == 4 || truths[x.text] != "" || m.unary(i) && x.text != "-" && x.text != "~" || x.is(w.branching) || precedences[x.text] == 1 || precedences[x.text] == 2
	}))
	if !ok || i+1 >= len(m.items) || m.items[i+1].line != m.items[i].line {
		return change{}, false
	}
	x, next := m.items[i], m.items[i+1]
	switch {
	case m.binary(i) == 4:
		if m.r.language.sql && x.text == "=" {
			return m.exchange(i, "<>")
		}
		_, equals := m.comparisons(x.text)
		if opposite := opposites[x.text]; opposite == "==" || opposite == "!=" {
			return m.exchange(i, equals...)
		}
		return m.exchange(i, opposites[x.text])
	case truths[x.text] != "":
		return m.replace(place{i, i}, truths[x.text])
	case x.text == "not" || x.text == "!":
		to, ok := m.primary(i + 1)
		if !ok {
			return change{}, false
		}
		return change{[]edit{{x.from, next.from, ""}}, m.textOf(place{i, to}), m.textOf(place{i + 1, to}), x.from}, true
	}
	to, ok := m.primary(i + 1)
	if !ok {
		return change{}, false
	}
	alone := to+1 == len(m.items) || m.items[to+1].line != x.line || m.items[to+1].kind == closes || m.items[to+1].text == "{" || precedences[m.items[to+1].text] == 1 || precedences[m.items[to+1].text] == 2
	switch p := (place{i + 1, to}); {
	case m.r.language.shell:
		return change{}, false
	case m.r.language.not != "!":
		return m.replace(p, m.r.language.not+m.textOf(p))
	case x.is(w.branching) && next.text == "(" && next.match == to:
		return m.replace(p, "(!"+m.textOf(p)+")")
	case alone || next.text == "(":
		return m.replace(p, "!"+m.textOf(p))
	}
	return change{}, false
}

// renamed replaces a name with another name that is used in the same way.
func (m *mutation) renamed() (change, bool) {
	p, ok := pick(m, m.places)
	if !ok {
		return change{}, false
	}
	var list []int
	for i := p.from; i <= p.to; i++ {
		if m.items[i].match > i && i > p.from {
			i = m.items[i].match // the text in brackets has its own places
		} else if m.items[i].kind == name {
			list = append(list, i)
		}
	}
	i, ok := pick(m, list)
	if !ok {
		return change{}, false
	}
	to, ok := pick(m, slices.DeleteFunc(m.names(m.kindOf(i), i), func(s string) bool { return s == m.items[i].text }))
	if !ok {
		return change{}, false
	}
	x := m.items[i]
	from, end := m.items[p.from].from, m.items[p.to].to
	return change{[]edit{{x.from, x.to, to}}, m.text[from:end], m.text[from:x.from] + to + m.text[x.to:end], from}, true
}

// term draws a term for use at an item: a name that is known there, or a number.
func (m *mutation) term(at int) (string, bool) {
	list := m.names("", at)
	decimal := false
	for _, x := range m.items {
		if n, ok := parsed(x.text); x.kind == number && ok && !m.r.language.shell {
			list = append(list, x.text)
			decimal = decimal || !n.whole
		}
	}
	if m.rng.IntN(4) == 0 {
		n := numeral{whole: !decimal || m.rng.IntN(2) == 0}
		list = []string{n.format(rounded(float64(1+m.rng.IntN(10)) * map[bool]float64{true: 1, false: math.Exp(m.rng.NormFloat64() - 1)}[n.whole]))}
	}
	return pick(m, list)
}

// grow adds a term: x becomes (x op t) or (t op x).
func (m *mutation) grow() (change, bool) {
	p, ok := pick(m, m.places)
	if !ok {
		return change{}, false
	}
	t, ok := m.term(p.from)
	if !ok {
		return change{}, false
	}
	x, op := m.textOf(p), []string{"+", "-", "*", "/", "+", "-", "*"}[m.rng.IntN(7)]
	if m.rng.IntN(4) == 0 {
		x, t = t, x
	}
	return m.replace(p, "("+x+" "+op+" "+t+")")
}

// drop replaces an operation with one of its operands, or a call with one of its arguments.
func (m *mutation) drop() (change, bool) {
	type whole struct{ all, left place }
	var list []whole
	for i := range m.items {
		if l, r, ok := m.operands(i); ok {
			list = append(list, whole{place{l.from, r.to}, l}, whole{place{l.from, r.to}, r})
		}
	}
	for _, p := range m.places {
		open := m.items[p.to].match
		if open <= p.from || m.items[open].text != "(" || open+1 == p.to {
			continue
		}
		from := open + 1
		for i := from; i <= p.to; i++ {
			if x := m.items[i]; x.match > i {
				i = x.match
			} else if x.text == "," || i == p.to {
				if to, ok := m.signed(from); ok && to == i-1 {
					list = append(list, whole{p, place{from, to}})
				}
				from = i + 1
			}
		}
	}
	c, ok := pick(m, list)
	if !ok {
		return change{}, false
	}
	text := m.textOf(c.left)
	if c.left.from != c.all.from && c.all.from > 0 && m.items[c.all.from-1].kind == sign && m.unary(c.left.from) {
		text = "(" + text + ")"
	}
	return m.replace(c.all, text)
}
