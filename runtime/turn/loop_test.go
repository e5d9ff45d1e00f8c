package turn

import (
	"bytes"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestUnstatedConfidence checks that the transcript of a turn names a confidence if the
// model stated one, and no confidence otherwise.
func TestUnstatedConfidence(t *testing.T) {
	for name, c := range map[string]struct {
		reply    model.Reply
		language bool
		want     string
	}{
		"stated":      {model.Reply{Answer: "Oslo", Confidence: .8, Stated: true}, true, "answers with confidence 0.800: Oslo"},
		"the default": {model.Reply{Answer: "Oslo", Confidence: .5}, true, "answers without a stated confidence: Oslo"},
		"heuristic":   {model.Reply{Answer: "Oslo", Confidence: .5}, false, "answers with confidence 0.500: Oslo"},
	} {
		a, err := New(Options{ID: "clerk", Language: c.language, Model: scripted{replies: []model.Reply{c.reply}, seen: &[]model.Request{}}})
		if err != nil {
			t.Fatal(err)
		}
		config := a.Space().Default()
		config["loop.self_check"] = false
		res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Where is the depot?"}, Config: config})
		got := kinds(res, agent.EventModel)
		if len(got) != 1 || got[0].Text != c.want {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// TestUnstatedGain checks that the results of subgoals name no confidence and no gain if
// the answers stated none.
func TestUnstatedGain(t *testing.T) {
	for _, stated := range []bool{true, false} {
		reply := model.Reply{Answer: "Oslo", Confidence: .5, Stated: stated}
		a, err := New(Options{ID: "clerk", Language: true, Model: scripted{replies: []model.Reply{reply}, seen: &[]model.Request{}}})
		if err != nil {
			t.Fatal(err)
		}
		config := a.Space().Default()
		config["loop.self_check"], config["decompose.enabled"] = false, true
		res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Where is the depot, and then when does the depot open?"}, Config: config})
		found := false
		for _, e := range kinds(res, agent.EventDecompose) {
			if e.Text != "results" {
				continue
			}
			found = true
			if bytes.Contains(e.Data, []byte("confidence_after")) != stated || bytes.Contains(e.Data, []byte("effectiveness")) != stated {
				t.Errorf("stated %t: %s", stated, e.Data)
			}
		}
		if !found {
			t.Errorf("no results of subgoals: %s", story(res))
		}
	}
}
