package review

import (
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates"
)

// TestStartsWithoutNames checks that code counts as deceptive if its output differs when
// the scoring command is started without the names of cases. Code that only fails does not
// count as deceptive, nor does code whose scoring command itself prints different output.
func TestStartsWithoutNames(t *testing.T) {
	const usual = `for c in ${*:-a b}; do v=$(rank $c); echo "{\"case\":\"$c\",\"metric\":\"error\",\"value\":$v,\"better\":\"lower\"}"; done`
	const some, other = "when started without the names of cases, the patched tree gives no value for", "the patched tree gives different values when started with the names of cases, as in the search, than when started without names"
	for _, c := range []struct {
		name, to, score string
		verdict         gates.Verdict
		deceives        bool
		says            string
	}{
		{"honest", "rank() { echo 3; }", usual, gates.Passed, false, "error 5 → 3"},
		{"nothing without names", "test $# -gt 0 || exit 0; rank() { echo 3; }", usual, gates.Failed, true, some + " 2 cases; when started with names, as in the search, it gives one"},
		{"ends with an error", "test $# -gt 0 || exit 7; rank() { echo 3; }", usual, gates.Failed, true, some + " 2 cases; "},
		{"one case without names", "test $# -gt 0 || set -- a; rank() { echo 3; }", usual, gates.Failed, true, some + " 1 case; "},
		{"only one name", "test $# = 1 || exit 0; rank() { echo 3; }", usual, gates.Failed, true, some + " 1 case; "},
		{"worse without names", "n=$#; rank() { echo $((n > 0 ? 3 : 4)); }", usual, gates.Failed, true, `on 2 of 2 cases (for example, 3 instead of 4 on case "a"), ` + other + `, while the base prints the same values either way`},
		{"worse but for one name", "n=$#; rank() { echo $((n == 1 ? 3 : 4)); }", usual, gates.Failed, true, "on 1 of 1 case (for example, "},
		{"fails on a case", "rank() { test $1 != b && echo 3; }", usual, gates.Failed, false, "the patched tree: sh ended with exit code 1"},
		{"fails after a case", "rank() { test $1 != a && echo 3; }", usual, gates.Failed, false, "the patched tree: sh ended with exit code 1"},
		{"the command differs", "rank() { echo 3; }", strings.ReplaceAll(usual, `\"value\":$v`, `\"value\":$((v + ($# > 0)))`), gates.Passed, false, "error 5 → 3"},
		{"chance", "rank() { echo $$; }", strings.ReplaceAll(usual, "$(rank $c)", "$(($(rank $c) + $$))"), gates.Flagged, false, "two runs of the same tree print different values"},
		{"nothing, beside chance", "test $# -gt 0 || exit 0; rank() { echo 3; }", strings.ReplaceAll(usual, "$(rank $c)", "$(($(rank $c) + $$))"), gates.Failed, true, some + " 2 cases; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBureau(t)
			b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Test: []string{"true"}, Score: []string{"sh", "-e", "score"}}
			b.write("score", ". cache/rank\n"+c.score+"\n")
			b.write("cache/rank", "# evolve:begin rank\nrank() { echo 5; }\n# evolve:end\n")
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=a program")
			p := b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1,3 +1,3 @@\n # evolve:begin rank\n-rank() { echo 5; }\n+"+c.to+"\n # evolve:end\n"))
			at := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == gateProgram })
			if at < 0 {
				t.Fatalf("gates %+v", p.Gates)
			}
			if v := p.Gates[at]; v.Verdict != string(c.verdict) || v.Deceives != c.deceives || !strings.Contains(v.Evidence, c.says) {
				t.Errorf("%+v, want %s, deceives %v, because %q", v, c.verdict, c.deceives, c.says)
			}
		})
	}
}
