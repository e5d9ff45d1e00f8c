//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUseDuringRuns has people use an agent, retract memories and give feedback from many
// processes at once, during a run that is killed and beside another run. Each command
// either succeeds or names the process that holds the archive. What succeeded is there
// exactly once at the end, and no file is torn.
func TestUseDuringRuns(t *testing.T) {
	t.Parallel()
	p := starter(t)
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "Kim Lee")
	p.git("config", "user.email", "kim@example.org")
	p.commit("start")
	memories := filepath.Join(p.root, "agents", "clerk", "memories.jsonl")
	lines := memoryLines(t, memories)
	asked := 0
	turn := func(session string) []string {
		asked++
		return []string{"agent", "run", "--workspace", p.root, "--session", session, fmt.Sprintf("question %d", asked)}
	}
	retract := func(n int) []string {
		return []string{"memory", "retract", "--workspace", p.root, "--reason", "wrong", "--yes", fmt.Sprintf("eng-%02d", n)}
	}
	feedback := func(tool string) []string {
		return []string{"feedback", "add", "--workspace", p.root, "--verdict", "negative", "--tool", tool, "--by", "Kim Lee", "clerk"}
	}

	long := p.start("run", "--workspace", p.root, "--seed", "8", "--budget-evals", "200000", "--json")
	if !p.holds(long) {
		t.Fatalf("the long run ended: %+v", long.wait())
	}
	held := [][]string{retract(1), feedback("grep")}
	free := [][]string{turn("one"), turn("one"), turn("two")}
	left := p.together(append(slices.Clone(held), free...))
	for _, args := range held {
		if !slices.ContainsFunc(left, func(l []string) bool { return slices.Equal(l, args) }) {
			t.Errorf("evolve %v was done while a run held the archive", args)
		}
	}
	if long.over() {
		t.Fatalf("the long run ended: %+v", long.wait())
	}
	long.kill()

	left = append(left, retract(2), retract(3), feedback("calculate"), turn("one"), turn("three"), p.night())
	for round := 0; len(left) > 0; round++ {
		if round == 30 {
			t.Fatalf("never done: %v", left)
		}
		left = p.together(left)
	}

	var turns struct{ Turns []struct{ Goal string } }
	var given struct{ Feedback []struct{ ID, Tool string } }
	decode := func(v any, args ...string) {
		t.Helper()
		if err := json.Unmarshal([]byte(p.do(0, append(args, "--workspace", p.root, "--json")...).stdout), v); err != nil {
			t.Fatal(err)
		}
	}
	decode(&turns, "agent", "turns")
	decode(&given, "feedback", "list")
	var goals, tools, want []string
	for _, turn := range turns.Turns {
		goals = append(goals, turn.Goal)
	}
	for n := range asked {
		want = append(want, fmt.Sprintf("question %d", n+1))
	}
	slices.Sort(goals)
	if diff := cmp.Diff(want, goals); diff != "" {
		t.Errorf("turns: %s", diff)
	}
	for _, f := range given.Feedback {
		tools = append(tools, f.Tool)
	}
	slices.Sort(tools)
	if diff := cmp.Diff([]string{"calculate", "grep"}, tools); diff != "" {
		t.Errorf("feedback: %s", diff)
	}
	now, retracted := memoryLines(t, memories), 0
	for id, m := range now {
		if m["retracted"] == "wrong" {
			retracted++
			delete(m, "retracted")
			delete(m, "retracted_at")
		}
		if diff := cmp.Diff(lines[id], m); diff != "" {
			t.Errorf("memory %s: %s", id, diff)
		}
	}
	if retracted != 3 || len(now) != len(lines) {
		t.Errorf("%d of %d memories, %d of them retracted", len(now), len(lines), retracted)
	}
	if waiting, _ := filepath.Glob(filepath.Join(p.root, ".evolve", "turns", "*")); len(waiting) > 0 {
		t.Errorf("turns still wait: %v", waiting)
	}
	p.do(0, "archive", "check", "--workspace", p.root)
	p.do(0, "audit", "verify", "--workspace", p.root)
	if n := strings.Count(p.git("log", "--format=%s"), "retraction of memory"); n != 3 {
		t.Errorf("%d commits retract a memory", n)
	}
	if dirty := p.git("status", "--porcelain"); dirty != "" {
		t.Errorf("the work tree has changes: %s", dirty)
	}
}

// kept matches messages that name the process that is in the way.
var kept = regexp.MustCompile(`is held by evolve.*process \d+|another process is running a turn`)

// together runs commands at the same time and returns those that another process kept
// from running. Each of these must name that process.
func (p place) together(commands [][]string) (left [][]string) {
	p.t.Helper()
	var all []*process
	for _, args := range commands {
		all = append(all, p.start(args...))
	}
	for i, pr := range all {
		r := pr.wait()
		switch {
		case r.code == 0:
		case r.code == 5 && kept.MatchString(r.stderr) && strings.Contains(r.stderr, "hint"):
			left = append(left, commands[i])
		default:
			p.t.Errorf("evolve %v: exit %d\n%s%s", commands[i], r.code, r.stdout, r.stderr)
		}
	}
	return left
}

// memoryLines reads a file of memories into a map keyed by id.
func memoryLines(t *testing.T, path string) map[string]map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for line := range strings.Lines(string(data)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		id, _ := m["id"].(string)
		out[id] = m
	}
	return out
}
