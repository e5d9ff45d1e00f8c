package review

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
)

// TestProgram checks the gates of a patch in a language other than Go, using its target's
// commands.
func TestProgram(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	const loud = `for c in ${*:-a b}; do echo "{\"case\":\"$c\",\"metric\":\"error\",\"value\":$(sh cache/rank),\"better\":\"lower\"}"; done`
	for _, c := range []struct {
		name, to string
		test     string // "": none
		score    string
		verdict  gates.Verdict
		says     string
		trap     gates.Verdict
		trapSays string
	}{
		{
			name: "better", to: "echo 3", test: "sh cache/rank", score: loud,
			verdict: gates.Passed, says: "error 5 → 3, the mean of 2 cases; better in 2, worse in 0; not checked, because type information is available only for Go code",
			trap: gates.Passed, trapSays: "invalid text is noticed in block rank of cache/rank (sh ended with exit code",
		},
		{
			name: "worse", to: "echo 7", test: "sh cache/rank", score: loud,
			verdict: gates.Flagged, says: "the patched tree is worse; ", trap: gates.Passed,
		},
		{
			name: "without a test", to: "echo 3", score: loud,
			verdict: gates.Flagged, says: "the target names no test command; ", trap: gates.Passed,
		},
		{
			name: "a test fails", to: "exit 3", test: "sh cache/rank", score: loud,
			verdict: gates.Failed, says: "the patched tree: sh ended with exit code 3", trap: gates.NotRun,
		},
		{
			name: "no value", to: "echo x", score: loud,
			verdict: gates.Failed, says: "the patched tree: sh: line 1: ", trap: gates.NotRun,
		},
		{
			name: "the base fails", to: "echo 3", test: "exit 4", score: loud,
			verdict: gates.NotRun, says: "the base fails, so the patch cannot be judged: sh ended with exit code 4", trap: gates.NotRun,
		},
		{
			name: "never the same", to: "echo 3", test: "sh cache/rank", score: strings.ReplaceAll(loud, `$(sh cache/rank)`, `$$`),
			verdict: gates.Flagged, says: "two runs of the same tree print different values; two runs of the base do so as well, so values", trap: gates.Passed,
		},
		{
			name: "nothing looks", to: "echo 3", test: "true", score: strings.ReplaceAll(loud, `$(sh cache/rank)`, `5`),
			verdict: gates.Passed, says: "error 5 → 5", trap: gates.Flagged, trapSays: "neither build nor test nor score notices invalid text in block rank of cache/rank",
		},
		{
			name: "its own test", to: "echo 3", test: "own", score: loud,
			verdict: gates.Flagged, says: "the patch changes cache/rank, which judges the patch", trap: gates.Passed,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBureau(t)
			scoring := &Scoring{Test: []string{"sh", "check"}, Score: []string{"sh", "-e", "score"}}
			switch c.test {
			case "":
				scoring.Test = nil
			case "own":
				scoring.Test[1] = "cache/rank"
			}
			b.Unsandboxed, b.Targets[0].Scoring = true, scoring
			b.write("check", c.test+"\n")
			b.write("score", c.score+"\n")
			b.write("cache/rank", "# evolve:begin rank\necho 5\n# evolve:end\n")
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=a program")
			p := b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1,3 +1,3 @@\n # evolve:begin rank\n-echo 5\n+"+c.to+"\n # evolve:end\n"))
			for _, want := range []struct {
				gate    string
				verdict gates.Verdict
				says    string
			}{{gateProgram, c.verdict, c.says}, {gateTrap, c.trap, c.trapSays}, {gateBehaviour, gates.Flagged, "score command prints different values on every run, so it cannot show"}} {
				if want.gate == gateBehaviour && c.name != "never the same" {
					continue
				}
				at := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == want.gate })
				if at < 0 || p.Gates[at].Verdict != string(want.verdict) || !strings.Contains(p.Gates[at].Evidence, want.says) {
					t.Errorf("%+v, want %s of %s because %q", p.Gates, want.verdict, want.gate, want.says)
				}
			}
		})
	}
}

// TestProgramGatesAreForOtherLanguages checks that a patch to Go code has no program gates,
// and that new scoring commands make a patch stale.
func TestProgramGatesAreForOtherLanguages(t *testing.T) {
	b := newBureau(t)
	b.Targets[0].Scoring = &Scoring{Score: []string{"true"}}
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "32")))
	if slices.ContainsFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == gateProgram }) {
		t.Errorf("gates %+v", p.Gates)
	}
	b.Targets[0].Scoring.Score = []string{"false"}
	if _, policy, err := b.Targets[0].terms(); err != nil || policy == p.Patch.Policy {
		t.Errorf("the policy stays %s, %v", policy, err)
	}
}

// TestWithoutGo checks that a target without Go code needs no Go: no Go gate appears to
// have checked anything, credentials are still found, and a rollback passes the target's
// commands.
func TestWithoutGo(t *testing.T) {
	b := newBureau(t)
	b.Reviewer.tests = func(gotest.Change) []gates.Gate {
		t.Error("a gate of Go was made")
		return nil
	}
	b.Env = slices.DeleteFunc(b.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	t.Setenv("PATH", withoutGo(os.Getenv("PATH")))
	b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Test: []string{"sh", "check"}, Score: []string{"sh", "score"}}
	b.git("rm", "--quiet", "go.mod", "cache/cache.go")
	b.write("cache/rank", "echo 5\n")
	b.write("check", "sh cache/rank\n")
	b.write("score", `echo "{\"case\":\"a\",\"metric\":\"error\",\"value\":$(sh cache/rank),\"better\":\"lower\"}"`+"\n")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=a program")
	change := func(to string) archive.ProposalRecord {
		return b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1 +1 @@\n-echo 5\n+"+to+"\n"))
	}
	secret := change("echo 3 # AKIA" + strings.Repeat("Q7", 8))
	for _, p := range []archive.ProposalRecord{change("echo 3"), secret} {
		var names []string
		for _, v := range p.Gates {
			names = append(names, v.Gate+" "+v.Verdict)
		}
		credentials := "passed"
		if p.ID == secret.ID {
			credentials = "flagged"
		}
		want := "apply passed, scope passed, export passed, source: not read flagged, source: guards passed, source: credentials " + credentials + ", program passed, program: canary passed, program: behaviour flagged, rollback passed"
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s\n%s, want\n%s", p.Files[0].New, got, want)
		}
	}
	b.done(b.Approve(t.Context(), "P2", reader()))
	b.done(b.Rollback(t.Context(), "P2", robin))
	if got := b.git("show", "HEAD:cache/rank"); got != "echo 5" {
		t.Errorf("restored: %q", got)
	}
}

// reader returns the decision of a person who has read what a gate flagged.
func reader() Decision {
	d := robin
	d.OverrideReason = "it was read"
	return d
}

// withoutGo returns a PATH without the folders that contain Go.
func withoutGo(path string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "go"))
		return err == nil
	}), string(filepath.ListSeparator))
}

// TestProgramEnds checks that a patched tree that never ends is refused after ten times the
// base's time plus ten seconds.
func TestProgramEnds(t *testing.T) {
	b := newBureau(t)
	b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Score: []string{"sh", "score"}}
	b.write("cache/rank", "echo 5\n")
	b.write("score", `echo "{\"case\":\"a\",\"metric\":\"error\",\"value\":$(sh cache/rank),\"better\":\"lower\"}"`+"\n")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=a program")
	p := b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1 +1 @@\n-echo 5\n+while :; do :; done\n"))
	at := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == gateProgram })
	if p.State != archive.GateFailed || !strings.Contains(p.Gates[at].Evidence, "the patched tree: sh did not finish in time") {
		t.Errorf("%s: %+v", p.State, p.Gates[at])
	}
}

// TestCommandsThatNeedGo checks which commands show that a target needs Go even if it has
// no Go files.
func TestCommandsThatNeedGo(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true, "sh -c cd x; go build .": true, "python3 -m go_build": false, "./score": false,
	} {
		argv := strings.SplitN(line, " ", 3)
		scored := Target{Scoring: &Scoring{Score: argv}}
		measured := Target{Benchmark: &Benchmark{Command: argv}}
		if scored.namesGo() != want || measured.namesGo() != want {
			t.Errorf("%s: %v and %v, want %v", line, scored.namesGo(), measured.namesGo(), want)
		}
	}
}

// TestProgramRollback checks that a rollback is refused if the tests of a non-Go program
// fail after it.
func TestProgramRollback(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	b := newBureau(t)
	b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Test: []string{"sh", "check"}, Score: []string{"sh", "score"}}
	b.write("cache/rank", "echo 5\n")
	b.write("check", "sh cache/rank\n")
	b.write("score", `echo "{\"case\":\"a\",\"metric\":\"error\",\"value\":$(sh cache/rank),\"better\":\"lower\"}"`+"\n")
	commit := func() {
		b.git("add", "--all")
		b.git("commit", "--quiet", "--message=a program")
	}
	commit()
	b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1 +1 @@\n-echo 5\n+echo 3\n"))
	b.done(b.Approve(t.Context(), "P1", reader()))
	b.write("check", "test $(sh cache/rank) = 3\n")
	commit()
	_, err := b.Rollback(t.Context(), "P1", robin)
	refused(t, err, `the verdict of the gate "program" is failed: the restored tree: sh ended with exit code 1`)
	b.write("check", "true\n")
	commit()
	b.done(b.Rollback(t.Context(), "P1", robin))
	if got := b.git("show", "HEAD:cache/rank"); got != "echo 5" {
		t.Errorf("restored: %q", got)
	}
}

// TestRollbackBesideChangedLines checks that a rollback depends only on the lines that the
// patch changed: the names of marks beside them may have changed since. If these lines
// themselves have changed, the rollback is refused with instructions for doing it by hand,
// and nothing moves.
func TestRollbackBesideChangedLines(t *testing.T) {
	b := newBureau(t)
	b.Unsandboxed, b.Targets[0].Scoring = true, &Scoring{Test: []string{"true"}, Score: []string{"sh", "score"}}
	b.write("score", `echo "{\"case\":\"a\",\"metric\":\"error\",\"value\":$(sh cache/rank),\"better\":\"lower\"}"`+"\n")
	commit := func(rank string) {
		t.Helper()
		b.write("cache/rank", rank)
		b.git("add", "--all")
		b.git("commit", "--quiet", "--message=a program")
	}
	commit("# evolve:begin rank\necho 5\n# evolve:end rank\n")
	b.must(b.submit(OriginPerson, "Robin", "--- a/cache/rank\n+++ b/cache/rank\n@@ -1,3 +1,3 @@\n # evolve:begin rank\n-echo 5\n+echo 3\n # evolve:end rank\n"))
	b.done(b.Approve(t.Context(), "P1", reader()))
	adopted := b.git("rev-parse", "HEAD")

	commit("# evolve:begin order\necho 4\n# evolve:end order\n")
	head := b.git("rev-parse", "HEAD")
	_, err := b.Rollback(t.Context(), "P1", robin)
	refused(t, err, "these files changed after P1 was adopted: cache/rank")
	var r *RefusedError
	if !errors.As(err, &r) || !strings.Contains(r.Hint, "git revert --no-commit "+adopted) || b.git("rev-parse", "HEAD") != head {
		t.Errorf("it was refused with the hint %q", r.Hint)
	}

	commit("# evolve:begin order\necho 3\n# evolve:end order\n")
	b.done(b.Rollback(t.Context(), "P1", robin))
	if got := b.git("show", "HEAD:cache/rank"); got != "# evolve:begin order\necho 5\n# evolve:end order" {
		t.Errorf("restored:\n%s", got)
	}
}
