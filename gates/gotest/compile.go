package gotest

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// compiled holds the results of compiling the candidate. Its maps are keyed by the folder
// of the module.
type compiled struct {
	results map[string]map[string]stepResult
	// built and vetted are the numbers of packages that were built and vetted.
	built, vetted int
	// tests are the base's tests, compiled with the uninstrumented code of the candidate.
	tests map[string]*testBinaries
	// probed is the instrumented code of the changed packages. Tests are compiled with it
	// once the base's tests have passed.
	probed *instrumentedCode
}

// compile builds and vets the affected packages, and compiles their tests.
func (t *checker) compile(ctx context.Context) (*compiled, error) {
	c := &compiled{results: map[string]map[string]stepResult{}, tests: map[string]*testBinaries{}}
	var err error
	if c.probed, err = t.probe(); err != nil {
		return nil, err
	}
	for _, m := range modulesOf(t.layout.affected) {
		if err := c.module(ctx, t, m); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// module builds and vets the affected packages of one module and compiles their tests, all
// in one sandbox.
func (c *compiled) module(ctx context.Context, t *checker, m module) error {
	l := t.layout
	scratch, err := t.folder("compiled")
	if err != nil {
		return err
	}
	code := l.of(l.affected, m, func(p part) bool { return p.code })
	all := l.of(l.affected, m, func(p part) bool { return p.code || p.tests })
	tests := l.of(l.affected, m, func(p part) bool { return p.tests })
	c.built, c.vetted = c.built+len(code), c.vetted+len(all)
	var steps []step
	if len(code) > 0 {
		steps = append(steps, step{name: "build", argv: l.env.goCommand(append([]string{"build", "-o", os.DevNull}, args(code)...)...), must: true, compiles: true})
	}
	if len(all) > 0 {
		steps = append(steps, step{name: "vet", argv: l.env.goCommand(append([]string{"vet"}, args(all)...)...), compiles: true})
	}
	if c.tests[m.dir], err = t.markPackages(l.env, scratch, "tests", tests, nil); err != nil {
		return err
	}
	steps = append(steps, c.tests[m.dir].steps()...)
	c.results[m.dir], err = l.env.script(ctx, m, scratch, steps)
	return err
}

func args(list []*pkg) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.arg())
	}
	return out
}

// probe instruments the changed packages.
func (t *checker) probe() (*instrumentedCode, error) {
	l := t.layout
	out := &instrumentedCode{files: map[string][]byte{}, variable: t.variable, all: t.all}
	for _, p := range l.changed {
		switch dir := path.Dir(p); {
		case l.document(p):
		case filepath.Ext(p) != ".go":
			out.unseen = append(out.unseen, p+", which is not Go source")
		case l.is.folders[dir] == nil && l.was.folders[dir] == nil:
			out.unseen = append(out.unseen, p+", which is in no package of a Go module")
		}
	}
	for _, p := range l.direct {
		was, is, err := l.sources(p)
		if err != nil {
			return nil, err
		}
		out.add(&t.nonces, p, was, is)
	}
	for _, name := range l.removed {
		out.unseen = append(out.unseen, "the removed package "+name)
	}
	return out, t.nonces.err
}

// sources parses the code of a package in the base and in the candidate.
func (l *layout) sources(p *pkg) (was, is source, err error) {
	if was, err = l.parse(l.base, p); err != nil {
		return was, is, err
	}
	is, err = l.parse(tree{root: l.env.tree}, p)
	return was, is, err
}

// parse parses the code of a package in a tree. It skips files that do not parse, because
// the build reports them.
func (l *layout) parse(in tree, p *pkg) (source, error) {
	files := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(in.root, filepath.FromSlash(p.dir), "*.go"))
	if err != nil {
		return source{}, err
	}
	for _, name := range names {
		rel, err := filepath.Rel(in.root, name)
		if err != nil {
			return source{}, err
		}
		if rel = filepath.ToSlash(rel); IsTest(rel) {
			continue
		}
		info, err := os.Lstat(name)
		if err != nil {
			return source{}, err
		}
		if files[rel], _, err = content(name, info.Mode()); err != nil {
			return source{}, fmt.Errorf("reading %s: %w", rel, err)
		}
	}
	return parseFolder(files), nil
}
