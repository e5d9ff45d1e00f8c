package gotest

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// testBinaries are the compiled, marked tests of some packages of one tree: one binary
// each, with a name that nothing in the tree can predict.
type testBinaries struct {
	env     goEnv
	scratch string // the host's folder for the sources and binaries
	name    string // of the part of scratch of these binaries
	marked  map[string]markedTests
	rounds  [][]*pkg
	race    bool // compiled with the race detector
}

// newTestBinaries marks the tests of packages of one module. files replaces or adds
// further files of the tree.
func newTestBinaries(m *nonces, r goEnv, scratch, name, variable, loud string, packages []*pkg, files map[string][]byte) (*testBinaries, error) {
	k := &testBinaries{env: r, scratch: scratch, name: name, marked: map[string]markedTests{}}
	replace := map[string]string{}
	add := func(p string, text []byte) error {
		n := fmt.Sprintf("%d.go", len(replace))
		replace[r.at(p)] = path.Join(r.lab.inside(scratch, scratchPlace), name, "source", n)
		return os.WriteFile(filepath.Join(scratch, name, "source", n), text, 0o600)
	}
	if err := os.MkdirAll(filepath.Join(scratch, name, "source"), 0o700); err != nil {
		return nil, err
	}
	for p, text := range files {
		if err := add(p, text); err != nil {
			return nil, err
		}
	}
	for _, p := range packages {
		s, err := markTests(m, p, variable, loud, func(file string) ([]byte, error) {
			return os.ReadFile(filepath.Join(r.tree, filepath.FromSlash(file)))
		})
		if err != nil {
			return nil, err
		}
		for file, text := range s.files {
			if err := add(file, text); err != nil {
				return nil, err
			}
		}
		k.marked[p.path] = s
	}
	k.rounds = distinct(packages)
	for i := range k.rounds {
		if err := os.MkdirAll(k.folder(i), 0o700); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return k, os.WriteFile(filepath.Join(scratch, name, "overlay.json"), data, 0o600)
}

// distinct puts packages whose test binaries would have the same name into different
// rounds of compiling.
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

// binaryName returns the Go tool's name for the test binary of a package.
func binaryName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	return base + ".test"
}

// steps returns the commands that compile the tests, linked without symbols as the Go
// tool does for tests that it runs itself.
func (k *testBinaries) steps() []step {
	there := path.Join(k.env.lab.inside(k.scratch, scratchPlace), k.name)
	var out []step
	for i, round := range k.rounds {
		argv := k.env.goCommand("test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", path.Join(there, "overlay.json"), "-o", path.Join(there, strconv.Itoa(i))+"/")
		if k.race {
			argv = append(argv, "-race")
		}
		for _, p := range round {
			argv = append(argv, p.arg())
		}
		out = append(out, step{name: k.name + " " + strconv.Itoa(i), argv: argv, compiles: true})
	}
	return out
}

// output returns the compiler output for a package's tests, and whether everything compiled
// with them succeeded.
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

// binary returns the path of the compiled tests of a package, "" if there are none.
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

// holds reports whether a list contains a package, by path, as base and candidate each
// have one.
func holds(list []*pkg, p *pkg) bool {
	return slices.ContainsFunc(list, func(o *pkg) bool { return o.path == p.path })
}
