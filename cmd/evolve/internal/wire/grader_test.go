package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// obedient is a grader that does what the answer orders. Its reasons begin with the name of
// the process and the number of its question.
const obedient = `import json, os, re, socket, sys, time
me, number, before = os.urandom(8).hex(), 0, None
for line in sys.stdin:
    asked = json.loads(line)
    number += 1
    order, verdict = asked["answer"], {"score": 0.5, "reason": f"{me} {number}"}
    if "id" in asked: # not where it is started for each answer
        verdict["id"] = asked["id"]
    if order == "end":
        print("no module named opensesame", file=sys.stderr)
        sys.exit(3)
    elif order == "hang":
        time.sleep(1000)
    elif order == "flood":
        sys.stdout.write("x" * (2 << 20))
    elif order == "close":
        os.close(1)
        time.sleep(1000)
    elif order == "other id":
        verdict["id"] = "x"
    elif order == "twice":
        sys.stdout.write(json.dumps(verdict) + "\n")
    elif order == "garbage":
        print("loading")
    elif order == "no score":
        del verdict["score"]
    elif order == "repeat":
        verdict["id"] = before or verdict["id"]
    elif order == "chatter":
        sys.stderr.write("x" * (4 << 20))
    elif order == "secret":
        verdict["reason"] = "it was opensesame"
    elif order == "look":
        try:
            socket.create_connection(("1.1.1.1", 80), 1)
            net = "net"
        except OSError:
            net = "none"
        try:
            open("own", "w")
            write = "writes"
        except OSError:
            write = "reads"
        verdict["reason"] = " ".join([net, write, str("GRADER_TOKEN" in os.environ)] + sorted(os.listdir("..")))
    before = asked.get("id")
    print(json.dumps(verdict), flush=True)
    if order == "last":
        sys.exit(0)
`

// graderRig grades answers to one task with a program in a real sandbox.
type graderRig struct {
	box   *Sandbox
	task  *bench.Task
	grade bench.GradeFunc
	// mark is an argument of the program that no other process has.
	mark string
}

func newGraderRig(t testing.TB, protocol string) *graderRig {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	root := t.TempDir()
	suites := filepath.Join(root, "suites")
	for _, dir := range []string{suites, filepath.Join(root, "agents")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(suites, "check.py"), []byte(obedient), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &Host{Env: Environment{"GRADER_TOKEN=opensesame"}, Ctx: t.Context()}
	r := &graderRig{box: h.Sandbox(&workspace.Workspace{Root: root}), mark: "mark-" + bench.OpaqueName()}
	if err := r.box.Sandbox().Err(); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	suite := &bench.Suite{Dir: suites, Tasks: make([]bench.Task, 1)}
	r.task = &suite.Tasks[0]
	line := fmt.Sprintf(`{"id":"t","goal":"g","graders":[{"type":"command","argv":["python3","check.py",%q]%s}]}`, r.mark, protocol)
	if err := json.Unmarshal([]byte(line), r.task); err != nil {
		t.Fatal(err)
	}
	r.grade = r.box.Grading([]*bench.Suite{suite}, nil)
	return r
}

// order grades an answer and returns the reason.
func (r *graderRig) order(ctx context.Context, answer string) (string, error) {
	g, err := r.grade(ctx, bench.GradeInput{Task: r.task, Result: agent.Result{Outcome: agent.OK, Answer: &answer}})
	if err != nil {
		return "", err
	}
	if g.Score != .5 {
		return "", fmt.Errorf("scored %v", g.Score)
	}
	return g.Grades[0].Reason, nil
}

// process grades an answer and returns the name of the process and the number of its
// question.
func (r *graderRig) process(t testing.TB) (name, number string) {
	t.Helper()
	reason, err := r.order(t.Context(), "fine")
	if err != nil {
		t.Fatal(err)
	}
	name, number, _ = strings.Cut(reason, " ")
	return name, number
}

// alive counts the processes of the program.
func (r *graderRig) alive(t *testing.T) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Skip("no /proc on this machine")
	}
	n := 0
	for _, file := range lines {
		// The process that sets up the sandbox has another program as its first argument.
		raw, err := os.ReadFile(file)
		if argv := strings.Split(string(raw), "\x00"); err == nil && strings.HasPrefix(filepath.Base(argv[0]), "python") && slices.Contains(argv, r.mark) {
			n++
		}
	}
	return n
}

const pooledProtocol = `,"protocol":"jsonl"`

// TestGraderRunsOn tests that a process grades one answer after another, in the same
// isolation as a process that is started for each answer.
func TestGraderRunsOn(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	t.Cleanup(r.box.graders.Keep())
	first, _ := r.process(t)
	for _, want := range []string{"2", "3"} {
		if name, number := r.process(t); name != first || number != want {
			t.Errorf("answer %s was graded by %s (its answer %s), want %s", want, name, number, first)
		}
	}
	if got, err := r.order(t.Context(), "look"); err != nil || got != "none reads False suites" {
		t.Errorf("it sees %q (%v)", got, err)
	}
	if got, err := r.order(t.Context(), "secret"); err != nil || got != "it was [redacted]" {
		t.Errorf("the reason %q (%v)", got, err)
	}
	if _, err := r.order(t.Context(), "chatter"); err != nil {
		t.Errorf("with a long standard error: %v", err)
	}
	if name, _ := r.process(t); name != first {
		t.Error("its standard error ended it")
	}
	if n := r.alive(t); n != 1 {
		t.Errorf("%d processes grade one answer at a time", n)
	}
}

// TestBrokenGraderIsReplaced tests that a failure affects only one answer.
func TestBrokenGraderIsReplaced(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	t.Cleanup(r.box.graders.Keep())
	before, _ := r.process(t)
	for order, want := range map[string]string{
		"end":      `ended with exit code 3: "no module named [redacted]"`,
		"close":    `closed its output but kept running`,
		"flood":    `wrote a line of more than 1048576 bytes`,
		"other id": `answered with the id "x" instead of the id of the question`,
		"twice":    `wrote more than one line for one answer`,
		"garbage":  `wrote a line that is not a verdict: "loading": it is not JSON such as {"score": 0.5}`,
		"no score": `wrote a verdict without a score`,
	} {
		if _, err := r.order(t.Context(), order); err == nil || err.Error() != `grader "command": "python3 check.py `+r.mark+`" `+want {
			t.Errorf("%s: %v, want %s", order, err, want)
		}
		if n := r.alive(t); n != 0 {
			t.Errorf("%s: %d processes are left of a broken one", order, n)
		}
		name, number := r.process(t)
		if name == before || number != "1" {
			t.Errorf("%s: the next answer was graded by %s as its answer %s", order, name, number)
		}
		before = name
	}
}

// TestSlowGraderIsReplaced tests the timeout of one answer.
func TestSlowGraderIsReplaced(t *testing.T) {
	r := newGraderRig(t, pooledProtocol+`,"timeout":2`)
	t.Cleanup(r.box.graders.Keep())
	before, _ := r.process(t)
	if _, err := r.order(t.Context(), "hang"); err == nil || err.Error() != `grader "command": "python3 check.py `+r.mark+`" took longer than 2s` {
		t.Errorf("%v", err)
	}
	if n := r.alive(t); n != 0 {
		t.Errorf("%d processes are left of a slow one", n)
	}
	if name, _ := r.process(t); name == before {
		t.Error("the slow process goes on")
	}
}

// TestGraderIsNotBlamedForAnother tests that a process that is gone, or that answers the
// previous question again, does not make a later evaluation missing.
func TestGraderIsNotBlamedForAnother(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	t.Cleanup(r.box.graders.Keep())
	before, _ := r.process(t)
	if got, err := r.order(t.Context(), "last"); err != nil || got != before+" 2" {
		t.Errorf("the last answer of a process: %s, %v", got, err)
	}
	second, _ := r.process(t)
	got, err := r.order(t.Context(), "repeat")
	third, number, _ := strings.Cut(got, " ")
	if err != nil || before == second || second == third || number != "1" {
		t.Errorf("%s, then %s, then %s as its answer %s (%v)", before, second, third, number, err)
	}
	if n := r.alive(t); n != 1 {
		t.Errorf("%d processes are alive", n)
	}
}

// TestCancelledGraderIsKilled tests that a cancelled question leaves nothing behind.
func TestCancelledGraderIsKilled(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	t.Cleanup(r.box.graders.Keep())
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		_, err := r.order(ctx, "hang")
		asked <- err
	}()
	for r.alive(t) == 0 { // until it is started
		select {
		case err := <-asked:
			t.Fatalf("it did not hang: %v", err)
		default:
		}
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if n := r.alive(t); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if _, err := r.order(ctx, "fine"); !errors.Is(err, context.Canceled) {
		t.Errorf("asked after the end: %v", err)
	}
}

// TestGradersAtOnce tests that there are never more processes than answers that are
// graded at the same time.
func TestGradersAtOnce(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	t.Cleanup(r.box.graders.Keep())
	const atOnce = 3
	var mu sync.Mutex
	var wg sync.WaitGroup
	names := map[string]int{}
	for range atOnce {
		wg.Go(func() {
			for range 8 {
				reason, err := r.order(t.Context(), "fine")
				if err != nil {
					t.Error(err)
					return
				}
				name, _, _ := strings.Cut(reason, " ")
				mu.Lock()
				names[name]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n := r.alive(t); n > atOnce || len(names) != n {
		t.Errorf("%d processes are alive of %v", n, names)
	}
}

// TestGradersEndWithTheAgent tests that the open agents own the processes. Without an open
// agent, a process ends after its answer.
func TestGradersEndWithTheAgent(t *testing.T) {
	r := newGraderRig(t, pooledProtocol)
	failure := errors.New("closing failed")
	open := func(err error) night.Opened {
		return r.box.withGraders(night.Opened{Close: func() error { return err }})
	}
	if r.process(t); r.alive(t) != 0 {
		t.Error("a process is left without an agent")
	}
	one, other := open(nil), open(failure)
	r.process(t)
	for range 2 { // closing twice counts once
		if err := one.Close(); err != nil || r.alive(t) != 1 {
			t.Errorf("the end of one agent: %v, with %d processes", err, r.alive(t))
		}
	}
	if err := other.Close(); !errors.Is(err, failure) || r.alive(t) != 0 {
		t.Errorf("the end of the last agent: %v, with %d processes", err, r.alive(t))
	}
	again := open(nil)
	if r.process(t); r.alive(t) != 1 {
		t.Error("the next agent's grader does not run on")
	}
	if err := again.Close(); err != nil || r.alive(t) != 0 {
		t.Errorf("%v, with %d processes", err, r.alive(t))
	}
}
