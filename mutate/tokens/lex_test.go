package tokens

import (
	"strings"
	"testing"
)

// TestLex checks which strings, comments and numbers are found.
func TestLex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"a.py", "x = f\"a{b}\" # c", "f\"a{b}\"|# c"},
		{"a.py", "'''a\n' b''' '''", "'''a\n' b'''|'''"},
		{"a.py", "a // b", ""},
		{"a.py", "x = 'it\\'s' + r'\\d'", "'it\\'s'|r'\\d'"},
		{"a.py", "x = 'open\ny = 1", "'open"},
		{"a.js", "a = /[/\"]+/.test(b) / c // d", "/[/\"]+/|// d"},
		{"a.js", "`a ${b + `c ${d}` + '}'} e` + f", "`a ${b + `c ${d}` + '}'} e`"},
		{"a.js", "return /x'/g", "/x'/g"},
		{"a.rs", "fn f<'a>(x: &'a str) { '\\'' }", "'\\''"},
		{"a.rs", "/* a /* b */ c */ br##\"x\"# \"##", "/* a /* b */ c */|br##\"x\"# \"##"},
		{"a.c", "#if A // x\nint x = 1'000; 'a'", "#if A // x|'a'"},
		{"a.lua", "--[[ a\nb ]] x = [[c\nd]] -- e", "--[[ a\nb ]]|[[c\nd]]|-- e"},
		{"a.sql", "'it''s' -- b\n/* c */ \"d\\\" e", "'it'|'s'|-- b|/* c */|\"d\\\""},
		{"a.sh", "x=${a#b} # c\ncat <<-'E' | f\n it's\n E\ny='\\'", "# c|'E'| it's\n E|'\\'"},
		{"a.rb", "x = a / b / c; y =~ /'/", "/'/"},
		{"a.php", "$a = 'b'; # c\n#[d]", "'b'|# c"},
		{"a", "# a\nb # 'c'\n", "# a|'c'"},
	} {
		l := languageOf(c.file)
		var got []string
		for _, x := range lex(l, newVocabulary(l.sql), c.text) {
			if x.kind == comment || x.kind == str {
				got = append(got, c.text[x.from:x.to])
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q has %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

// TestNormal checks which texts count as the same.
func TestNormal(t *testing.T) {
	t.Parallel()
	py, c := fixtures["pack.py"], "int f(int a) {\n  return a * 2; // twice\n}\n"
	for _, x := range []struct {
		name, file, a, b string
		equal            bool
	}{
		{"spaces", "a.py", "x = a+1\n", "x   =  a+1  \n", true},
		{"spaces around signs", "a.py", "x = a+1\n", "x = a + 1\n", true},
		{"empty lines", "a.py", py, strings.Replace(py, "    for", "\n  \n    for", 1), true},
		{"comments", "a.py", py, "#!/usr/bin/python\n# f\n" + strings.Replace(py, "too small", "large", 1), true},
		{"width of indentation", "a.py", "if a:\n  b\n  c\n", "if a:\n\tb\n\tc\n", true},
		{"indentation", "a.py", "if a:\n    b\nc\n", "if a:\n    b\n    c\n", false},
		{"division", "a.py", "x = {\n'a': a // b}\n", "x = {\n'a': a // c}\n", false},
		{"a text", "a.py", "x = 'a  b'\n", "x = 'a b'\n", false},
		{"a mark in a text", "a.py", "x = 'a # b'\n", "x = 'a # c'\n", false},
		{"a long text", "a.py", py, strings.Replace(py, "# not", "# yet", 1), false},
		{"a number", "a.py", py, strings.Replace(py, "2", "3", 1), false},
		{"signs", "a.c", "a - -b", "a --b", false},
		{"lines", "a.py", "a\nb\n", "a b\n", false},
		{"comments of C", "a.c", c, "/* f\n is */ " + strings.Replace(c, " // twice", "", 1), true},
		{"an address", "a.c", "x = \"http://a\";\n", "x = \"http://b\";\n", false},
		{"length of a table", "a.lua", "n = #t", "n = #s", false},
	} {
		r := open(t, x.file, x.a)
		if got := r.Normal(x.a) == r.Normal(x.b); got != x.equal {
			t.Errorf("%s: equal is %v:\n%s\n%s", x.name, got, r.Normal(x.a), r.Normal(x.b))
		}
	}
}
