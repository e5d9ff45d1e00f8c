package gotest

import (
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// testBinaries are the compiled, marked tests of some packages in one tree: one binary for
// each package, with a name that nothing in the tree can predict.
type testBinaries struct {
	env     goEnv
	scratch string // the folder on the host for the sources and binaries
	name    string // name of the folder in scratch for these binaries
	marked  map[string]markedTests
	rounds  [][]*pkg
	// variable is the name of the environment variable that holds the settings of a run.
	// temp is the folder on the host for the files of a run.
	variable, temp string
	overlay        string // the argument of -overlay
}

// compileTests marks and compiles the tests of packages in one module. files replace files
// of the tree or are added to it.
func (t *checker) compileTests(ctx context.Context, r goEnv, m module, name string, packages []*pkg, files map[string][]byte) (*testBinaries, error) {
	scratch, err := t.folder(name)
	if err != nil {
		return nil, err
	}
	k, err := t.markPackages(r, scratch, name, packages, files)
	if err != nil {
		return nil, err
	}
	_, err = r.script(ctx, m, scratch, k.steps())
	return k, err
}

// markPackages marks the tests of packages in one module and writes their sources.
func (t *checker) markPackages(r goEnv, scratch, name string, packages []*pkg, files map[string][]byte) (*testBinaries, error) {
	k := &testBinaries{env: r, scratch: scratch, name: name, marked: map[string]markedTests{}, variable: t.variable, temp: t.dir}
	sources := map[string][]byte{}
	maps.Copy(sources, files)
	for _, p := range packages {
		s, err := markTests(&t.nonces, p, t.variable, t.loud, func(file string) ([]byte, error) {
			return os.ReadFile(filepath.Join(r.tree, filepath.FromSlash(file)))
		})
		if err != nil {
			return nil, err
		}
		maps.Copy(sources, s.files)
		k.marked[p.path] = s
	}
	k.rounds = distinct(packages)
	for i := range k.rounds {
		if err := os.MkdirAll(k.folder(i), 0o700); err != nil {
			return nil, err
		}
	}
	var err error
	k.overlay, err = r.overlay(scratch, path.Join(name, "source"), sources)
	return k, err
}

// distinct divides packages into rounds of compilation, so that no two test binaries in one
// round have the same name.
func distinct(packages []*pkg) [][]*pkg {
	var rounds [][]*pkg
	var names []map[string]bool
	for _, p := range packages {
		i := 0
		for i < len(rounds) && names[i][binaryName(p.path)] {
			i++
		}
		if i == len(rounds) {
			rounds, names = append(rounds, nil), append(names, map[string]bool{})
		}
		rounds[i] = append(rounds[i], p)
		names[i][binaryName(p.path)] = true
	}
	return rounds
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// binaryName returns the name that the Go tool gives to the test binary of a package.
func binaryName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	return base + ".test"
}

// steps returns the commands that compile the tests. The tests are linked without symbols,
// like tests that the Go tool runs itself.
func (k *testBinaries) steps() []step {
	there := path.Join(k.env.lab.inside(k.scratch, scratchPlace), k.name)
	var out []step
	for i, round := range k.rounds {
		argv := k.env.goCommand("test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", k.overlay, "-o", path.Join(there, strconv.Itoa(i))+"/")
		if k.env.race {
			argv = append(argv, "-race")
		}
		for _, p := range round {
			argv = append(argv, p.arg())
		}
		out = append(out, step{name: k.name + " " + strconv.Itoa(i), argv: argv, compiles: true})
	}
	return out
}

// output returns the result of compiling a package's tests, which is shared by all packages
// in the same round.
func (k *testBinaries) output(p *pkg, results map[string]stepResult) stepResult {
	for i, round := range k.rounds {
		if holds(round, p) {
			return results[k.name+" "+strconv.Itoa(i)]
		}
	}
	return stepResult{}
}

func (k *testBinaries) folder(round int) string {
	return filepath.Join(k.scratch, k.name, strconv.Itoa(round))
}

// binary returns the path of the compiled tests of a package, or "" if there are none.
func (k *testBinaries) binary(p *pkg) string {
	for i, round := range k.rounds {
		if holds(round, p) {
			name := filepath.Join(k.folder(i), binaryName(p.path))
			if _, err := os.Stat(name); err == nil {
				return name
			}
		}
	}
	return ""
}

// holds reports whether a list contains a package. It compares import paths, because base
// and candidate have separate values for the same package.
func holds(list []*pkg, p *pkg) bool {
	return slices.ContainsFunc(list, func(o *pkg) bool { return o.path == p.path })
}
