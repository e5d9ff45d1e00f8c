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

// A tested process can print anything, including "--- PASS". Each test of the base is
// therefore instrumented to report its result with secret words. There is one word for
// each way in which a test can end. The words are drawn at random when the tests are
// compiled, and occur only in the test's own code. Code that prints a line of success for
// a failed test, or prevents a test from running, cannot report the test's word for
// success.

// markers holds the words with which a test reports that it began, passed, failed or was
// skipped.
type markers struct {
	begun, passed, failed, skipped string
}

// markedTests holds the instrumented tests of one package.
type markedTests struct {
	// files holds the changed and added files, keyed by path from the root of the tree.
	files map[string][]byte
	// tests holds the marked top-level tests, keyed by name. Examples report only that
	// they began.
	tests map[string]markers
	// canary is the name of the test that fails if a run requires it to.
	canary string
}

// testKind is a kind of top-level function that the Go tool distinguishes.
type testKind int

const (
	notTest testKind = iota
	realTest
	fuzzTest
	exampleTest
)

// kindOf returns the kind of a function, which is notTest if the Go tool does not run it as
// a test.
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

// called reports whether a function's name is the given prefix, or begins with it and
// continues with something other than a lower-case letter.
func called(f *ast.FuncDecl, prefix string) bool {
	rest, ok := strings.CutPrefix(f.Name.Name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

// takes reports whether a function's only parameter is a pointer to a type with the given
// name.
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

// markTests instruments the test files of a package. read returns their contents.
// variable is the name of the environment variable that holds the settings of a run, and
// loud is the word in that variable that makes the canary fail.
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
	if !ok { // if the name is known, the other function with this name is for another system or in the folder's other package
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

// report returns the statements that are inserted at the beginning of a test so that the
// test reports that it begins and what its result is.
func (s markers) report(helper, t string) string {
	return fmt.Sprintf("%[1]sSeal(%[2]s, %[3]q, %[4]q, %[5]q, %[6]q); defer %[1]sCaught(%[5]q);", helper, t, s.begun, s.passed, s.failed, s.skipped)
}

// reporter is the code that is added to each package of tests. It opens the report file
// anew for each report, because tests may change or close any open descriptor. When the
// cleanup of a panicking test runs, the test does not count as failed yet, so the cleanup
// reports success. A reported failure therefore takes precedence over a reported success.
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

// armed returns the name of the environment variable that is set once a test has begun.
// Mutants are inactive until then, because an earlier failure proves nothing about tests.
func armed(variable string) string { return variable + "A" }

// canaryTest returns the source of a test that fails if the settings of the run contain
// the word loud, and passes otherwise. The way in which it fails is chosen at random.
// Code that makes every test appear to pass cannot tell the two runs apart, so it is
// exposed.
func (s *markedTests) canaryTest(m *nonces, helper, loud string) string {
	words := markers{begun: m.word(), passed: m.word(), failed: m.word(), skipped: m.word()}
	s.tests[s.canary] = words
	how := []string{
		`t.Error(%q)`, `t.Fatalf("%%s", %q)`, `t.Log(%q); t.Fail()`, `t.Log(%q); t.FailNow()`, `for _, sub := range []string{%q} { t.Run(sub, func(t *` + helper + `Testing.T) { t.Error() }) }`,
	}
	return fmt.Sprintf("\nfunc %[1]s(t *%[2]sTesting.T) {\n\t%[3]s\n\tif %[2]sWord == %[4]q {\n\t\t%[5]s\n\t}\n}\n",
		s.canary, helper, words.report(helper, "t"), loud, fmt.Sprintf(how[m.below(len(how))], m.word()))
}
