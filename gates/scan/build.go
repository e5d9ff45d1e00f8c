package scan

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"path"
	"slices"
	"strings"
)

// isGo reports whether go build may read a file.
func isGo(p string) bool { return strings.HasSuffix(strings.ToLower(p), ".go") }

// cgo looks for the use of C. A file that begins to use C is left out of a build without
// cgo. In a file that already uses C, the comment above the import is source code too.
func cgo(f *file, found report) {
	has := func(a *ast.File) *ast.ImportSpec {
		if a == nil {
			return nil
		}
		for _, i := range a.Imports {
			if importPath(i) == "C" {
				return i
			}
		}
		return nil
	}
	now, was := has(f.now), has(f.was)
	switch {
	case now != nil && was == nil:
		found(now.Pos(), true, "the file now uses C, so it compiles only in a build with cgo")
	case now != nil && string(f.Old) != string(f.New):
		found(now.Pos(), false, "a file that uses C is changed; it compiles only in a build with cgo")
	}
}

// directive is a comment that a tool interprets.
type directive struct {
	text string
	at   token.Pos
}

// toolComments lists the comments in a file that a tool interprets.
func toolComments(a *ast.File) []directive {
	if a == nil {
		return nil
	}
	var out []directive
	for _, g := range a.Comments {
		for _, c := range g.List {
			for _, prefix := range []string{"//go:", "//export ", "//line ", "/*line ", "//evolve:", "// evolve:"} {
				if strings.HasPrefix(c.Text, prefix) && !constraint.IsGoBuild(c.Text) {
					out = append(out, directive{strings.TrimSpace(c.Text), c.Pos()})
				}
			}
		}
	}
	return out
}

// harmless lists directives that change how code is compiled but not its behaviour.
var harmless = []string{"//go:noinline", "//go:nosplit", "//go:fix"}

// directives looks for directives that are not in the base.
func directives(f *file, found report) {
	had := map[string]int{}
	for _, d := range toolComments(f.was) {
		had[d.text]++
	}
	for _, d := range toolComments(f.now) {
		if had[d.text] > 0 {
			had[d.text]--
			continue
		}
		word, rest, _ := strings.Cut(d.text, " ")
		switch {
		case word == "//go:linkname":
			found(d.at, true, "it replaces or calls an unexported function of another package: %+q", rest)
		case word == "//go:embed":
			found(d.at, false, "the build reads the files %+q", rest)
		case word == "//go:generate":
			found(d.at, false, "go generate runs %+q", rest)
		case strings.HasPrefix(d.text, "//line ") || strings.HasPrefix(d.text, "/*line "):
			found(d.at, false, "it changes the lines at which coverage and failures are reported: %+q", d.text)
		case strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(word, "//"), " "), "evolve:") || strings.HasPrefix(d.text, "// evolve:"):
			found(d.at, false, "it changes the set of constants that a night may tune: %+q", d.text)
		case !slices.Contains(harmless, word):
			found(d.at, false, "a compiler directive: %+q", d.text)
		}
	}
	lost := toolComments(f.was)
	for _, d := range lost {
		if strings.Contains(d.text, "evolve:") && had[d.text] > 0 {
			had[d.text]--
			found(f.now.Package, false, "it removes the mark of a constant that a night may tune: %+q", d.text)
		}
	}
}

// constraintOf returns the build constraint of a file as the go command reads it: the
// //go:build line before the package clause, or else all // +build lines together. The old
// and the new form of a condition result in the same text.
func constraintOf(a *ast.File) (text string, at token.Pos) {
	if a == nil {
		return "", token.NoPos
	}
	at = a.Package
	var expr constraint.Expr
	for _, g := range a.Comments {
		if g.Pos() > a.Package {
			break
		}
		for _, c := range g.List {
			x, err := constraint.Parse(c.Text)
			switch {
			case err != nil:
			case constraint.IsGoBuild(c.Text):
				return x.String(), c.Pos()
			case expr == nil:
				expr, at = x, c.Pos()
			default:
				expr = &constraint.AndExpr{X: expr, Y: x}
			}
		}
	}
	if expr == nil {
		return "", at
	}
	return expr.String(), at
}

// constraints looks for files whose build constraint or package clause changes or is
// unusual.
func constraints(f *file, found report) {
	now, at := constraintOf(f.now)
	was, _ := constraintOf(f.was)
	switch now {
	case was:
	case "":
		found(at, false, "it is now always built; before, it was built only with %+q", was)
	default:
		found(at, false, "it is built only with %+q", now)
	}
	name := f.now.Name.Name
	switch {
	case name == "documentation":
		found(f.now.Package, true, "the go command ignores files whose package is named documentation")
	case f.was != nil && f.was.Name.Name != name:
		found(f.now.Package, false, "the file moves from package %+q to package %+q", f.was.Name.Name, name)
	case strings.HasSuffix(name, "_test") && !f.test():
		found(f.now.Package, false, "a test package in a file that is not a test file")
	}
}

// systems lists the operating systems and architectures that act as a build constraint at
// the end of a file name. It is a copy of go/build's list, which is not exported.
var systems = strings.Fields(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm unix`)

// fileNames looks for new files that, because of their names, the go command ignores or
// builds only on some systems.
func fileNames(f *file, found report) {
	if f.Old != nil {
		return
	}
	base := path.Base(f.Path)
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	switch last := stem[strings.LastIndex(stem, "_")+1:]; {
	case strings.HasPrefix(base, "_") || strings.HasPrefix(base, "."):
		found(f.now.Package, false, "the go command ignores files with this prefix")
	case !strings.HasSuffix(base, ".go"):
		found(f.now.Package, false, "the go command reads only files whose names end in lower-case .go")
	case strings.Contains(stem, "_") && slices.Contains(systems, last):
		found(f.now.Package, false, "its name restricts it to builds on %s", last)
	case strings.Contains(stem, "_test_") || strings.HasSuffix(stem, "_test"):
		found(f.now.Package, false, "its name resembles that of a test file")
	}
}
