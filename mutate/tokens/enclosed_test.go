package tokens

import (
	"strings"
	"testing"
)

// TestEnclosed checks which of the MARK marks, each first on its line, are inside a
// string or comment that spans several lines. The marks that are inside one are followed
// by IN.
func TestEnclosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text string }{
		"raw string of Go":            {"a.go", "package p\n\nconst x = `a\n// MARK IN\n`\n\n// MARK\nvar y = \"`\"\n"},
		"raw string with returns":     {"a.go", "package p\r\n\r\nconst x = `a\r\n\r\n\r\n\r\n// MARK IN\r\n`\r\n\r\n// MARK\r\n"},
		"comment of Go":               {"a.go", "package p\n\n/*\n// MARK IN\n*/\n\n/* MARK */\nvar y = '`'\n// MARK\n"},
		"raw string of Go, endless":   {"a.go", "package p\n\nconst x = `a\n`\nvar z = `\n// MARK\n"},
		"faulty Go":                   {"a.go", "package p\n\nvar x = 'ab\n\nconst y = `\n// MARK\n`\n"},
		"Python":                      {"a.py", "def f():\n    \"\"\"It's\n    # MARK IN\n    \"\"\"\n    # MARK\n    return '''\n# MARK IN\n'''\n# MARK"},
		"Python, at the end":          {"a.py", "'''\n# MARK IN\n'''"},
		"Python, endless":             {"a.py", "x = '''\n'''\ny = \"\"\"\n# MARK\n"},
		"Python, a quote in comments": {"a.py", "# it's \"\"\"\n# MARK\nx = 'it\\'s'\n# MARK\n"},
		"template":                    {"a.js", "const x = `a ${b + `\n// MARK IN\n`}\n// MARK IN\n`;\n// MARK\nconst r = /`/;\n// MARK\nconst y = '`';\n"},
		"comment of C":                {"a.c", "/* a\n// MARK IN\n*/\n/* MARK */\nchar *s = \"/*\";\n// MARK\n"},
		"rust":                        {"a.rs", "let s = r#\"\n// MARK IN\n\"#;\nlet t = \"a\n// MARK IN\n\";\nlet c = '\"';\n// MARK\nfn f<'a>() {}\n"},
		"shell":                       {"a.sh", "usage='\n# MARK IN\n'\n# MARK\ncat <<END\n# MARK IN\nit's\nEND\n# MARK\n"},
		"shell, shifted quotes":       {"a.sh", "echo $'it\\'s'\n# MARK\necho 'a'\n# MARK\necho $'it\\'s'\n# MARK\n"},
		"shell, a shift":              {"a.sh", "x=$((1<<n))\n# MARK\necho a\n"},
		"ruby":                        {"a.rb", "x = %q(it's)\n# MARK\ny = %q(it's)\n# MARK\ns = \"a\n# MARK IN\n\"\n"},
		"Lua":                         {"a.lua", "--[[ a\n-- MARK IN\n]]\nlocal s = [[\n-- MARK IN\n]]\n-- MARK\n"},
		"SQL":                         {"a.sql", "select 'it''s\n-- MARK IN\n';\n-- MARK\n"},
		"Haskell":                     {"a.hs", "{- a\n{- MARK IN -}\n-}\n{- MARK -}\n"},
		"fenced":                      {"a.md", "it's `x`\n\n```go\n// MARK IN\n```\n\n<!-- MARK -->\ndon't\n"},
		"another language":            {"a.vim", "\" it's /*\n\" MARK\n\" */\n"},
	} {
		spans := Enclosed(c.file, c.text)
		at := 0
		for line := range strings.SplitAfterSeq(c.text, "\n") {
			mark := at + len(line) - len(strings.TrimLeft(line, " \t"))
			at += len(line)
			if !strings.Contains(line, "MARK") {
				continue
			}
			inside := false
			for _, s := range spans {
				inside = inside || s.From < mark && mark < s.To
			}
			if want := strings.Contains(line, "IN"); inside != want {
				t.Errorf("%s: %q is inside: %v, want %v; spans %v", name, line, inside, want, spans)
			}
		}
	}
}
