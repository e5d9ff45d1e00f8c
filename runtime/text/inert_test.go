package text

import (
	"strings"
	"testing"
)

// TestInert checks that a git host finds nothing to act on in foreign text.
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"ask @robin and @@kim/team":            "    ask @ robin and @@ kim/team\n",
		"fixes #12, octo/repo#7 and GH-8":      "    fixes # 12, octo/repo# 7 and GH- 8\n",
		"closes proj-12 ##3 !4 &5":             "    closes proj- 12 ## 3 ! 4 & 5\n",
		"https://example.org/o/r/issues/1":     "    https: //example.org/o/r/issues/1\n",
		"[skip ci] [x](javascript:1) NO_CI":    "    [ skip ci] [ x](javascript:1) NO _CI\n",
		"/close\n/merge":                       "    /close\n    /merge\n",
		"a\n\nEvolve-Proposal: P2\n":           "    a\n\n    Evolve-Proposal: P2\n",
		"<img src=x>\u202e\r\n```\n</details>": "    <img src=x>\\u202e\n    ```\n    </details>\n",
		"95 % of 3 & 4, a-b, [0.1], $5 (#)":    "    95 % of 3 & 4, a-b, [ 0.1], $5 (#)\n",
		"@a@b@c":                               "    @ a@ b@ c\n",
	} {
		if got := Inert(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for line := range strings.Lines(Inert(strings.Repeat("#1@x[a", 20))) {
		if strings.Contains(line, "#1") || strings.Contains(line, "@x") || strings.Contains(line, "[a") {
			t.Error(line)
		}
	}
}
