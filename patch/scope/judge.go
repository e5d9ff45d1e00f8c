package scope

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The default limits of a policy.
const (
	defaultFiles = 20
	defaultBytes = 256 << 10
)

// change is one path that differs between the trees.
type change struct {
	path string
	// segments are the segments of the path, and folded holds the segments of the path's
	// folded form (see fold).
	segments, folded []string
	old, now         *Entry
}

func (c *change) name() string { return c.folded[len(c.folded)-1] }

// Judge compares the trees. The result depends only on them and the policy, not even on the
// order of the entries. A rename is a removal and an addition, each judged separately.
func (p Policy) Judge(base, candidate Tree) Judgement {
	was, _ := index(base)
	is, twice := index(candidate)
	changes := differences(was, is, twice)
	var out Judgement
	if len(changes) == 0 {
		return out
	}
	refuse := func(path, rule, why string) {
		out.Refused = append(out.Refused, Finding{Path: path, Rule: rule, Why: why})
	}
	for _, f := range p.problems() {
		refuse(f.Path, f.Rule, f.Why)
	}
	if most := p.files(); len(changes) > most {
		refuse("", "too many files", fmt.Sprintf("the patch changes %d files, but at most %d are allowed", len(changes), most))
	}
	collides, own, tests := newCollisions(candidate, changes), newOwn(base), newTestRules(base)
	folders := replacedFolders(base, changes)
	for _, c := range changes {
		out.Changed = append(out.Changed, c.path)
		before := len(out.Refused)
		check := func(rule, why string) {
			if rule != "" {
				refuse(c.path, rule, why)
			}
		}
		if slices.Contains(twice, c.path) {
			check("twice", "the tree contains this path more than once")
		}
		check(malformed(c.path))
		check(nonASCII(c.path))
		for _, s := range c.segments {
			check(unportable(s))
		}
		check(collides.with(c))
		check(swapped(c, was, folders))
		check(kind(c))
		check(p.place(c))
		check(p.size(c))
		check(own.belongs(c))
		check(p.build(c))
		if len(out.Refused) == before {
			check(p.tool(c))
		}
		if p.Runtime {
			check(trusted(c))
		}
		fresh, rule, why := tests.judge(c)
		check(rule, why)
		if fresh && len(out.Refused) == before {
			out.NewTests = append(out.NewTests, c.path)
		}
	}
	return out
}

// index returns a tree's entries, keyed by path, and the paths that occur more than once.
func index(t Tree) (map[string]Entry, []string) {
	entries := make(map[string]Entry, len(t))
	var twice []string
	for _, e := range t {
		if have, ok := entries[e.Path]; ok {
			twice = append(twice, e.Path)
			if compare(have, e) < 0 {
				continue // keep the same entry whatever the order of the tree
			}
		}
		entries[e.Path] = e
	}
	return entries, twice
}

func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Size, b.Size))
}

// differences lists, in order, the paths whose entries differ between the two trees,
// together with the paths that occur more than once in a tree.
func differences(was, is map[string]Entry, twice []string) []*change {
	var out []*change
	add := func(path string, old, now *Entry) {
		c := &change{path: path, segments: strings.Split(path, "/"), old: old, now: now}
		c.folded = strings.Split(fold(path), "/")
		out = append(out, c)
	}
	for path, e := range is {
		old, ok := was[path]
		switch {
		case !ok:
			add(path, nil, &e)
		case old != e || slices.Contains(twice, path):
			add(path, &old, &e)
		}
	}
	for path, e := range was {
		if _, ok := is[path]; !ok {
			add(path, &e, nil)
		}
	}
	slices.SortFunc(out, func(a, b *change) int { return strings.Compare(a.path, b.path) })
	return out
}

// kind refuses everything except regular files with an unchanged mode.
func kind(c *change) (rule, why string) {
	for _, e := range []*Entry{c.old, c.now} {
		switch {
		case e == nil:
		case e.Mode == Symlink:
			return "symlink", "a symbolic link leads readers and tests to another file"
		case e.Mode == Submodule:
			return "submodule", "a submodule is the code of another repository"
		case e.Mode != Regular && e.Mode != Executable:
			return "mode", fmt.Sprintf("mode %o is not 100644 or 100755", uint32(e.Mode))
		}
	}
	switch {
	case c.now == nil:
	case c.old == nil && c.now.Mode == Executable:
		return "mode", "a new file must not be executable"
	case c.old != nil && c.old.Mode != c.now.Mode:
		return "mode", fmt.Sprintf("the mode changes from %o to %o", uint32(c.old.Mode), uint32(c.now.Mode))
	}
	return "", ""
}

// size refuses files that are too large for a person to read.
func (p Policy) size(c *change) (rule, why string) {
	if c.now == nil || (c.now.Size >= 0 && c.now.Size <= p.bytes()) {
		return "", ""
	}
	return "size", fmt.Sprintf("the file would have %d bytes, but at most %d are allowed", c.now.Size, p.bytes())
}
