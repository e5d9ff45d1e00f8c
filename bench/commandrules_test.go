package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"evolve/runtime/agent"
)

// firstRules returns the hash that a task had before hashes covered the rules of command
// graders.
func firstRules(t *Task, files string) string {
	seen := *t
	seen.Weight, seen.Tags, seen.Source, seen.Cluster, seen.Split = 0, nil, nil, "", ""
	one := sha256.New()
	writePart(one, canonicalTask(seen))
	writePart(one, []byte(files))
	return hex.EncodeToString(one.Sum(nil))
}

func gradedBy(id, grader string) *Task {
	t := task(id, "x")
	var spec GraderSpec
	if err := json.Unmarshal([]byte(grader), &spec); err != nil {
		panic(err)
	}
	t.Graders = []GraderSpec{spec}
	return t
}

const byProgram = `{"type":"command","argv":["sh","check.sh"]}`

// TestScoresOfOlderRulesAreNotReused checks that a score that a program gave under the
// older rules is not reused, and that a score under the current rules is reused. Scores
// by other graders must stay valid.
func TestScoresOfOlderRulesAreNotReused(t *testing.T) {
	ran := 0
	answers := scripted(func(context.Context, agent.Request) agent.Result { ran++; return agent.Result{Outcome: agent.OK} })
	grade := func(context.Context, GradeInput) (Grading, error) { return Grading{Score: 1}, nil }
	dialogue := task("d", "x")
	dialogue.Turns = []Turn{{User: "hello", Graders: gradedBy("g", byProgram).Graders}}
	for name, c := range map[string]struct {
		task  *Task
		again bool
	}{
		"a program":      {gradedBy("p", byProgram), true},
		"one of a turn":  {dialogue, true},
		"another grader": {gradedBy("e", `{"type":"contains","all":["x"]}`), false},
		"none":           {task("n", "x"), false},
	} {
		b := newBed(t, Settings{}, answers, grade)
		b.harness.tasks.Store(c.task, sha256.Sum256([]byte(firstRules(c.task, "")))) // as an older version of evolve stores it
		evaluate := func(want int) {
			t.Helper()
			ran = 0
			if _, err := b.harness.Evaluate(t.Context(), job(c.task)); err != nil || ran != want {
				t.Errorf("%s: asked %d times, want %d (%v)", name, ran, want, err)
			}
		}
		turns := 1
		if len(c.task.Turns) > 0 {
			turns = len(c.task.Turns)
		}
		evaluate(turns)
		evaluate(0)
		b.harness.tasks.Clear()
		if !c.again {
			turns = 0
		}
		evaluate(turns)
		evaluate(0)
	}
}

// TestScriptsOfGradersAreHashed checks that a change to a grader's script changes the hash
// of the grader's tasks and of no others.
func TestScriptsOfGradersAreHashed(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "check.sh"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, other, elsewhere := gradedBy("p", byProgram), task("n", "x"), gradedBy("q", `{"type":"command","argv":["sh","-c","exit 0","../check.sh","/etc/hostname"]}`)
	write("exit 0")
	before := FilesHash(program, dir)
	write("exit 1")
	if after := FilesHash(program, dir); before == "" || after == before {
		t.Errorf("%q, then %q", before, after)
	}
	if FilesHash(other, dir) != "" || FilesHash(elsewhere, dir) != "" || FilesHash(program, filepath.Join(dir, "gone")) != "" {
		t.Error("a task without a file of a grader has a hash of one")
	}
}

// TestHashOfASuiteCoversScripts checks that the hash of a suite changes with a file that
// its graders name. If there is no such file, the hash is the same as without files, so
// older proposals for such suites stay valid.
func TestHashOfASuiteCoversScripts(t *testing.T) {
	const suite = `{"id":"a","goal":"x","graders":[` + byProgram + `]}` + "\n" + `{"id":"b","turns":["x",{"user":"y","graders":[` + byProgram + `]}]}`
	of := func(files fs.FS) string {
		s, issues := ReadSuite(strings.NewReader(suite), "suites/tasks.jsonl", files, GraderRules{Fields: map[string][]string{"command": {"argv"}}, Check: plainRules.Check})
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return s.Hash
	}
	script := func(text string) fs.FS { return fstest.MapFS{"check.sh": {Data: []byte(text)}} }
	none := of(nil)
	if one := of(script("exit 0")); one == none || one != of(script("exit 0")) || one == of(script("exit 1")) {
		t.Error("the hash does not cover the script")
	}
	if of(fstest.MapFS{"other.sh": {Data: []byte("x")}}) != none || of(fstest.MapFS{"check.sh/x": {}}) != none {
		t.Error("a suite whose graders name no file has a different hash")
	}
}
