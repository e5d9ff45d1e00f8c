package calls

import (
	"cmp"
	"slices"

	"evolve/mutate/blocks"
	"evolve/mutate/tokens"
	"evolve/runtime/text"
)

// File is a changed file before and after the change. Old or New is nil if the file does
// not exist on that side.
type File struct {
	Path     string
	Old, New []byte
}

// place is a call and the file that contains it.
type place struct {
	call
	file string
}

// sides holds the calls of one kind in a set of texts, before and after the change.
type sides struct{ was, is []place }

// added returns the calls whose text occurs more often after the change than before it, or
// nil if the change does not increase the number of calls of this kind.
func (s sides) added() []place {
	if len(s.is) <= len(s.was) {
		return nil
	}
	had := map[string]int{}
	for _, p := range s.was {
		had[p.text]++
	}
	var out []place
	for _, p := range s.is {
		if had[p.text]--; had[p.text] < 0 {
			out = append(out, p)
		}
	}
	return out
}

// comparison holds the calls of each kind: those in changed marked blocks, and those in the
// rest of the changed files.
type comparison struct {
	blocks, rest [len(kinds)]sides
	// read lists the files that were read. unread lists the files in languages that are not
	// read, and blind lists the unread files in which marked blocks changed.
	read, unread, blind []string
}

// compare compares the calls in files before and after the change.
func compare(list []File) comparison {
	var c comparison
	for _, f := range list {
		if f.New == nil {
			continue
		}
		was, is := changedBlocks(f)
		fam, name := familyOf(f.Path, string(f.New))
		oldNames, okOld := tokens.Names(name, string(f.Old))
		newNames, okNew := tokens.Names(name, string(f.New))
		if fam == nil || !okOld || !okNew {
			c.unread = append(c.unread, text.Visible(f.Path))
			if len(was)+len(is) > 0 {
				c.blind = append(c.blind, text.Visible(f.Path))
			}
			continue
		}
		c.read = append(c.read, text.Visible(f.Path))
		imported := map[string]bool{}
		for _, m := range modules(oldNames) {
			imported[m.Text] = true
		}
		printed := map[bool]bool{} // whether the base writes output; the key is true for changed blocks and false for other code
		for _, x := range fam.calls(oldNames, imported) {
			in := within(was, x.at)
			printed[in] = printed[in] || x.kind == writes
			c.side(x, in).was = append(c.side(x, in).was, place{x, f.Path})
		}
		for _, x := range fam.calls(newNames, imported) {
			in := within(is, x.at)
			if x.kind == writes && fam.printing && printed[in] {
				continue
			}
			c.side(x, in).is = append(c.side(x, in).is, place{x, f.Path})
		}
	}
	return c
}

// side returns the lists in which a call is counted.
func (c *comparison) side(x call, inBlock bool) *sides {
	if inBlock {
		return &c.blocks[x.kind]
	}
	return &c.rest[x.kind]
}

// within reports whether an offset is inside a block.
func within(list []blocks.Block, at int) bool {
	return slices.ContainsFunc(list, func(b blocks.Block) bool {
		start, end := b.Span()
		return at >= start && at < end
	})
}

// changedBlocks returns the marked blocks of each side whose text the other side does not
// have under the same name.
func changedBlocks(f File) (was, is []blocks.Block) {
	was, _ = blocks.Find(map[string][]byte{f.Path: f.Old})
	is, _ = blocks.Find(map[string][]byte{f.Path: f.New})
	same := map[string]bool{}
	for _, b := range is {
		same[b.Name] = slices.ContainsFunc(was, func(a blocks.Block) bool { return a.Name == b.Name && a.Text == b.Text })
	}
	gone := func(b blocks.Block) bool { return same[b.Name] }
	return slices.DeleteFunc(was, gone), slices.DeleteFunc(is, gone)
}

// sorted sorts calls by file and line.
func sorted(list []place) []place {
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.at, b.at))
	})
	return list
}
