package gotest

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"evolve/gates/syntax"
	"evolve/runtime/sandbox"
)

// place is the position of a statement or of an operand of a condition. It consists of a
// file, given by its path from the root of the tree, and the offset in the file at which a
// report can be inserted.
type place struct {
	file string
	at   int
}

// reach holds the places in one folder that the tests of one package reach, as offsets
// keyed by file.
type reach map[string][]int

// coverage holds the places that the tests of one package reached, keyed by the package
// that contains them.
type coverage struct {
	by    *pkg
	reach map[*pkg]reach
	// whole reports whether the tests ended as they do on the base, so that the result is
	// complete.
	whole bool
}

// instrumentedFolder is a folder in which every statement reports when it is first reached,
// and every operand of && and || when it is first decisive.
type instrumentedFolder struct {
	files  map[string][]byte // changed and added files, keyed by path from the root of the tree
	places map[string]place  // keyed by the word that each place reports
}

// reachedOnBase returns the places in the base's folders that the base's tests of the
// given packages reach. The result depends only on the base, so it is determined for all
// statements of a folder at once, and stored with the facts for later changes.
func (t *checker) reachedOnBase(ctx context.Context, packages []*pkg, folders map[*pkg]source) (map[place]bool, error) {
	l := t.layout
	r := l.baseEnv
	digest, out := l.base.digest(), map[place]bool{}
	name := func(p, of *pkg) string { return r.factsFile(p.module, digest, "reach, operands", p.path, of.dir) }
	var open []*pkg
	for _, p := range packages {
		was := l.was.packages[p.path]
		if was == nil || !parts(filepath.Join(l.base.root, was.dir)).tests {
			continue
		}
		for of := range folders {
			known, err := recall[reach](name(was, of))
			if errors.Is(err, fs.ErrNotExist) {
				open = append(open, was)
				break
			}
			if err != nil {
				return nil, err
			}
			known.add(out)
		}
	}
	for _, m := range modulesOf(open) {
		own := ofModule(open, m)
		found, err := t.watch(ctx, r, m, own, folders)
		if err != nil {
			return nil, err
		}
		for _, seen := range found {
			for of, known := range seen.reach {
				known.add(out)
				if !seen.whole {
					continue
				}
				if err := store(name(seen.by, of), known); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// watch runs the tests of packages in one module, with every statement and condition in
// the given folders instrumented, and returns what the tests of each package reached.
func (t *checker) watch(ctx context.Context, r goEnv, m module, packages []*pkg, folders map[*pkg]source) ([]coverage, error) {
	files, all := map[string][]byte{}, map[*pkg]instrumentedFolder{}
	for of, s := range folders {
		built, _ := build.ImportDir(filepath.Join(r.tree, of.dir), 0) // compiling reports errors
		all[of] = s.watched(built.Name, path.Join(of.dir, t.nonces.word()+".go"), t.nonces.word(), t.variable)
		maps.Copy(files, all[of].files)
	}
	k, err := t.compileTests(ctx, r, m, "reach", packages, files)
	if err != nil {
		return nil, err
	}
	runs := make([]run, len(packages))
	err = t.each(ctx, len(packages), func(ctx context.Context, words *nonces, i int) error {
		if k.binary(packages[i]) == "" {
			return nil
		}
		var err error
		runs[i], err = k.run(ctx, words, packages[i], runOptions{word: t.quiet})
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []coverage
	for i, p := range packages {
		if k.binary(p) == "" {
			continue
		}
		ended := !runs[i].late && !runs[i].flooded && runs[i].exit.Reason == sandbox.Own
		seen := coverage{p, map[*pkg]reach{}, runs[i].clean() || ended && !t.known[m.dir].Packages[p.path].OK}
		for of, w := range all {
			seen.reach[of] = reach{}
			for word := range runs[i].words {
				if at, ok := w.places[word]; ok {
					seen.reach[of][at.file] = append(seen.reach[of][at.file], at.at)
				}
			}
			for _, offsets := range seen.reach[of] {
				slices.Sort(offsets)
			}
		}
		out = append(out, seen)
	}
	return out, nil
}

// watched instruments every statement and condition in a folder. name is the name of the
// folder's package, added is the path of the file to add, helper is the prefix of the names
// that this file declares, and variable is the name of the environment variable that holds
// the settings of a run.
func (s source) watched(name, added, helper, variable string) instrumentedFolder {
	out := instrumentedFolder{map[string][]byte{}, map[string]place{}}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		var put edits
		for fn := range syntax.Functions(s.files[file]) {
			if fn.Body == nil {
				continue
			}
			for _, spot := range spots(fn.Body) {
				at, n := s.fset.Position(spot.at).Offset, len(out.places)
				put.insert(at, fmt.Sprintf("%sReach(%d); ", helper, n))
				out.places[helper+strconv.Itoa(n)] = place{file, at}
			}
			for _, c := range leaves(fn.Body) {
				at, n := s.fset.Position(c.expr.Pos()).Offset, len(out.places)
				call := fmt.Sprintf(" || %sDecided(%d) != 0)", helper, n)
				if c.op == token.LOR {
					call = fmt.Sprintf(" && %sDecided(%d) == 0)", helper, n)
				}
				put.insert(at, "(")
				put.insert(s.fset.Position(c.expr.End()).Offset, call)
				out.places[helper+strconv.Itoa(n)] = place{file, at}
			}
		}
		out.files[file] = put.apply(s.texts[file])
	}
	out.files[added] = fmt.Appendf(nil, watcher, name, helper, variable, len(out.places))
	return out
}

// watcher is the code that is added to each instrumented folder. After the first report
// of a place, further reports of it are cheap, so that tests that compute a lot still end
// in time.
const watcher = `package %[1]s

import (
	%[2]sOS "os"
	%[2]sStrconv "strconv"
	%[2]sStrings "strings"
	%[2]sAtomic "sync/atomic"
)

var _, %[2]sFile, _ = %[2]sStrings.Cut(%[2]sOS.Getenv(%[3]q), ":")

var %[2]sReached [%[4]d]%[2]sAtomic.Bool

func %[2]sReach(n int) {
	if !%[2]sReached[n].Load() {
		%[2]sFirst(n)
	}
}

func %[2]sFirst(n int) {
	if %[2]sReached[n].Swap(true) {
		return
	}
	if f, err := %[2]sOS.OpenFile(%[2]sFile, %[2]sOS.O_WRONLY|%[2]sOS.O_APPEND, 0); err == nil {
		_, _ = f.WriteString(%[2]q + %[2]sStrconv.Itoa(n) + "\n")
		_ = f.Close()
	}
}

func %[2]sDecided(n int) int { %[2]sReach(n); return 0 }
`

// add adds the places in a reach to a set.
func (r reach) add(to map[place]bool) {
	for file, offsets := range r {
		for _, at := range offsets {
			to[place{file, at}] = true
		}
	}
}
