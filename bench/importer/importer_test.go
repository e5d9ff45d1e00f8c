package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/grade"
)

// lines reads a text and returns the tasks as lines of a suite, and the notes as text.
func lines(t testing.TB, text string, o Options) (tasks, notes []string, err error) {
	t.Helper()
	read, told, err := Read(strings.NewReader(text), o)
	var b bytes.Buffer
	if err := bench.WriteSuite(&b, read); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 {
		tasks = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, n := range told {
		notes = append(notes, n.String())
	}
	return tasks, notes, err
}

// TestDomainsThatTellTheAnswer checks that domains that reveal the answer are left out,
// because agents see them.
func TestDomainsThatTellTheAnswer(t *testing.T) {
	var text strings.Builder
	text.WriteString("text,subject,label\n")
	for i := range 40 {
		fmt.Fprintf(&text, "words %d,team %d,%s\n", i, i%4, []string{"bug", "praise", "spam", "question"}[i%4])
	}
	tasks, notes, err := Read(strings.NewReader(text.String()), Options{})
	if err != nil || len(tasks) != 40 || len(notes) != 1 {
		t.Fatalf("%d tasks, %v, %v", len(tasks), notes, err)
	}
	const want = "the domains are left out, because agents see them and they reveal answers: domain predicts the answer in 100 % of 40 tasks; without it, 25 % can be predicted"
	if notes[0].Text != want || tasks[0].Domain != "" || tasks[39].Domain != "" {
		t.Errorf("%q, domains %q and %q", notes[0].Text, tasks[0].Domain, tasks[39].Domain)
	}
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		o      Options
		format Format // detected
		tasks  []string
		notes  []string
	}{
		"questions": {
			text: `{"question":"2+2?","answer":4,"category":"math","id":17}` + "\n\n" + `{"question":"capital of France?","answer":["Paris","paris"]}` + "\n" +
				`{"question":"no answer"}` + "\nnonsense\n" + `{"answer":"x"}` + "\n" + `{"question":{"a":1},"answer":"x"}` + "\n" + `{"question":"","answer":"x"}`,
			format: Questions,
			tasks: []string{
				`{"id":"17","domain":"math","goal":"2+2?","answer":"4"}`,
				`{"id":"task-00002","goal":"capital of France?","graders":[{"answer":["Paris","paris"],"type":"exact"}],"answer":"Paris"}`,
			},
			notes: []string{
				"line 4: left out: it has no answer", "line 5: left out: it is not a JSON object", "line 6: left out: it has no question",
				"line 7: left out: it has an input that is neither text nor a list of messages",
				`line 8: left out: task "task-00007" has no goal, turns, messages or input`,
			},
		},
		"questions, chosen columns and grader": {
			text: `{"q":"how many?","solution":"so A: 18","question":"wrong one","answer":"wrong"}`,
			o:    Options{Columns: Columns{Question: "q", Answer: "solution"}, Grader: "numeric", Domain: "math", Split: bench.Holdout, Prefix: "gsm"}, format: Questions,
			tasks: []string{`{"id":"gsm-00001","domain":"math","goal":"how many?","graders":[{"type":"numeric"}],"answer":"so A: 18","split":"holdout"}`},
			notes: []string{`not read, and therefore in no task: "answer", "question"; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read`},
		},
		"ids twice": {
			text:   `[{"question":"a","answer":"1","id":"x"},{"question":"b","answer":"2","id":"x"},{"question":"c","answer":"3","id":"x\u0007"}, 5]`,
			format: Questions,
			tasks:  []string{`{"id":"x","goal":"a","answer":"1"}`, `{"id":"x-2","goal":"b","answer":"2"}`, `{"id":"x-3","goal":"c","answer":"3"}`},
			notes: []string{
				`the id "x" already exists; this task gets the id "x-2"`, `the id "x" already exists; this task gets the id "x-3"`,
				"item 4 left out: it is not a JSON object",
			},
		},
		"the answer is no domain": {
			text: "text,category,source,id\n" + "a,bug,web,1\nb,praise,mail,2\n", o: Options{Format: CSV, Columns: Columns{Answer: "category"}}, format: CSV,
			tasks: []string{`{"id":"1","goal":"a","answer":"bug"}`, `{"id":"2","goal":"b","answer":"praise"}`},
			notes: []string{`not read, and therefore in no task: "source"; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read`},
		},
		"the answer is no domain of an object": {
			text: `{"question":"a","category":"bug","subject":"x"}`, o: Options{Columns: Columns{Answer: "category"}, Format: Questions},
			tasks: []string{`{"id":"task-00001","domain":"x","goal":"a","answer":"bug"}`},
		},
		"choices in a table": {
			text: "question,choices,answer\n" + `which?,"['red', ""it's blue""]",it's blue` + "\nwhich now?,one|two,B\nand?,what,A\n", format: CSV,
			tasks: []string{
				`{"id":"task-00001","goal":"which?\n\nA) red\nB) it's blue\n\nAnswer with the letter alone.","graders":[{"answer":["B","it's blue"],"ignore_case":true,"type":"exact"}],"answer":"B"}`,
				`{"id":"task-00002","goal":"which now?\n\nA) one\nB) two\n\nAnswer with the letter alone.","graders":[{"answer":["B","two"],"ignore_case":true,"type":"exact"}],"answer":"B"}`,
			},
			notes: []string{`line 4: left out: it has choices that cannot be distinguished: "what"`},
		},
		"choices of an object": {
			text: `{"question":"which?","options":["red","blue"],"answer":"blue"}`, format: Questions,
			tasks: []string{`{"id":"task-00001","goal":"which?\n\nA) red\nB) blue\n\nAnswer with the letter alone.","graders":[{"answer":["B","blue"],"ignore_case":true,"type":"exact"}],"answer":"B"}`},
		},
		"csv": {
			text:   "\ufeffID,Question,Target\r\nq1,\"a, b\nor c?\",b\r\nq2,,x\r\nq3,only\r\n,why?,because\r\nq4,\"bad\"quote,x\r\n",
			format: CSV,
			tasks:  []string{`{"id":"q1","goal":"a, b\nor c?","answer":"b"}`, `{"id":"task-00004","goal":"why?","answer":"because"}`},
			notes: []string{
				"line 4: left out: it has no question or no answer", "line 5: left out: it has no question or no answer",
				`line 7: left out: a cell that begins with " has no closing ", or text follows it; write "" for a quotation mark within a cell`,
			},
		},
		"csv with an unclosed quotation mark": {
			text:   "id,question,answer\nq1,why?,because\nq2,\"who?,me\nq3,when?,now\n",
			format: CSV,
			tasks:  []string{`{"id":"q1","goal":"why?","answer":"because"}`},
			notes:  []string{`line 3: left out: a cell that begins with " has no closing ", so lines 3 to 4 count as one row; write "" for a quotation mark within a cell`},
		},
		"csv with a quotation mark in a plain cell": {
			text:   "id,question,answer\nq1,why \"not\"?,because\nq2,who?,me\n",
			format: CSV,
			tasks:  []string{`{"id":"q2","goal":"who?","answer":"me"}`},
			notes:  []string{`line 2: left out: a cell without quotation marks around it contains a "; put the cell in quotation marks and write "" for a quotation mark within it`},
		},
		"promptfoo table with an unclosed quotation mark": {
			text:   "m,__expected\na,equals: x\n\"b,equals: y\n",
			format: Promptfoo,
			tasks:  []string{`{"id":"task-00001","goal":"a","graders":[{"answer":"x","type":"exact"}]}`},
			notes:  []string{`line 3: left out: a cell that begins with " has no closing ", or text follows it; write "" for a quotation mark within a cell`},
		},
		"csv without header": {
			text: "why?;because;lore\nwho?;me;lore\n", o: Options{Columns: Columns{Question: "1", Answer: "2", Domain: "3"}}, format: CSV,
			tasks: []string{`{"id":"task-00001","domain":"lore","goal":"why?","answer":"because"}`, `{"id":"task-00002","domain":"lore","goal":"who?","answer":"me"}`},
		},
		"inspect": {
			text: `{"input":"2+2","target":"4","id":1,"metadata":{"category":"math"}}` + "\n" +
				`{"input":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"}]}],"target":["a","b"]}` + "\n" +
				`{"input":"Capital?","choices":["Rome","Paris"],"target":"B"}` + "\n" +
				`{"input":"x","target":"y","files":{"a":"/etc/passwd"}}` + "\n" + `{"input":"x","target":"y","sandbox":"docker"}` + "\n" +
				`{"input":"x","choices":["a"],"target":"C"}` + "\n" + `{"input":"x","choices":["a","b"],"target":["A","B"]}` + "\n" +
				`{"input":[{"role":"user","content":[{"type":"image","image":"file:///x"}]}],"target":"y"}`,
			format: Inspect,
			tasks: []string{
				`{"id":"1","domain":"math","goal":"2+2","answer":"4"}`,
				`{"id":"task-00002","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"graders":[{"answer":["a","b"],"type":"exact"}],"answer":"a"}`,
				`{"id":"task-00003","goal":"Capital?\n\nA) Rome\nB) Paris\n\nAnswer with the letter alone.","graders":[{"answer":["B","Paris"],"ignore_case":true,"type":"exact"}],"answer":"B"}`,
			},
			notes: []string{
				"line 4: left out: it needs files, but nothing outside this file is read", "line 5: left out: it needs sandbox, but nothing outside this file is read",
				"line 6: left out: it has a target that is not among its choices", "line 7: left out: it has choices, but its target is not a single letter",
				`line 8: left out: it has a message with a part of type "image", but only text can be read`,
			},
		},
		"openai evals": {
			text: `{"input":[{"role":"system","content":"Be brief."},{"role":"user","content":"2+2"}],"ideal":"4"}` + "\n" +
				`{"input":[{"role":"user","content":"3+3"}],"ideal":["6","six"]}` + "\n" + `{"input":"4+4","ideal":"8"}` + "\n" + `{"input":[],"ideal":"8"}`,
			format: Evals,
			tasks: []string{
				`{"id":"task-00001","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"2+2"}],"answer":"4"}`,
				`{"id":"task-00002","goal":"3+3","graders":[{"answer":["6","six"],"type":"exact"}],"answer":"6"}`,
				`{"id":"task-00003","goal":"4+4","answer":"8"}`,
			},
			notes: []string{"line 4: left out: it has an input that is neither text nor a list of messages"},
		},
		"labelled": {
			text: `{"train":[["a","x"]],"test":[["b","x"],["c","y"],["",""],["d"]]}`, o: Options{Domains: map[string]string{"x": "dx"}}, format: Labelled,
			tasks: []string{`{"id":"test-00001","domain":"dx","goal":"b","answer":"x"}`, `{"id":"test-00002","goal":"c","answer":"y"}`},
			notes: []string{
				`parts left out: "train"; choose parts with --part`,
				`pair 3 of part "test" left out: it is not a text and a label`, `pair 4 of part "test" left out: it is not a text and a label`,
			},
		},
		"labelled list": {
			text: `[["b","x"]]`, format: Labelled, tasks: []string{`{"id":"task-00001","goal":"b","answer":"x"}`},
		},
		"labelled parts": {
			text: `{"train":[["a","x"]],"val":[["b","x"]]}`, o: Options{Parts: []string{"val", "train"}}, format: Labelled,
			tasks: []string{`{"id":"val-00001","goal":"b","answer":"x"}`, `{"id":"train-00001","goal":"a","answer":"x"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Detect([]byte(c.text)); got != c.format {
				t.Errorf("detected as %q, want %q", got, c.format)
			}
			tasks, notes, err := lines(t, c.text, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.tasks, tasks); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.notes, notes); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		o          Options
	}{
		"empty":              {"", "the file is empty", Options{}},
		"prose":              {"Once upon a time", "the format cannot be detected from the content; name the format", Options{}},
		"unknown keys":       {`{"question":"x","reply":"y"}`, `the format cannot be detected from the content; its first object has "question", "reply": name the format, or say which of these keys hold the question and the answer`, Options{}},
		"an absent column":   {`[{"question":"x","reply":"y"}]`, `the format cannot be detected from the content; its first object has "question", "reply"`, Options{Columns: Columns{Answer: "said"}}},
		"not UTF-8":          {"\xff\xfe", "the file is not valid UTF-8", Options{}},
		"unknown format":     {"x", `unknown format "xls" (valid: questions, csv, inspect, promptfoo, openai-evals, labelled, bfcl, tau, retrieval)`, Options{Format: "xls"}},
		"unknown grader":     {`{"question":"x","answer":"y"}`, `unknown grader type "exat"`, Options{Grader: "exat"}},
		"unusable grader":    {`{"question":"x","answer":"y"}`, "no task could be read as questions", Options{Grader: "numeric"}},
		"nothing of use":     {`{"question":"x"}`, "no task could be read as questions", Options{Format: Questions}},
		"csv without answer": {"question,colour\nx,red\n", "there is no column for the answer (looked for answer, target, expected, ideal, output, completion, reference, ground_truth, label, intent); name the column, or give its number", Options{}},
		"csv, one column":    {"question,answer\nx,y\n", `column "2" is chosen twice`, Options{Columns: Columns{Answer: "answer", Domain: "2"}}},
		"questions, one key": {`{"question":"x","answer":"y"}`, `column "answer" is chosen twice`, Options{Columns: Columns{Answer: "answer", Domain: "answer"}}},
		"csv, column zero":   {"a,b\n", "column 0 is not between 1 and 1000", Options{Columns: Columns{Question: "0"}}},
		"no such part":       {`{"train":[["a","x"]]}`, `there is no part "test" (valid: train)`, Options{Parts: []string{"test"}}},
		"part not chosen":    {`{"train":[["a","x"]],"dev":[["a","x"]]}`, `choose a part (valid: dev, train)`, Options{}},
		"bad part":           {`{"train":{"a":1}}`, `part "train" is not a list of [text, label] pairs`, Options{Format: Labelled}},
		"yaml":               {"tests: [", "the file is not valid YAML: ", Options{}},
		"yaml elsewhere":     {"tests: file://tests.yaml", "the file contains no list of tests; files that it refers to are not read", Options{}},
	} {
		if _, _, err := lines(t, c.text, c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, _, err := Read(iotest.ErrReader(errors.New("disk on fire")), Options{}); err == nil {
		t.Error("a broken reader was read")
	}
}

func TestSamplesAreNested(t *testing.T) {
	var pairs [][]string
	for i := range 60 {
		pairs = append(pairs, []string{strings.Repeat("x", i+1), string(rune('a' + i%3))})
	}
	raw, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	ids := func(o Options) map[string]bool {
		tasks, _, err := Read(bytes.NewReader(raw), o)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]bool{}
		count := map[string]int{}
		for i, task := range tasks {
			m[task.ID] = true
			count[*task.Answer]++
			if i > 0 && tasks[i-1].ID >= task.ID {
				t.Error("the order of the file was lost")
			}
		}
		if o.PerLabel > 0 && o.Limit == 0 {
			for label, n := range count {
				if n != o.PerLabel {
					t.Errorf("label %s has %d tasks, want %d", label, n, o.PerLabel)
				}
			}
		}
		return m
	}
	few, more := ids(Options{PerLabel: 3, Seed: 1}), ids(Options{PerLabel: 5, Seed: 1})
	for id := range few {
		if !more[id] {
			t.Errorf("%s left the larger sample", id)
		}
	}
	if len(ids(Options{Limit: 7})) != 7 || len(ids(Options{})) != 60 || len(ids(Options{PerLabel: 5, Limit: 4})) != 4 {
		t.Error("the limits do not hold")
	}
	if cmp.Equal(few, ids(Options{PerLabel: 3, Seed: 2})) {
		t.Error("the seed changes nothing")
	}
}

// FuzzRead checks that the result of any input is a valid suite.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"question":"q","answer":"a","id":"1"}` + "\n" + `{"question":[{"role":"user","content":[{"type":"text","text":"x"}]}],"answer":[1,true]}`,
		"id,question,answer\n1,\"a\nb\",c\n", "q\ta\n\"", `{"input":"i","target":"A","choices":["x"],"metadata":{"domain":"d"}}`,
		`{"input":[{"role":"user","content":"c"}],"ideal":["x","y"]}`, `{"test":[["a","b"],["c"]],"val":[]}`, `[["a","b"]]`, promptfooSample,
		"tests:\n- vars: &v {a: b}\n  assert: [{type: equals, value: *v}]\n- *v\n",
		`[{"vars":{"x":1},"assert":[{"type":"not-icontains-any","value":"a, b","weight":2}]}]`,
	} {
		for i := range 7 {
			f.Add(byte(i), []byte(s))
		}
	}
	rules := grade.Rules()
	f.Fuzz(func(t *testing.T, format byte, data []byte) {
		o := Options{PerLabel: int(format) / 50, Limit: int(format) / 20}
		if i := int(format) % 7; i > 0 {
			o.Format = Formats()[i-1]
		}
		tasks, notes, err := Read(bytes.NewReader(data), o)
		if (err == nil) == (len(tasks) == 0) {
			t.Fatalf("%d tasks and %v", len(tasks), err)
		}
		for _, n := range notes {
			if strings.ContainsAny(n.Text, "\n\x00\x1b") {
				t.Fatalf("note %q", n.Text)
			}
		}
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := bench.WriteSuite(&b, tasks); err != nil {
			t.Fatal(err)
		}
		if _, issues := bench.ReadSuite(&b, "s", nil, rules); len(issues) > 0 {
			t.Fatalf("imported tasks have %v", issues)
		}
	})
}
