package bench

import (
	"encoding/json"
	"testing"
)

func TestQuestion(t *testing.T) {
	for line, want := range map[string][2]string{
		`{"id":"a","goal":"Who?","answer":"Ada"}`: {"Who?", "Ada"},
		`{"id":"b","goal":"Sum","input":[1,2],"graders":[{"type":"numeric","answer":3,"tolerance":0.1,"weight":2}]}`:                                                                        {"Sum\n[1,2]", "numeric: answer 3, tolerance 0.1"},
		`{"id":"c","messages":[{"role":"user","content":"Hi"},{"role":"user","content":"Where?"}],"answer":"Oslo","graders":[{"type":"exact"},{"type":"regex","pattern":"^O","not":true}]}`: {"Where?", "Oslo; not regex: pattern ^O"},
		`{"id":"d","input":{"q":1},"graders":[{"type":"contains","all":["x","y"]}]}`:                                                                                                        {`{"q":1}`, `contains: all ["x","y"]`},
		`{"id":"e","goal":"?","graders":[{"type":"reported"}]}`:                                                                                                                             {"?", ""},
	} {
		var task Task
		if err := json.Unmarshal([]byte(line), &task); err != nil {
			t.Fatal(err)
		}
		goal, expected := task.Question()
		if goal != want[0] || expected != want[1] {
			t.Errorf("%s\nasks %q and expects %q", line, goal, expected)
		}
	}
}
