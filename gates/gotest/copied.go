package gotest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"evolve/gates"
)

// Literals shorter than these are in all code: letters of a text, digits of a number.
const (
	fewLetters = 4
	fewDigits  = 3
)

// copiedGate looks for answers that are written down rather than computed: texts and
// numbers of the tests that stand in the patch's code, and stood in none before. It
// flags alone, as an honest message may be what a test waits for. What is disguised,
// hashed or put together from parts it does not find: against that stand tests that
// the author cannot see, and the reviewer.
func (t *checker) copiedGate(ctx context.Context) (gates.Verdict, string, error) {
	l, err := t.lay(ctx)
	if err != nil {
		return "", "", err
	}
	old, fresh := map[string]bool{}, map[string]string{}
	for p := range l.base.files {
		here := slices.ContainsFunc(l.direct, func(o *pkg) bool { return o.dir == path.Dir(p) })
		if here && strings.HasSuffix(p, ".go") && !isTest(p) {
			for _, text := range literalsOf(filepath.Join(l.base.root, filepath.FromSlash(p))) {
				old[text] = true
			}
		}
	}
	for _, p := range l.changed {
		if !strings.HasSuffix(p, ".go") {
			continue
		}
		for _, text := range literalsOf(filepath.Join(l.env.tree, filepath.FromSlash(p))) {
			if !old[text] {
				fresh[text] = p
			}
		}
	}
	var found []string
	for said := range old { // a part of what was written down is not new
		maps.DeleteFunc(fresh, func(text, _ string) bool { return !isNumber(text) && strings.Contains(said, text) })
	}
	for _, p := range l.affected {
		for _, file := range p.tests {
			src, err := os.ReadFile(filepath.Join(l.env.tree, filepath.FromSlash(p.dir), file))
			if err != nil {
				return "", "", err
			}
			answers := answersOf(src)
			for _, text := range slices.Sorted(maps.Keys(fresh)) {
				if quotes(answers, text) {
					found = append(found, fmt.Sprintf("%s has %s of %s", fresh[text], strconv.QuoteToASCII(text), file))
					delete(fresh, text)
				}
			}
		}
	}
	if len(found) > 0 {
		return gates.Flagged, "literals of tests in the patch's code; are these hard-coded answers? " + some(found), nil
	}
	if len(fresh) == 0 {
		return gates.Passed, "no new literals in the patch's code", nil
	}
	return gates.Passed, fmt.Sprintf("%s in the patch's code, none from a test", count(len(fresh), "new literal")), nil
}

// quotes reports whether a source holds a text, or a number as a word of its own.
func quotes(src, text string) bool {
	for rest := src; ; {
		at := strings.Index(rest, text)
		if at < 0 {
			return false
		}
		if !isNumber(text) || !numeral(rest, at-1, -1) && !numeral(rest, at+len(text), 1) {
			return true
		}
		rest = rest[at+1:]
	}
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// answersOf is everything in a test file that may be an answer: its literals, and what
// its examples are to print. A file that is no Go is taken as it stands.
func answersOf(src []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return string(src)
	}
	var out strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				text = l.Value
			}
			out.WriteString(text + "\n")
		}
		return true
	})
	for _, c := range file.Comments {
		if text := c.Text(); strings.Contains(strings.ToLower(text), "output:") {
			out.WriteString(text + "\n")
		}
	}
	return out.String()
}

func digit(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// numeral reports whether a number goes on at i, read forwards or backwards: with a
// digit, or with a dot and then one, as in an address or a version.
func numeral(s string, i, step int) bool {
	return digit(s, i) || i >= 0 && i < len(s) && s[i] == '.' && digit(s, i+step)
}

// literalsOf are the longer texts and numbers in a Go file, import paths left out. A
// file that is no Go has none: the build reports it.
func literalsOf(name string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			text := n.Value
			if n.Kind == token.STRING {
				text, _ = strconv.Unquote(n.Value)
				if len(strings.TrimSpace(text)) < fewLetters {
					return true
				}
			} else if n.Kind == token.CHAR || len(text) < fewDigits {
				return true
			}
			out = append(out, text)
		}
		return true
	})
	return out
}
