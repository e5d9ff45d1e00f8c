package gotest

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	gosource "evolve/runtime/source"
)

// goner is a statement of the base that a patch takes away.
type goner struct {
	file     string
	line, at int // at is its offset in the file
	text     string
}

// lost lists the statements that the patch takes away and that no test of the base
// reached there. That the tests pass says nothing of them: a check that stood against
// what no test does can be removed unnoticed.
func (t *trial) lost(ctx context.Context) ([]string, error) {
	l, err := t.lay(ctx)
	if err != nil {
		return nil, err
	}
	files, gone := map[string][]byte{}, map[string]goner{}
	for _, p := range l.direct {
		if l.was.packages[p.path] == nil {
			continue
		}
		was, err := l.parse(l.base, p)
		if err != nil {
			return nil, err
		}
		is, err := l.parse(tree{root: l.room.tree}, p)
		if err != nil {
			return nil, err
		}
		t.report(p, was, takenAway(was, is), files, gone)
	}
	if len(gone) == 0 || t.marks.err != nil {
		return nil, t.marks.err
	}
	near := func(p *pkg) bool { return slices.Contains(l.direct, p) }
	for _, turn := range []bool{true, false} {
		packages := slices.DeleteFunc(slices.Clone(l.affected), func(p *pkg) bool { return near(p) != turn })
		reached, err := t.reachedOnBase(ctx, l, packages, files)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(gone, func(word string, _ goner) bool { return reached[word] })
		if len(gone) == 0 {
			return nil, nil
		}
	}
	var out []string
	for _, g := range gone {
		out = append(out, fmt.Sprintf("%s (%s:%d)", strconv.QuoteToASCII(g.text), g.file, g.line))
	}
	slices.Sort(out)
	return out, nil
}

// report makes the statements of one folder report when they are reached.
func (t *trial) report(p *pkg, was source, list []goner, files map[string][]byte, gone map[string]goner) {
	if len(list) == 0 {
		return
	}
	helper := t.marks.word()
	puts := map[string]*edits{}
	for _, g := range list {
		if puts[g.file] == nil {
			puts[g.file] = &edits{}
		}
		word := t.marks.word()
		gone[word] = g
		puts[g.file].insert(g.at, fmt.Sprintf("%sReach(%q); ", helper, word))
	}
	name := ""
	for file, put := range puts {
		files[file] = put.apply(was.texts[file])
		name = was.files[file].Name.Name
	}
	files[path.Join(p.dir, t.marks.word()+".go")] = fmt.Appendf(nil, instrument, name, helper, t.variable, t.all, armed(t.variable))
}

// takenAway lists the statements of changed functions that a folder has fewer of than
// before. One that only moves is still there.
func takenAway(was, is source) []goner {
	before, after := was.tally(), is.tally()
	same, raws := is.functions(), is.raws()
	var out []goner
	for _, file := range slices.Sorted(maps.Keys(was.files)) {
		for _, d := range was.files[file].Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || slices.Contains(same[gosource.FuncName(fn)], print(fn)) {
				continue
			}
			own := ownLines(was.raw(file, fn), raws[gosource.FuncName(fn)])
			first := was.fset.Position(fn.Pos()).Line
			for _, s := range spots(fn.Body) {
				a, b := was.fset.Position(s.from).Line-first, was.fset.Position(s.to).Line-first
				text := was.textOf(file, s.from, s.to)
				if slices.Contains(own[a:min(b+1, len(own))], true) && before[text] > after[text] {
					out = append(out, goner{file, a + first, was.fset.Position(s.at).Offset, text})
				}
			}
		}
	}
	return out
}

// tally counts the statements of a folder by their texts.
func (s source) tally() map[string]int {
	out := map[string]int{}
	for file, f := range s.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				for _, spot := range spots(fn.Body) {
					out[s.textOf(file, spot.from, spot.to)]++
				}
			}
		}
	}
	return out
}

// textOf is the text between two places without its layout.
func (s source) textOf(file string, from, to token.Pos) string {
	return strings.Join(strings.Fields(string(s.texts[file][s.fset.Position(from).Offset:s.fset.Position(to).Offset])), " ")
}

// reachedOnBase runs the tests of packages on the base's code with some files made to
// report, and gives the words reported.
func (t *trial) reachedOnBase(ctx context.Context, l *laid, packages []*pkg, files map[string][]byte) (map[string]bool, error) {
	r, err := t.baseRoom(l)
	if err != nil {
		return nil, err
	}
	var there []*pkg
	for _, p := range packages {
		if was := l.was.packages[p.path]; was != nil && parts(filepath.Join(l.base.root, was.dir)).tests {
			there = append(there, was)
		}
	}
	reached := map[string]bool{}
	for _, m := range modulesOf(there) {
		stuff, err := t.folder("lost")
		if err != nil {
			return nil, err
		}
		own := slices.DeleteFunc(slices.Clone(there), func(p *pkg) bool { return p.module != m })
		k, err := newKit(&t.marks, r, stuff, "lost", t.variable, t.loud, own, files)
		if err != nil {
			return nil, err
		}
		if _, err := r.script(ctx, m, stuff, k.steps()); err != nil {
			return nil, err
		}
		runs := make([]run, len(own))
		err = t.each(ctx, len(own), func(ctx context.Context, words *marks, i int) error {
			if k.binary(own[i]) == "" {
				return nil
			}
			var err error
			runs[i], err = k.run(ctx, words, own[i], t.variable, t.dir, how{word: t.quiet})
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			for w := range run.words {
				reached[w] = true
			}
		}
	}
	return reached, nil
}
