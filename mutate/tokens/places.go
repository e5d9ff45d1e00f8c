package tokens

import (
	"slices"
	"strings"
)

// place is an expression that contains no operators except within brackets: a name with its
// selectors and arguments, a number, or a bracketed expression.
type place struct{ from, to int } // items

func (v *view) textOf(p place) string { return v.text[v.items[p.from].from:v.items[p.to].to] }

// primary returns the end of the expression without operators that begins at an item.
func (v *view) primary(i int) (int, bool) {
	if i >= len(v.items) {
		return 0, false
	}
	x := v.items[i]
	switch {
	case x.kind == number:
		return i, true
	case x.kind == opens && x.text != "{" && x.match >= 0:
		i = x.match
	case x.kind != name || x.is(v.r.vocabulary.reserved):
		return 0, false
	}
	for i+1 < len(v.items) && v.items[i+1].line == x.line {
		next := v.items[i+1]
		switch {
		case (next.text == "(" || next.text == "[") && !next.before && next.match >= 0:
			i = next.match
		case i+2 < len(v.items) && v.member(i+2):
			i += 2
		default:
			return i, true
		}
	}
	return i, true
}

// back returns the beginning of the operator-free expression that ends at an item. A sign
// before the expression is a part of it.
func (v *view) back(i int) (int, bool) {
	if i < 0 {
		return 0, false
	}
	line := v.items[i].line
	for {
		x := v.items[i]
		switch {
		case x.kind == closes && x.match >= 0 && x.text != "}":
			i = x.match
			if i > 0 && !v.items[i].before && (v.items[i-1].kind == closes || v.items[i-1].kind == name && !v.items[i-1].is(v.r.vocabulary.reserved)) {
				i--
				continue
			}
		case x.kind != number && (x.kind != name || x.is(v.r.vocabulary.reserved)):
			return 0, false
		}
		if i > 1 && v.member(i) {
			i -= 2
			continue
		}
		if i > 0 && v.unary(i-1) {
			i--
		}
		return i, v.items[i].line == line
	}
}

// unary reports whether an item is a sign that precedes an operand.
func (v *view) unary(i int) bool {
	return slices.Contains([]string{"-", "!", "not", "~"}, v.items[i].text) && (i == 0 || !v.operandEnds(i-1))
}

// operandEnds reports whether an item can end an operand.
func (v *view) operandEnds(i int) bool {
	x := v.items[i]
	return x.kind == number || x.kind == closes || x.kind == str || x.kind == name && !x.is(v.r.vocabulary.reserved)
}

// precedences holds the precedences of operators; 0 means that a token is not an operator.
var precedences = map[string]int{
	"or": 1, "||": 1, "OR": 1, "and": 2, "&&": 2, "AND": 2,
	"<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "===": 4, "!==": 4, "<>": 4, "~=": 4, "-lt": 4, "-le": 4, "-gt": 4, "-ge": 4, "-eq": 4, "-ne": 4,
	"|": 5, "^": 5, "&": 5, "<<": 5, ">>": 5,
	"+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "//": 7, "**": 8,
}

// binary returns the precedence of the item if it is an operator between operands, and 0
// otherwise.
func (v *view) binary(i int) int {
	if i < 1 || i+1 >= len(v.items) || v.items[i].fixed || v.items[i-1].line != v.items[i].line || v.items[i+1].line != v.items[i].line {
		return 0
	}
	x := v.items[i]
	p := precedences[x.text]
	if x.text == "=" && v.r.language.sql {
		p = 4
	}
	next := v.items[i+1]
	begins := next.kind == number || next.kind == str || next.text == "(" || next.text == "[" || next.kind == name && (!next.is(v.r.vocabulary.reserved) || next.text == "not") || v.unary(i+1)
	if p == 0 || !begins || !v.operandEnds(i-1) || x.before != x.after {
		return 0
	}
	if (x.text == "<" || x.text == ">" || x.text == "*" || x.text == "&") && !x.before && !v.r.language.indented {
		return 0 // types
	}
	return p
}

// operands returns the operands on both sides of a binary operator.
func (v *view) operands(i int) (left, right place, ok bool) {
	p := v.binary(i)
	if p == 0 {
		return left, right, false
	}
	from, ok1 := v.back(i - 1)
	for ok1 && from > 1 && v.binary(from-1) > p {
		from, ok1 = v.back(from - 2)
	}
	to, ok2 := v.signed(i + 1)
	for ok2 && v.binary(to+1) > p {
		to, ok2 = v.signed(to + 2)
	}
	if !ok1 || !ok2 || v.anyFixed(from, to) {
		return left, right, false
	}
	return place{from, i - 1}, place{i + 1, to}, true
}

// signed does what primary does, but allows a sign before the expression.
func (v *view) signed(i int) (int, bool) {
	if i < len(v.items) && v.unary(i) {
		i++
	}
	return v.primary(i)
}

func (v *view) anyFixed(from, to int) bool {
	return slices.ContainsFunc(v.items[from:to+1], func(x item) bool { return x.fixed })
}

// values returns the expressions that can be replaced by others.
func (v *view) values() []place {
	var out []place
	for i := range v.items {
		to, ok := v.primary(i)
		if ok && !v.member(i) && !v.anyFixed(i, to) && v.valuable(i, to) && (!v.r.language.shell || v.calculated(i)) {
			out = append(out, place{i, to})
		}
	}
	return out
}

// calculated reports whether an item is in brackets whose contents may be changed; in a
// shell these are only (( )).
func (v *view) calculated(i int) bool {
	return slices.ContainsFunc(v.items[:i], func(x item) bool { return x.kind == opens && !x.fixed && x.match > i })
}

// valuable reports whether a value is in a position where any expression is allowed.
func (v *view) valuable(from, to int) bool {
	x := v.items[from]
	before, after := "", "" // "" at the beginning or the end of a line
	if from > 0 && v.items[from-1].line == x.line {
		p := v.items[from-1]
		before = p.text
		switch {
		case p.kind == name && !p.is(v.r.vocabulary.opening), p.kind == str, p.kind == number, p.kind == closes:
			return false
		case p.kind == sign && strings.Contains("; . -> :: ++ -- .. ... ! & @ # $ ?. ' \\ =>", p.text) && p.text != "=>":
			return false
		case (p.text == "*" || p.text == "**") && v.binary(from-1) == 0:
			return false
		}
	}
	if to+1 < len(v.items) && v.items[to+1].line == x.line {
		n := v.items[to+1]
		after = n.text
		switch {
		case n.kind == name && !n.is(v.r.vocabulary.joining), n.kind == str, n.kind == number, n.kind == opens && n.text != "{":
			return false
		case n.text == "{" && !v.items[v.lines[x.line].first].is(v.r.vocabulary.branching) && !v.r.language.indented:
			return false
		case assigning(n.text, v.r.language.sql), slices.Contains([]string{"=>", "->", "::", "!", "..", "..."}, n.text):
			return false
		case n.text == ":" && (before == "{" || before == "," || before == "("), n.text == "," && before == "":
			return false
		case precedences[n.text] > 0 && n.kind == sign && v.binary(to+1) == 0:
			return false
		}
	}
	if before == "" && precedences[after] == 0 {
		return false
	}
	if before == "(" && after == ")" && to+2 < len(v.items) && v.items[to+2].line == x.line && v.items[to+2].kind != sign && v.items[to+2].kind != closes &&
		(from < 2 || v.items[from-2].kind != name) {
		return false // a cast
	}
	return true
}

// kindOf returns a key for how a name is used: whether it is a member, and whether it is
// called, indexed or selected from.
func (v *view) kindOf(i int) string {
	k := ""
	if v.member(i) {
		k = "."
	}
	if i+1 < len(v.items) && !v.items[i+1].before && slices.Contains([]string{"(", "[", ".", "->", "::"}, v.items[i+1].text) {
		k += v.items[i+1].text
	}
	return k
}

// names returns the names of values of the given kind that are known at an item.
func (v *view) names(kind string, at int) []string {
	first := map[string]int{} // for names that had no value before, the items at which they are first assigned one
	var list []string
	for i, x := range v.items {
		if x.kind != name || x.is(v.r.vocabulary.reserved) || v.r.vocabulary.leading[x.text] && x.fixed {
			continue
		}
		declares := v.assigned(i) && !v.member(i) || x.fixed && v.parameter(i)
		if declares && v.kindOf(i) == "" {
			if _, known := first[x.text]; !known && !slices.Contains(list, x.text) {
				first[x.text] = i
			}
			if kind == "" {
				list = append(list, x.text)
			}
		} else if !x.fixed && v.kindOf(i) == kind && (v.member(i) || v.valueStart(i)) {
			list = append(list, x.text)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(s string) bool {
		i, given := first[s]
		return given && (i >= at || i >= v.lines[v.items[at].line].first && !v.items[i].fixed)
	})
}

// valueStart reports whether a value begins at an item.
func (v *view) valueStart(i int) bool {
	to, ok := v.primary(i)
	return ok && v.valuable(i, to)
}

// parameter reports whether an item in a head is the name of a parameter or of a loop
// variable.
func (v *view) parameter(i int) bool {
	if i == 0 || i+1 >= len(v.items) || v.member(i) {
		return false
	}
	before, after := v.items[i-1], v.items[i+1]
	ends := slices.Contains([]string{",", ")", ":", "=", "in", "of", "|", "->", "=>"}, after.text)
	return ends && (before.kind == name || slices.Contains([]string{"(", ",", "|", "*", "&"}, before.text))
}
