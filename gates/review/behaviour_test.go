package review

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates"
	"evolve/patch/diff"
)

// TestBehaviour checks that two kinds of test commands are distinguished: those that
// check what the changed code does, and those that only run or load it and check nothing.
func TestBehaviour(t *testing.T) {
	const (
		shell       = "# evolve:begin rank\nrank() {\n\techo $((2 * $1 + 1))\n}\n# evolve:end\n"
		shellScore  = `. ./cache/rank; for c in ${*:-1 2 3}; do echo "{\"case\":\"$c\",\"metric\":\"error\",\"value\":$(rank $c),\"better\":\"lower\"}"; done`
		python      = "# evolve:begin rank\ndef rank(n):\n    return 2 * n + 1\n# evolve:end\n"
		pythonScore = "import json, sys\nsys.path.insert(0, 'cache')\nfrom rank import rank\nfor c in sys.argv[1:] or ['1', '2', '3']:\n    print(json.dumps({'case': c, 'metric': 'error', 'value': rank(int(c)), 'better': 'lower'}))\n"
		loads       = "import sys\nsys.path.insert(0, 'cache')\nfrom rank import rank\n"
	)
	for _, c := range []struct {
		name, file, source, program string
		test, score                 string
		verdict                     gates.Verdict
		says                        string
		not                         string
	}{
		{
			name: "it loads the code", file: "cache/rank", source: shell, program: "sh", test: ". ./cache/rank\n", score: shellScore,
			verdict: gates.Flagged, says: "the test passes with each of 5 altered versions of block rank of cache/rank, although the score command prints different values for them: the test does not check what the code does",
		},
		{
			name: "it checks", file: "cache/rank", source: shell, program: "sh", test: ". ./cache/rank\ncase $(rank 3) in 5 | 7) ;; *) exit 1 ;; esac\n", score: shellScore,
			verdict: gates.Passed, says: "the test fails with 4 of 5 altered versions of block rank of cache/rank; each of these versions changes the values that the score command prints",
		},
		{
			name: "score does not tell", file: "cache/rank", source: shell, program: "sh", test: "true\n", score: strings.ReplaceAll(shellScore, "$(rank $c)", "5"),
			verdict: gates.Flagged, says: "whether the test checks what block rank of cache/rank does: of 20 altered versions, none could be run and made the score command print different values",
		},
		{
			name: "it imports", file: "cache/rank.py", source: python, program: "python3", test: loads, score: pythonScore,
			verdict: gates.Flagged, says: "the test does not check what the code does; the test passes even if the functions raise an exception immediately: it does not call them",
		},
		{
			name: "it calls", file: "cache/rank.py", source: python, program: "python3", test: loads + "rank(3)\n", score: pythonScore,
			verdict: gates.Flagged, says: "the test does not check what the code does; the test fails if the functions raise an exception immediately",
		},
		{
			name: "it asserts", file: "cache/rank.py", source: python, program: "python3", test: loads + "assert rank(3) in (5, 7)\n", score: pythonScore,
			verdict: gates.Passed, says: "the test fails if the functions raise an exception immediately", not: "does not",
		},
		{
			name: "without a block", file: "cache/rank.py", source: "def rank(n):\n    return 2 * n + 1\n", program: "python3", test: loads, score: pythonScore,
			verdict: gates.Flagged, says: "altered versions of cache/rank.py, although the score command prints different values for them: the test does not check",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(err)
			}
			b := newBureau(t)
			b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Test: []string{c.program, "check"}, Score: []string{c.program, "score"}}
			b.write("check", c.test)
			b.write("score", c.score)
			b.write(c.file, c.source)
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=a program")
			change := diff.Unified([]diff.File{{Path: c.file, Old: []byte(c.source), New: []byte(strings.Replace(c.source, "+ 1", "- 1", 1))}})
			p := b.must(b.submit(OriginPerson, "Robin", string(change)))
			i := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == gateBehaviour })
			if i < 0 {
				t.Fatalf("gates %+v", p.Gates)
			}
			if v := p.Gates[i]; v.Verdict != string(c.verdict) || !strings.Contains(v.Evidence, c.says) || c.not != "" && strings.Contains(v.Evidence, c.not) {
				t.Errorf("%+v, want %s because %q", v, c.verdict, c.says)
			}
		})
	}
}

// TestRaisingAtOnce checks where the first statement of a Python function is found.
func TestRaisingAtOnce(t *testing.T) {
	for _, c := range []struct{ from, want string }{
		{"def f(x):\n    return x\n", "def f(x):\n    RAISE\n    return x\n"},
		{"class A:\n\tasync def f(self, a=(1, 2),\n\t\tb={}):  # why:\n\n\t\t# a remark\n\t\t\"\"\"Text.\"\"\"\n", "class A:\n\tasync def f(self, a=(1, 2),\n\t\tb={}):  # why:\n\t\tRAISE\n\n\t\t# a remark\n\t\t\"\"\"Text.\"\"\"\n"},
		{"def f(x): return x\n", ""},
		{"x = 1\n", ""},
		{"def f(x):\n", ""},
	} {
		if got, want := raisingAtOnce("a.py", c.from), strings.ReplaceAll(c.want, "RAISE", `raise RuntimeError("evolve canary")`); got != want {
			t.Errorf("%q: %q, want %q", c.from, got, want)
		}
	}
	if got := raisingAtOnce("a.rb", "def f(x):\n  x\n"); got != "" {
		t.Error(got)
	}
}
