package gotest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/sandbox"
)

// steady returns a source of names that are the same in every run.
func steady() *nonces { return &nonces{from: rand.NewChaCha8([32]byte{1})} }

func isFunction(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Body != nil
}

func TestSealTests(t *testing.T) {
	files := map[string]string{
		"p/a_test.go": `package p

import "testing"

func TestPlain(t *testing.T) { t.Log() }

func TestNoName(*testing.T) {}

func TestBlank(_ *testing.T) {}

func FuzzIt(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }

func ExampleThing() {
	// Output:
}

func BenchmarkIt(b *testing.B) {}

func TestMain(m *testing.M) { m.Run() }

func Testing(t *testing.T) {}

func TestHelper(t *testing.T, n int) {}

func (x *suite) TestMethod(t *testing.T) {}

type suite struct{}
`,
		"p/b_test.go":      "package p_test\n\nimport . \"testing\"\n\nfunc TestOutside(tt *T) {\n}\n",
		"p/broken_test.go": "package p\n\nfunc TestBroken(",
	}
	read := func(p string) ([]byte, error) {
		text, ok := files[p]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	p := &pkg{dir: "p", tests: []string{"b_test.go", "a_test.go", "broken_test.go"}}
	s, err := markTests(steady(), p, "variable", "loud", read)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ExampleThing", "FuzzIt", "TestBlank", "TestNoName", "TestOutside", "TestPlain"}
	names := slices.Sorted(maps.Keys(s.tests))
	names = slices.DeleteFunc(names, func(n string) bool { return n == s.canary })
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if len(s.files) != 4 {
		t.Errorf("%d files, want two with markers and one for each package", len(s.files))
	}
	words := map[string]bool{}
	for _, w := range s.tests {
		for _, x := range []string{w.begun, w.passed, w.failed, w.skipped} {
			if x != "" && words[x] {
				t.Errorf("the word %s says two things", x)
			}
			words[x] = true
		}
	}
	all, canaries := "", 0
	for name, text := range s.files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
			t.Error(err)
		}
		if old, ok := files[name]; ok && strings.Count(old, "\n") != strings.Count(string(text), "\n") {
			t.Errorf("%s has other lines", name)
		}
		all += string(text)
		canaries += strings.Count(string(text), "func "+s.canary+"(")
	}
	if canaries != 1 {
		t.Errorf("%d canaries", canaries)
	}
	if n := strings.Count(all, "Caught(\""); n != 6 {
		t.Errorf("%d tests report, want five and the canary", n)
	}
	if _, err := markTests(steady(), &pkg{dir: "q", tests: []string{"x_test.go"}}, "v", "l", read); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := markTests(&nonces{from: strings.NewReader("")}, p, "v", "l", read); err == nil {
		t.Error("names were drawn from nothing")
	}
}

func TestJudge(t *testing.T) {
	s := markedTests{tests: map[string]markers{
		"TestA":   {"a-begun", "a-passed", "a-failed", "a-skipped"},
		"TestB":   {"b-begun", "b-passed", "b-failed", "b-skipped"},
		"Example": {begun: "e-begun"},
	}, canary: "TestB"}
	base := outcome{OK: true, Passed: []string{"TestA", "TestA/sub", "Example"}}
	good := []string{"a-begun", "a-passed", "e-begun"}
	shown := map[string]string{"TestA": "PASS", "TestA/sub": "PASS", "Example": "PASS"}
	for name, c := range map[string]struct {
		words []string
		shown map[string]string
		spoil func(*run)
		loud  bool
		want  string
	}{
		"all well":                 {words: good, shown: shown},
		"nothing reported":         {shown: shown, want: "TestA was not run; Example was not run"},
		"begun and no more":        {words: []string{"a-begun", "e-begun"}, shown: shown, want: "TestA did not finish"},
		"failed":                   {words: []string{"a-begun", "a-failed", "e-begun"}, shown: shown, want: "TestA failed"},
		"failed and passed":        {words: append([]string{"a-failed"}, good...), shown: shown, want: "TestA failed"},
		"skipped":                  {words: []string{"a-begun", "a-skipped", "e-begun"}, shown: shown, want: "TestA was skipped"},
		"the words of another":     {words: []string{"b-begun", "b-passed", "e-begun"}, shown: shown, want: "TestA was not run"},
		"a subtest is missing":     {words: good, shown: map[string]string{"Example": "PASS"}, want: "TestA/sub was not run"},
		"a subtest failed":         {words: good, shown: map[string]string{"TestA/sub": "FAIL", "Example": "PASS"}, want: "TestA/sub failed"},
		"an example was not begun": {words: []string{"a-begun", "a-passed"}, shown: shown, want: "Example was not run"},
		"an example failed":        {words: good, shown: map[string]string{"TestA/sub": "PASS", "Example": "FAIL"}, want: "Example failed"},
		"exit code":                {words: good, shown: shown, spoil: func(r *run) { r.exit.Code = 3 }, want: "the process ended with exit code 3 although every test passed"},
		"signal":                   {words: good, shown: shown, spoil: func(r *run) { r.exit = sandbox.Exit{Code: -1, Signal: 9} }, want: "the process ended with signal 9"},
		"memory":                   {words: good, shown: shown, spoil: func(r *run) { r.exit.Reason = sandbox.OverMemory }, want: "the process was ended (over its memory limit)"},
		"too late":                 {words: good, shown: shown, spoil: func(r *run) { r.late = true }, want: "the process did not finish in time"},
		"too much":                 {words: good, shown: shown, spoil: func(r *run) { r.flooded = true }, want: "the process exceeded the output limit"},
		"loud and 0":               {words: good, shown: shown, loud: true, want: "the process ended with exit code 0 although a test failed"},
		"loud and 1":               {words: good, shown: shown, loud: true, spoil: func(r *run) { r.exit.Code = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			r := run{words: map[string]bool{}, shown: c.shown}
			for _, w := range c.words {
				r.words[w] = true
			}
			if c.spoil != nil {
				c.spoil(&r)
			}
			if got := strings.Join(s.judge(base, r, runOptions{verbose: true}, c.loud), "; "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
