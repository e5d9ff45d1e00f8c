package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

func TestColumns(t *testing.T) {
	columns := Columns{ID: "nr", Domain: "team", Cluster: "thread", Tags: "labels"}
	want := []string{
		`{"id":"a1","domain":"hr","goal":"q1","answer":"x","tags":["new","urgent"],"cluster":"t7"}`,
		`{"id":"a2","domain":"it","goal":"q2","answer":"y","cluster":"t7"}`,
	}
	for name, text := range map[string]string{
		"csv":   "nr,team,thread,labels,question,answer\na1,hr,t7,new; urgent,q1,x\na2,it,t7,,q2,y\n",
		"jsonl": `{"nr":"a1","team":"hr","thread":"t7","labels":["new","urgent"],"question":"q1","answer":"x"}` + "\n" + `{"nr":"a2","team":"it","thread":"t7","labels":[],"question":"q2","answer":"y"}`,
	} {
		tasks, notes, err := lines(t, text, Options{Columns: columns})
		if d := cmp.Diff(want, tasks); err != nil || d != "" || len(notes) > 0 {
			t.Errorf("%s: %v, notes %q\n%s", name, err, notes, d)
		}
	}
	for name, c := range map[string]struct{ text, domain, want string }{
		"a column":        {"team,question,answer\nhr,q1,x\n", "team", "hr"},
		"a key":           {`{"team":"hr","question":"q1","answer":"x"}`, "team", "hr"},
		"no column":       {"question,answer\nq1,x\n", "team", "team"},
		"no key":          {`{"question":"q1","answer":"x"}`, "team", "team"},
		"a usual column":  {"domain,question,answer\nhr,q1,x\n", "team", "hr"},
		"no usable value": {"sub team,domain,question,answer\n,it,q1,x\n", "sub team", ""},
	} {
		tasks, _, err := Read(strings.NewReader(c.text), Options{Domain: c.domain})
		if err != nil || len(tasks) != 1 || tasks[0].Domain != c.want {
			t.Errorf("%s: %v, %+v", name, err, tasks)
		}
	}
	for _, text := range []string{`{"question":"a","matching_reply":" Yes"}` + "\n" + `{"question":"b","matching_reply":"No"}`, `[{"question":"a","matching_reply":"Yes"},{"question":"b","matching_reply":"No"}]`} {
		if tasks, notes, err := Read(strings.NewReader(text), Options{Columns: Columns{Answer: "matching_reply"}}); err != nil || len(tasks) != 2 || *tasks[1].Answer != "No" {
			t.Errorf("a chosen key shows the format: %v, %v, %v", tasks, notes, err)
		}
	}
	refuse := func(name string) string { return "no " + name }
	if _, _, err := Read(strings.NewReader("question,answer\nq,a\n"), Options{Domain: "a b", DomainProblem: refuse}); !errors.As(err, new(*DomainError)) {
		t.Errorf("a domain that is none: %v", err)
	}
	if _, _, err := lines(t, "question,answer\nq,a\n", Options{Columns: Columns{Tags: "labels"}}); err == nil || !strings.Contains(err.Error(), "there is no column for the tags (looked for labels)") {
		t.Errorf("a column that is not there: %v", err)
	}
}

func TestPointer(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	var found *PointerError
	if _, _, err := lines(t, pointer, Options{}); !errors.As(err, &found) || found.Size != "12345" || !strings.HasPrefix(found.OID, "4d7a") {
		t.Errorf("a pointer: %v", err)
	}
	if _, _, err := lines(t, `{"_id":"1","text":"q"}`, Options{Answers: []byte(pointer)}); !errors.As(err, &found) {
		t.Errorf("answers that are a pointer: %v", err)
	}
	if _, _, err := lines(t, "question,answer\nversion https://git-lfs.github.com/spec/v1,x\n", Options{}); err != nil {
		t.Errorf("a table about pointers: %v", err)
	}
}

func TestFold(t *testing.T) {
	var notes []Note
	for i := range 1000 {
		notes = append(notes, Note{Line: i + 2, Text: fmt.Sprintf("left out: it has no answer to %q", fmt.Sprint("q", i))})
	}
	notes = append(notes, Note{Text: `not read: "level"`})
	got := Fold(notes)
	if len(got) != 2 || got[0].String() != `line 2: left out: it has no answer to "q0"; and 999 more like this (lines 3, 4, 5, …)` || got[1].Text != `not read: "level"` {
		t.Errorf("%v", got)
	}
	if few := notes[:10]; !slices.Equal(Fold(few), few) {
		t.Error("ten notes were folded")
	}
	var many []Note
	for i := range 30 {
		for range 1 + i%3 {
			many = append(many, Note{Line: i, Text: "cause " + strings.Repeat("x", i)})
		}
	}
	got = Fold(many)
	if len(got) != 10 || got[9].Text != "and 33 more notes of 21 other causes" {
		t.Errorf("%d notes, the last %v", len(got), got[len(got)-1])
	}
}

const outputSample = `{"evalId":"e","results":{"version":3,"prompts":[],"results":[
{"promptIdx":0,"testIdx":0,"prompt":{"raw":"Which desk: my screen flickers"},"vars":{"message":"my screen flickers"},"response":{"output":"other"},"success":false,
 "testCase":{"vars":{"message":"my screen flickers"},"assert":[{"type":"equals","value":"hardware"}],"metadata":{"category":"desk"}}},
{"promptIdx":1,"testIdx":0,"prompt":{"raw":"Desk? my screen flickers"},"testCase":{"vars":{"message":"my screen flickers"},"assert":[{"type":"equals","value":"hardware"}]}},
{"promptIdx":0,"testIdx":1,"prompt":{"raw":"[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\"no internet {{x}}\"}]"},
 "testCase":{"vars":{"message":"no internet"},"assert":[{"type":"icontains","value":"network"},{"type":"javascript","value":"x"}]}},
{"promptIdx":0,"testIdx":2,"prompt":{"raw":"p"},"testCase":{"vars":{},"assert":[]}}
],"stats":{"successes":1}},"config":{"prompts":["file://p.txt"]}}`

func TestPromptfooOutput(t *testing.T) {
	want := []string{
		`{"id":"task-00001","domain":"desk","goal":"Which desk: my screen flickers","graders":[{"answer":"hardware","type":"exact"}]}`,
		`{"id":"task-00002","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"no internet {{x}}"}],"graders":[{"all":["network"],"ignore_case":true,"type":"contains"}]}`,
	}
	tasks, notes, err := lines(t, outputSample, Options{})
	if d := cmp.Diff(want, tasks); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	for _, part := range []string{"test 3 left out: it has no assertion", "1 result from other prompts", "the evaluation had 2 prompts", "would run a program"} {
		if !strings.Contains(strings.Join(notes, "\n"), part) {
			t.Errorf("no note has %q: %q", part, notes)
		}
	}
	if got := Detect([]byte(`{"results":{"results":[{"testCase":{"vars":{}}},null,3]}}`)); got != Promptfoo {
		t.Errorf("results with others among them are detected as %q", got)
	}
	// The same results as YAML, as promptfoo writes them.
	var whole any
	if err := json.Unmarshal([]byte(outputSample), &whole); err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Dump(whole)
	if err != nil {
		t.Fatal(err)
	}
	tasks, _, err = lines(t, string(asYAML), Options{})
	if d := cmp.Diff(want, tasks); err != nil || d != "" {
		t.Errorf("as YAML: %v\n%s", err, d)
	}
	// The same results as JSON lines.
	inner, _, _ := strings.Cut(strings.SplitN(outputSample, `"results":[`, 2)[1], "\n],")
	jsonl := strings.ReplaceAll(strings.ReplaceAll(inner, ",\n{", "\n{"), ",\n \"", ",\"")
	jsonl = strings.ReplaceAll(jsonl, "\n \"", "\"")
	tasks, _, err = lines(t, strings.TrimSpace(jsonl)+"\n", Options{})
	if d := cmp.Diff(want, tasks); err != nil || d != "" {
		t.Errorf("JSON lines: %v\n%s", err, d)
	}
}

func TestPromptfooTable(t *testing.T) {
	const table = `message,__expected,__expected2,__description,__metadata:category,__prefix
my screen flickers,hardware,,the screen,desk,
"hello, world",contains: hi,"not-icontains: bye",,desk,
a joke,grade: it is funny,,,desk,Please:
price of 3,"contains-any: 3, three",latency(2000),,desk,
a program,javascript: output.length,,,desk,
contains,note: that,,,desk,
`
	tasks, notes, err := lines(t, table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var graders []string
	read, _, _ := Read(strings.NewReader(table), Options{})
	for _, task := range read {
		var all []string
		for _, g := range task.Graders {
			all = append(all, string(g.Raw))
		}
		graders = append(graders, task.Goal+" → "+strings.Join(all, " "))
	}
	if d := cmp.Diff([]string{
		`my screen flickers → {"answer":"hardware","type":"exact"}`,
		`hello, world → {"all":["hi"],"ignore_case":false,"type":"contains"} {"all":["bye"],"ignore_case":true,"not":true,"type":"contains"}`,
		`a joke → {"rubric":"it is funny","type":"judge"}`,
		`price of 3 → {"any":["3","three"],"ignore_case":false,"type":"contains"} {"seconds":2,"type":"max_latency"}`,
		`contains → {"answer":"note: that","type":"exact"}`,
	}, graders); d != "" {
		t.Errorf("%s\nof %q", d, tasks)
	}
	for _, part := range []string{"line 6: test 5 left out", `"__prefix"`} {
		if !strings.Contains(strings.Join(notes, "\n"), part) {
			t.Errorf("no note has %q: %q", part, notes)
		}
	}
}

const (
	bfclQuestions = `{"id":"simple_0","question":[[{"role":"user","content":"The area of a triangle with base 10 and height 5?"}]],"function":[{"name":"area","parameters":{"type":"dict","properties":{"base":{"type":"integer"}}}}]}
{"id":"parallel_1","question":[[{"role":"system","content":"Be exact."},{"role":"user","content":"Weather in Oslo and Riga?"}]],"function":[{"name":"weather"}]}
{"id":"multi_2","question":[[{"role":"user","content":"a"}],[{"role":"user","content":"b"}]],"function":[{"name":"f"}]}
{"id":"simple_3","question":[[{"role":"user","content":"a"}]],"function":[{"name":"f"}]}
`
	bfclAnswers = `{"id":"simple_0","ground_truth":[{"area":{"base":[10],"height":[5,5.0],"unit":["cm",""]}}]}
{"id":"parallel_1","ground_truth":[{"weather":{"city":["Oslo"]}},{"weather":{"city":["Riga"],"where":[{"country":["LV","Latvia"]}]}}]}
`
)

func TestBFCL(t *testing.T) {
	tasks, notes, err := Read(strings.NewReader(bfclQuestions), Options{Answers: []byte(bfclAnswers)})
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v, %v", len(tasks), notes, err)
	}
	if !strings.Contains(tasks[0].Goal, "height 5?\n\nThe functions: [{\"name\":\"area\"") || len(tasks[1].Messages) != 2 || *tasks[0].Answer != `[{"area":{"base":10,"height":5}}]` {
		t.Errorf("%+v", tasks)
	}
	if told := fmt.Sprint(notes); !strings.Contains(told, "several turns") || !strings.Contains(told, "no possible answer") {
		t.Errorf("notes %v", notes)
	}
	graders := grade.New(nil, nil)
	for answer, want := range map[string]float64{
		`[{"area":{"base":10,"height":5}}]`:                                                       1,
		`[{"area":{"base":10,"height":5.0,"unit":"CM"}}]`:                                         1,
		"```json\n[{\"area\":{\"height\":5,\"base\":10}}]\n```":                                   1,
		`[{"area":{"base":10}}]`:                                                                  0,
		`[{"area":{"base":10,"height":5,"colour":"red"}}]`:                                        0,
		`[{"area":{"base":10,"height":5}},{"area":{"base":10,"height":5}}]`:                       0,
		`[{"weather":{"city":"riga","where":{"country":"Latvia"}}},{"weather":{"city":"Oslo"}}]`:  -1,
		`[{"weather":{"city":"Oslo"}},{"weather":{"city":"Riga","where":{"country":"Estonia"}}}]`: 0,
		`[{"weather":{"city":"Oslo"}},{"weather":{"city":"Oslo"}}]`:                               0,
		`Oslo`: 0,
	} {
		task := &tasks[0]
		if strings.Contains(answer, "weather") {
			task = &tasks[1]
		}
		got, err := graders.Grade(context.Background(), bench.GradeInput{Task: task, Result: agent.Result{Answer: &answer, Outcome: agent.OK}})
		if err != nil || got.Score != max(want, -want) {
			t.Errorf("%s: %v, %v", answer, got.Score, err)
		}
	}
	if _, _, err := Read(strings.NewReader(bfclQuestions), Options{}); err == nil {
		t.Error("questions without answers were read")
	}
}

// TestBFCLAnswers grades the answer of an imported task. Objects, and lists of objects, in
// turn have lists of possible values.
func TestBFCLAnswers(t *testing.T) {
	for truth, want := range map[string]string{
		`{"in":[{"a":[1,2],"b":["","x"],"c":["Deep"]}]}`: `[{"f":{"in":{"a":1,"c":"Deep"}}}]`,
		`{"list":[[{"a":["x","y"]},{"a":["z"]}]]}`:       `[{"f":{"list":[{"a":"x"},{"a":"z"}]}}]`,
		`{"empty":[[]],"null":[null,"x"],"space":[" "]}`: `[{"f":{"empty":[],"null":null,"space":" "}}]`,
	} {
		text := `{"id":"simple_0","question":[[{"role":"user","content":"a"}]],"function":[{"name":"f"}],"ground_truth":[{"f":` + truth + `}]}`
		tasks, notes, err := Read(strings.NewReader(text), Options{})
		if err != nil || *tasks[0].Answer != want {
			t.Errorf("%s: %+v, %v, %v", truth, tasks, notes, err)
			continue
		}
		got, err := grade.New(nil, nil).Grade(context.Background(), bench.GradeInput{Task: &tasks[0], Result: agent.Result{Answer: tasks[0].Answer, Outcome: agent.OK}})
		if err != nil || !got.Pass {
			t.Errorf("%s: %+v, %v", truth, got, err)
		}
	}
}

// TestBFCLRelevance imports questions that have no possible answers: the question is
// whether one of the functions fits.
func TestBFCLRelevance(t *testing.T) {
	const text = `{"id":"live_irrelevance_0-0-0","question":[[{"role":"user","content":"The weather?"}]],"function":[{"name":"area"},{"name":"volume"}]}
{"id":"live_relevance_1-1-0","question":[[{"role":"user","content":"The area?"}]],"function":[{"name":"area"},{"name":"volume"}]}
`
	tasks, notes, err := Read(strings.NewReader(text), Options{})
	if err != nil || len(tasks) != 2 || *tasks[0].Answer != "[]" || tasks[1].Answer != nil {
		t.Fatalf("%+v, %v, %v", tasks, notes, err)
	}
	graders := grade.New(nil, nil)
	for answer, want := range map[string][2]float64{
		`[]`:                               {1, 0},
		`[{"area":{"base":10}}]`:           {0, 1},
		`[{"area":{}},{"volume":{}}]`:      {0, 1},
		`[{"weather":{}}]`:                 {0, 0},
		`[{"area":{},"volume":{}}]`:        {0, 0},
		`None of the functions tells that`: {0, 0},
	} {
		for i := range tasks {
			got, err := graders.Grade(context.Background(), bench.GradeInput{Task: &tasks[i], Result: agent.Result{Answer: &answer, Outcome: agent.OK}})
			if err != nil || got.Score != want[i] {
				t.Errorf("task %d, %s: %v, %v", i, answer, got.Score, err)
			}
		}
	}
}

// TestBFCLLeavesOut checks that a note states why questions of the other categories are
// in no task.
func TestBFCLLeavesOut(t *testing.T) {
	const question = `"question":[[{"role":"user","content":"a"}]]`
	const good = `{"id":"simple_0",` + question + `,"function":[{"name":"f"}],"ground_truth":[{"f":{"x":[1]}}]}` + "\n"
	for name, c := range map[string]struct{ line, want string }{
		"turns":         {`{"id":"multi_turn_base_0","question":[[{"role":"user","content":"a"}],[{"role":"user","content":"b"}]],"initial_config":{},"involved_classes":["F"]}`, "has several turns"},
		"memory":        {`{"id":"memory_0",` + question + `,"involved_classes":["MemoryAPI"],"scenario":"s"}`, "needs an API that BFCL simulates"},
		"code":          {`{"id":"exec_simple_0",` + question + `,"function":[{"name":"f"}],"ground_truth":["f(x=1)"]}`, "has its possible answers as code, which BFCL executes"},
		"no value":      {`{"id":"live_simple_1",` + question + `,"function":[{"name":"f"}],"ground_truth":[{"f":{"x":[]}}]}`, `has no possible value for the parameter "x"`},
		"a wrong shape": {`{"id":"simple_1",` + question + `,"function":[{"name":"f"}],"ground_truth":{"f":1}}`, "has possible answers that are not a list of calls"},
	} {
		for _, text := range []string{good + c.line, c.line + "\n" + good} {
			tasks, notes, err := lines(t, text, Options{})
			if err != nil || len(tasks) != 1 || !strings.Contains(strings.Join(notes, "\n"), c.want) {
				t.Errorf("%s: %d tasks, %q, %v", name, len(tasks), notes, err)
			}
		}
	}
}

func TestTau(t *testing.T) {
	const new = `[{"id":"0","user_scenario":{"instructions":{"domain":"airline","reason_for_call":"You want to cancel.","known_info":"You are Mia.","unknown_info":"Your code.","task_instructions":"Be brief."}},
 "evaluation_criteria":{"actions":[{"name":"get_user"},{"name":"cancel"},{"name":"get_user"},{"name":"reboot","requestor":"user"}],"communicate_info":["7"]}},
{"id":"1","user_scenario":{"instructions":"Ask for the price."},"evaluation_criteria":{"actions":[],"communicate_info":["327"]}},
{"id":"2","user_scenario":{"instructions":"Chat."},"evaluation_criteria":{"actions":null}}]`
	tasks, notes, err := lines(t, new, Options{})
	if d := cmp.Diff([]string{
		`{"id":"0","domain":"airline","user":{"goal":"You want to cancel.\n\nBe brief.","facts":["You are Mia.","not known: Your code."],"max_turns":20},"graders":[{"tool":"cancel","type":"tool_called"},{"tool":"get_user","type":"tool_called"}]}`,
		`{"id":"1","user":{"goal":"Ask for the price.","max_turns":20},"graders":[{"all":["327"],"ignore_case":true,"type":"contains"}]}`,
	}, tasks); err != nil || d != "" {
		t.Errorf("%v, %q\n%s", err, notes, d)
	}
	const old = `[{"task_id":3,"reward":1,"trial":0,"traj":[{"role":"user","content":"hi"}],"info":{"task":{"instruction":"Book it.","actions":[{"name":"book","kwargs":{}}],"outputs":[]}}},
{"task_id":3,"reward":0,"trial":1,"traj":[],"info":{"task":{"instruction":"Book it.","actions":[{"name":"book"}]}}}]`
	tasks, notes, err = lines(t, old, Options{Domain: "airline"})
	if want := `{"id":"tau-3","domain":"airline","user":{"goal":"Book it.","max_turns":20},"graders":[{"tool":"book","type":"tool_called"}]}`; err != nil || len(tasks) != 1 || tasks[0] != want {
		t.Errorf("%v, %q, %q", err, tasks, notes)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "1 further result left out") {
		t.Errorf("notes %q", notes)
	}
}

func TestRetrieval(t *testing.T) {
	want := []string{
		`{"id":"q1","goal":"what is rain","graders":[{"answer":["d1","d2"],"type":"set"}],"answer":"d1"}`,
		`{"id":"q2","goal":"where is oslo","graders":[{"type":"set"}],"answer":"d3"}`,
	}
	const beir = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq2\td3\t1\nq2\td4\t0\n"
	const trec = "q1 0 d1 1\nq1 0 d2 2\nq2 0 d3 1\nq2 0 d4 0\n"
	for name, c := range map[string]struct{ queries, qrels string }{
		"jsonl":  {`{"_id":"q1","text":"what is rain","metadata":{}}` + "\n" + `{"_id":"q2","text":"where is oslo"}` + "\n" + `{"_id":"q3","text":"unjudged"}`, beir},
		"tsv":    {"q1\twhat is rain\nq2\twhere is oslo\nq3\tunjudged\n", trec},
		"header": {"query-id\tquery\nq1\twhat is rain\nq2\twhere is oslo\nq3\tunjudged\n", beir},
		"topics": {"<top>\n<num> Number: q1\n<title> what is\nrain\n<desc> Description: more\n</top>\n<top><num>q2</num><title>where is oslo</title></top><top><num>q3<title>u</top>", trec},
	} {
		tasks, notes, err := lines(t, c.queries, Options{Answers: []byte(c.qrels)})
		if d := cmp.Diff(want, tasks); err != nil || d != "" {
			t.Errorf("%s: %v, %q\n%s", name, err, notes, d)
		}
		if !strings.Contains(strings.Join(notes, "\n"), "no relevant document") {
			t.Errorf("%s: a query without judgements is not named: %q", name, notes)
		}
	}
	for text, want := range map[string]string{"": "pass it with --answers", "nonsense": "has no judgements", "a b c\n": "has no judgements"} {
		if _, _, err := lines(t, "q1\tx\n", Options{Format: Retrieval, Answers: []byte(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzForeign checks that no file in a foreign format crashes the program, and that all
// tasks are valid.
func FuzzForeign(f *testing.F) {
	for _, seed := range []string{outputSample, bfclQuestions, `[{"id":"0","user_scenario":{"instructions":"x"}}]`, "<top><num>1<title>x", "m,__expected\nx,y\n", `{"results":{"results":[null]}}`} {
		for i := range Formats() {
			f.Add(seed, bfclAnswers, i)
		}
	}
	f.Fuzz(func(t *testing.T, text, answers string, format int) {
		list := Formats()
		tasks, _, err := Read(strings.NewReader(text), Options{Format: list[(format%len(list)+len(list))%len(list)], Answers: []byte(answers)})
		if err == nil && len(tasks) == 0 {
			t.Fatal("no task and no error")
		}
	})
}
