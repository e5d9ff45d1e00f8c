package gotest

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/syntax"
	gosource "evolve/runtime/source"
)

// removedStmt is a statement in the base, or an operand of a condition there, that a patch
// removes.
type removedStmt struct {
	place
	line int
	text string
}

// untestedRemovals lists the removed statements that no test reached on the base, and the
// removed operands that were not decisive in any test. Passing tests prove nothing about
// such removals: a check that no test triggers can be removed without a test failing.
func (t *checker) untestedRemovals(ctx context.Context) ([]string, error) {
	l := t.layout
	folders, removed := map[*pkg]source{}, map[place]removedStmt{}
	for _, p := range l.direct {
		if l.was.packages[p.path] == nil {
			continue
		}
		was, is, err := l.sources(p)
		if err != nil {
			return nil, err
		}
		for _, g := range removedStmts(was, is) {
			folders[p], removed[g.place] = was, g
		}
	}
	near := func(p *pkg) bool { return slices.Contains(l.direct, p) }
	for _, turn := range []bool{true, false} {
		if len(removed) == 0 {
			return nil, nil
		}
		packages := slices.DeleteFunc(slices.Clone(l.affected), func(p *pkg) bool { return near(p) != turn })
		reached, err := t.reachedOnBase(ctx, packages, folders)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(removed, func(at place, _ removedStmt) bool { return reached[at] })
	}
	var out []string
	for _, g := range removed {
		out = append(out, fmt.Sprintf("%s (%s:%d)", strconv.QuoteToASCII(g.text), g.file, g.line))
	}
	slices.Sort(out)
	return out, nil
}

// removedStmts lists the statements and conditions of changed functions that occur less
// often in a folder than before. A statement that was moved does not count as removed.
func removedStmts(was, is source) []removedStmt {
	before, after := was.tally(), is.tally()
	same, raws := is.functions(), is.raws()
	var out []removedStmt
	for file, fn := range was.each() {
		if fn.Body == nil || slices.Contains(same[gosource.FuncName(fn)], syntax.Text(fn)) {
			continue
		}
		own := ownLines(was.raw(file, fn), raws[gosource.FuncName(fn)])
		first := was.fset.Position(fn.Pos()).Line
		for _, s := range spots(fn.Body) {
			a, b := was.fset.Position(s.from).Line-first, was.fset.Position(s.to).Line-first
			text := was.textOf(file, s.from, s.to)
			if slices.Contains(own[a:min(b+1, len(own))], true) && before[text] > after[text] {
				out = append(out, removedStmt{place{file, was.fset.Position(s.at).Offset}, a + first, text})
			}
		}
		kept := knownConditions(raws[gosource.FuncName(fn)])
		for _, c := range leaves(fn.Body) {
			if at := was.fset.Position(c.expr.Pos()); !kept[c.key()] && before[c.key()] > after[c.key()] {
				out = append(out, removedStmt{place{file, at.Offset}, at.Line, c.op.String() + " " + syntax.Text(c.expr)})
			}
		}
	}
	return out
}

// tally counts the statements in a folder, keyed by their texts, and the conditions, keyed
// by their decision keys. The two kinds of keys cannot be confused, because a decision key
// begins with an operator.
func (s source) tally() map[string]int {
	out := map[string]int{}
	for file, fn := range s.each() {
		if fn.Body == nil {
			continue
		}
		for _, spot := range spots(fn.Body) {
			out[s.textOf(file, spot.from, spot.to)]++
		}
		for _, c := range leaves(fn.Body) {
			out[c.key()]++
		}
	}
	return out
}

// textOf returns the text between two positions, with each run of white space reduced to
// one space.
func (s source) textOf(file string, from, to token.Pos) string {
	return strings.Join(strings.Fields(string(s.texts[file][s.fset.Position(from).Offset:s.fset.Position(to).Offset])), " ")
}
