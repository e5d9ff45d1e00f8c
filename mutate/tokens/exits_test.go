package tokens

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestExits checks which conditions are early exits, by language.
func TestExits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"a.py", "x = 1\nif n == 0:\n    return 0\nreturn n\n", "2 if n == 0 → return"},
		{"a.py", "for x in y:\n    if not x: continue\n    elif x[1:2] > 3:\n        # why\n        break\n    f(x)\n", "2 if not x → continue|3 if x [ 1 : 2 ] > 3 → break"},
		{"a.py", "if a:\n    raise ValueError(\n        'a'\n    )\nif b:\n    sys.exit(1)\n", "1 if a → raise|5 if b → ends"},
		{"a.py", "if a:\n    x = 1\n    return x\nif b:\n    return f(b)\nelse:\n    y = 2\n", "4 if b → return"},
		{"a.py", "s = 'if n: return 0'\n# if n: return 0\nx = 1 if n else 2\nexit(1)\n", ""},
		{"a.c", "if (n == 0) return 0;\nif (a && (b || c)) { goto out; }\nelse if (d) { exit(1); }\nif (e) x = 1;\n", "1 if n == 0 → return|2 if a && ( b || c ) → goto out|3 if d → ends"},
		{"a.c", "if (a)\n\treturn f(a,\n\t\tb);\nif (b) { x(); return; }\nif (c) { return; ; }\n", "1 if a → return|5 if c → return"},
		{"A.java", "if (x == null) {\n  throw new IllegalArgumentException(\"x\"); // why\n}\nfor (;;) { if (a) break; if (b) continue outer; }\n", "1 if x == null → throw|4 if a → break|4 if b → continue outer"},
		{"a.js", "if (!x) return\nif (y) { return { a: 1 } }\nif (z) {\n  process.exit(2)\n}\nif (w) { return; f() }\n", "1 if ! x → return|2 if y → return|3 if z → ends"},
		{"a.ts", "if (a) {\n  return [\n    1,\n  ];\n}\no.if(x);\n", "1 if a → return"},
		{"a.rs", "if n == 0 { return None; }\nif let Some(x) = f() { panic!(\"a\"); }\nif (a) && b { break }\nlet y = if c { 1 } else { 2 };\nmatch n { x if x > 0 => { return 1; } }\n", "1 if n == 0 → return|2 if let Some ( x ) = f ( ) → ends|3 if ( a ) && b → break"},
		{"a.swift", "guard let x = y else { return nil }\nif x > 3 { throw E.bad }\n", "1 guard let x = y → return|2 if x > 3 → throw"},
		{"a.kt", "if (n == 0) return 0\nif (m) exitProcess(1)\n", "1 if n == 0 → return|2 if m → ends"},
		{"a.go", "if n := f(); n == 0 {\n\treturn 0\n}\nif err != nil {\n\tlog.Fatal(err)\n}\nif a {\n\tgo f()\n}\n", "1 if n := f ( ) ; n == 0 → return|4 if err != nil → ends"},
		{"a.php", "if ($n === 0) { return 0; }\n", "1 if $n === 0 → return"},
	} {
		list, ok := Exits(c.file, c.text)
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprintf("%d %s", e.Line, e.Key))
		}
		if s := strings.Join(got, "|"); !ok || s != c.want {
			t.Errorf("%s: %q has\n%s, want\n%s", c.file, c.text, s, c.want)
		}
	}
	for _, file := range []string{"a.rb", "a.lua", "a.sh", "a.sql", "a.css", "a.md", "a.json", "Makefile"} {
		if list, ok := Exits(file, "if (n) { return 0; }\n"); ok || list != nil {
			t.Errorf("%s is read: %v", file, list)
		}
	}
	if _, ok := Exits("a.py", strings.Repeat("a\n", mostRead)); ok {
		t.Error("a text that is too long is read")
	}
	if list, _ := Exits("a.js", "if (a)\n  return  f( b )\n"); list[0].Text != "if (a) return f( b )" || fmt.Sprint(list[0].Names) != "[a]" {
		t.Errorf("%+v", list[0])
	}
}

// TestExitsOfAnything checks that any text can be read to its end.
func TestExitsOfAnything(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"if", "elif", "else", "guard", " ", "(", ")", "{", "}", ":", "\n", "\n    ", "return", "a", ";", "!", ".", "exit", "=>", "'"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		for _, file := range []string{"a.py", "a.c", "a.go", "a.swift", "a.js"} {
			list, _ := Exits(file, text)
			for _, e := range list {
				if e.Line < 1 || e.Line > 1+strings.Count(text, "\n") || e.Text == "" {
					t.Fatalf("%q: %+v", text, e)
				}
			}
		}
	})
}
