package source

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	foreign "evolve/runtime/text"
)

// Limits on the text that is read and returned. [Summary.Truncated] reports whether a part
// of the file or of a list was omitted.
const (
	MaxText = 1 << 20 // bytes of a file; more is an error

	// MaxLexed limits how much of a Python, JavaScript or TypeScript file is read, in
	// bytes, up to the end of the last whole line. Reading a byte takes a microsecond, or
	// three for the worst of some fifty hostile inputs. Go files are read in full.
	MaxLexed = 128 << 10

	MaxDoc       = 200 // characters of a doc
	maxName      = 120 // bytes of a name or an import path
	maxSignature = 200 // bytes
	maxList      = 500 // entries of each list
)

// Errors of [Summarize].
var (
	ErrLanguage = errors.New("is not in a language that can be summarised")
	ErrTooLarge = errors.New("is larger than 1 MiB")
	ErrNoSource = errors.New("is not valid source code in its language")
)

// Language is one of the supported languages.
type Language string

// The languages.
const (
	Go         Language = "Go"
	Python     Language = "Python"
	JavaScript Language = "JavaScript"
	TypeScript Language = "TypeScript"
)

// Summary summarises one file.
type Summary struct {
	Path     string
	Language Language
	// Package is the name in a Go file's package clause.
	Package string
	// Doc is the file's own description on one line, at most [MaxDoc] characters long: the
	// package comment, the docstring of the module, or the comment at the top.
	Doc       string
	Types     []Type
	Functions []Function
	Imports   []Import
	// Tags holds the build constraints of a Go file, as written after //go:build.
	Tags string
	// Test reports whether the file is a test, judging by its name.
	Test bool
	// Tests holds the names of the tests in the file.
	Tests []string
	// Entry is the evidence that the file is the entry point of a program, such as "package
	// main", "__main__" or "shebang"; it is empty if there is no evidence.
	Entry string
	// Touches lists the kinds of external resources that the file works with, judging by
	// its imports, in sorted order.
	Touches []Touch
	// Truncated reports whether the file or a list was longer than its limit.
	Truncated bool
}

// Type is a declared type.
type Type struct {
	Name string
	// Kind is the kind of the type: struct, interface, alias, defined, class, enum,
	// type, namespace.
	Kind     string
	Exported bool
}

// Function is a declared function or method; a method's name is Type.method.
type Function struct {
	Name string
	// Signature is the declaration without its body, with white space collapsed, at most
	// 200 bytes long.
	Signature string
	Exported  bool
}

// Import is one imported module.
type Import struct {
	// Path is the module's name as written: an import path in Go, a dotted name with its
	// leading dots in Python, or a specifier in JavaScript and TypeScript.
	Path string
	Kind Kind
	// Form is the form of the import statement.
	Form Form
	// Names holds the names that a Python statement of the form from … import imports from
	// the module. They may be modules themselves.
	Names []string
	// TypeOnly reports whether the import is only for types and does not exist at run time.
	TypeOnly bool
	// Conditional reports whether the import is in a branch, a try or a function.
	Conditional bool
}

// Kind describes where an imported module comes from.
type Kind string

// The kinds of import. An absolute import that is not in the standard library counts as
// third party, because the repository is unknown; see [Summary.Within].
const (
	Standard   Kind = "standard"
	Internal   Kind = "internal"
	ThirdParty Kind = "third_party"
)

// Form is how a module is imported.
type Form string

// The forms of import.
const (
	Static   Form = "import"
	Dynamic  Form = "dynamic"
	Require  Form = "require"
	ReExport Form = "re-export"
)

// LanguageOf returns the language of a file, judging by its name.
func LanguageOf(name string) (Language, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return Go, true
	case ".py", ".pyi":
		return Python, true
	case ".js", ".mjs", ".cjs", ".jsx":
		return JavaScript, true
	case ".ts", ".mts", ".cts", ".tsx":
		return TypeScript, true
	}
	return "", false
}

// Summarize summarises one file. It does not open the file: name only determines the
// language and whether the file is a test. For a text with syntax errors, Summarize returns
// what can be recognised; an error means that there is nothing to return.
func Summarize(name string, text []byte) (Summary, error) {
	language, ok := LanguageOf(name)
	switch {
	case !ok:
		return Summary{}, fmt.Errorf("%s: %w", foreign.Clip(name, maxName), ErrLanguage)
	case len(text) > MaxText:
		return Summary{}, fmt.Errorf("%s: %w", foreign.Clip(name, maxName), ErrTooLarge)
	}
	s := Summary{Path: name, Language: language, Test: isTest(language, name)}
	clean := normalize(text)
	switch language {
	case Go:
		if err := s.readGo(clean); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", foreign.Clip(name, maxName), err)
		}
	case Python:
		s.readPython(clean)
	default:
		s.readScript(clean)
	}
	s.bound()
	return s, nil
}

// Within marks the imports of packages in the given Go module as internal to the
// repository.
func (s *Summary) Within(module string) {
	if module == "" || s.Language != Go {
		return
	}
	for i, imp := range s.Imports {
		if imp.Path == module || strings.HasPrefix(imp.Path, module+"/") {
			s.Imports[i].Kind = Internal
		}
	}
	s.Touches = touches(s.Language, s.Imports)
}

// normalize removes differences between editors: the result has no byte order mark, only
// line feeds as line ends, and valid UTF-8.
func normalize(text []byte) string {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	clean := strings.ToValidUTF8(string(text), "\ufffd")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(clean)
}

func isTest(l Language, name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	folders := "/" + strings.ToLower(path.Dir(name)) + "/"
	switch l {
	case Go:
		return strings.HasSuffix(stem, "_test")
	case Python:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest" ||
			strings.Contains(folders, "/tests/")
	}
	return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.Contains(folders, "/__tests__/")
}

// bound cuts every list and text to its limit.
func (s *Summary) bound() {
	s.Package, s.Tags = foreign.Clip(s.Package, maxName), foreign.Clip(s.Tags, maxSignature)
	s.Doc = cutDoc(s.Doc)
	s.Types = shorten(s, s.Types)
	s.Functions = shorten(s, s.Functions)
	s.Imports = shorten(s, s.Imports)
	s.Tests = shorten(s, s.Tests)
	for i := range s.Types {
		s.Types[i].Name = foreign.Clip(s.Types[i].Name, maxName)
	}
	for i := range s.Functions {
		s.Functions[i].Name = foreign.Clip(s.Functions[i].Name, 2*maxName)
		s.Functions[i].Signature = foreign.Clip(s.Functions[i].Signature, maxSignature)
	}
	for i := range s.Imports {
		s.Imports[i].Path = foreign.Clip(s.Imports[i].Path, maxName)
		s.Imports[i].Names = shorten(s, s.Imports[i].Names)
	}
	for i := range s.Tests {
		s.Tests[i] = foreign.Clip(s.Tests[i], maxName)
	}
}

func shorten[T any](s *Summary, list []T) []T {
	if len(list) <= maxList {
		return list
	}
	s.Truncated = true
	return list[:maxList]
}

// cutDoc collapses white space and cuts the text to [MaxDoc] characters.
func cutDoc(text string) string {
	// The limit in bytes prevents a megabyte of comment from being split into words.
	return foreign.Clip(strings.Join(strings.Fields(foreign.Clip(text, 16*MaxDoc)), " "), MaxDoc, foreign.Runes)
}
