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
	"evolve/runtime/text"
)

// The minimum lengths of the texts and numbers that are looked for. Shorter literals occur
// in all kinds of code.
const (
	fewLetters = 4
	fewDigits  = 3
)

// copiedGate looks for hard-coded answers: texts and numbers from the tests that occur in
// the patch's code and did not occur in the code of the changed packages before. It only
// flags them, because a test may legitimately expect a message. It does not find literals
// that are disguised, hashed or assembled from parts; hidden tests and the review are meant
// to find those.
func (t *checker) copiedGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	old, fresh := map[string]bool{}, map[string]string{}
	for p := range l.base.files {
		here := slices.ContainsFunc(l.direct, func(o *pkg) bool { return o.dir == path.Dir(p) })
		if here && strings.HasSuffix(p, ".go") && !IsTest(p) {
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
	for known := range old { // a text within a known literal is not new
		maps.DeleteFunc(fresh, func(text, _ string) bool { return !isNumber(text) && strings.Contains(known, text) })
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
					found = append(found, fmt.Sprintf("%s has %s from %s", fresh[text], strconv.QuoteToASCII(text), file))
					delete(fresh, text)
				}
			}
		}
	}
	if len(found) > 0 {
		return gates.Flagged, "the patch's code contains literals from tests; are these hard-coded answers? " + some(found), nil
	}
	if len(fresh) == 0 {
		return gates.Passed, "no new literals in the patch's code", nil
	}
	return gates.Passed, fmt.Sprintf("%s in the patch's code, none from a test", text.Count(len(fresh), "new literal")), nil
}

// quotes reports whether src contains a text; a number must not be part of a longer number.
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

// answersOf returns everything in a test file that may be an answer: its literals, and the
// expected output of its examples. A file that does not parse is returned as a whole.
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

// numeral reports whether a number continues at i in the direction of step, either with a
// digit or with a dot followed by a digit, as in an address or a version.
func numeral(s string, i, step int) bool {
	return digit(s, i) || i >= 0 && i < len(s) && s[i] == '.' && digit(s, i+step)
}

// literalsOf returns the texts and numbers in a Go file that are not too short, without
// import paths. It returns none if the file does not parse, because the build reports
// such a file.
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
