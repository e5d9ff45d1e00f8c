package turn

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/scrub"
)

// TestStopReasons tests the effect of a model's stop reason. A reply that was cut off is
// sent back once unless it is empty, because for an empty reply a further call would cost
// the same again. A refusal is an answer, and the model is not asked again.
func TestStopReasons(t *testing.T) {
	length, refusal := model.StopLength, model.StopRefusal
	for name, c := range map[string]struct {
		replies []model.Reply
		want    agent.Outcome
		why     string // the error
		asked   int
		told    string // part of the expected transcript
	}{
		"cut off, then whole": {
			replies: []model.Reply{{Answer: "the capital of", Stop: length}, {Answer: "Oslo", Stop: model.StopEnd}},
			want:    agent.OK, asked: 2, told: "cut off",
		},
		"cut off twice": {
			replies: []model.Reply{{Answer: "the capital of", Stop: length}},
			want:    agent.LowUtility, why: "max_tokens", asked: 2, told: "cut off",
		},
		"cut off before a word": {
			replies: []model.Reply{{Stop: length}}, want: agent.BudgetExceeded, why: "max_tokens", asked: 1, told: "cut off",
		},
		"refused": {
			replies: []model.Reply{{Answer: "As an AI language model, I cannot help with that.", Stop: refusal}},
			want:    agent.OK, asked: 1, told: "refuses",
		},
		"refused without a word": {
			replies: []model.Reply{{Stop: refusal}}, want: agent.ContractViolation, why: "refused", asked: 1, told: "refuses",
		},
		"empty": {
			replies: []model.Reply{{Stop: model.StopEnd}}, want: agent.ContractViolation, why: "empty", asked: 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []model.Request
			r := speaking(t, &seen, Options{}, c.replies...).
				Run(context.Background(), agent.Request{Task: agent.Task{Goal: "What is the capital of Norway?"}})
			if r.Outcome != c.want || !strings.Contains(r.Error, c.why) || len(seen) != c.asked {
				t.Errorf("%s (%s) after %d calls, want %s after %d\n%s", r.Outcome, r.Error, len(seen), c.want, c.asked, story(r))
			}
			if first := kinds(r, agent.EventModel)[0].Text; !strings.Contains(first, c.told) {
				t.Errorf("the transcript says %q, and not that it was %q", first, c.told)
			}
		})
	}
}

// TestNothingOfAGoalLeaks tests that a credential in the user's goal is used but not
// recorded anywhere, whether in the plan or as the name of a domain, a tool or a model.
func TestNothingOfAGoalLeaks(t *testing.T) {
	var seen []model.Request
	for name, c := range map[string]struct {
		task    agent.Task
		replies []model.Reply
	}{
		"plan":   {agent.Task{Goal: "Compare the port of " + known + " and the port of Oslo"}, []model.Reply{{Answer: "6379"}}},
		"domain": {agent.Task{Goal: "look", Domain: known}, []model.Reply{{Answer: "6379"}}},
		"tool":   {agent.Task{Goal: "look"}, []model.Reply{calls(known, `{}`), calls("calculate", `{"`+known+`": 1}`), {Answer: "6379"}}},
		"model":  {agent.Task{Goal: "look"}, []model.Reply{{Answer: "6379", Model: known, Provider: known}}},
	} {
		a := speaking(t, &seen, Options{Scrub: scrub.New([]string{known}).String}, c.replies...)
		r := a.Run(context.Background(), agent.Request{Task: c.task, Live: true})
		kept, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(kept), known) {
			t.Errorf("%s: %s", name, kept)
		}
	}
}
