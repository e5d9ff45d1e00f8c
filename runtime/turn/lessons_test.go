package turn

import (
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/model"
)

// reviewedTurns returns the experience after a night that derived lessons from two turns.
func reviewedTurns() *experience.Experience {
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	turns := []experience.Turn{
		{ID: "T1", Session: "s", Domain: "operations", Message: "when?", Outcome: agent.OK, Time: at},
		{ID: "T2", Session: "s", Domain: "operations", Message: "No, on Monday", Signal: experience.Corrects, Outcome: agent.OK, Time: at},
	}
	e := &experience.Experience{}
	for _, t := range turns {
		e.Learn(t)
	}
	e.Review(turns, at)
	return e
}

// TestLessonsInThePrompt tests that the prompt contains a person's own feedback followed by
// the lessons, in one section before the strategy, both live and in an evaluation.
func TestLessonsInThePrompt(t *testing.T) {
	for _, live := range []bool{true, false} {
		seen := prompted(t, Options{Experience: reviewedTurns(), Bootstrap: map[string]string{"EVAL_FEEDBACK.md": "Be brief.\n", "SOUL.md": "You are kind."}}, agent.Config{"strategy": "Think."}, live)
		var names []string
		feedback := ""
		for _, s := range seen.System {
			names = append(names, s.Name)
			if s.Name == "EVAL_FEEDBACK.md" {
				feedback = s.Text
			}
		}
		if got := strings.Join(names, " "); got != "SOUL.md EVAL_FEEDBACK.md STRATEGY" {
			t.Errorf("live %t: sections %s", live, got)
		}
		if !strings.HasPrefix(feedback, "Be brief.\n\nWhat this agent's live turns advise:\n\n- people corrected answers in operations about a date or time: ") || strings.Contains(feedback, "No, on") {
			t.Errorf("live %t: %s", live, feedback)
		}
	}
}

// TestLessonsDisplaceNothing tests a prompt from which the strategy would otherwise be
// dropped: the lessons are left out instead, a person's own feedback stays, and the
// omission is recorded.
func TestLessonsDisplaceNothing(t *testing.T) {
	long := strings.Repeat("word ", 3130) // 3,912 of 4,000 tokens
	seen := prompted(t, Options{Experience: reviewedTurns(), Bootstrap: map[string]string{"EVAL_FEEDBACK.md": "Be brief.\n", "SOUL.md": long}},
		agent.Config{"strategy": strings.Repeat("Think. ", 40), "bootstrap.token_budget": int64(4000)}, true)
	text := ""
	for _, s := range seen.System {
		text += s.Name + " " + s.Text[:min(len(s.Text), 20)] + "\n"
	}
	if want := "SOUL.md word word word word \nEVAL_FEEDBACK.md Be brief.\n\nSTRATEGY Think. Think. Think."; !strings.HasPrefix(text, want) || strings.Contains(text, "What this") {
		t.Errorf("the prompt has %s", text)
	}
}

// prompted returns the request to a language model in a turn.
func prompted(t *testing.T, o Options, config agent.Config, live bool) model.Request {
	t.Helper()
	var seen []model.Request
	o.ID, o.Language, o.Model = "clerk", true, scripted{[]model.Reply{{Answer: "done"}}, nil, &seen}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	full := a.space.Default()
	for k, v := range config {
		full[k] = v
	}
	res := a.Run(t.Context(), agent.Request{ID: "1", Task: agent.Task{ID: "t", Goal: "when does it start"}, Config: full, Live: live})
	if len(seen) == 0 {
		t.Fatalf("nothing was asked: %s", res.Error)
	}
	return seen[0]
}
