package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// lived returns an experience with ten calls to each tool in the operations domain. Calls
// to tools whose names begin with a minus fail.
func lived(feedback []experience.Feedback, tools ...string) *experience.Experience {
	e := &experience.Experience{Feedback: feedback}
	for range 10 {
		t := experience.Turn{Domain: "operations", Outcome: agent.OK, Time: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
		for _, name := range tools {
			outcome, cause := agent.OK, ""
			if strings.HasPrefix(name, "-") {
				outcome, cause = agent.Execution, "the bridge is up"
			}
			t.Calls = append(t.Calls, experience.Call{Tool: strings.TrimPrefix(name, "-"), Origin: "local", Outcome: outcome, Cause: cause})
		}
		e.Learn(t)
	}
	return e
}

func want(id string, action experience.Action, tool, with string) experience.Feedback {
	return experience.Feedback{ID: id, Verdict: experience.Negative, Action: action, Tool: tool, With: with, Domain: "operations", Importance: 1, By: "Ada"}
}

// TestChoiceFollowsThePast tests the score and the reason for the heuristic's choice after
// success, failure and feedback. Feedback takes precedence over learnings.
func TestChoiceFollowsThePast(t *testing.T) {
	files := map[string]string{"runbook.md": "The server restarts on Monday."}
	for name, c := range map[string]struct {
		past  *experience.Experience
		first string
		note  string
	}{
		"no history":      {nil, "read_file", "read_file 0.960 (pattern 1.00, performance 0.80)"},
		"success":         {lived(nil, "read_file"), "read_file", "read_file 0.970 (pattern 1.00, performance 0.85)"},
		"failure":         {lived(nil, "-read_file"), "grep", "read_file 0.249 (pattern 1.00, performance 0.15, avoided ×0.3)"},
		"feedback first":  {lived([]experience.Feedback{want("F1", experience.Boost, "read_file", "")}, "-read_file"), "read_file", "feedback F1 boost ×1.2, avoided ×0.3 (overruled))"},
		"penalised":       {lived([]experience.Feedback{want("F1", experience.Penalise, "read_file", "")}), "grep", "read_file 0.288 (pattern 1.00, performance 0.80, feedback F1 penalise ×0.3)"},
		"never":           {lived([]experience.Feedback{want("F7", experience.Constrain, "read_file", "")}), "grep", "grep 0.320 (pattern 0.20, performance 0.80)"},
		"another instead": {lived([]experience.Feedback{want("F2", experience.Replace, "read_file", "grep")}), "grep", "grep 0.960 (pattern 0.20, performance 0.80)"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := New(Options{Experience: c.past})
			if err != nil {
				t.Fatal(err)
			}
			r := a.Run(t.Context(), agent.Request{
				Task: agent.Task{Domain: "operations", Goal: "According to runbook.md, when does the server restart?"}, Workdir: lay(t, files),
			})
			if tools := r.Transcript.Tools(); len(tools) == 0 || tools[0] != c.first || !strings.Contains(story(r), c.note) {
				t.Errorf("calls %v\n%s", tools, story(r))
			}
			barred := slices.ContainsFunc(r.Transcript.Events, func(e agent.Event) bool {
				return e.Kind == agent.EventTools && strings.HasPrefix(e.Text, "read_file (feedback")
			})
			if barred != (name == "never" || name == "another instead") {
				t.Error(story(r))
			}
		})
	}
}

// TestALanguageModelSeesThePast tests that a tool that people no longer want is neither
// offered nor called, that another tool is active in its place, and that the prompt
// contains the known facts about the tools, as data of limited length.
func TestALanguageModelSeesThePast(t *testing.T) {
	past := lived([]experience.Feedback{want("F2", experience.Replace, "grep", "dependency_map")}, "-read_file", "calculate")
	var seen []model.Request
	a := speaking(t, &seen, Options{Experience: past}, calls("grep", `{"pattern":"x"}`), calls("recent_corrections", `{}`), model.Reply{Answer: "done"})
	config := a.Space().Default()
	config["tools.selection"] = []string{"check_calibration", "what_do_i_know", "recent_corrections"}
	r := a.Run(t.Context(), agent.Request{Config: config, Task: agent.Task{Domain: "operations", Goal: "When does the server restart?"}})
	chat := provider.Render(&seen[0])
	var offered []string
	for _, tool := range chat.Tools {
		offered = append(offered, tool.Name)
	}
	if slices.Contains(offered, "grep") || !slices.Contains(offered, "dependency_map") {
		t.Errorf("%v are offered", offered)
	}
	if got := kinds(r, agent.EventTool); got[0].Outcome != agent.Denied || !strings.Contains(got[0].Text, "feedback F2") {
		t.Error(story(r))
	}
	known := chat.Messages[len(chat.Messages)-1].Text
	if !strings.Contains(known, `data: {"kind":"known_tools"`) || !strings.Contains(known, "read_file: 10 calls") || !strings.Contains(known, "the bridge is up") {
		t.Errorf("the prompt has %q", known)
	}
	speaking(t, &seen, Options{}, model.Reply{Answer: "done"}).Run(t.Context(), agent.Request{Task: agent.Task{Goal: "When?"}})
	if seen[len(seen)-1].Known != "" {
		t.Error("without history the prompt has known tools")
	}
}

// TestToolsAnswerFromThePast tests that the tools for questions about the agent's history
// answer from the agent's recorded experience.
func TestToolsAnswerFromThePast(t *testing.T) {
	past := lived(nil, "calculate")
	past.Learn(experience.Turn{ID: "T1", Session: "talk", Domain: "operations", Outcome: agent.OK, Confidence: .9})
	past.Learn(experience.Turn{ID: "T2", Session: "talk", Domain: "operations", Outcome: agent.OK, Message: "No, it restarts on Tuesday", Signal: experience.Corrects})
	names := []string{"check_calibration", "what_do_i_know", "recent_corrections", "self_evaluate"}
	var replies []model.Reply
	for _, n := range names {
		replies = append(replies, calls(n, `{}`))
	}
	var seen []model.Request
	a := speaking(t, &seen, Options{Experience: past}, append(replies, model.Reply{Answer: "done"})...)
	config := a.Space().Default()
	config["tools.selection"] = names
	r := a.Run(t.Context(), agent.Request{Config: config, Task: agent.Task{Domain: "operations", Goal: "When does the server restart?"}})
	got := seen[len(seen)-1].Steps
	if len(got) != len(names) {
		t.Fatal(story(r))
	}
	for i, has := range []string{"Brier", "calculate: 10 of 10", "it restarts on Tuesday", "Competence in operations"} {
		if text := got[i].Result.Output; !strings.Contains(text, has) {
			t.Errorf("%s answers %q", names[i], text)
		}
	}
}
