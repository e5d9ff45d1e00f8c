package grade

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
)

func TestRulesRefuse(t *testing.T) {
	for grader, want := range map[string]string{
		`{"type":"exact"}`:                                                              `: needs an answer, either its own or the task's`,
		`{"type":"exact","answer":42}`:                                                  `answer: "answer" must be a string or a list of strings`,
		`{"type":"exact","answer":[]}`:                                                  `answer: "answer" is an empty list`,
		`{"type":"exact","answer":["a",null]}`:                                          `answer: "answer" must be a string or a list of strings`,
		`{"type":"exact","answer":"a","strict":true,"ignore_case":1}`:                   `ignore_case: "ignore_case" must be true or false`,
		`{"type":"exact","answer":"a","strict":1}`:                                      `strict: "strict" must be true or false`,
		`{"type":"exact","answer":"a","tool":"x"}`:                                      `tool: has the unknown key "tool"`,
		`{"type":"exact","answer":"a","threshold":1.5}`:                                 `threshold: is 1.5, which is not between 0 and 1`,
		`{"type":"contains","all":[""]}`:                                                `: looks for an empty string, which every answer contains`,
		`{"type":"contains","any":["a"],"answer":"b"}`:                                  `answer: cannot be combined with "any"`,
		`{"type":"regex"}`:                                                              `: needs "pattern"`,
		`{"type":"regex","pattern":"(?=x)"}`:                                            "pattern: invalid or unsupported Perl syntax: `(?=`",
		`{"type":"numeric","answer":"many"}`:                                            `answer: "many" is not a number`,
		`{"type":"numeric","answer":[1,"x"]}`:                                           `answer: "x" is not a number`,
		`{"type":"numeric","answer":1,"tolerance":-1}`:                                  `tolerance: "tolerance" is -1, which is not between 0 and 1.7976931348623157e+308`,
		`{"type":"numeric","answer":1,"pick":"middle"}`:                                 `pick: "pick" must be "first" or "last"`,
		`{"type":"json_schema"}`:                                                        `: needs "schema"`,
		`{"type":"json_schema","schema":{"type":"strin"}}`:                              `schema: the schema is not valid`,
		`{"type":"json_schema","schema":{"$ref":"file:///etc/hosts"}}`:                  `schema: the schema is not valid`,
		`{"type":"json_schema","schema":{"$ref":"http://x.example/"}}`:                  `schema: the schema is not valid`,
		`{"type":"json_path","path":"a.b"}`:                                             `path: a path must begin with $ and have at most 1000 bytes`,
		`{"type":"json_path","path":"$..a"}`:                                            `path: the path step .. is not supported`,
		`{"type":"json_path","path":"$[?(@.a)]"}`:                                       `path: the path is not valid from "[?(@.a)]" on`,
		`{"type":"tool_called"}`:                                                        `: needs "tool"`,
		`{"type":"tool_order","tools":[]}`:                                              `tools: "tools" is an empty list`,
		`{"type":"outcome","outcome":"okay"}`:                                           `outcome: "okay" is not an outcome`,
		`{"type":"outcome","outcome":"infrastructure"}`:                                 `outcome: "infrastructure" counts as missing data and is never graded`,
		`{"type":"max_cost"}`:                                                           `: needs "usd"`,
		`{"type":"max_latency","seconds":"fast"}`:                                       `seconds: "seconds" must be a number`,
		`{"type":"command"}`:                                                            `: needs "argv"`,
		`{"type":"command","argv":["../x.sh"]}`:                                         `argv: the program "../x.sh" leads outside its folder`,
		`{"type":"command","argv":["x"],"timeout":1e9}`:                                 `timeout: "timeout" is 1e+09, which is not between 0.001 and 3600`,
		`{"type":"model"}`:                                                              `type: has an unknown type`,
		`{"type":"judge"}`:                                                              `: needs one of rubric, criteria or pairwise`,
		`{"type":"judge","rubric":"a","pairwise":"b"}`:                                  `: needs one of rubric, criteria or pairwise`,
		`{"type":"judge","rubric":7}`:                                                   `rubric: "rubric" must be text`,
		`{"type":"judge","rubric":"a","scale":"5-1"}`:                                   `scale: the scale "5-1" has its ends in the wrong order`,
		`{"type":"judge","rubric":"a","scale":"good"}`:                                  `scale: "good" is not a scale: write "pass/fail", or a range such as 1-5`,
		`{"type":"judge","rubric":"a","samples":0}`:                                     `samples: "samples" is 0, which is not between 1 and 25`,
		`{"type":"judge","criteria":[]}`:                                                `criteria: "criteria" must have 1 to 50 criteria`,
		`{"type":"judge","criteria":[{"name":"a"}]}`:                                    `criteria: a criterion needs a name and a text`,
		`{"type":"judge","criteria":[{"name":"a","text":"b"},{"name":"a","text":"c"}]}`: `criteria: two criteria have the name "a"`,
		`{"type":"judge","pairwise":"a"}`:                                               `: compares with a reference, but neither the grader nor the task has one`,
		`{"type":"judge","pairwise":"a","reference":"b","scale":"1-5"}`:                 `scale: a comparison of two answers cannot have a scale`,
		`{"type":"nonsense"}`:                                                           `type: has an unknown type`,
	} {
		tk := task(t, "", grader)
		problems := Check(tk, tk.Graders[0])
		if len(problems) == 0 {
			t.Errorf("%s was let through", grader)
			continue
		}
		if got := problems[0].Field + ": " + problems[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", grader, got, want)
		}
		if _, err := compile(tk, means{}); err == nil {
			t.Errorf("%s was compiled", grader)
		}
	}
	if _, err := compile(task(t, ""), means{}); err == nil {
		t.Error("a task with neither graders nor an answer was compiled")
	}
}

// TestRulesFindThePlace checks that the suite loader, with these rules, reports the
// position of the invalid word.
func TestRulesFindThePlace(t *testing.T) {
	line := `{"id":"a","goal":"g","graders":[{"type":"exact","answer":"1"},{"type":"regex","pattern":"("},{"type":"numeric","tolerence":1}]}`
	_, issues := bench.ReadSuite(strings.NewReader(line), "suites/tasks.jsonl", nil, Rules())
	var got []string
	for _, i := range issues {
		got = append(got, i.String())
	}
	want := []string{`suites/tasks.jsonl:1:112: unknown key of grader "numeric": "tolerence" (did you mean "tolerance"?)`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	line = strings.Replace(line, `"tolerence":1`, `"tolerance":1`, 1)
	_, issues = bench.ReadSuite(strings.NewReader(line), "suites/tasks.jsonl", nil, Rules())
	got = nil
	for _, i := range issues {
		got = append(got, i.String())
	}
	want = []string{
		"suites/tasks.jsonl:1:89: grader \"regex\": missing closing ): `(`",
		`suites/tasks.jsonl:1:94: grader "numeric": needs an answer, either its own or the task's`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
