package gotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/gates/syntax"
)

// A tested process can print anything, including "--- PASS". So each test of the base
// is made to report in words that only the gate has: the words are random, drawn when
// the tests are compiled, one for each way a test can end, and occur only in the test's
// own code. Code that prints a line of success for a failed test, or keeps a test from
// running, does not have the test's word.

// markers are the words of one test.
type markers struct {
	begun, passed, failed, skipped string
}

// markedTests are the instrumented tests of one package.
type markedTests struct {
	// files are the changed and added files, by path from the root of the tree.
	files map[string][]byte
	// tests are the marked top-level tests by name. Examples report only that they
	// began.
	tests map[string]markers
	// canary is the name of the test that fails when a run requires it.
	canary string
}

// testKind is the Go tool's kind of a top-level function.
type testKind int

const (
	notTest testKind = iota
	realTest
	fuzzTest
	exampleTest
)

// kindOf recognises the functions that the Go tool runs.
func kindOf(f *ast.FuncDecl) testKind {
	if f.Recv != nil || f.Body == nil || f.Type.TypeParams != nil || f.Type.Results != nil {
		return notTest
	}
	switch {
	case called(f, "Test") && takes(f, "T"):
		return realTest
	case called(f, "Fuzz") && takes(f, "F"):
		return fuzzTest
	case called(f, "Example") && f.Type.Params.NumFields() == 0:
		return exampleTest
	}
	return notTest
}

// called reports whether a name is a prefix followed by no lower-case letter.
func called(f *ast.FuncDecl, prefix string) bool {
	rest, ok := strings.CutPrefix(f.Name.Name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

// takes reports whether the only parameter is a pointer to a type of that name.
func takes(f *ast.FuncDecl, name string) bool {
	if f.Type.Params.NumFields() != 1 {
		return false
	}
	star, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := star.X.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name == name
	case *ast.Ident:
		return t.Name == name
	}
	return false
}

// markTests instruments the test files of a package. read returns their contents;
// variable is the name of the environment variable with the settings of a run, loud the
// word in it that makes the canary fail.
func markTests(m *nonces, p *pkg, variable, loud string, read func(path string) ([]byte, error)) (markedTests, error) {
	out := markedTests{
		files: map[string][]byte{}, tests: map[string]markers{}, canary: "Test" + strings.ToUpper(m.word()),
	}
	helper := m.word()
	var packages []string
	for _, name := range slices.Sorted(slices.Values(p.tests)) {
		path := filepath.ToSlash(filepath.Join(p.dir, name))
		src, err := read(path)
		if err != nil {
			return out, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			continue // the file is not built, or the build reports the error
		}
		if !slices.Contains(packages, file.Name.Name) {
			packages = append(packages, file.Name.Name)
		}
		var put edits
		for f := range syntax.Functions(file) {
			out.mark(m, f, helper, fset, &put)
		}
		out.files[path] = put.apply(src)
	}
	if len(packages) == 0 {
		return out, m.err
	}
	with := packages[m.below(len(packages))]
	for _, name := range packages {
		file := fmt.Sprintf(reporter, name, helper, strconv.Quote(variable), strconv.Quote(armed(variable)))
		if name == with {
			file += out.canaryTest(m, helper, loud)
		}
		out.files[filepath.ToSlash(filepath.Join(p.dir, m.word()+"_test.go"))] = []byte(file)
	}
	return out, m.err
}

// mark instruments one function to report its beginning and its end.
func (s *markedTests) mark(m *nonces, f *ast.FuncDecl, helper string, fset *token.FileSet, put *edits) {
	kind := kindOf(f)
	if kind == notTest {
		return
	}
	words, ok := s.tests[f.Name.Name]
	if !ok { // another of the name is for another system, or in the other package of the folder
		words = markers{begun: m.word()}
		if kind != exampleTest {
			words.passed, words.failed, words.skipped = m.word(), m.word(), m.word()
		}
		s.tests[f.Name.Name] = words
	}
	at := fset.Position(f.Body.Lbrace).Offset + 1
	if kind == exampleTest {
		put.insert(at, fmt.Sprintf(" %sTell(%q);", helper, words.begun))
		return
	}
	param, name := f.Type.Params.List[0], ""
	switch {
	case len(param.Names) == 0:
		name = helper + "T"
		put.insert(fset.Position(param.Type.Pos()).Offset, name+" ")
	case param.Names[0].Name == "_":
		name = helper + "T"
		put.replace(fset.Position(param.Names[0].Pos()).Offset, 1, name)
	default:
		name = param.Names[0].Name
	}
	put.insert(at, " "+words.report(helper, name))
}

// report returns the statements at the beginning of a test by which it reports.
func (s markers) report(helper, t string) string {
	return fmt.Sprintf("%[1]sSeal(%[2]s, %[3]q, %[4]q, %[5]q, %[6]q); defer %[1]sCaught(%[5]q);", helper, t, s.begun, s.passed, s.failed, s.skipped)
}

// reporter is added to each package of tests. It opens the file of reports for each
// report, as tests may change or close any open descriptor. A panicking test has not
// failed yet when its cleanup runs, which then reports success. Therefore a reported
// failure takes precedence.
const reporter = `package %[1]s

import (
	%[2]sOS "os"
	%[2]sStrings "strings"
	%[2]sTesting "testing"
)

var %[2]sWord, %[2]sFile, _ = %[2]sStrings.Cut(%[2]sOS.Getenv(%[3]s), ":")

func %[2]sTell(word string) {
	if f, err := %[2]sOS.OpenFile(%[2]sFile, %[2]sOS.O_WRONLY|%[2]sOS.O_APPEND, 0); err == nil {
		_, _ = f.WriteString(word + "\n")
		_ = f.Close()
	}
}

func %[2]sSeal(t %[2]sTesting.TB, begun, passed, failed, skipped string) {
	%[2]sOS.Setenv(%[4]s, "")
	%[2]sTell(begun)
	t.Cleanup(func() {
		switch {
		case t.Failed():
			%[2]sTell(failed)
		case t.Skipped():
			%[2]sTell(skipped)
		default:
			%[2]sTell(passed)
		}
	})
}

func %[2]sCaught(failed string) {
	if p := recover(); p != nil {
		%[2]sTell(failed)
		panic(p)
	}
}
`

// armed returns the name of the environment variable that is set once a test has begun:
// mutants are inactive until then, as an earlier failure proves nothing about tests.
func armed(variable string) string { return variable + "A" }

// canaryTest returns a test that fails in one of several ways when a run sets the right
// word, and passes otherwise: a process that reports success whatever happens cannot
// distinguish the two runs.
func (s *markedTests) canaryTest(m *nonces, helper, loud string) string {
	words := markers{begun: m.word(), passed: m.word(), failed: m.word(), skipped: m.word()}
	s.tests[s.canary] = words
	how := []string{
		`t.Error(%q)`, `t.Fatalf("%%s", %q)`, `t.Log(%q); t.Fail()`, `t.Log(%q); t.FailNow()`, `for _, sub := range []string{%q} { t.Run(sub, func(t *` + helper + `Testing.T) { t.Error() }) }`,
	}
	return fmt.Sprintf("\nfunc %[1]s(t *%[2]sTesting.T) {\n\t%[3]s\n\tif %[2]sWord == %[4]q {\n\t\t%[5]s\n\t}\n}\n",
		s.canary, helper, words.report(helper, "t"), loud, fmt.Sprintf(how[m.below(len(how))], m.word()))
}
