package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPromptfooJudges checks that assertions with a judge model become judges, and that a
// variable in a rubric stays in the goal.
func TestPromptfooJudges(t *testing.T) {
	const note = `1 task is graded by a judge model on the route "default", unless a grader names another route in "route"`
	for assert, want := range map[string]string{
		`{"type":"llm-rubric","value":"speaks of {{a}}"}`:                      `{"rubric":"speaks of b","type":"judge"}`,
		`{"type":"llm-rubric","value":"is kind","threshold":0.8,"weight":2}`:   `{"rubric":"is kind","scale":"0-10","threshold":0.8,"type":"judge","weight":2}`,
		`{"type":"not-llm-rubric","value":"is rude"}`:                          `{"not":true,"rubric":"is rude","type":"judge"}`,
		`{"type":"model-graded-closedqa","value":"is kind"}`:                   `{"rubric":"is kind","type":"judge"}`,
		`{"type":"factuality","value":"Oslo"}`:                                 `{"reference":"Oslo","rubric":"` + agreesOnFacts + `","type":"judge"}`,
		`{"type":"model-graded-factuality","value":"Oslo"}`:                    `{"reference":"Oslo","rubric":"` + agreesOnFacts + `","type":"judge"}`,
		`{"type":"g-eval","value":"is coherent"}`:                              `{"rubric":"is coherent","scale":"0-10","threshold":0.7,"type":"judge"}`,
		`{"type":"g-eval","value":["is coherent","is short"],"threshold":0.5}`: `{"criteria":[{"name":"1","text":"is coherent"},{"name":"2","text":"is short"}],"scale":"0-10","threshold":0.5,"type":"judge"}`,
	} {
		tasks, notes, err := lines(t, `[{"vars":{"a":"b"},"assert":[`+assert+`]}]`, Options{})
		if err != nil {
			t.Errorf("%s: %v", assert, err)
			continue
		}
		if d := cmp.Diff([]string{`{"id":"task-00001","goal":"b","graders":[` + want + `]}`}, tasks); d != "" {
			t.Errorf("%s: %s", assert, d)
		}
		if d := cmp.Diff([]string{note}, notes); d != "" {
			t.Errorf("%s: %s", assert, d)
		}
	}
	_, notes, err := lines(t, `[{"vars":{"a":"b"},"assert":[{"type":"llm-rubric","value":"x","provider":"openai:gpt-4o"}]}]`, Options{})
	if d := cmp.Diff([]string{note, `not read, and therefore in no task: "assert.provider"`}, notes); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestInspectScorers checks that the target of a sample is the reference of its judge.
func TestInspectScorers(t *testing.T) {
	const samples = `{"input":"Capital of Norway?","target":"Oslo"}` + "\n" + `{"input":"Capital?","target":["Rome","Roma"]}` + "\n" +
		`{"input":"Which?","choices":["x1","y1"],"target":"B"}`
	for scorer, rubric := range inspectScorers() {
		tasks, _, err := lines(t, samples, Options{Format: Inspect, Grader: scorer})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{
			`{"id":"task-00001","goal":"Capital of Norway?","graders":[{"rubric":"` + rubric + `","type":"judge"}],"answer":"Oslo"}`,
			`{"id":"task-00002","goal":"Capital?","graders":[{"reference":"One of these:\nRome\nRoma","rubric":"` + rubric + `","type":"judge"}],"answer":"Rome"}`,
		}, tasks[:2]); d != "" {
			t.Errorf("%s: %s", scorer, d)
		}
		if len(tasks) != 3 {
			t.Errorf("%s: %d tasks", scorer, len(tasks))
		}
	}
}
