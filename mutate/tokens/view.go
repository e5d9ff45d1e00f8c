package tokens

import (
	"slices"
	"strings"
)

// item is a token other than white space and comments, with its surroundings.
type item struct {
	token
	text string
	// line is the index of the item's logical line, and match is the index of the
	// matching bracket, or -1.
	line, match int
	// before and after report whether there is white space before and after the item.
	before, after bool
	// fixed reports whether operators must not change the item.
	fixed bool
}

// logical is a line, together with the lines that continue it.
type logical struct {
	first, last int // items
	from, to    int // byte offsets of its whole physical lines
	indent      string
	// whole reports whether all brackets in the line are matched within it and no other
	// lines belong to it. simple reports whether the line is a separate statement, which
	// can be moved.
	whole, simple bool
}

// view is a text that has been divided into items and logical lines.
type view struct {
	r     *Rewriter
	text  string
	items []item
	lines []logical
	// strings counts the text's strings and comments, and open holds its unmatched
	// brackets.
	strings map[string]int
	open    string
	size    int
}

// read reads a text, and finds the tokens that operators must not change and the lines that
// can be moved.
func (r *Rewriter) read(text string) *view {
	v := r.scan(text)
	v.fix()
	v.simplify()
	return v
}

// scan returns the items and lines of a text.
func (r *Rewriter) scan(text string) *view {
	v := &view{r: r, text: text, strings: map[string]int{}}
	var open []int
	var unmatched strings.Builder
	ends := []int{} // for each item, the number of line ends before it
	count, blank := 0, true
	for _, t := range lex(r.language, r.vocabulary, text) {
		s := text[t.from:t.to]
		switch t.kind {
		case space:
			blank = true
		case newline:
			count++
			blank = true
		case comment, str:
			v.strings[s]++
		}
		if n := len(v.items); n > 0 && t.kind <= comment {
			v.items[n-1].after = true
		}
		if t.kind <= comment {
			blank = true
			if t.kind == comment {
				count += strings.Count(s, "\n")
			}
			continue
		}
		x := item{token: t, text: s, match: -1, before: blank}
		blank = false
		n := len(v.items)
		switch t.kind {
		case opens:
			open = append(open, n)
		case closes:
			if k := len(open); k > 0 && pairs(v.items[open[k-1]].text, s) {
				x.match, v.items[open[k-1]].match = open[k-1], n
				open = open[:k-1]
			} else {
				unmatched.WriteString(s)
			}
		}
		v.items = append(v.items, x)
		ends = append(ends, count)
		count += strings.Count(s, "\n")
	}
	for _, i := range open {
		unmatched.WriteString(v.items[i].text)
	}
	v.open = unmatched.String()
	v.size = len(v.items)
	v.divide(ends)
	return v
}

func pairs(open, shut string) bool {
	return open == "(" && shut == ")" || open == "[" && shut == "]" || open == "{" && shut == "}"
}

// divide finds the logical lines. ends holds the number of line ends before each item.
func (v *view) divide(ends []int) {
	inside := 0 // number of surrounding brackets within which a line end is allowed
	joins := func(x *item) bool { return x.match >= 0 && (x.text != "{" && x.text != "}" || v.r.language.indented) }
	for i := range v.items {
		x := &v.items[i]
		fresh := i == 0
		if i > 0 && ends[i] > ends[i-1] {
			fresh = inside == 0 && !v.continues(i)
		}
		if fresh {
			at := strings.LastIndexByte(v.text[:x.from], '\n') + 1
			v.lines = append(v.lines, logical{first: i, from: at, indent: v.text[at:x.from]})
		}
		x.line = len(v.lines) - 1
		l := &v.lines[x.line]
		l.last, l.to = i, x.to+line(v.text[x.to:])
		if l.to < len(v.text) {
			l.to++
		}
		switch {
		case x.kind == opens && joins(x):
			inside++
		case x.kind == closes && joins(x):
			inside--
		}
	}
}

// continues reports whether the line that begins with an item continues the previous line.
func (v *view) continues(i int) bool {
	if v.r.language.indented || v.r.language.shell {
		return strings.HasPrefix(strings.TrimRight(v.text[v.items[i-1].to:v.items[i].from], " \t\n"), "\\") ||
			strings.Contains(v.text[v.items[i-1].to:v.items[i].from], "\\\n")
	}
	last, next := v.items[i-1], v.items[i]
	if last.kind == sign && !slices.Contains([]string{";", ":", "++", "--", "|", "!", "?", "=>"}, last.text) {
		return true
	}
	return next.kind == sign && !slices.Contains([]string{";", "++", "--", "!", "*", "&", "~", "-", "#", ":", "::", "@", "$"}, next.text)
}

// is reports whether an item is a name that is in a set of words.
func (x item) is(set map[string]bool) bool { return x.kind == name && set[x.text] }

// fix marks the tokens that operators must not change: heads of declarations and loops,
// parameters of closures, and in a shell everything except arithmetic.
func (v *view) fix() {
	w := v.r.vocabulary
	for i := range v.items {
		x := v.items[i]
		leads := v.leads(i)
		switch {
		case v.member(i):
		case x.is(w.declaring) && !v.followed(i, "=", ".", ","):
			v.freeze(i, v.head(i))
		case x.is(w.looping) && !v.followed(i, "=", "."):
			v.freeze(i, v.head(i))
		case leads && x.is(w.leading) && !v.followed(i, "(", "=", ".", "[", ","):
			v.freeze(i, v.head(i))
		case leads && x.kind == name && x.text[0] == '@', leads && x.text == "#" || leads && x.text == "@":
			v.freeze(i, v.lines[x.line].last)
		case x.text == "=>" || x.text == "->" && i > 0 && v.items[i-1].text == ")":
			if i > 0 && v.items[i-1].match >= 0 {
				v.freeze(v.items[i-1].match, i)
			} else if i > 0 {
				v.freeze(i-1, i)
			}
		case x.text == "|" && i > 0 && slices.Contains([]string{"(", ",", "=", "{", "do", "move"}, v.items[i-1].text):
			for j := i + 1; j < len(v.items) && v.items[j].line == x.line; j++ {
				if v.items[j].text == "|" {
					v.freeze(i, j)
					break
				}
			}
		case x.text == "{" && i > 1 && !v.r.language.indented:
			v.method(i)
		}
	}
	if v.r.language.shell {
		v.arithmeticAlone()
	}
}

// member reports whether an item is a name after one of the tokens ".", "->", "::" and
// "?.".
func (v *view) member(i int) bool {
	return i > 0 && v.items[i].kind == name && slices.Contains([]string{".", "->", "::", "?."}, v.items[i-1].text)
}

// followed reports whether one of the given texts follows an item on its line.
func (v *view) followed(i int, list ...string) bool {
	return i+1 < len(v.items) && v.items[i+1].line == v.items[i].line && slices.Contains(list, v.items[i+1].text)
}

// leads reports whether an item is the first on its line, apart from modifiers.
func (v *view) leads(i int) bool {
	for j := v.lines[v.items[i].line].first; j < i; j++ {
		if !v.items[j].is(v.r.vocabulary.modifying) {
			return false
		}
	}
	return true
}

// head returns the last item in the head of a declaration or loop that begins with the
// given item.
func (v *view) head(i int) int {
	l := v.r.language
	for j := i + 1; j < len(v.items) && v.items[j].line == v.items[i].line; j++ {
		x := v.items[j]
		switch {
		case x.text == "{" && !l.indented, x.text == ":" && l.indented, x.text == "do" && x.kind == name, x.text == "=>":
			return j
		case x.kind == closes:
			return j - 1
		case x.kind == opens && x.match > 0:
			if j = x.match; l.worded {
				return j
			}
		}
	}
	return v.lines[v.items[i].line].last
}

// method marks as fixed the head of a function that is declared without a keyword, if the
// head ends with a brace.
func (v *view) method(i int) {
	w := v.r.vocabulary
	shut := i - 1
	for shut > 0 && (v.items[shut].kind == name || v.items[shut].text == ":") && v.items[shut].line == v.items[i].line {
		shut--
	}
	if open := v.items[shut].match; v.items[shut].text == ")" && open > 0 && v.items[open-1].kind == name && !v.items[open-1].is(w.reserved) {
		v.freeze(v.lines[v.items[open].line].first, i)
	}
}

func (v *view) freeze(from, to int) {
	for i := max(0, from); i <= to && i < len(v.items); i++ {
		v.items[i].fixed = true
	}
}

// arithmeticAlone marks as fixed everything outside (( )) except numbers and comparisons.
func (v *view) arithmeticAlone() {
	depth := 0
	for i := range v.items {
		x := &v.items[i]
		if x.text == "(" && i+1 < len(v.items) && v.items[i+1].text == "(" && x.to == v.items[i+1].from && x.match > 0 && depth == 0 {
			depth = x.match
		}
		if i >= depth {
			depth = 0
		}
		if depth == 0 && !(x.kind == number && x.before && x.after) && !strings.HasPrefix(x.text, "-") {
			x.fixed = true
		}
	}
}

// simplify finds the lines that can be moved.
func (v *view) simplify() {
	run, w := v.running(), v.r.vocabulary
	for n := range v.lines {
		l := &v.lines[n]
		first, last := v.items[l.first], v.items[l.last]
		l.whole = !first.fixed && first.kind == name && strings.TrimLeft(l.indent, " \t") == "" && v.text[l.to-1] == '\n' &&
			(n+1 == len(v.lines) || len(v.lines[n+1].indent) <= len(l.indent)) &&
			last.text != ":" && last.text != "," && (!v.r.language.semicolons || last.text == ";")
		values, runs := 0, false
		for i := l.first; i <= l.last; i++ {
			x := v.items[i]
			bracket := x.kind == opens || x.kind == closes
			delimits := x.text == "{" && !v.r.language.indented || i > l.first && (x.text == "do" || x.text == "then" || x.text == "end")
			if bracket && (x.match < l.first || x.match > l.last) || delimits {
				l.whole = false
			}
			if x.kind == name || x.kind == number {
				values++
			}
			runs = runs || run[x.text] && (v.assigned(i) || v.followed(i, "++", "--", "."))
		}
		l.simple = l.whole && !runs && values > 1 && !first.is(w.fixed) && !first.is(w.branching) &&
			(!v.r.language.shell || strings.Contains(v.text[l.from:l.to], "="))
	}
}

// running returns the names that occur in the heads of loops and thus determine how the
// loops run.
func (v *view) running() map[string]bool {
	out := map[string]bool{}
	for i, x := range v.items {
		if !x.fixed || !x.is(v.r.vocabulary.looping) {
			continue
		}
		for j := i + 1; j <= v.head(i) && j < len(v.items); j++ {
			if y := v.items[j]; y.kind == name && !y.is(v.r.vocabulary.reserved) {
				out[y.text] = true
			}
		}
	}
	return out
}

// assigned reports whether an item is the name on the left side of an assignment.
func (v *view) assigned(i int) bool {
	x := v.items[i]
	return x.kind == name && i+1 < len(v.items) && v.items[i+1].line == x.line && assigning(v.items[i+1].text, v.r.language.sql)
}

// assigning reports whether a sign is an assignment operator.
func assigning(s string, sql bool) bool {
	switch s {
	case "=":
		return !sql
	case "==", "<=", ">=", "!=", "===", "!==", "~=":
		return false
	case "<-", "++", "--":
		return true
	}
	return len(s) > 1 && strings.HasSuffix(s, "=") && s != "=="
}
