package source

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// sound checks the bounds of a summary.
func sound(t *testing.T, s Summary) {
	t.Helper()
	text := func(what, v string, most int) {
		if len(v) > most || !utf8.ValidString(v) {
			t.Errorf("%s has %d bytes: %.100q", what, len(v), v)
		}
	}
	if n := utf8.RuneCountInString(s.Doc); n > MaxDoc || strings.ContainsAny(s.Doc, "\n\r\t") {
		t.Errorf("doc of %d characters: %q", n, s.Doc)
	}
	if len(s.Types) > maxList || len(s.Functions) > maxList || len(s.Imports) > maxList || len(s.Tests) > maxList {
		t.Error("a list is longer than its bound")
	}
	text("package", s.Package, maxName)
	for _, v := range s.Types {
		text("type", v.Name, maxName)
	}
	for _, v := range s.Functions {
		text("function", v.Name, 2*maxName)
		text("signature", v.Signature, maxSignature)
		if strings.Contains(v.Signature, "\n") {
			t.Errorf("signature of several lines: %q", v.Signature)
		}
	}
	for _, v := range s.Imports {
		text("import", v.Path, maxName)
		if v.Kind == "" || v.Form == "" || len(v.Names) > maxList {
			t.Errorf("import %+v", v)
		}
	}
}

func fuzz(f *testing.F, name string, seeds ...string) {
	for _, s := range append(seeds, "", "\x00", "\xff\xfe", "\ufeff#!x\r\r\n", strings.Repeat("(", 300), "\u2028'\u2029") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Summarize(name, []byte(text))
		if err != nil {
			return
		}
		sound(t, s)
		again, _ := Summarize(name, []byte(text))
		if diff := cmp.Diff(s, again); diff != "" {
			t.Error("two readings differ: " + diff)
		}
	})
}

func FuzzGo(f *testing.F) {
	fuzz(f, "a.go", "package a\nimport \"fmt\"\nfunc (a *B[T]) C(x ...func()) (y int) {}\ntype D = struct{}\n", "//go:build a && (b\npackage p")
}

func FuzzPython(f *testing.F) {
	fuzz(f, "a.py", python, "from .. import (a\nclass X:\n\tdef f(", "x = '''\n\"\"\" \\", "import a.b.,c;from.import x", "rb'\\\n'fR\"{x}\"")
}

func FuzzJavaScript(f *testing.F) {
	fuzz(f, "a.js", script, "import{a as b}from'c'\nexport*from`d`", "x=`${`${`", "/[/]/'", "class{#a(){}static*b(){}}", "import('\\u0061')")
}

func FuzzTypeScript(f *testing.F) {
	fuzz(f, "a.test.ts", script, "import type X, {type Y as Z} from 'q' with {a:'b'}", "declare module 'x' { export const y: <T>(a: T) => T }", "enum\u2028E{}")
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"main":"a","bin":{"b":"../c"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range Manifest([]byte(text)) {
			if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "..") && (len(p) == 2 || p[2] == '/') {
				t.Error(p)
			}
		}
	})
}
