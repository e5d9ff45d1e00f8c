package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/command"
)

// talk returns a task whose script consists of the given messages.
func talk(users ...string) *Task {
	want := "last"
	t := &Task{ID: "talk", Answer: &want, Split: Search}
	for _, u := range users {
		t.Turns = append(t.Turns, Turn{User: u})
	}
	return t
}

// passing returns a GradeFunc that passes everything and stores its input in *in.
func passing(in *GradeInput) GradeFunc {
	return func(_ context.Context, got GradeInput) (Grading, error) {
		*in = got
		return Grading{Score: 1, Pass: true}, nil
	}
}

func TestConversationReachesTheAgentTurnByTurn(t *testing.T) {
	var asked []agent.Request
	echo := scripted(func(_ context.Context, req agent.Request) agent.Result {
		asked = append(asked, req)
		res := answer("re: " + req.Task.Goal)
		res.Usage = agent.Usage{InputTokens: 10, CostUSD: .5, ToolCalls: 1}
		res.Transcript.Add(0, agent.Event{Kind: agent.EventTool, Name: "t" + req.Task.Goal})
		return res
	})
	var in GradeInput
	b := newBed(t, Settings{KeepTranscripts: true, Limits: agent.Limits{MaxTokens: 100, MaxCostUSD: 9}, Scrub: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[x]") }}, echo, passing(&in))
	task := talk("one hunter2", "two", "three")
	task.Fixtures.Turns = []agent.Message{{Role: "system", Content: "be kind"}, {Role: "user", Content: "hi"}, {Role: "assistant", Content: "hello"}}
	e, err := b.harness.Evaluate(t.Context(), job(task))
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) != 3 {
		t.Fatalf("%d requests", len(asked))
	}
	root := strings.TrimSuffix(asked[0].ID, ".1")
	for i, req := range asked {
		if want := fmt.Sprintf("%s.%d", root, i+1); req.ID != want || !req.Continues || req.Seed != asked[0].Seed || req.Task.ID != asked[0].Task.ID {
			t.Errorf("turn %d has the id %s, want %s: %+v", i+1, req.ID, want, req)
		}
		if want := int64(100 - 10*i); req.Limits.MaxTokens != want || req.Limits.MaxCostUSD != 9-.5*float64(i) {
			t.Errorf("turn %d may use %d tokens and %v USD", i+1, req.Limits.MaxTokens, req.Limits.MaxCostUSD)
		}
	}
	want := []agent.Message{
		{Role: "system", Content: "be kind"},
		{Role: "user", Content: "hi"},
		{Role: "assistant", Content: "hello"},
		{Role: "user", Content: "one hunter2"},
		{Role: "assistant", Content: "re: one [x]"},
		{Role: "user", Content: "two"},
		{Role: "assistant", Content: "re: two"},
	}
	if diff := cmp.Diff(want, asked[2].Task.Messages); diff != "" || asked[2].Task.Goal != "three" {
		t.Errorf("the last turn had %q after %s", asked[2].Task.Goal, diff)
	}
	if e.Answer != "re: three" || e.Usage != (agent.Usage{InputTokens: 30, CostUSD: 1.5, ToolCalls: 3}) || e.Outcome != agent.OK {
		t.Errorf("%+v", e)
	}
	var steps []string
	for _, event := range e.Transcript.Events {
		steps = append(steps, event.Kind+" "+event.Name+" "+event.Text)
	}
	if diff := cmp.Diff([]string{
		"user 1 one [x]", "tool tone hunter2 ", "answer 1 re: one [x]", "user 2 two", "tool ttwo ", "answer 2 re: two", "user 3 three", "tool tthree ", "answer 3 re: three",
	}, steps); diff != "" {
		t.Error(diff)
	}
	if len(in.Exchanges) != 3 || *in.Exchanges[0].Result.Answer != "re: one hunter2" || len(in.Exchanges[1].Result.Transcript.Events) != 1 || len(in.Result.Transcript.Events) != 9 {
		t.Errorf("graded: %+v", in.Exchanges)
	}
}

// TestConversationKeepsTheSession tests that if an agent has a session, the session is
// passed from turn to turn within an evaluation, and is not passed to any other
// evaluation.
func TestConversationKeepsTheSession(t *testing.T) {
	var began []agent.Session
	keeps := scripted(func(_ context.Context, req agent.Request) agent.Result {
		began = append(began, req.Session)
		res := answer("a")
		res.Session = agent.Session{Notes: append(req.Session.Notes, req.Task.Goal), Messages: []agent.Message{{Role: "user", Content: "short"}}}
		if len(req.Session.Notes) > 0 && len(req.Task.Messages) != 1 {
			t.Errorf("the turn has %v, not the distilled messages", req.Task.Messages)
		}
		return res
	})
	var in GradeInput
	b := newBed(t, Settings{}, keeps, passing(&in))
	for repeat := range 2 {
		j := job(talk("one", "two"))
		j.Repeat = repeat
		if _, err := b.harness.Evaluate(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	if len(began) != 4 || len(began[0].Notes)+len(began[2].Notes) != 0 || len(began[1].Notes) != 1 || len(began[3].Notes) != 1 {
		t.Errorf("%+v", began)
	}
}

// TestConversationWithAServer tests that an agent that is a server gets one request per
// turn.
func TestConversationWithAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID   string
			Task agent.Task
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":%q,"answer":"%d messages before %s"}`, req.ID, len(req.Task.Messages), req.Task.Goal)
	}))
	defer server.Close()
	a, err := command.NewHTTP(command.HTTPOptions{URL: server.URL, Scrub: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	var in GradeInput
	b := newBed(t, Settings{}, a, passing(&in))
	e, err := b.harness.Evaluate(t.Context(), job(talk("one", "two")))
	if err != nil || e.Answer != "2 messages before two" || *in.Exchanges[0].Result.Answer != "0 messages before one" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestConversationEndsWhereATurnFails(t *testing.T) {
	none := func(o agent.Outcome) agent.Result { return agent.Result{Outcome: o, Error: "why"} }
	costly := answer("x")
	costly.Usage.CostUSD = 2
	long := answer(strings.Repeat("x", 60))
	for name, c := range map[string]struct {
		second  agent.Result
		limits  agent.Limits
		calls   int
		outcome agent.Outcome
		scored  bool
		why     string
	}{
		"crash":         {none(agent.Execution), agent.Limits{}, 2, agent.Execution, true, "why"},
		"refused":       {none(agent.WrongToolBoundary), agent.Limits{}, 2, agent.WrongToolBoundary, true, "why"},
		"no answer":     {agent.Result{Outcome: agent.OK, Score: new(float64)}, agent.Limits{}, 2, agent.ContractViolation, true, "turn 2 of the conversation has no answer"},
		"money":         {costly, agent.Limits{MaxCostUSD: 2}, 2, agent.BudgetExceeded, true, "the conversation reached its limit on money after 2 turns"},
		"output":        {long, agent.Limits{MaxOutputBytes: 61}, 2, agent.BudgetExceeded, true, "the conversation reached its limit on output after 2 turns"},
		"missing":       {none(agent.Infrastructure), agent.Limits{}, 8, agent.Infrastructure, false, "why"},
		"goes on":       {answer("x"), agent.Limits{}, 3, agent.OK, true, ""},
		"an empty word": {answer(""), agent.Limits{}, 3, agent.OK, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := scripted(func(_ context.Context, req agent.Request) agent.Result {
				if req.Task.Goal == "two" {
					return c.second
				}
				return answer("a")
			})
			var in GradeInput
			b := newBed(t, Settings{Limits: c.limits}, a, passing(&in))
			e, err := b.harness.Evaluate(t.Context(), job(talk("one", "two", "three")))
			if err != nil {
				t.Fatal(err)
			}
			if b.calls != c.calls || e.Outcome != c.outcome || e.Scored != c.scored || e.Error != c.why {
				t.Errorf("%s (%q) after %d calls, scored %v", e.Outcome, e.Error, b.calls, e.Scored)
			}
		})
	}
}

// TestConversationTimeCoversAllTurns tests that the wall time of all turns counts, but not
// the time spent waiting for limits that tasks share.
func TestConversationTimeCoversAllTurns(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var left []time.Duration
	slow := scripted(func(_ context.Context, req agent.Request) agent.Result {
		left = append(left, req.Limits.Timeout)
		now = now.Add(10 * time.Second)
		res := answer("a")
		res.Waited = 6 * time.Second
		return res
	})
	talked := Conversation{Agent: slow, Now: func() time.Time { return now }}
	res, exchanges, _ := talked.Run(t.Context(), talk("1", "2", "3", "4"), agent.Request{Limits: agent.Limits{Timeout: 10 * time.Second}})
	if diff := cmp.Diff([]time.Duration{10 * time.Second, 6 * time.Second, 2 * time.Second}, left); diff != "" {
		t.Error(diff)
	}
	if res.Outcome != agent.Timeout || len(exchanges) != 3 || exchanges[0].Latency != 4*time.Second || res.Waited != 12*time.Second+6*time.Second {
		t.Errorf("%+v", res)
	}
}

func TestConversationIsPartOfEveryIdentity(t *testing.T) {
	a, b := talk("one", "two"), talk("one", "2")
	if HashTask(a, "") == HashTask(b, "") || a.ForAgent().ID == b.ForAgent().ID {
		t.Error("another script has the same identity")
	}
	graded := talk("one", "two")
	graded.Turns[0].Graders = []GraderSpec{{Type: "exact", Raw: json.RawMessage(`{"type":"exact","answer":"x"}`)}}
	spaced := talk("one", "two")
	spaced.Turns[0].Graders = []GraderSpec{{Type: "exact", Raw: json.RawMessage(`{ "answer":"x", "type":"exact"}`)}}
	if HashTask(a, "") == HashTask(graded, "") || HashTask(graded, "") != HashTask(spaced, "") {
		t.Error("the graders of a turn are not in the identity, or their form is")
	}
	if got := graded.ForAgent(); got.Goal != "one" || strings.Contains(fmt.Sprint(got), "two") {
		t.Errorf("the agent sees the script: %+v", got)
	}
}

func TestSuiteReadsScripts(t *testing.T) {
	line := `{"id":"a","turns":["What is 2+2?",{"user":"And twice that?","graders":[{"type":"exact","answer":"eight and nothing else at all"}]},{"user":"Thanks","answer":"welcome"}]}`
	suite, issues := ReadSuite(strings.NewReader(line), "s.jsonl", nil, GraderRules{Fields: map[string][]string{"exact": {"answer"}}})
	if suite == nil {
		t.Fatal(issues)
	}
	task := &suite.Tasks[0]
	var back strings.Builder
	if err := WriteSuite(&back, suite.Tasks[:1]); err != nil || strings.TrimSpace(back.String()) != strings.TrimSuffix(line, "}")+`,"split":"`+string(task.Split)+`"}` {
		t.Errorf("written as %s, %v", back.String(), err)
	}
	goal, expected := task.Question()
	if goal != "What is 2+2?\nAnd twice that?\nThanks" || expected != "turn 2: exact: answer eight and nothing else at all; turn 3: welcome" || task.SelfContained() {
		t.Errorf("%q, %q", goal, expected)
	}
	if found := IndexAnswers(suite.Tasks).Find("say: Eight, and nothing else at all"); len(found) != 1 {
		t.Errorf("the answer of a turn is not protected: %v", found)
	}
	if all := task.AgentTasks(); len(all) != 3 || all[2].Goal != "Thanks" || len(all[2].Messages) != 2 || len(all[0].Messages) != 0 {
		t.Errorf("%+v", all)
	}
}

func TestSuiteFindsAlikeScripts(t *testing.T) {
	tasks := []Task{*talk("Where is my parcel?", "It was sent on Monday."), *talk("where is my parcel", "it was sent on monday!"), *talk("Where is my parcel?", "Cancel the whole order and send me the money back today.")}
	tasks[1].ID, tasks[2].ID = "b", "c"
	if found := FindDuplicates(tasks); len(found) != 1 || found[0].Kind != Exact || len(found[0].Tasks) != 2 {
		t.Errorf("%+v", found)
	}
}

func TestSuiteRefusesBadScripts(t *testing.T) {
	many := `{"id":"a","turns":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 10_000), ",") + `],"answer":"z"}`
	for name, c := range map[string]struct{ line, want string }{
		"none":          {`{"id":"a","turns":[],"answer":"z"}`, `s.jsonl:1:19: "turns" has no messages`},
		"too many":      {many, `s.jsonl:1:19: "turns" has 10000 messages; at most 100 are allowed`},
		"empty":         {`{"id":"a","turns":["x"," "],"answer":"z"}`, `s.jsonl:1:24: item 2 of "turns" is empty`},
		"empty object":  {`{"id":"a","turns":[{"user":""}],"answer":"z"}`, `s.jsonl:1:28: "user" is empty`},
		"no user":       {`{"id":"a","turns":[{"graders":[]}],"answer":"z"}`, `s.jsonl:1:20: item 1 of "turns" needs "user"`},
		"a number":      {`{"id":"a","turns":[7],"answer":"z"}`, `s.jsonl:1:20: item 1 of "turns" must be text or an object, not a number`},
		"null":          {`{"id":"a","turns":[null],"answer":"z"}`, `s.jsonl:1:20: item 1 of "turns" is null`},
		"other key":     {`{"id":"a","turns":[{"usr":"x","user":"y"}],"answer":"z"}`, `s.jsonl:1:21: unknown key "usr" (did you mean "user"?)`},
		"beside a goal": {`{"id":"a","goal":"g","turns":["x"],"answer":"z"}`, `s.jsonl:1:18: "goal" and "turns" are mutually exclusive: the first message of "turns" is the goal`},
		"not graded":    {`{"id":"a","turns":["x"]}`, `s.jsonl:1:1: task "a" has neither graders nor an answer to grade against`},
		"bad grader":    {`{"id":"a","turns":[{"user":"x","graders":[{"type":"exat"}]}]}`, `s.jsonl:1:51: unknown grader type "exat" (did you mean "exact"?)`},
		"no list":       {`{"id":"a","turns":"x","answer":"z"}`, `s.jsonl:1:19: "turns" must be a list, not text`},
	} {
		suite, issues := ReadSuite(strings.NewReader(c.line), "s.jsonl", nil, GraderRules{Fields: map[string][]string{"exact": {"answer"}}})
		var got []string
		for _, i := range issues {
			got = append(got, i.String())
		}
		if diff := cmp.Diff([]string{c.want}, got); suite != nil || diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
