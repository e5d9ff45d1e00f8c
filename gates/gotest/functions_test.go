package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// folder returns a parsed folder with one file.
func folder(text string) source {
	return parseFolder(map[string][]byte{"p/a.go": []byte(text)})
}

func TestCompare(t *testing.T) {
	base := `package p

import "fmt"

// Limit bounds things.
const Limit = 3

const (
	one = iota
	two
)

var Table = map[string]int{"a": 1}

type Thing struct{ N int }

func (t *Thing) Get() int { return t.N + one }

func (Thing) String() string { return fmt.Sprint(two) }

func Use() int {
	// as it is
	return Limit
}

func Other() int { return Table["a"] }

func init() { Table["b"] = 2 }
`
	for name, c := range map[string]struct {
		old, now      string
		breaks, never []string
	}{
		"a comment":             {"// as it is", "// as it was", nil, nil},
		"a comment of a type":   {"type Thing", "// Thing is one.\ntype Thing", nil, nil},
		"a comment of a group":  {"one = iota\n", "one = iota // the first\n", nil, nil},
		"a comment of a value":  {"// Limit bounds things.", "// Limit bounds all things.", nil, nil},
		"a comment in a struct": {"struct{ N int }", "struct {\n\tN int // how many\n}", nil, nil},
		"layout":                {"func Other() int { return Table", "func Other() int {\n\n\treturn Table", nil, nil},
		"a body":                {"return Limit", "return Limit + 1", []string{"Use"}, nil},
		"a method":              {"t.N + one", "t.N - one", []string{"Thing.Get"}, nil},
		"a constant":            {"Limit = 3", "Limit = 4", []string{"Use uses Limit"}, nil},
		"a variable":            {`{"a": 1}`, `{"a": 2}`, []string{"Other uses Table", "init uses Table"}, nil},
		"a type":                {"N int }", "N int; m int }", []string{"Thing.Get uses Thing", "Thing.String uses Thing"}, nil},
		"the order of a group":  {"one = iota\n\ttwo", "two = iota\n\tone", []string{"Thing.Get uses one", "Thing.String uses two"}, nil},
		"a new function":        {"func init", "func New() {}\n\nfunc init", []string{"New"}, nil},
		"a removed function":    {"func Other() int { return Table[\"a\"] }", "", nil, nil},
		"a removed method":      {"func (Thing) String() string { return fmt.Sprint(two) }", "var _ = fmt.Sprint", nil, []string{"the removed Thing.String"}},
		"an assertion":          {"var Table", "var _ fmt.Stringer = (*Thing)(nil)\n\nvar Table", nil, nil},
		"a nameless function":   {"var Table", "func _() { _ = [1]int{}[one] }\n\nvar Table", nil, nil},
		"a nameless call":       {"var Table", "var _ = fmt.Sprint(3)\n\nvar Table", nil, []string{"_, which no function of its package uses"}},
		"a nameless literal":    {"var Table", "var _ = func() int { return 1 }()\n\nvar Table", []string{"the function in _"}, []string{"_, which no function of its package uses"}},
		"a removed init":        {`func init() { Table["b"] = 2 }`, "", nil, []string{"the removed init"}},
		"a blank import":        {`import "fmt"`, "import \"fmt\"\nimport _ \"os\"", nil, []string{`import _ "os"`}},
		"an unused constant":    {"var Table", "const More = 1\n\nvar Table", nil, []string{"More, which no function of its package uses"}},
		"a directive":           {"func Use", "//go:noinline\nfunc Use", nil, []string{"//go:noinline"}},
		"a function in a value": {`var Table = map[string]int{"a": 1}`, "var Table = map[string]int{\"a\": 1}\n\nvar F = func() int { return 1 }", []string{"the function in F"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(base, c.old) != 1 {
				t.Fatalf("%q stands there %d times", c.old, strings.Count(base, c.old))
			}
			got := compare(folder(base), folder(strings.Replace(base, c.old, c.now, 1)))
			var breaks []string
			for _, f := range got.functions {
				breaks = append(breaks, strings.TrimSpace(f.name+" "+f.why))
			}
			slices.Sort(breaks)
			if diff := cmp.Diff(c.breaks, breaks); diff != "" {
				t.Error("functions:", diff)
			}
			if name == "a function in a value" { // the value holds nothing but the function itself
				return
			}
			if diff := cmp.Diff(c.never, got.unseen); diff != "" {
				t.Error("unseen:", diff)
			}
		})
	}
}

// TestRemovedMethod checks that removing a method is not reported if no other package
// can call it and its own package does not name it.
func TestRemovedMethod(t *testing.T) {
	const kept = "package p\n\ntype T struct{}\n\ntype closer interface{ shut() }\n"
	for method, lost := range map[string]bool{"Open": true, "open": false, "shut": true} {
		got := compare(folder(kept+"\nfunc (T) "+method+"() {}\n"), folder(kept))
		if slices.Contains(got.unseen, "the removed T."+method) != lost {
			t.Errorf("%s: %q", method, got.unseen)
		}
	}
}

// TestAnswers checks that names and comments in a test file do not count as answers.
func TestAnswers(t *testing.T) {
	got := answersOf([]byte("package p\n\n// The mean is 12.\nfunc TestMean(t *testing.T) {\n\tfor range 250 {\n\t\twant(`a\tb`, \"c\\td\", 'x')\n\t}\n}\n\nfunc Example() {\n\t// Output: e\n}\n"))
	if diff := cmp.Diff("250\na\tb\nc\td\nx\nOutput: e\n\n", got); diff != "" {
		t.Error(diff)
	}
	if got := answersOf([]byte("no Go")); got != "no Go" {
		t.Error(got)
	}
}

// TestQuotes checks that a number counts as a separate word, not as a part of another.
func TestQuotes(t *testing.T) {
	for text, c := range map[string]struct {
		src  string
		want bool
	}{
		"1.1":  {`Addr: "127.0.1.1", Version: "1.1.2"`, false},
		"1.5":  {"want: 1.5,", true},
		"250":  {"the sum is 250.", true},
		"25.0": {"125.0 25.01", false},
		"-12":  {"x-12", true},
		"word": {"swords", true},
	} {
		if got := quotes(c.src, text); got != c.want {
			t.Errorf("%s in %s: %v", text, c.src, got)
		}
	}
}

func TestFreshLines(t *testing.T) {
	for name, c := range map[string]struct {
		old, now string
		want     []bool
	}{
		"same":       {"a\nb", "a\nb", []bool{false, false}},
		"indented":   {"a\nb", "a\n\tb ", []bool{false, false}},
		"new":        {"", "a\nb", []bool{true, true}},
		"in between": {"a\nc", "a\nb\nc", []bool{false, true, false}},
		"changed":    {"a\nb\nc", "a\nx\nc", []bool{false, true, false}},
		"left out":   {"a\nb\nc", "a\nc", []bool{false, true}},
		"at the end": {"a\nb", "a", []bool{false}},
	} {
		if diff := cmp.Diff(c.want, freshLines(c.old, c.now)); diff != "" {
			t.Error(name, diff)
		}
	}
}

// TestOldLinesStay checks that lines that are not fresh are in the old text, in the same
// order.
func TestOldLinesStay(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		old, now := text.Draw(t, "old"), text.Draw(t, "now")
		fresh := freshLines(strings.Join(old, "\n"), strings.Join(now, "\n"))
		i := 0
		for j, line := range now {
			if fresh[j] {
				continue
			}
			at := slices.Index(old[i:], line)
			if at < 0 {
				t.Fatalf("%q of %q is not in what is left of %q", line, now, old)
			}
			i += at + 1
		}
		if slices.Equal(old, now) && slices.Contains(fresh, true) {
			t.Fatal("nothing changed")
		}
	})
}

// TestInstrumentsRealSource checks that every function in large packages still parses after
// instrumentation, with unchanged lines.
func TestInstrumentsRealSource(t *testing.T) {
	tools, err := FindToolchain(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go/types", "net/url", "strings", "text/template", "encoding/json"} {
		files := map[string][]byte{}
		paths, err := filepath.Glob(filepath.Join(tools.Root, "src", filepath.FromSlash(name), "*.go"))
		if err != nil || len(paths) == 0 {
			t.Skip("no source of the standard library here", err)
		}
		for _, p := range paths {
			if files[name+"/"+filepath.Base(p)], err = os.ReadFile(p); err != nil {
				t.Fatal(err)
			}
			if IsTest(p) {
				delete(files, name+"/"+filepath.Base(p))
			}
		}
		out := &instrumentedCode{files: map[string][]byte{}, variable: "v", all: "a"}
		is := parseFolder(files)
		m := steady()
		out.add(m, &pkg{dir: name}, parseFolder(nil), is)
		functions := 0
		for _, f := range is.files {
			for _, d := range f.Decls {
				if isFunction(d) {
					functions++
				}
			}
		}
		if len(out.mutants) < functions || len(out.probes) < functions {
			t.Errorf("%s: %d mutants and %d probes for %d functions", name, len(out.mutants), len(out.probes), functions)
		}
		again := parseFolder(out.files)
		if len(again.files) != len(out.files) {
			t.Errorf("%s: %d of %d files are no Go any more", name, len(out.files)-len(again.files), len(out.files))
		}
		for p, text := range files {
			if now, ok := out.files[p]; ok && strings.Count(string(now), "\n") != strings.Count(string(text), "\n") {
				t.Errorf("%s has other lines", p)
			}
		}
	}
}
