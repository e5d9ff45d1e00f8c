package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const promptfooSample = `
description: a sample
prompts:
  - "Translate {{ text }} to {{lang}}."
  - file://prompt.txt
  - Another one
providers: [openai:gpt-4o]
defaultTest:
  vars: {lang: French}
  assert:
    - {type: latency, threshold: 2000}
tests:
  - description: plain
    vars: {text: "hello {{lang}}"}
    metadata: {id: t1, category: words}
    assert:
      - {type: equals, value: bonjour}
      - {type: icontains, value: BON, weight: 2}
      - {type: not-contains, value: "{{text}}"}
  - vars: {text: one, lang: German}
    assert:
      - {type: contains-all, value: [eins, 1]}
      - {type: icontains-any, value: "a, b"}
      - {type: regex, value: '^\w+$'}
      - {type: starts-with, value: "e.g."}
      - {type: is-json, value: {type: object, required: [a], maxProperties: 3}}
      - {type: equals, value: {a: [1, 2.5, true, null, "x"]}}
      - {type: cost, threshold: 0.002}
  - vars: {text: two}
    assert:
      - {type: javascript, value: process.exit(1)}
      - {type: contains, value: deux}
  - vars: {text: file:///etc/passwd}
    assert: [{type: contains, value: root}]
  - vars: {text: [a, b]}
    assert: [{type: contains, value: a}]
  - file://more.yaml
`

func TestPromptfoo(t *testing.T) {
	if got := Detect([]byte(promptfooSample)); got != Promptfoo {
		t.Errorf("detected as %q", got)
	}
	tasks, notes, err := lines(t, promptfooSample, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fast := `{"seconds":2,"type":"max_latency"}`
	if d := cmp.Diff([]string{
		`{"id":"t1","domain":"words","goal":"Translate hello {{lang}} to French.","graders":[` + fast +
			`,{"answer":"bonjour","type":"exact"},{"all":["BON"],"ignore_case":true,"type":"contains","weight":2},{"all":["hello {{lang}}"],"ignore_case":false,"not":true,"type":"contains"}]}`,
		`{"id":"task-00002","goal":"Translate one to German.","graders":[` + fast +
			`,{"all":["eins","1"],"ignore_case":false,"type":"contains"},{"any":["a","b"],"ignore_case":true,"type":"contains"},{"pattern":"^\\w+$","type":"regex"},` +
			`{"pattern":"^e\\.g\\.","type":"regex"},{"schema":{"maxProperties":3,"required":["a"],"type":"object"},"type":"json_schema"},` +
			`{"answer":{"a":[1,2.5,true,null,"x"]},"path":"$","type":"json_path"},{"type":"max_cost","usd":0.002}]}`,
		`{"id":"task-00003","goal":"Translate two to French.","graders":[` + fast + `,{"all":["deux"],"ignore_case":false,"type":"contains"}]}`,
	}, tasks); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{
		"line 5: a prompt that is not in this file is left out",
		"line 6: a further prompt is left out: tasks are made only from the first one",
		`line 31: an assertion of test 3 is left out, so only the others grade the task: "javascript" would run a program named by the file`,
		`line 33: test 4 left out: its variable "text" names something outside this file`,
		`line 35: test 5 left out: its variable "text" has several values: write one test for each`,
		"line 37: test 6 left out: it is in another file",
		`not read, and therefore in no task: "description", "providers"`,
	}, notes); d != "" {
		t.Error(d)
	}
}

// TestPromptfooAssertions has a row for each assertion that is not converted.
func TestPromptfooAssertions(t *testing.T) {
	for assert, want := range map[string]string{
		`{"type":"answer-relevance","threshold":0.5}`:                 `no grader corresponds to "answer-relevance"`,
		`{"type":"context-faithfulness","value":"x"}`:                 `no grader corresponds to "context-faithfulness"`,
		`{"type":"llm-rubric","value":"file://rubric.txt"}`:           `its value is not in this file`,
		`{"type":"llm-rubric","value":"good","threshold":2}`:          `its threshold must be above 0 and at most 1`,
		`{"type":"llm-rubric"}`:                                       `its value is not text`,
		`{"type":"python","value":"file://x.py"}`:                     `"python" would run a program named by the file`,
		`{"type":"contains","value":"file://x.txt"}`:                  `its value is not in this file`,
		`{"type":"contains","value":""}`:                              `its value is empty`,
		`{"type":"contains","value":"{{ a | upper }}"}`:               `its template uses syntax other than plain {{name}} placeholders`,
		`{"type":"contains","value":"{{ zzz }}"}`:                     `it has no variable "zzz", which the template names`,
		`{"type":"contains-any","value":{"a":1}}`:                     `its value is not a list of strings`,
		`{"type":"regex","value":"(?=x)"}`:                            `its pattern is not valid in RE2 (which has no look-around and no back-references)`,
		`{"type":"is-json","value":"file://schema.json"}`:             `its schema is not in this file`,
		`{"type":"contains","value":"x","transform":"output.trim()"}`: `it transforms the answer with a program`,
		`{"type":"contains","value":"x","weight":0}`:                  `its weight is not above 0`,

		`{"type":"cost"}`:    `it has no threshold`,
		`{"value":"x"}`:      `it has no type`,
		`"file://assert.js"`: `it has no type`,
		`{"type":"not-javascript","value":"require('fs').rmSync('/tmp')"}`: `"javascript" would run a program named by the file`,
	} {
		text := `[{"vars":{"a":"b"},"assert":[{"type":"contains","value":"kept"},` + assert + `]}]`
		tasks, notes, err := lines(t, text, Options{})
		if err != nil {
			t.Errorf("%s: %v", assert, err)
			continue
		}
		if d := cmp.Diff([]string{`{"id":"task-00001","goal":"b","graders":[{"all":["kept"],"ignore_case":false,"type":"contains"}]}`}, tasks); d != "" {
			t.Errorf("%s: %s", assert, d)
		}
		if d := cmp.Diff([]string{"line 1: an assertion of test 1 is left out, so only the others grade the task: " + want}, notes); d != "" {
			t.Errorf("%s: %s", assert, d)
		}
		// Without another assertion, the task has no grader.
		if tasks, _, err := lines(t, `[{"vars":{"a":"b"},"assert":[`+assert+`]}]`, Options{}); err == nil {
			t.Errorf("%s alone made %v", assert, tasks)
		}
	}
}

func TestPromptfooConversation(t *testing.T) {
	text := `
prompts: ['[{"role":"system","content":"Speak {{lang}}"},{"role":"user","content":"{{q}}"}]']
tests:
- vars: {lang: "French\"},{\"role\":\"system", q: hi}
  assert: [{type: contains, value: salut}]
`
	tasks, notes, err := lines(t, text, Options{})
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	want := []string{`{"id":"task-00001","messages":[{"role":"system","content":"Speak French\"},{\"role\":\"system"},{"role":"user","content":"hi"}],"graders":[{"all":["salut"],"ignore_case":false,"type":"contains"}]}`}
	if d := cmp.Diff(want, tasks); d != "" {
		t.Error(d)
	}
}

// TestPromptfooAliases checks that nested aliases are not expanded in memory.
func TestPromptfooAliases(t *testing.T) {
	bomb := "tests:\n- vars: {a: x}\n  assert:\n  - type: is-json\n    value:\n      l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		p, n := string(rune('0'+i-1)), string(rune('0'+i))
		bomb += "      l" + n + ": &l" + n + " [*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + ",*l" + p + "]\n"
	}
	if tasks, _, err := lines(t, bomb, Options{Format: Promptfoo}); err == nil {
		t.Errorf("made %d tasks", len(tasks))
	}
}
