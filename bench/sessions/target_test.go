package sessions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

// TestInspectTargets checks that the target of a sample is the reference, whatever the
// score, and that the verdicts still follow from the scores.
func TestInspectTargets(t *testing.T) {
	const ask, wrong = `{"role":"user","content":"What is the capital of Chad called?"}`, `{"role":"assistant","content":"It is Lagos, I believe."}`
	submit := `{"role":"assistant","content":"","tool_calls":[{"function":"submit","arguments":{"answer":"Lagos"}}]},{"role":"tool","content":"ok"}`
	for name, c := range map[string]struct{ sample, want, sum string }{
		"right":          {`"target":"N'Djamena","scores":{"match":{"value":"C"}},"messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena"],"ignore_case":true,"type":"contains"}`, "1 exchanges, 1 approved, 0 refused, 1 targets"},
		"wrong":          {`"target":"N'Djamena","scores":{"match":{"value":"I"}},"messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena"],"ignore_case":true,"type":"contains"}`, "1 exchanges, 0 approved, 1 refused, 1 targets"},
		"no score":       {`"target":["N'Djamena","Ndjamena"],"messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena","Ndjamena"],"ignore_case":true,"type":"contains"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"handed in":      {`"target":"N'Djamena","messages":[` + ask + `,` + submit + `]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena"],"ignore_case":true,"type":"contains"} tool submit`, "0 exchanges, 0 approved, 0 refused, 1 targets"},
		"a prompt later": {`"target":"N'Djamena","scores":{"match":{"value":"C"}},"messages":[` + ask + `,` + wrong + `,{"role":"user","content":"Please go on."},{"role":"assistant","content":"N'Djamena"}]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena"],"ignore_case":true,"type":"contains"}`, "2 exchanges, 1 approved, 0 refused, 1 targets"},
		"an example":     {`"target":"N'Djamena","messages":[{"role":"user","content":"What is the capital of Peru?","source":"input"},{"role":"assistant","content":"Lima","source":"input"},{"role":"user","content":"What is the capital of Chad called?","source":"input"},` + wrong + `]`, `What is the capital of Chad called? → N'Djamena (target of the log) {"any":["N'Djamena"],"ignore_case":true,"type":"contains"}`, "2 exchanges, 0 approved, 0 refused, 1 targets"},
		"a number":       {`"target":17,"messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → 17 (target of the log) {"type":"numeric"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"a short word":   {`"target":"no","messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → no (target of the log) {"pattern":"(?i)(?:^|[^\\pL\\pN])(?:no)(?:[^\\pL\\pN]|$)","type":"regex"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"a choice": {`"target":"B","choices":["Lagos","N'Djamena"],"messages":[` + ask + `,` + wrong + `]`, `Answer the following multiple choice question. The entire content of your response should be of the following format: 'ANSWER: $LETTER' (without quotes) where LETTER is one of A,B.

What is the capital of Chad called?

A) Lagos
B) N'Djamena → B (target of the log) {"pattern":"(?is)(?:^|answer\\W{1,9})B\\W*$","type":"regex"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"choices in it":   {`"target":"B","choices":["Lagos","N'Djamena"],"messages":[{"role":"user","content":"Capital of Chad, please?\nA) Lagos\nB) N'Djamena"},` + wrong + `]`, "Capital of Chad, please?\nA) Lagos\nB) N'Djamena" + ` → B (target of the log) {"pattern":"(?is)(?:^|answer\\W{1,9})B\\W*$","type":"regex"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"a text":          {`"target":"` + strings.Repeat("many words ", 9) + `","messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → ` + strings.TrimSpace(strings.Repeat("many words ", 9)) + ` (target of the log) {"type":"f1"}`, "1 exchanges, 0 approved, 0 refused, 1 targets"},
		"empty":           {`"target":["",null],"scores":{"match":{"value":"C"}},"messages":[` + ask + `,` + wrong + `]`, `What is the capital of Chad called? → It is Lagos, I believe. (score match C) {"answer":["It is Lagos, I believe","It is Lagos, I believe."],"ignore_case":true,"type":"exact"}`, "1 exchanges, 1 approved, 0 refused, 0 targets"},
		"a criterion":     {`"target":"It names the capital.","scores":{"model_graded_qa":{"value":"I"}},"messages":[` + ask + `,` + wrong + `]`, ``, "1 exchanges, 0 approved, 1 refused, 0 targets"},
		"several letters": {`"target":["A","B"],"choices":["x","y"],"messages":[` + ask + `,` + wrong + `]`, ``, "1 exchanges, 0 approved, 0 refused, 0 targets"},
		"a credential":    {`"target":"password = hunter2hunter2","messages":[` + ask + `,` + wrong + `]`, ``, "1 exchanges, 0 approved, 0 refused, 1 targets"},
	} {
		for _, scripts := range []bool{false, true} {
			b := newBuilder(t, Options{PerDomain: 10, Conversations: scripts})
			if _, err := Read(strings.NewReader(`{"samples":[{"id":1,`+c.sample+`}]}`), ReadOptions{Name: "x"}, b.Add); err != nil {
				t.Fatal(name, err)
			}
			tasks, s := b.Tasks()
			var got []string
			for _, task := range tasks {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s → %s (%s) %s %s", task.Goal, *task.Answer, task.Source.Approval, task.Graders[0].Raw, strings.Join(task.Tags, " "))))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
			if sum := fmt.Sprintf("%d exchanges, %d approved, %d refused, %d targets", s.Exchanges, s.Approved, s.Refused, s.Targets); sum != c.sum {
				t.Errorf("%s: %s\nnot %s", name, sum, c.sum)
			}
		}
	}
}

// TestChoices checks that the choices of a question appear in it once, with letters.
func TestChoices(t *testing.T) {
	raw := func(choices ...string) (out []json.RawMessage) {
		for _, c := range choices {
			data, _ := json.Marshal(c)
			out = append(out, data)
		}
		return out
	}
	for _, question := range []string{"Which barks?\nA) cat\nB) dog", "Which barks?\nA. cat\nB. dog", "Which barks, (A) cat or (B) dog?"} {
		if got := withChoices(question, raw("cat", "dog")); got != question {
			t.Errorf("%q became %q", question, got)
		}
	}
	if got := withChoices("Which barks?", nil); got != "Which barks?" {
		t.Error(got)
	}
	for _, question := range []string{"Does a cat or a dog bark?", "Which barks?\nA) cow\nB) dog"} {
		if got := withChoices(question, raw("cat", "dog")); !strings.HasSuffix(got, "one of A,B.\n\n"+question+"\n\nA) cat\nB) dog") {
			t.Error(got)
		}
	}
	if got := withChoices("Which?", raw(strings.Split(strings.Repeat("x ", 28), " ")[:28]...)); !strings.HasSuffix(got, "\nZ) x\n1) x\n2) x") {
		t.Error(got)
	}
}

// TestTargetGraders checks which answers the grader for a target accepts.
func TestTargetGraders(t *testing.T) {
	b, rouge := newBuilder(t, Options{}), newBuilder(t, Options{Grader: "rouge_l"})
	for _, c := range []struct {
		target     Target
		right, not []string
	}{
		{Target{Texts: []string{"B"}, Choices: true}, []string{"B", "b)", "ANSWER: B", "It is so.\n\n**ANSWER: B**", "Answer (B)."}, []string{"A", "ANSWER: A", "ANSWER: AB", "Bring it"}},
		{Target{Texts: []string{"no"}}, []string{"No.", "The reply is no"}, []string{"Not at all", "yes, now"}},
		{Target{Texts: []string{"1,200"}}, []string{"It is 1200", "1,200 kg"}, []string{"12"}},
		{Target{Texts: []string{"Lima", "City of Kings"}}, []string{"It is lima.", "the city of kings"}, []string{"Quito"}},
	} {
		task := bench.Task{ID: "t", Goal: "q", Answer: &c.target.Texts[0], Graders: b.targetGraders(c.target)}
		if !valid(task) {
			t.Fatalf("%+v is not valid", task.Graders)
		}
		for want, answers := range map[float64][]string{1: c.right, 0: c.not} {
			for _, answer := range answers {
				graded, err := grade.New(nil, nil).Grade(t.Context(), bench.GradeInput{Task: &task, Result: agent.Result{Answer: &answer, Outcome: agent.OK}})
				if err != nil || graded.Score != want {
					t.Errorf("%v: %q scores %v, %v", c.target, answer, graded.Score, err)
				}
			}
		}
	}
	if got := string(rouge.targetGraders(Target{Texts: []string{"a", "b"}})[0].Raw); got != `{"answer":["a","b"],"type":"rouge_l"}` {
		t.Error(got)
	}
}
