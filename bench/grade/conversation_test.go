package grade

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// script returns the task defined by a line of a suite.
func script(t *testing.T, line string) *bench.Task {
	t.Helper()
	var task bench.Task
	if err := json.Unmarshal([]byte(line), &task); err != nil {
		t.Fatal(err)
	}
	return &task
}

// exchanged returns the exchanges that result when the agent gives these answers to the
// script of a task.
func exchanged(task *bench.Task, answers ...string) (out []bench.Exchange) {
	var said []agent.Message
	for i, a := range answers {
		u := task.Turns[i].User
		res := answered(a)
		res.Transcript.Add(0, agent.Event{Kind: agent.EventTool, Name: "tool of " + a})
		out = append(out, bench.Exchange{Earlier: said, User: u, Result: res, Latency: time.Duration(i+1) * time.Second})
		said = append(said[:len(said):len(said)], agent.Message{Role: "user", Content: u}, agent.Message{Role: "assistant", Content: a})
	}
	return out
}

func TestGradesOfTurns(t *testing.T) {
	task := script(t, `{"id":"t","turns":["hi",{"user":"2+2?","answer":"4","graders":[{"type":"exact"},{"type":"tool_called","tool":"tool of 4","weight":2},{"type":"max_latency","seconds":2}]},{"user":"twice?","answer":"8"}],"answer":"9"}`)
	grader, err := compile(task, means{})
	if err != nil {
		t.Fatal(err)
	}
	all := exchanged(task, "hello", "4", "9")
	grading, err := grader.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: all, Result: all[2].Result, Latency: 6 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range grading.Grades {
		got = append(got, g.Type+" "+g.Reason)
	}
	if diff := cmp.Diff([]string{
		`exact is "9"`, `exact turn 2: is "4"`, `tool_called turn 2: "tool of 4" was called`, `max_latency turn 2: took 2.000 s, limit 2`, `exact turn 3: is "9", not "8"`,
	}, got); diff != "" {
		t.Error(diff)
	}
	if want := 5. / 6; grading.Score != want || grading.Pass {
		t.Errorf("score %v, want %v", grading.Score, want)
	}

	// A referral ends the conversation; the turns after it have nothing to grade.
	some := all[:2]
	grading, err = grader.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: some, Result: agent.Result{Outcome: agent.WrongToolBoundary}})
	if last := grading.Grades[4]; err != nil || last.Score != 0 || last.Reason != "turn 3: the conversation ended before this turn" || grading.Grades[1].Score != 1 {
		t.Errorf("%+v, %v", grading.Grades, err)
	}
	// A failure scores 0, whatever the turns before it scored.
	grading, err = grader.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: some, Result: agent.Result{Outcome: agent.Timeout}})
	if err != nil || grading.Score != 0 || grading.Grades[1].Reason != `turn 2: outcome "timeout"` {
		t.Errorf("%+v, %v", grading, err)
	}
}

func TestGradesOfTurnsAlone(t *testing.T) {
	task := script(t, `{"id":"t","turns":[{"user":"2+2?","answer":"4"},"bye"]}`)
	grader, err := compile(task, means{})
	if err != nil {
		t.Fatal(err)
	}
	all := exchanged(task, "4", "bye")
	grading, err := grader.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: all, Result: all[1].Result})
	if err != nil || grading.Score != 1 || len(grading.Grades) != 1 {
		t.Errorf("%+v, %v", grading, err)
	}
	bad := script(t, `{"id":"t","turns":[{"user":"2+2?","graders":[{"type":"exact"}]},"bye"],"answer":"4"}`)
	if _, err := compile(bad, means{}); err == nil || !strings.Contains(err.Error(), "turn 1") {
		t.Errorf("the answer of the last turn serves another: %v", err)
	}
}

// TestJudgeReadsTheConversation tests that a judge is shown the messages before the answer
// that it grades, and nothing from after the answer.
func TestJudgeReadsTheConversation(t *testing.T) {
	task := script(t, `{"id":"t","turns":["my name is Bo",{"user":"who am I?","graders":[{"type":"judge","rubric":"knows the name"}]},"bye"],"graders":[{"type":"judge","rubric":"polite"}]}`)
	if all := Judges(task); len(all) != 2 || all[0].Rubric() == all[1].Rubric() {
		t.Errorf("%d judges", len(all))
	}
	var asked []string
	m := always("true")
	reply := m.reply
	m.reply = func(n int, id string, req *model.Request) (string, error) {
		asked = append(asked, req.Shared[0].Text)
		return reply(n, id, req)
	}
	g := New(nil, nil).Judged(m)
	all := exchanged(task, "hello Bo", "you are Bo", "goodbye")
	grading, err := g.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: all, Result: all[2].Result})
	if err != nil || grading.Score != 1 || len(asked) != 2 {
		t.Fatalf("%+v, %v, %q", grading, err, asked)
	}
	const before = `{"role":"user","content":"my name is Bo"},{"role":"assistant","content":"hello Bo"},{"role":"user","content":"who am I?"}`
	if !strings.Contains(asked[1], before+"]") || !strings.Contains(asked[0], before+`,{"role":"assistant","content":"you are Bo"},{"role":"user","content":"bye"}]`) {
		t.Errorf("the judge is shown %q", asked)
	}
	// If another answer precedes it, the judge is asked a new question.
	other := exchanged(task, "hello Bo", "I forgot", "goodbye")
	if _, err := g.Grade(context.Background(), bench.GradeInput{Task: task, Exchanges: other, Result: other[2].Result}); err != nil || len(asked) != 4 {
		t.Errorf("%d questions, %v", len(asked), err)
	}
}
