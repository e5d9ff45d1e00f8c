package source

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// TestMain tests that no goroutines keep running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestHostileShapes tests that the time to summarize a text is linear in its length,
// whatever its content. The limit is a hundred times the time that a normal file takes,
// and quadratic time is far beyond it.
func TestHostileShapes(t *testing.T) {
	for _, shape := range []string{
		"a", "a ", "1", "(", ")", "{", "}", "[", "'", "\"", "`", "\\", "/", "//", "/*", "*/", "* /", "\t", "\n", "\n\n ", "#", "#\n", "\"\"\"", "'''",
		"`${", "`${`", "${", "`${}", "`${'", "/[", "=/[/]", "=/\\", "= / ", "return ", "f'", "rb'", "a='", "'\\\n", "\\\n", "\u2028", "\u00a0", "é", "\xff", "=>", "...", "?.",
		"import ", "import{a,", "import{a as b}from'c'", "export{", "export*", "export*from\"a\";", "import(", "import('\\x61')", "require('a')", "exports.", "exports={",
		"class A{", "class A ", "def ", "def a(", "from a import b,", "from . ", "import a.", "function ", "const a=", "const a=(", "a=>", "test('a',", "@", "if a:\n ",
	} {
		for _, name := range []string{"a.py", "a.test.ts"} {
			began := time.Now()
			s := summarize(t, name, strings.Repeat(shape, MaxLexed/4/len(shape)))
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s of %q took %v", name, shape, took)
			}
			sound(t, s)
		}
	}
}

// TestClauses tests which statements and calls count as imports.
func TestClauses(t *testing.T) {
	for text, want := range map[string]string{
		`import "m"`: "m", `import a from 'm'`: "m", `import * as a from 'm'`: "m", `import {} from 'm'`: "m",
		`import {a, b as c, default as d, "e f" as g,} from 'm'`: "m", `import a, {b} from 'm'`: "m", `import a, * as b from 'm'`: "m",
		`import type {A} from 'm'`: "m", `import {type A, b} from 'm'`: "m", `import type from 'm'`: "m", `import defer * as a from 'm'`: "m",
		`import a from 'm' with {type: 'json'}`: "m", `export * from 'm'`: "m", `export * as a from 'm'`: "m", `export {a, b as default} from 'm'`: "m",
		"import(`m`)": "m", `import('m', {with: {}})`: "m", `require("m")`: "m", `require.resolve('m')`: "m",
		`import '\x6d'`: "m", `import "\u006d"`: "m", `require('\u{6d}')`: "m", `import '\m'`: "m", "import '\\\nm'": "m", `import '\\m'`: `\m`,

		`import a b from 'm'`: "", `import a, from 'm'`: "", `import {a b} from 'm'`: "", `import {a,,b} from 'm'`: "", `import * from 'm'`: "",
		`import from 'm'`: "", `import {a} 'm'`: "", `export a from 'm'`: "", `export * as from 'm'`: "", "import `m`": "", "import a from `m`": "",
		`import ''`: "", `import 'm`: "", `import '\u{110000}'`: "", `import '\x6'`: "", `import '\u12'`: "", `require(/m/)`: "", "require(`${m}`)": "",
		`require('m' + 1)`: "", `a.require('m')`: "", `a?.import('m')`: "", `// import 'm'`: "", `const a = "import 'm'"`: "",
	} {
		var got []string
		for _, i := range summarize(t, "a.ts", text).Imports {
			got = append(got, i.Path)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestTokensCoverTheSource tests that tokens are in source order, never overlap, and have
// the right line numbers.
func TestTokensCoverTheSource(t *testing.T) {
	for _, text := range []string{python, script} {
		at := 0
		for _, tok := range lex(text, text == python) {
			if tok.at < at || tok.end <= tok.at || tok.line != 1+strings.Count(text[:tok.at], "\n") {
				t.Fatalf("%+v after %d", tok, at)
			}
			if strings.TrimSpace(text[at:tok.at]) != "" && tok.line < 17 { // except the ends of templates
				t.Errorf("%q is in no token", text[at:tok.at])
			}
			at = tok.end
		}
	}
}

// TestHostileSize tests that for a file far larger than the size limit the declarations at
// its start are returned, and that the file is reported as truncated.
func TestHostileSize(t *testing.T) {
	for _, name := range []string{"a.py", "a.ts"} {
		line := "class A {}\n"
		if name == "a.py" {
			line = "class A: pass\n"
		}
		s := summarize(t, name, line+strings.Repeat("(", MaxLexed)+"\n"+line)
		if len(s.Types) != 1 || !s.Truncated {
			t.Errorf("%s: %d types, truncated %v", name, len(s.Types), s.Truncated)
		}
		sound(t, s)
	}
}
