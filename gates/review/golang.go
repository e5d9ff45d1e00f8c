package review

import (
	"context"
	"path"
	"slices"
	"strings"

	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/gates/scan"
	"evolve/gates/typed"
	"evolve/patch/scope"
)

// gateLanguage is the name of the gate that takes the place of the gates for Go if a target
// contains no Go.
const gateLanguage = "source: not read"

// IsGo reports whether a slash-separated path is the path of a Go file or of a file of a Go
// module.
func IsGo(file string) bool {
	name := path.Base(file)
	return strings.HasSuffix(name, ".go") || name == "go.mod" || name == "go.work"
}

// hasGo reports whether a tree contains Go files.
func hasGo(tree scope.Tree) bool {
	return slices.ContainsFunc(tree, func(e scope.Entry) bool { return IsGo(e.Path) })
}

// namesGo reports whether any command of the target contains the word go.
func (t Target) namesGo() bool {
	var list [][]string
	if t.Scoring != nil {
		list = append(list, t.Scoring.Build, t.Scoring.Test, t.Scoring.Score, t.Scoring.Profile)
	}
	if t.Benchmark != nil {
		list = append(list, t.Benchmark.Command)
	}
	return slices.ContainsFunc(list, func(argv []string) bool { return slices.Contains(wordsOf(argv), "go") })
}

// Toolchain returns the Go toolchain that the target's commands can use. It is the zero
// value, which stands for none, unless the target contains Go files or a command names Go.
// A command therefore has access to the same files whether or not Go is installed.
func (g *Ground) Toolchain(ctx context.Context) (gotest.Toolchain, error) {
	tree, err := g.repo.Tree(g.Tree)
	if err != nil || !hasGo(tree) && !g.Target.namesGo() {
		return gotest.Toolchain{}, err
	}
	return gotest.FindToolchain(ctx, "go")
}

// commandTools returns the Go toolchain that the target's commands can use, like
// [Ground.Toolchain].
func (w *gateRun) commandTools(ctx context.Context) (gotest.Toolchain, error) {
	if !w.hasGo && !w.target.namesGo() {
		return gotest.Toolchain{}, nil
	}
	if err := w.toolchain(ctx); err != nil {
		return gotest.Toolchain{}, err
	}
	return *w.tools, nil
}

// languageGates returns the gates for a patch to a target without Go. The first gate lists
// the gates that do not run. The others examine files in ways that do not depend on Go.
func (w *gateRun) languageGates() []gates.Gate {
	c := typed.Change{Base: w.before, Candidate: w.after, Changed: w.judged.Changed}
	return []gates.Gate{
		{Name: gateLanguage, Check: func(context.Context) (gates.Verdict, string) {
			var names []string
			for _, g := range slices.Concat(scan.Gates(nil), typed.Gates(typed.Change{})) {
				if g.Name != typed.Guards {
					names = append(names, g.Name)
				}
			}
			names = append(names, gotest.Names()...)
			evidence := "the target has no Go file; in other languages the gates examine only early exits, credentials and names of calls: they do not break code on purpose to check the tests, and do not call functions to compare results; not run: " + strings.Join(names, ", ")
			if why := w.uncommanded(); why != "" {
				evidence += "; nothing is built or tested, because " + why
			}
			return gates.Flagged, evidence
		}},
		typed.ExitGate(c),
		typed.CredentialGate(c),
	}
}
