package typed

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/syntax"
	foreign "evolve/runtime/text"
)

// Finding is a passage that a person must review.
type Finding struct {
	Path string
	Line int // line in the candidate, counted from 1
	// Why is one line for a reviewer, with the source of both sides if the passage exists
	// on both.
	Why string
	// Told reports whether the finding only appears in the evidence and does not flag the
	// patch.
	Told bool
}

// String returns the finding on one line, escaped for a terminal.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", plainText(f.Path), f.Line, f.Why) }

// plainText escapes untrusted text.
func plainText(s string) string {
	q := strconv.QuoteToASCII(s)
	if q = q[1 : len(q)-1]; q != s {
		return strings.ReplaceAll(q, `\"`, `"`)
	}
	return s
}

// shown returns the source of a node, shortened and on one line.
func shown(n ast.Node) string { return shownText(syntax.Text(n), 100) }

// shownText returns source on one line, shortened to at most the given number of bytes.
func shownText(s string, most int) string {
	return plainText(foreign.Clip(strings.Join(strings.Fields(s), " "), most, foreign.Mark))
}

// guards compares the guards of a package, part by part: their receivers, arguments and
// order, the calls before them, and the accesses under each lock.
func (p *pair) guards() []Finding {
	was, is, pairs := p.was, p.is, p.pairs
	var out []Finding
	found := func(in *reading, n ast.Node, why string, args ...any) {
		path, line := in.place(n)
		out = append(out, Finding{Path: path, Line: line, Why: fmt.Sprintf(why, args...)})
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

// walks walks all parts.
func (r *reading) walks() map[string]*walker {
	out := map[string]*walker{}
	for _, name := range r.order {
		out[name] = r.walk(name)
	}
	return out
}

// compareEvents reports guards in the base that are missing in the candidate or are called
// there in another order.
func compareEvents(old, now []event, whole ast.Node, is *reading, found func(*reading, ast.Node, string, ...any)) {
	pairs, matched := map[int]int{}, map[int]bool{}
	for _, p := range syntax.Align(len(old), len(now), func(i, j int) bool { return old[i].key() == now[j].key() }) {
		pairs[p.Old], matched[p.New] = p.New, true
	}
	reported := map[string]bool{}
	for i, e := range old {
		j, kept := pairs[i]
		if kept {
			if e.rule.anyOrder {
				continue
			}
			for call := range now[j].before {
				if !e.before[call] && e.after[call] {
					found(now[j].in, now[j].node, "%s comes after a call to %s; in the base it comes before that call: %s", e.rule.what, plainText(call), shown(now[j].node))
					break
				}
			}
			continue
		}
		at := slices.IndexFunc(now, func(o event) bool { return o.rule.what == e.rule.what && !o.rule.opens })
		for k, o := range now { // the first guard without a counterpart
			if o.rule.what == e.rule.what && !matched[k] {
				at = k
				break
			}
		}
		path, line := e.in.place(e.node)
		switch {
		case at >= 0 && !matched[at]:
			matched[at] = true
			found(now[at].in, now[at].node, "%s changed: now %s; in the base %s (%s:%d)%s", e.rule.what, shown(now[at].node), shown(e.node), plainText(path), line, because(e, now[at]))
		case e.rule.kept && !reported[e.key()]:
			reported[e.key()] = true
			found(is, whole, "%s is missing: the base has %s (%s:%d)", e.rule.what, shown(e.node), plainText(path), line)
		}
	}
	for j, e := range now {
		if e.rule.opens && !matched[j] {
			found(e.in, e.node, "%s: %s", e.rule.what, shown(e.node))
		}
	}
}

// because describes how the compared values of two guards with the same source differ; it
// returns "" if the sources are different.
func because(old, now event) string {
	if shown(old.node) != shown(now.node) {
		return ""
	}
	return fmt.Sprintf("; its value is %s; in the base it is %s", plainText(now.compared), plainText(old.compared))
}

// compareHeld reports accesses for which the base always holds a lock and the candidate
// does not.
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
		reported := map[string]bool{}
		for _, a := range now {
			if a.write != write || reported[a.name] {
				continue
			}
			for _, lock := range always[a.name] {
				if !held(a.held, lock) && (write || !slices.Contains(a.held, lock+" for reading")) {
					reported[a.name] = true
					found(a.in, a.node, "%s is %s without %s, although the base holds that lock there", shown(a.node), a.done(), short(lock))
					break
				}
			}
		}
	}
}

// done describes the kind of an access in words.
func (a access) done() string {
	switch {
	case a.call:
		return "called"
	case a.write:
		return "written"
	}
	return "read"
}

// short returns a name without its package path.
func short(name string) string { return plainText(name[strings.LastIndex(name, "/")+1:]) }

func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(lock string) bool { return !slices.Contains(b, lock) })
}

// held reports whether the list contains a lock, held either in the same way or for
// writing.
func held(list []string, lock string) bool {
	return slices.Contains(list, lock) || slices.Contains(list, strings.TrimSuffix(lock, " for reading"))
}

// discipline reports new functions that access a field without the locks that all functions
// in the base hold when they access it.
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
			continue // compared with its base version, or inlined where it is called
		}
		reported := map[string]bool{}
		for _, a := range after[name].accesses {
			r := rules[a.name]
			if r == nil || r.uses < 2 || len(r.locks) == 0 || reported[a.name] {
				continue
			}
			if !slices.ContainsFunc(r.locks, func(lock string) bool {
				return held(a.held, lock+" for reading") || slices.Contains(a.held, lock+" for reading") && !a.write
			}) {
				reported[a.name] = true
				path, line := a.in.place(a.node)
				out = append(out, Finding{Path: path, Line: line, Why: fmt.Sprintf("%s is %s without %s, which the base always holds for such an access", shown(a.node), a.done(), short(r.locks[0]))})
			}
		}
	}
	return out
}

// called returns the names of the parts of the package that other parts call.
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
