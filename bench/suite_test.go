package bench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// plainRules replaces the rules of the graders, whose package imports this one.
var plainRules = GraderRules{
	Fields: map[string][]string{"exact": {"answer", "ignore_case"}, "contains": {"all", "any"}, "reported": nil},
	Check: func(t *Task, g GraderSpec) []GraderProblem {
		if g.Type == "contains" && !bytes.Contains(g.Raw, []byte(`"all"`)) {
			return []GraderProblem{{"any", "needs all"}}
		}
		return nil
	},
}

func TestSuiteIssues(t *testing.T) {
	folders := fstest.MapFS{
		"repo/a.txt":      {Data: []byte("a")},
		"linked/evil":     {Data: []byte("/etc/passwd"), Mode: os.ModeSymlink},
		"plain.txt":       {Data: []byte("x")},
		"odd/back\\slash": {Data: []byte("x")},
	}
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"empty file":       {nil, []string{`s.jsonl: contains no tasks`}},
		"blank lines only": {[]string{"", "  \t", "\r"}, []string{`s.jsonl: contains no tasks`}},
		"misspelt key": {
			[]string{`{"id":"a","gaol":"x","goal":"y","answer":"z"}`},
			[]string{`s.jsonl:1:11: unknown key "gaol" (did you mean "goal"?)`},
		},
		"columns count characters": {
			[]string{`{"id":"äöü","gaol":"x","goal":"y","answer":"z"}`},
			[]string{`s.jsonl:1:13: unknown key "gaol" (did you mean "goal"?)`},
		},
		"wrong case is misspelt": {
			[]string{`{"ID":"a","goal":"y","answer":"z"}`},
			[]string{`s.jsonl:1:1: a task needs "id"`, `s.jsonl:1:2: unknown key "ID" (did you mean "id"?)`},
		},
		"nothing near": {
			[]string{`{"id":"a","goal":"y","answer":"z","source":{"whatever":1}}`},
			[]string{`s.jsonl:1:45: unknown key "whatever" (valid: approval, author, digest, file, line, session)`},
		},
		"wrong types": {
			[]string{`{"id":7,"goal":["y"],"answer":3,"tags":"t","fixtures":{"files":{"a":1}}}`},
			[]string{
				`s.jsonl:1:7: "id" must be text, not a number`,
				`s.jsonl:1:16: "goal" must be text, not a list`,
				`s.jsonl:1:31: "answer" must be text, not a number`,
				`s.jsonl:1:40: "tags" must be a list, not text`,
				`s.jsonl:1:69: "a" of "files" must be text, not a number`,
			},
		},
		"no object":  {[]string{`[1]`, `"x"`, `null`}, []string{`s.jsonl:1:1: a task must be an object, not a list`, `s.jsonl:2:1: a task must be an object, not text`, `s.jsonl:3:1: a task must be an object, not null`}},
		"bad syntax": {[]string{`{"id":"a",}`}, []string{`s.jsonl:1:11: is not valid JSON: invalid character '}' looking for beginning of object key string`}},
		"two values": {[]string{`{} {}`}, []string{`s.jsonl:1:4: is not valid JSON: invalid character '{' after top-level value`}},
		"cut off":    {[]string{`{"id":"a"`}, []string{`s.jsonl:1:9: is not valid JSON: unexpected end of JSON input`}},
		"not UTF-8":  {[]string{"{\"id\":\"\xff\"}"}, []string{`s.jsonl:1:8: is not valid UTF-8`}},
		"duplicate ids": {
			[]string{`{"id":"a","goal":"y","answer":"z"}`, ``, `{"id":"a","goal":"y","answer":"z"}`},
			[]string{`s.jsonl:3:7: id "a" on line 3 is already used on line 1`},
		},
		"duplicate id of a bad line": {
			[]string{`{"id":"a","gool":"y","answer":"z"}`, `{"id":"a","goal":"y","answer":"z"}`},
			[]string{`s.jsonl:1:11: unknown key "gool" (did you mean "goal"?)`, `s.jsonl:2:7: id "a" on line 2 is already used on line 1`},
		},
		"duplicate key": {[]string{`{"id":"a","id":"b","goal":"y","answer":"z"}`}, []string{`s.jsonl:1:11: key "id" occurs twice`}},
		"no id":         {[]string{`{"goal":"y","answer":"z"}`}, []string{`s.jsonl:1:1: a task needs "id"`}},
		"null id":       {[]string{`{"id":null,"goal":"y","answer":"z"}`}, []string{`s.jsonl:1:1: a task needs "id"`}},
		"empty id":      {[]string{`{"id":"","goal":"y","answer":"z"}`}, []string{`s.jsonl:1:7: "id" is empty`}},
		"control in id": {[]string{`{"id":"a\u0000b","goal":"y","answer":"z"}`}, []string{`s.jsonl:1:7: "id" contains a control character`}},
		"unknown split": {
			[]string{`{"id":"a","goal":"y","answer":"z","split":"holdot"}`},
			[]string{`s.jsonl:1:43: "split" is an unknown split "holdot" (did you mean "holdout"?)`},
		},
		"mixed cluster": {
			[]string{`{"id":"a","goal":"y","answer":"z","cluster":"c","split":"search"}`, `{"id":"b","goal":"y","answer":"z","cluster":"c","split":"holdout"}`},
			[]string{`s.jsonl:2:57: cluster "c" is in both splits: search on line 1, holdout on line 2`},
		},
		"weights": {
			[]string{`{"id":"a","goal":"y","answer":"z","weight":-1}`, `{"id":"b","goal":"y","answer":"z","weight":1e999}`, `{"id":"c","goal":"y","answer":"z","weight":"2"}`},
			[]string{
				`s.jsonl:1:44: "weight" is -1, but must not be negative`, `s.jsonl:2:44: "weight" is 1e999, above 1e+06`,
				`s.jsonl:3:44: "weight" must be a number, not text`,
			},
		},
		"nothing to do": {[]string{`{"id":"a","goal":"","input":null,"answer":"z"}`}, []string{`s.jsonl:1:1: task "a" has no goal, turns, messages or input`}},
		"no grader":     {[]string{`{"id":"a","goal":"y"}`}, []string{`s.jsonl:1:1: task "a" has neither graders nor an answer to grade against`}},
		"messages": {
			[]string{`{"id":"a","messages":[{"role":"","content":"x"},{"role":"user","text":"x"},null],"answer":"z"}`},
			[]string{
				`s.jsonl:1:31: "role" is empty`, `s.jsonl:1:49: item 2 of "messages" needs "content"`,
				`s.jsonl:1:64: unknown key "text" (valid: content, role)`, `s.jsonl:1:76: item 3 of "messages" is null`,
			},
		},
		"graders": {
			[]string{`{"id":"a","goal":"y","graders":[{"type":"exct"},{"typ":"exact"},{"type":"exact","anwser":"1","threshold":2,"not":"yes"},{"type":1},{"type":"contains","any":["q"]}]}`},
			[]string{
				`s.jsonl:1:41: unknown grader type "exct" (did you mean "exact"?)`,
				`s.jsonl:1:49: item 2 of "graders" needs "type"`,
				`s.jsonl:1:81: unknown key of grader "exact": "anwser" (did you mean "answer"?)`,
				`s.jsonl:1:106: "threshold" is 2, which is not between 0 and 1`,
				`s.jsonl:1:114: "not" must be true or false, not text`,
				`s.jsonl:1:129: "type" must be text, not a number`,
			},
		},
		"grader cannot be used": {
			[]string{`{"id":"a","goal":"y","graders":[{"type":"contains","any":["q"]}]}`},
			[]string{`s.jsonl:1:58: grader "contains": needs all`},
		},
		"fixture paths": {
			[]string{`{"id":"a","goal":"y","answer":"z","fixtures":{"files":{"../x":"1","/x":"2","a\\b":"3","a\nb":"4","a//b":"5","":"6","ok":"7"}}}`},
			[]string{
				`s.jsonl:1:56: fixture path "../x" leads outside its folder`, `s.jsonl:1:67: fixture path "/x" is absolute`,
				`s.jsonl:1:76: fixture path "a\\b" has a backslash`, `s.jsonl:1:87: fixture path "a\nb" has a control character`,
				`s.jsonl:1:98: fixture path "a//b" has a path element that is empty or a dot`, `s.jsonl:1:109: fixture path "" is empty`,
			},
		},
		"file and folder of one name": {
			[]string{`{"id":"a","goal":"y","answer":"z","fixtures":{"files":{"a":"1","a/b":"2"}}}`},
			[]string{`s.jsonl:1:55: fixture path "a" is both a file and a folder`},
		},
		"fixture folders": {
			[]string{
				`{"id":"a","goal":"y","answer":"z","fixtures":{"dir":"../repo"}}`, `{"id":"b","goal":"y","answer":"z","fixtures":{"dir":"nowhere"}}`,
				`{"id":"c","goal":"y","answer":"z","fixtures":{"dir":"linked"}}`, `{"id":"d","goal":"y","answer":"z","fixtures":{"dir":"plain.txt"}}`,
				`{"id":"e","goal":"y","answer":"z","fixtures":{"dir":"odd"}}`,
				`{"id":"f","goal":"y","answer":"z","fixtures":{"dir":"repo","files":{"a.txt/b":"1"}}}`,
			},
			[]string{
				`s.jsonl:1:53: fixture folder "../repo" leads outside its folder`,
				`s.jsonl:2:53: fixture folder "nowhere" cannot be read: file does not exist`,
				`s.jsonl:3:53: fixture folder "linked" has "evil", which is neither a file nor a folder`,
				`s.jsonl:4:53: fixture folder "plain.txt" is not a folder`,
				`s.jsonl:5:53: fixture folder "odd" has a file whose path "back\\slash" has a backslash`,
				`s.jsonl:6:53: fixture path "a.txt" is both a file and a folder`,
			},
		},
		"memories": {
			[]string{`{"id":"a","goal":"y","answer":"z","fixtures":{"memories":[{"text":"","confidence":2,"time":"now"}]}}`},
			[]string{
				`s.jsonl:1:67: "text" is empty`, `s.jsonl:1:83: "confidence" is 2, which is not between 0 and 1`,
				`s.jsonl:1:92: "time" must be a time like 2026-01-31T06:00:00Z`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			suite, issues := ReadSuite(strings.NewReader(strings.Join(c.lines, "\n")), "s.jsonl", folders, plainRules)
			if suite != nil {
				t.Error("a suite with problems was returned")
			}
			var got []string
			for _, i := range issues {
				got = append(got, i.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSuiteReadsWhatEditorsLeave(t *testing.T) {
	text := "\ufeff{\"id\":\"a\",\"goal\":\"x\",\"answer\":\"1\",\"domain\":null,\"fixtures\":null}\r\n\r\n  \n{\"id\":\"b\",\"input\":{\"n\":1e3},\"graders\":[{\"type\":\"reported\"}]}\r\n"
	suite, issues := ReadSuite(strings.NewReader(text), "s.jsonl", nil, plainRules)
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	if len(suite.Tasks) != 2 || suite.Tasks[0].ID != "a" || string(suite.Tasks[1].Input) != `{"n":1e3}` {
		t.Errorf("read %+v", suite.Tasks)
	}
	for _, task := range suite.Tasks {
		if task.Split != Search && task.Split != Holdout {
			t.Errorf("task %s has the split %q", task.ID, task.Split)
		}
	}
}

func TestSuiteBounds(t *testing.T) {
	long := `{"id":"a","goal":"` + strings.Repeat("x", maxSuiteLine) + `","answer":"1"}`
	good := `{"id":"b","gaol":"x","answer":"1"}`
	_, issues := ReadSuite(strings.NewReader(long+"\n"+good), "s.jsonl", nil, plainRules)
	want := []Issue{
		{File: "s.jsonl", Line: 1, Text: "the line is longer than 8 MB"},
		{File: "s.jsonl", Line: 2, Column: 11, Text: `unknown key "gaol" (did you mean "goal"?)`},
	}
	if d := cmp.Diff(want, issues); d != "" {
		t.Error(d)
	}

	_, issues = ReadSuite(strings.NewReader(strings.Repeat("?\n", 5000)), "s.jsonl", nil, plainRules)
	if len(issues) != maxSuiteIssues+1 || issues[maxSuiteIssues].Text != "has 4000 more problems" {
		t.Errorf("%d issues, the last %v", len(issues), issues[len(issues)-1])
	}

	_, issues = ReadSuite(iotest.ErrReader(errors.New("disk on fire")), "s.jsonl", nil, plainRules)
	if d := cmp.Diff([]Issue{{File: "s.jsonl", Line: 1, Text: "cannot be read: disk on fire"}}, issues); d != "" {
		t.Error(d)
	}
}

// TestFoldIssues checks that equal issues on many lines of a file become one.
func TestFoldIssues(t *testing.T) {
	at := func(file string, line int, text string) Issue { return Issue{File: file, Line: line, Text: text} }
	got := FoldIssues([]Issue{
		at("a", 1, "no route"), at("a", 2, "no route"), at("b", 2, "no route"), at("a", 3, "no route"), at("a", 3, "no answer"), at("a", 9, "no route"),
	})
	want := []Issue{at("a", 1, "no route; the same on 3 more lines"), at("b", 2, "no route"), at("a", 3, "no answer")}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLoadSuite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suites")
	write := func(name, text string) {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tasks.jsonl", `{"id":"a","goal":"x","answer":"1","fixtures":{"dir":"data/a"}}`+"\n"+`{"id":"b","goal":"x","answer":"1"}`)
	write("data/a/in.txt", "one")
	load := func() *Suite {
		t.Helper()
		suite, issues := LoadSuite(dir, "tasks", plainRules)
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return suite
	}
	first := load()
	if first.Name != "tasks" || first.Dir != dir || len(first.Hash) != 64 {
		t.Errorf("loaded %+v", first)
	}
	if load().Hash != first.Hash {
		t.Error("the hash changes by itself")
	}
	before := FilesHash(&first.Tasks[0], dir)
	write("data/a/in.txt", "two")
	if load().Hash == first.Hash {
		t.Error("the hash does not cover the fixture folder")
	}
	if after := FilesHash(&first.Tasks[0], dir); after == before || after == "" {
		t.Error("the fixture hash does not cover the fixture folder")
	}

	for name, want := range map[string]string{
		"none":       "suites/none.jsonl: cannot be read: no such file or directory",
		"../tasks":   `suites: "../tasks" is not the name of a suite`,
		"data/tasks": `suites: "data/tasks" is not the name of a suite`,
		"":           `suites: "" is not the name of a suite`,
	} {
		_, issues := LoadSuite(dir, name, plainRules)
		if len(issues) != 1 || issues[0].String() != want {
			t.Errorf("%q: %v, want %s", name, issues, want)
		}
	}

	// LoadSuite must not follow a link out of the folder.
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte(`{"id":"a","goal":"x","answer":"1"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if suite, _ := LoadSuite(dir, "link", plainRules); suite != nil {
		t.Error("a link out of the folder was followed")
	}
}

func TestHashes(t *testing.T) {
	read := func(lines ...string) *Suite {
		t.Helper()
		s, issues := ReadSuite(strings.NewReader(strings.Join(lines, "\n")), "s", nil, plainRules)
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return s
	}
	base := read(`{"id":"a","goal":"x","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"1"}],"split":"search"}`)
	same := read(`{ "split":"search","graders":[{"answer":"1","type":"exact"}], "input":{"q":2,"p":1},"goal":"x","id":"a"}`)
	if base.Hash != same.Hash {
		t.Error("the hash depends on the order of keys")
	}
	task := func(s *Suite) string { return HashTask(&s.Tasks[0], "") }
	moved := read(`{"id":"a","goal":"x","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"1"}],"split":"holdout","tags":["t"],"weight":2}`)
	if base.Hash == moved.Hash || task(base) != task(moved) {
		t.Error("a new split and weight must change the suite's hash and not the task's")
	}
	for _, line := range []string{
		`{"id":"a","goal":"y","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"1"}]}`,
		`{"id":"a","goal":"x","input":{"p":1,"q":3},"graders":[{"type":"exact","answer":"1"}]}`,
		`{"id":"a","goal":"x","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"2"}]}`,
		`{"id":"a","goal":"x","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"1"}],"fixtures":{"files":{"f":""}}}`,
		`{"id":"a","goal":"x","domain":"d","input":{"p":1,"q":2},"graders":[{"type":"exact","answer":"1"}]}`,
	} {
		if task(read(line)) == task(base) {
			t.Errorf("the task's hash does not cover the difference of %s", line)
		}
	}
	if HashTask(&base.Tasks[0], "x") == task(base) {
		t.Error("the task's hash does not cover its fixture folder")
	}
}

func TestWriteSuiteReadsBack(t *testing.T) {
	text := `{"id":"a","goal":"a < b & c","answer":"1","split":"search"}` + "\n" +
		`{"id":"b","messages":[{"role":"user","content":"x"}],"fixtures":{"files":{"f":"1"},"memories":[{"id":"m","text":"t"}]},"graders":[{"type":"exact","answer":"1","weight":2,"not":true}],"weight":0.5,"tags":["t"],"source":{"author":"me"},"cluster":"c","split":"holdout"}` + "\n"
	suite, issues := ReadSuite(strings.NewReader(text), "s", nil, plainRules)
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	var b bytes.Buffer
	if err := WriteSuite(&b, suite.Tasks); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(text, b.String()); d != "" {
		t.Error(d)
	}
}

func FuzzSuite(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","goal":"x","answer":"1"}`,
		`{"id":"a","messages":[{"role":"user","content":"x"}],"graders":[{"type":"contains","all":["x"]}],"cluster":"c"}` + "\n" + `{"id":"b","input":[1,{}],"answer":"","split":"holdout"}`,
		"\ufeff{\"id\":\"\\ud800\",\"goal\":\"x\",\"answer\":\"\"}\r\n{", `{"id":{"id":[]},"fixtures":{"dir":"..","files":{"/":""}}}`,
		"{\"\":\xff}", `{"id":"a","goal":"x","fixtures":{"dir":"d","memories":[{"text":"t","time":"2026-01-31T06:00:00Z"}]},"answer":"1"}`,
	} {
		f.Add([]byte(s))
	}
	folders := fstest.MapFS{"d/a.txt": {Data: []byte("a")}}
	f.Fuzz(func(t *testing.T, data []byte) {
		suite, issues := ReadSuite(bytes.NewReader(data), "s", folders, plainRules)
		if (suite == nil) == (len(issues) == 0) {
			t.Fatalf("a suite %v and %d issues", suite, len(issues))
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, i := range issues {
			if i.Text == "" || i.Line > lines || i.Column > len(data)+1 || strings.ContainsAny(i.Text, "\n\x00") {
				t.Fatalf("issue %+v of %d lines", i, lines)
			}
		}
		if suite == nil {
			return
		}
		var b bytes.Buffer
		if err := WriteSuite(&b, suite.Tasks); err != nil {
			t.Fatal(err)
		}
		again, issues := ReadSuite(&b, "s", folders, plainRules)
		if len(issues) > 0 {
			t.Fatalf("what was written has %v", issues)
		}
		if again.Hash != suite.Hash {
			t.Fatalf("the hash changed by writing and reading:\n%s", b.Bytes())
		}
	})
}
