package typed

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	foreign "evolve/runtime/text"
)

// Finding is one place that a person has to review.
type Finding struct {
	Path string
	Line int // of the candidate, from 1
	// Why is one line for a person, with both sides where there are two.
	Why string
}

// String is a finding on one line, safe to look at in a terminal.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", plainText(f.Path), f.Line, f.Why) }

// plainText escapes what is foreign.
func plainText(s string) string {
	q := strconv.QuoteToASCII(s)
	if q = q[1 : len(q)-1]; q != s {
		return strings.ReplaceAll(q, `\"`, `"`)
	}
	return s
}

// shown is the source of a node on one line, shortened.
func shown(n ast.Node) string {
	return plainText(foreign.Clip(strings.Join(strings.Fields(text(n)), " "), 100, foreign.Mark))
}

// guards compares the guards of a package, part by part: their receivers, arguments and
// order, what comes before them, and what is done with which lock.
func (p *pair) guards() []Finding {
	was, is, pairs := p.was, p.is, p.pairs
	var out []Finding
	found := func(in *reading, n ast.Node, why string, args ...any) {
		path, line := in.place(n)
		out = append(out, Finding{path, line, fmt.Sprintf(why, args...)})
	}
	var before map[string]*walker
	if was != nil {
		before = was.walks()
	}
	after := is.walks()
	for _, name := range is.order {
		now := after[name]
		old := before[pairs[name]]
		if old == nil {
			for _, e := range now.events {
				if e.rule.opens {
					found(e.in, e.node, "%s: %s", e.rule.what, shown(e.node))
				}
			}
			continue
		}
		compareEvents(old.events, now.events, is.parts[name].node, is, found)
		compareHeld(old.accesses, now.accesses, found)
	}
	if was != nil {
		out = append(out, discipline(was, is, before, after, pairs)...)
	}
	return out
}

// walks reads all parts.
func (r *reading) walks() map[string]*walker {
	out := map[string]*walker{}
	for _, name := range r.order {
		out[name] = r.walk(name)
	}
	return out
}

// compareEvents reports guards of the base that the candidate lacks or has in another
// order.
func compareEvents(old, now []event, whole ast.Node, is *reading, found func(*reading, ast.Node, string, ...any)) {
	pairs := align(old, now)
	matched := map[int]bool{}
	for _, j := range pairs {
		matched[j] = true
	}
	said := map[string]bool{}
	for i, e := range old {
		j, kept := pairs[i]
		if kept {
			if e.rule.anyOrder {
				continue
			}
			for call := range now[j].before {
				if !e.before[call] && e.after[call] {
					found(now[j].in, now[j].node, "%s comes after a call of %s, before which the base has it: %s", e.rule.what, plainText(call), shown(now[j].node))
					break
				}
			}
			continue
		}
		at := slices.IndexFunc(now, func(o event) bool { return o.rule.what == e.rule.what && !o.rule.opens })
		for k, o := range now { // the nearest one that is new
			if o.rule.what == e.rule.what && !matched[k] {
				at = k
				break
			}
		}
		path, line := e.in.place(e.node)
		switch {
		case at >= 0 && !matched[at]:
			matched[at] = true
			found(now[at].in, now[at].node, "%s is another: %s, in the base %s (%s:%d)%s", e.rule.what, shown(now[at].node), shown(e.node), plainText(path), line, because(e, now[at]))
		case e.rule.kept && !said[e.key()]:
			said[e.key()] = true
			found(is, whole, "%s is gone: the base has %s (%s:%d)", e.rule.what, shown(e.node), plainText(path), line)
		}
	}
	for j, e := range now {
		if e.rule.opens && !matched[j] {
			found(e.in, e.node, "%s: %s", e.rule.what, shown(e.node))
		}
	}
}

// because describes a difference that the source does not show.
func because(old, now event) string {
	if shown(old.node) != shown(now.node) {
		return ""
	}
	return fmt.Sprintf("; it stands for %s, in the base for %s", plainText(now.says), plainText(old.says))
}

// align pairs the guards of two sides that are alike and stand in the same order: a
// longest common subsequence, by places.
func align(old, now []event) map[int]int {
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i].key() == now[j].key() {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	out := map[int]int{}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case old[i].key() == now[j].key():
			out[i] = j
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// compareHeld reports accesses that the base made only with a lock held and that the
// candidate makes without it.
func compareHeld(old, now []access, found func(*reading, ast.Node, string, ...any)) {
	for _, write := range []bool{true, false} {
		always := map[string][]string{}
		for _, a := range old {
			if a.write == write {
				if have, ok := always[a.name]; ok {
					always[a.name] = both(have, a.held)
				} else {
					always[a.name] = a.held
				}
			}
		}
		said := map[string]bool{}
		for _, a := range now {
			if a.write != write || said[a.name] {
				continue
			}
			for _, lock := range always[a.name] {
				if !held(a.held, lock) && (write || !slices.Contains(a.held, lock+" for reading")) {
					said[a.name] = true
					found(a.in, a.node, "%s is %s without %s, with which the base does it", shown(a.node), a.done(), short(lock))
					break
				}
			}
		}
	}
}

// done is what an access does.
func (a access) done() string {
	switch {
	case a.call:
		return "called"
	case a.write:
		return "written"
	}
	return "read"
}

// short is a name without the path of its package.
func short(name string) string { return plainText(name[strings.LastIndex(name, "/")+1:]) }

func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(lock string) bool { return !slices.Contains(b, lock) })
}

// held reports whether a lock is held, or the same one for writing.
func held(list []string, lock string) bool {
	return slices.Contains(list, lock) || slices.Contains(list, strings.TrimSuffix(lock, " for reading"))
}

// discipline reports new functions that access a field without the locks that all
// functions of the base hold there.
func discipline(was, is *reading, before, after map[string]*walker, pairs map[string]string) []Finding {
	type rule struct {
		locks []string
		uses  int
	}
	rules := map[string]*rule{}
	for _, name := range was.order {
		for _, a := range before[name].accesses {
			plain := make([]string, len(a.held))
			for i, lock := range a.held {
				plain[i] = strings.TrimSuffix(lock, " for reading")
			}
			if r := rules[a.name]; r == nil {
				rules[a.name] = &rule{plain, 1}
			} else {
				r.locks, r.uses = both(r.locks, plain), r.uses+1
			}
		}
	}
	called := is.called()
	var out []Finding
	for _, name := range is.order {
		if pairs[name] != "" || called[name] {
			continue // it is held against what it was, or read where it is called
		}
		said := map[string]bool{}
		for _, a := range after[name].accesses {
			r := rules[a.name]
			if r == nil || r.uses < 2 || len(r.locks) == 0 || said[a.name] {
				continue
			}
			if !slices.ContainsFunc(r.locks, func(lock string) bool {
				return held(a.held, lock+" for reading") || slices.Contains(a.held, lock+" for reading") && !a.write
			}) {
				said[a.name] = true
				path, line := a.in.place(a.node)
				out = append(out, Finding{path, line, fmt.Sprintf("%s is %s without %s, with which the base does it everywhere", shown(a.node), a.done(), short(r.locks[0]))})
			}
		}
	}
	return out
}

// called are the parts that a function of the package calls.
func (r *reading) called() map[string]bool {
	out := map[string]bool{}
	for _, name := range r.order {
		ast.Inspect(r.parts[name].node, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if to := r.partOf(r.callee(call.Fun)); to != "" && to != name {
					out[to] = true
				}
			}
			return true
		})
	}
	return out
}
