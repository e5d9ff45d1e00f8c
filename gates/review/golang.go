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

// gateLanguage is the gate of a target without Go, in place of the gates of Go.
const gateLanguage = "source: not read"

// IsGo reports whether a path, with slashes, is that of a file of Go, or of a module.
func IsGo(file string) bool {
	name := path.Base(file)
	return strings.HasSuffix(name, ".go") || name == "go.mod" || name == "go.work"
}

// hasGo reports whether a tree has files of Go.
func hasGo(tree scope.Tree) bool {
	return slices.ContainsFunc(tree, func(e scope.Entry) bool { return IsGo(e.Path) })
}

// namesGo reports whether a command of the target has the word go.
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

// Toolchain returns the Go that the commands of the target see: none, the zero value,
// unless the target has files of Go or a command names it. A command then sees the
// same files whether or not Go is installed.
func (g *Ground) Toolchain(ctx context.Context) (gotest.Toolchain, error) {
	tree, err := g.repo.Tree(g.Tree)
	if err != nil || !hasGo(tree) && !g.Target.namesGo() {
		return gotest.Toolchain{}, err
	}
	return gotest.FindToolchain(ctx, "go")
}

// commandTools returns the Go that the commands of the target see, as [Ground.Toolchain].
func (w *gateRun) commandTools(ctx context.Context) (gotest.Toolchain, error) {
	if !w.hasGo && !w.target.namesGo() {
		return gotest.Toolchain{}, nil
	}
	if err := w.toolchain(ctx); err != nil {
		return gotest.Toolchain{}, err
	}
	return *w.tools, nil
}

// languageGates returns the gates of a patch of a target without Go. The first one lists the
// gates that were not run, and the others read files without the need of Go.
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
			evidence := "the target has no Go file; in other languages only early exits, credentials and names of calls are read, no code is broken on purpose, and no function is called for comparison; not run: " + strings.Join(names, ", ")
			if why := w.uncommanded(); why != "" {
				evidence += "; nothing is built or tested, since " + why
			}
			return gates.Flagged, evidence
		}},
		typed.ExitGate(c),
		typed.CredentialGate(c),
	}
}
