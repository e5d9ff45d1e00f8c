package gotest

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// checker runs the gates for one change. Work that several gates need is done once, when
// the first of them needs it.
type checker struct {
	lab    *Lab
	limits Limits
	change Change
	nonces nonces
	// variable is the name of the environment variable that holds the settings of a run.
	// quiet, loud and all are the words for an ordinary run, for a run in which the canary
	// fails, and for a run in which every mutant panics.
	variable, quiet, loud, all string
	dir                        string // for temporary files

	// prepare sets layout, known and compiled. known holds the facts of every module with
	// affected packages, keyed by the module's folder.
	prepared once[bool]
	layout   *layout
	known    map[string]facts
	compiled *compiled

	tested   once[[]testResult]
	disguise once[[]testResult]
	broken   once[*experiments]
	fresh    once[*freshTests]
}

// once holds the result of work that is done at most once. It needs no lock, because gates
// run one after another.
type once[T any] struct {
	done  bool
	value T
	err   error
}

func (o *once[T]) do(f func() (T, error)) (T, error) {
	if !o.done {
		o.value, o.err = f()
		o.done = true
	}
	return o.value, o.err
}

// layout describes the tree under test, which is the candidate with the base's tests laid
// over it.
type layout struct {
	base, candidate tree
	// env is the environment in which commands run on the tree under test. baseEnv is the
	// one for the base, which commands find at the same path.
	env, baseEnv goEnv
	was, is      graph
	// changed are the changed paths other than tests. fresh are the tests that the patch
	// adds.
	changed, fresh []string
	// affected are the packages with changed files and all packages that import them.
	// direct are only the packages with changed files.
	affected, direct []*pkg
	// removed are the packages that are built in the base but not in this tree.
	removed []string
	// strings holds the strings in all Go files of both trees. They are read only if the
	// patch changes a file that is not a Go file.
	strings goStrings
}

// prepare assembles the tree under test, determines the facts of the base, and compiles the
// candidate.
func (t *checker) prepare(ctx context.Context) error {
	_, err := t.prepared.do(func() (_ bool, err error) {
		if t.layout, err = t.lay(); err == nil {
			t.known, err = t.learn(ctx)
		}
		if err == nil {
			t.compiled, err = t.compile(ctx)
		}
		return err == nil, err
	})
	return err
}

// lay checks the trees and assembles the tree under test.
func (t *checker) lay() (*layout, error) {
	var err error
	l := &layout{}
	if l.base, err = readTree(t.change.Base); err != nil {
		return nil, fmt.Errorf("reading the base: %w", err)
	}
	if l.candidate, err = readTree(t.change.Candidate); err != nil {
		return nil, fmt.Errorf("reading the candidate: %w", err)
	}
	differ := differences(l.base, l.candidate)
	if len(differ) == 0 { // after a rollback, check the given paths
		differ = slices.Sorted(slices.Values(t.change.Changed))
	}
	if !slices.Equal(differ, slices.Sorted(slices.Values(t.change.Changed))) {
		return nil, fmt.Errorf("the trees differ in %s, which does not match the paths given as changed", some(differ))
	}
	for _, p := range differ {
		switch {
		case slices.Contains(t.change.NewTests, p):
			l.fresh = append(l.fresh, p)
		case !IsTest(p):
			l.changed = append(l.changed, p)
		}
	}
	l.env = goEnv{lab: t.lab, limits: t.limits, cache: t.lab.buildCache()}
	if l.env.tree, err = t.put(l, "candidate", l.changed); err != nil {
		return nil, err
	}
	if _, ok := l.base.files["go.work"]; ok {
		l.env.workspace = "go.work"
	}
	if !t.lab.layered() {
		l.env.cache = filepath.Join(t.dir, "cache")
	}
	l.baseEnv = l.env
	if l.baseEnv.tree, err = t.put(l, "base", nil); err != nil {
		return nil, err
	}
	if l.was, err = scanImports(t.change.Base); err != nil {
		return nil, fmt.Errorf("reading the base's imports: %w", err)
	}
	if l.is, err = scanImports(l.env.tree); err != nil {
		return nil, fmt.Errorf("reading the candidate's imports: %w", err)
	}
	l.is.vendor(l.was.modules)
	l.affect()
	if slices.ContainsFunc(l.changed, func(p string) bool { return path.Ext(p) != ".go" }) {
		for _, root := range []string{t.change.Base, t.change.Candidate} {
			if err := l.strings.read(root); err != nil {
				return nil, fmt.Errorf("reading the strings of Go files: %w", err)
			}
		}
	}
	return l, nil
}

// affect finds the packages that the patch affects.
func (l *layout) affect() {
	seeds := map[string]*pkg{}
	everything := false
	for _, p := range l.changed {
		name := path.Base(p)
		everything = everything || name == "go.mod" || name == "go.sum" || name == "go.work" || name == "go.work.sum" || slices.Contains(strings.Split(p, "/"), "vendor")
		for _, s := range []graph{l.is, l.was} {
			if o := s.owner(p); o != nil && seeds[o.path] == nil {
				seeds[o.path] = o
			}
		}
	}
	if everything {
		maps.Copy(seeds, l.is.packages)
	}
	list := slices.Collect(maps.Values(seeds))
	for _, p := range l.is.dependents(list) {
		if l.is.packages[p.path] != p {
			continue // the package was removed, but its importers were not
		}
		l.affected = append(l.affected, p)
		if seeds[p.path] != nil {
			l.direct = append(l.direct, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		was, now := l.was.packages[name], l.is.packages[name]
		if was != nil && parts(filepath.Join(l.base.root, was.dir)).code && (now == nil || !parts(filepath.Join(l.env.tree, now.dir)).code) {
			l.removed = append(l.removed, name)
		}
	}
}

// part records whether a folder has code and whether it has tests that the Go tool builds
// on this system.
type part struct{ code, tests bool }

// parts returns the kinds of those files in a folder that build constraints do not
// exclude.
func parts(dir string) part {
	p, err := build.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return part{}
	}
	return part{len(p.GoFiles)+len(p.CgoFiles)+len(p.InvalidGoFiles) > 0, len(p.TestGoFiles)+len(p.XTestGoFiles) > 0}
}

// of returns the packages in a list that belong to a module and whose files meet the
// condition given by has.
func (l *layout) of(list []*pkg, m module, has func(part) bool) []*pkg {
	return slices.DeleteFunc(slices.Clone(list), func(p *pkg) bool {
		return p.module != m || !has(parts(filepath.Join(l.env.tree, p.dir)))
	})
}

// modulesOf returns the modules of the packages in a list.
func modulesOf(list []*pkg) []module {
	var out []module
	for _, p := range list {
		if !slices.Contains(out, p.module) {
			out = append(out, p.module)
		}
	}
	return out
}

// ofModule returns the packages in a list that belong to a module.
func ofModule(list []*pkg, m module) []*pkg {
	return slices.DeleteFunc(slices.Clone(list), func(p *pkg) bool { return p.module != m })
}

// were returns the base's versions of the given packages. Packages that the patch adds have
// no base version.
func (l *layout) were(list []*pkg) []*pkg {
	var out []*pkg
	for _, p := range list {
		if was := l.was.packages[p.path]; was != nil {
			out = append(out, was)
		}
	}
	return out
}

// learn returns the facts of the base for every module with affected packages, keyed by
// the module's folder. It reads them from the cache or, if they are not there, builds and
// tests the base.
func (t *checker) learn(ctx context.Context) (map[string]facts, error) {
	l := t.layout
	if err := t.lab.freshen(); err != nil {
		return nil, err
	}
	out := map[string]facts{}
	digest := l.base.digest()
	for _, m := range l.touched() {
		if _, was := moduleNamed(l.was.modules, m.dir); !was {
			out[m.dir] = facts{Packages: map[string]outcome{}} // the patch adds the module
			continue
		}
		name := l.env.factsFile(m, digest)
		f, err := recall[facts](name)
		if errors.Is(err, fs.ErrNotExist) {
			f, err = t.draw(ctx, m, name)
		}
		if err != nil { // not wrapped: a failure on the base, even a timeout, is not the patch's fault
			return nil, errors.New("building and testing the base: " + err.Error())
		}
		out[m.dir] = f
	}
	if !t.lab.layered() {
		if err := os.CopyFS(l.env.cache, os.DirFS(t.lab.buildCache())); err != nil {
			return nil, fmt.Errorf("copying the build cache: %w", err)
		}
	}
	return out, nil
}

func moduleNamed(list []module, dir string) (module, bool) {
	at := slices.IndexFunc(list, func(m module) bool { return m.dir == dir })
	if at < 0 {
		return module{}, false
	}
	return list[at], true
}

// draw builds and tests a module of the base, stores the facts under name, and fills the
// build cache.
func (t *checker) draw(ctx context.Context, m module, name string) (facts, error) {
	scratch, err := t.folder("facts")
	if err != nil {
		return facts{}, err
	}
	if err := os.MkdirAll(t.lab.buildCache(), 0o700); err != nil {
		return facts{}, err
	}
	f, err := t.layout.baseEnv.keeping().draw(ctx, m, scratch)
	if err != nil {
		return f, err
	}
	return f, store(name, f)
}

// put creates a folder with the base's tree, except that the files listed in take are the
// candidate's, and returns the folder's path. In a sandbox nothing writes to the folder
// itself: commands write to a layer over it, or not at all.
func (t *checker) put(l *layout, name string, take []string) (string, error) {
	to, err := assemble(filepath.Join(t.dir, name), l.base, l.candidate, take, t.lab.sandboxed())
	if err != nil {
		return "", fmt.Errorf("assembling the tree %q: %w", name, err)
	}
	return to, nil
}

// folder creates a temporary folder.
func (t *checker) folder(name string) (string, error) { return os.MkdirTemp(t.dir, name+"-") }
