package tokens

import (
	"slices"
	"strings"
)

// crossings lists the operators from which Cross draws, with their weights.
var crossings = []operator{
	{"splice", 3, (*mutation).splice},
	{"statement", 2, (*mutation).statement},
	{"insert", 1, (*mutation).insert},
}

// simple returns the lines of a text that can be moved separately.
func (v *view) simple() []logical {
	return slices.DeleteFunc(slices.Clone(v.lines), func(l logical) bool { return !l.simple })
}

func (v *view) lineText(l logical) string { return v.text[l.from:l.to] }

// swap exchanges two neighbouring lines with the same indentation.
func (m *mutation) swap() (change, bool) {
	var list []int
	for i := range len(m.lines) - 1 {
		if a, b := m.lines[i], m.lines[i+1]; a.simple && b.simple && a.indent == b.indent {
			list = append(list, i)
		}
	}
	i, ok := pick(m, list)
	if !ok {
		return change{}, false
	}
	a, b := m.lines[i], m.lines[i+1]
	first, second := m.lineText(a), m.lineText(b)
	return change{[]edit{{a.from, a.to, second}, {b.from, b.to, first}}, strings.TrimSpace(first) + "; " + second, strings.TrimSpace(second) + "; " + first, a.from}, true
}

// sibling reports whether the block that contains a line has another line.
func (v *view) sibling(at int) bool {
	indent := len(v.lines[at].indent)
	for _, step := range []int{-1, 1} {
		for i := at + step; i >= 0 && i < len(v.lines) && len(v.lines[i].indent) >= indent; i += step {
			if len(v.lines[i].indent) == indent && (v.items[v.lines[i].first].kind == name || v.items[v.lines[i].first].kind == number) {
				return true
			}
		}
	}
	return false
}

// remove deletes a line from a block in which other lines remain.
func (m *mutation) remove() (change, bool) {
	var list []logical
	for i, l := range m.lines {
		if l.simple && m.sibling(i) {
			list = append(list, l)
		}
	}
	l, ok := pick(m, list)
	return change{[]edit{{l.from, l.to, ""}}, m.lineText(l), "", l.from}, ok
}

// after returns the change that inserts text as a new line after the line anchor, with
// the same indentation as anchor.
func (m *mutation) after(anchor logical, text string) (change, bool) {
	text = anchor.indent + strings.TrimLeft(text, " \t")
	return change{[]edit{{anchor.to, anchor.to, text}}, "", text, anchor.to}, true
}

// duplicate inserts a copy of a line after a line with the same indentation.
func (m *mutation) duplicate() (change, bool) {
	l, ok := pick(m, m.simple())
	if !ok {
		return change{}, false
	}
	anchor, ok := pick(m, slices.DeleteFunc(m.simple(), func(a logical) bool { return a.indent != l.indent }))
	if !ok {
		return change{}, false
	}
	return m.after(anchor, m.lineText(l))
}

// splice replaces an expression with an expression from the other text.
func (m *mutation) splice() (change, bool) {
	p, ok := pick(m, m.places)
	q, other := pick(m, m.other.values())
	if !ok || !other {
		return change{}, false
	}
	return m.replace(p, m.other.textOf(q))
}

// headOf returns the target of a line's assignment or, if the line is not an assignment,
// its first word.
func (v *view) headOf(l logical) string {
	first := v.items[l.first].text
	if v.assigned(l.first) {
		first += " ="
	}
	return first
}

// statement replaces a line with a line from the other text that assigns to the same
// target, or begins with the same word.
func (m *mutation) statement() (change, bool) {
	type pair struct{ ours, theirs logical }
	var list []pair
	for _, a := range m.lines {
		for _, b := range m.other.lines {
			movable := a.simple && b.simple || a.whole && b.whole && m.items[a.first].text == "return"
			if movable && m.headOf(a) == m.other.headOf(b) && strings.TrimSpace(m.lineText(a)) != strings.TrimSpace(m.other.lineText(b)) {
				list = append(list, pair{a, b})
			}
		}
	}
	c, ok := pick(m, list)
	if !ok {
		return change{}, false
	}
	text := c.ours.indent + strings.TrimLeft(m.other.lineText(c.theirs), " \t")
	return change{[]edit{{c.ours.from, c.ours.to, text}}, m.lineText(c.ours), text, c.ours.from}, true
}

// insert inserts a line from the other text after a line of the text.
func (m *mutation) insert() (change, bool) {
	l, ok := pick(m, m.other.simple())
	anchor, place := pick(m, m.simple())
	if !ok || !place {
		return change{}, false
	}
	return m.after(anchor, m.other.lineText(l))
}
