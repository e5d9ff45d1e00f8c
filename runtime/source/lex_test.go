package source

import (
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"go.uber.org/goleak"
)

// TestMain tests that nothing keeps running: neither the clock of chroma's patterns nor
// a part of esbuild.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNoRuleLooksFar tests that every pattern scans a bounded number of characters:
// tried at every position, it then takes linear time on any text.
func TestNoRuleLooksFar(t *testing.T) {
	quoted, class := regexp.MustCompile(`\\.`), regexp.MustCompile(`\[[^\]]*\]`)
	for name, build := range map[string]func() (*chroma.RegexLexer, error){"python": pythonLexer, "script": scriptLexer} {
		lexer, err := build()
		if err != nil {
			t.Fatal(err)
		}
		rules, err := lexer.Rules()
		if err != nil {
			t.Fatal(err)
		}
		for state, list := range rules {
			for _, r := range list {
				bare := class.ReplaceAllString(quoted.ReplaceAllString(r.Pattern, "."), ".")
				if strings.ContainsAny(bare, "*+") || strings.Contains(bare, ",}") {
					t.Errorf("%s %s: %s has no bound", name, state, r.Pattern)
				}
			}
		}
	}
}

// TestTokensCoverTheSource tests that tokens are in the order of the source, never
// overlap, and have the right line numbers.
func TestTokensCoverTheSource(t *testing.T) {
	for name, c := range map[string]struct {
		build func() (*chroma.RegexLexer, error)
		text  string
	}{"python": {pythonLexer, python}, "script": {scriptLexer, script}} {
		at := 0
		for _, tok := range lex(c.build, c.text) {
			if tok.at < at || tok.end <= tok.at || tok.line != 1+strings.Count(c.text[:tok.at], "\n") {
				t.Fatalf("%s: %+v after %d", name, tok, at)
			}
			if strings.TrimSpace(c.text[at:tok.at]) != "" && tok.line < 17 { // except code in holes
				t.Errorf("%s: %q is in no token", name, c.text[at:tok.at])
			}
			at = tok.end
		}
	}
}

// TestHostileSize tests that a file far larger than the bound gives the declarations at
// its start, and is reported as truncated.
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
