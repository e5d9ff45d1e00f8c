package scan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// probe is one change to a source and the finding expected from it.
type probe struct {
	name string
	// path defaults to p/x.go. A source without a package clause gets one, with imports of
	// all standard packages that it mentions.
	path     string
	old, now string
	// want is the rule preceded by "fatal" or "flag". If it is empty, nothing may be found.
	want string
}

// check runs the probes of one detector. Only findings of the detector's own rule count,
// because a probe may trigger others. Honest source must have no findings at all.
func check(t *testing.T, rule string, probes []probe) {
	t.Helper()
	if !slices.ContainsFunc(detectors(), func(d detector) bool { return d.rule == rule }) {
		t.Fatalf("there is no detector of %q", rule)
	}
	for _, p := range probes {
		t.Run(p.name, func(t *testing.T) {
			path := p.path
			if path == "" {
				path = "p/x.go"
			}
			s := Source{Path: path, New: []byte(whole(p.now))}
			if p.old != "" {
				s.Old = []byte(whole(p.old))
			}
			var got []string
			for _, f := range Go([]Source{s}) {
				if f.Rule == parseRule {
					t.Fatalf("the probe does not parse: %s\n%s", f.Why, s.New)
				}
				if f.Rule != rule {
					continue
				}
				kind := "flag"
				if f.Fatal {
					kind = "fatal"
				}
				got = append(got, kind)
				if f.Why == "" || f.Path != path || f.Line < 1 {
					t.Errorf("an empty finding: %+v", f)
				}
			}
			if diff := cmp.Diff(p.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s\n%s", diff, s.New)
			}
		})
	}
}

// known lists the packages that the function whole imports when a source mentions them.
var known = []string{
	"errors", "flag", "fmt", "io", "log", "net/http", "os", "os/exec", "os/signal", "reflect", "runtime", "runtime/debug", "strings", "syscall", "testing", "time", "unsafe",
}

// whole makes a complete file from declarations.
func whole(src string) string {
	if strings.HasPrefix(src, "package ") || strings.Contains(src, "\npackage ") {
		return src
	}
	var imports strings.Builder
	for _, p := range known {
		if strings.Contains(src, packageName(p)+".") {
			fmt.Fprintf(&imports, "import %q\n", p)
		}
	}
	return "package p\n" + imports.String() + src + "\n"
}

func TestOnlyChangesAreBlamed(t *testing.T) {
	bad := "func stop() { os.Exit(0) }\n"
	rules := func(list ...Source) string {
		var out []string
		for _, f := range Go(list) {
			out = append(out, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule))
		}
		return strings.Join(out, ", ")
	}
	src := func(path, old, now string) Source {
		s := Source{Path: path}
		if old != "" {
			s.Old = []byte("package p\nimport \"os\"\n" + old)
		}
		if now != "" {
			s.New = []byte("package p\nimport \"os\"\n" + now)
		}
		return s
	}
	for _, c := range []struct {
		name string
		list []Source
		want string
	}{
		{"nothing", nil, ""},
		{"unchanged", []Source{src("a.go", bad, bad)}, ""},
		{"a neighbour is changed", []Source{src("a.go", bad, bad+"func f() int { return 1 }\n")}, ""},
		{"layout and comments", []Source{src("a.go", bad, "// now with a comment\nfunc stop() {\n\t// here\n\tos.Exit(0)\n}\n")}, ""},
		{"moved within the file", []Source{src("a.go", bad+"func f() {}\n", "func f() {}\n"+bad)}, ""},
		{"moved to another file of the package", []Source{src("a.go", bad, "var x = 1\n"), src("b.go", "", bad)}, ""},
		{"moved to another package", []Source{src("a.go", bad, "var x = 1\n"), src("q/b.go", "", bad)}, "q/b.go:3 exit"},
		{"copied", []Source{src("a.go", bad, bad), src("b.go", "", bad)}, "b.go:3 exit"},
		{"changed elsewhere in it", []Source{src("a.go", bad, "func stop() { x := 1; _ = x; os.Exit(0) }\n")}, ""},
		{"changed around it", []Source{src("a.go", bad, "func stop() { if x == 1 { os.Exit(0) } }\n")}, "a.go:3 exit"},
		{"changed and moved", []Source{src("a.go", bad, "var x = 1\n"), src("b.go", "", "func stop() { x++; os.Exit(0) }\n")}, ""},
		{"removed", []Source{src("a.go", bad, "")}, ""},
		{"no Go", []Source{{Path: "a.txt", New: []byte("os.Exit(0)")}}, ""},
		{"Go in capitals", []Source{src("a.GO", "", bad)}, "a.GO:1 file name, a.GO:3 exit"},
		{"does not parse", []Source{{Path: "a.go", New: []byte("package p\nfunc {")}}, "a.go:2 parse"},
		{"empty", []Source{{Path: "a.go", New: []byte{}}}, "a.go:1 parse"},
		{"the base did not parse", []Source{{Path: "a.go", Old: []byte("package"), New: src("", "", bad).New}}, "a.go:3 exit"},
		{"early through a function that was there", []Source{src("a.go", bad, bad+"func init() { stop() }\n")}, "a.go:3 exit"},
	} {
		if got := rules(c.list...); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzGo(f *testing.F) {
	for _, s := range []string{
		"package p\nfunc init() { os.Exit(0) }", "package p\nvar x = func() int { return f() }()\nfunc f() int { return x }", "package p\n//go:linkname a b\nfunc a()",
		"//go:build x\npackage p\nimport . \"os\"\nfunc (t T[K]) m() { defer func() { recover() }(); switch { case x == \"a\": return } }", "package p\nvar a, b = 1", "\xef\xbb\xbfpackage p",
		"package p\nfunc f() { for x := range 3 { x++ }; if y, ok := <-c; ok { goto z }; z: }", "package p; type T struct { a, b int `x` }; func ((*T)) f()",
	} {
		f.Add(s, s, "p/x.go")
		f.Add("", s, "p/x_linux.go")
	}
	f.Fuzz(func(t *testing.T, old, now, path string) {
		list := []Source{{Path: path, Old: []byte(old), New: []byte(now)}}
		found := Go(list)
		if diff := cmp.Diff(found, Go(list)); diff != "" {
			t.Fatalf("read twice: %s", diff)
		}
		lines := strings.Count(now, "\n") + 1
		for _, x := range found {
			if x.Why == "" || x.Line < 1 || x.Line > lines {
				t.Fatalf("%+v in %d lines", x, lines)
			}
			for _, r := range x.String() {
				if r < ' ' || r > '~' {
					t.Fatalf("%U in %q", r, x.String())
				}
			}
		}
		same := []Source{{Path: path, Old: []byte(now), New: []byte(now)}}
		for _, x := range Go(same) {
			if x.Rule != parseRule && x.Rule != "constraint" {
				t.Fatalf("nothing changed, and there is %+v", x)
			}
		}
	})
}
