package coding

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"evolve/mutate/blocks"
	"evolve/runtime/text"
)

// leaveUnbuilt excludes the marked Go files that the target's commands do not build on this
// machine, and names them. Versions of them would all score the same.
func (p *Prospect) leaveUnbuilt() {
	b := newBuilder([][]string{p.Target.Scoring.Build, p.Target.Scoring.Test, p.Target.Scoring.Score}, p.Target.Policy.Cgo)
	for _, in := range slices.Sorted(maps.Keys(p.files)) {
		if path.Ext(in) != ".go" || !blocks.Marked(in, p.files[in]) {
			continue
		}
		if why := b.leavesOut(in, p.files[in]); why != "" {
			p.skipped = append(p.skipped, text.Visible(in)+" has a mark, but is not built on "+b.GOOS+"/"+b.GOARCH+": "+text.Visible(why))
			delete(p.files, in)
		}
	}
}

// builder finds the Go files that commands build.
type builder struct {
	build.Context
	// allTags reports whether the context has all the build tags that the commands set,
	// which is the case if the go command builds the program.
	allTags bool
	// named holds the Go files that a command names; they are built whatever their build
	// constraints require.
	named map[string]bool
}

// newBuilder returns the builder for the commands build, test and score, each of which may
// be empty.
func newBuilder(commands [][]string, cgo bool) *builder {
	b := &builder{Context: build.Default, named: map[string]bool{}}
	b.GOOS, b.GOARCH, b.CgoEnabled, b.BuildTags = runtime.GOOS, runtime.GOARCH, cgo, nil
	commands = slices.DeleteFunc(commands, func(argv []string) bool { return len(argv) == 0 })
	isGo := func(argv []string) bool { return filepath.Base(argv[0]) == "go" }
	// Without a build command, each of the other commands builds what it runs.
	b.allTags = len(commands) > 0 && isGo(commands[0]) && (len(commands) == 3 || !slices.ContainsFunc(commands, func(argv []string) bool { return !isGo(argv) }))
	for _, argv := range commands {
		for i, word := range argv {
			if path.Ext(word) == ".go" {
				b.named[path.Base(filepath.ToSlash(word))] = true
			}
			flag := "-" + strings.TrimLeft(word, "-")
			switch list, set := strings.CutPrefix(flag, "-tags="); {
			case set:
				b.addTags(list)
			case word != "" && word[0] == '-' && flag == "-tags" && i+1 < len(argv):
				b.addTags(argv[i+1])
			}
		}
	}
	return b
}

func (b *builder) addTags(list string) {
	b.BuildTags = append(b.BuildTags, strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })...)
}

// leavesOut returns the reason why a file is not built; it returns "" if the file may be
// built.
func (b *builder) leavesOut(file string, data []byte) string {
	name := path.Base(file)
	if b.named[name] || b.matches(name, string(data)) {
		return ""
	}
	switch {
	case name[0] == '_' || name[0] == '.':
		return "its name begins with " + name[:1]
	case !b.matches(name, "package p\n"):
		return "its name ends with the name of another system or architecture"
	}
	line := requirement(data)
	expr, err := constraint.Parse(line)
	if err != nil || b.can(expr, true) {
		return ""
	}
	return "it requires " + line
}

// matches reports whether go/build includes a file. For a file with errors it returns true,
// so that the build reports them.
func (b *builder) matches(name, source string) bool {
	c := b.Context
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(source)), nil }
	match, err := c.MatchFile(".", name)
	return match || err != nil
}

// requirement returns the //go:build line of a Go file; it returns "" if there is none.
func requirement(data []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", data, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	at := slices.IndexFunc(file.Comments, func(g *ast.CommentGroup) bool {
		return g.Pos() < file.Package && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return constraint.IsGoBuild(c.Text) })
	})
	if at < 0 {
		return ""
	}
	list := file.Comments[at].List
	return list[slices.IndexFunc(list, func(c *ast.Comment) bool { return constraint.IsGoBuild(c.Text) })].Text
}

// can reports whether a build constraint can evaluate to value. A tag that a command other
// than go may set can be either true or false.
func (b *builder) can(e constraint.Expr, value bool) bool {
	switch e := e.(type) {
	case *constraint.NotExpr:
		return b.can(e.X, !value)
	case *constraint.AndExpr:
		if value {
			return b.can(e.X, true) && b.can(e.Y, true)
		}
		return b.can(e.X, false) || b.can(e.Y, false)
	case *constraint.OrExpr:
		if value {
			return b.can(e.X, true) || b.can(e.Y, true)
		}
		return b.can(e.X, false) && b.can(e.Y, false)
	case *constraint.TagExpr:
		return b.open(e.Tag) || b.matches("x.go", "//go:build "+e.Tag+"\n\npackage p\n") == value
	}
	return true
}

// open reports whether a tag may be set although it is not in the context. This holds for a
// Go version, since the toolchain may be newer, and for any custom tag if a program other
// than go builds.
func (b *builder) open(tag string) bool {
	if strings.HasPrefix(tag, "go1.") {
		return !b.matches("x.go", "//go:build "+tag+"\n\npackage p\n")
	}
	// A tag is an operating system or an architecture if go/build recognizes it as a file
	// name suffix.
	other := !b.matches("x_"+tag+".go", "package p\n") || tag == b.GOOS || tag == b.GOARCH
	return !b.allTags && !other && !slices.Contains([]string{"ignore", "unix", "cgo", "gc", "gccgo"}, tag)
}
