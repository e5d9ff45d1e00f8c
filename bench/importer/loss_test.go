package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingIsLostInSilence imports small files of each format that contain some data
// for which tasks have no place, and checks that the notes name all of these data.
func TestNothingIsLostInSilence(t *testing.T) {
	const unread = "not read, and therefore in no task: "
	for name, c := range map[string]struct {
		text, answers string
		o             Options
		goals         []string
		notes         []string
	}{
		"tau2-bench": {
			text: `{"timestamp":"2025","tasks":[{"id":"0","description":{"purpose":"p"},"user_scenario":{"persona":null,"instructions":{"task_instructions":"Be brief.","domain":"airline","reason_for_call":"Cancel.","known_info":"You are Mia.","unknown_info":null}},
 "initial_state":null,"annotations":null,"evaluation_criteria":{"actions":[{"action_id":"0_0","requestor":"assistant","name":"cancel","arguments":{"id":"Q"},"info":null},{"action_id":"0_1","requestor":"user","name":"reboot","arguments":{}}],
 "communicate_info":["327"],"nl_assertions":["Agent cancels."],"reward_basis":["DB","COMMUNICATE"]}}],"simulations":[{"id":"s"}]}`,
			goals: []string{"Cancel.\n\nBe brief."},
			notes: []string{
				"the model of the default route simulates the user; only the names of the calls are graded, not their arguments or the state of a database; your agent must provide the tools itself",
				unread + `"description", "evaluation_criteria.actions of the user", "evaluation_criteria.actions.action_id", "evaluation_criteria.actions.arguments", "evaluation_criteria.communicate_info", "evaluation_criteria.nl_assertions", "evaluation_criteria.reward_basis", "simulations", "timestamp"`,
			},
		},
		"tau2-bench, what is told is graded": {
			text:  `[{"id":"1","user_scenario":{"instructions":"Ask for the price."},"evaluation_criteria":{"actions":[],"communicate_info":["327"],"reward_basis":["COMMUNICATE"]}}]`,
			goals: []string{"Ask for the price."},
			notes: []string{
				"the model of the default route simulates the user; only the names of the calls are graded, not their arguments or the state of a database; your agent must provide the tools itself",
				unread + `"evaluation_criteria.reward_basis"`,
			},
		},
		"tau-bench": {
			text:  `[{"task_id":3,"reward":1,"trial":0,"traj":[{"role":"user","content":"hi"}],"info":{"source":"user","task":{"user_id":"mia","instruction":"Book it.","actions":[{"name":"book","kwargs":{"x":1}}],"outputs":["327"]}}}]`,
			goals: []string{"Book it."},
			notes: []string{
				"the model of the default route simulates the user; only the names of the calls are graded, not their arguments or the state of a database; your agent must provide the tools itself",
				unread + `"info.source", "info.task.actions.kwargs", "info.task.outputs", "info.task.user_id", "reward", "traj", "trial"`,
			},
		},
		"topics": {
			text:    "<top>\n<num> Number: q1\n<title> rain\n<desc> Description:\nWhat is rain?\n<narr> Narrative:\nWater from clouds.\n</top>\n\n<top lang=\"en\">\n<num> Number: q2 </num>\n<title>AT&amp;T & oslo</title>\n</top>\n",
			answers: "q1 0 d1 1\nq2 0 d2 2\n",
			goals:   []string{"rain", "AT&T & oslo"},
			notes: []string{
				"the degrees of relevance in the --answers file are not used: every document with a judgement above 0 counts as relevant",
				unread + `"desc", "lang", "narr"`,
			},
		},
		"topics in XML": {
			text: `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<webtrack2009>
<topic number="q1" type="faceted">
 <query>rain &lt;in&gt; oslo</query>
 <description>What is
  rain?</description>
 <subtopic number="1" type="nav">Maps</subtopic>
 <subtopic number="2" type="inf">Clouds</subtopic>
</topic>
<topic number='q2'><query>snow</query><question>what is snow?</question><narrative>n</narrative></topic>
</webtrack2009>`,
			answers: "q1 0 d1 1\nq2 0 d2 1\n",
			goals:   []string{"rain <in> oslo", "snow"},
			notes:   []string{unread + `"description", "narrative", "question", "subtopic", "subtopic (2)", "subtopic number", "subtopic number (2)", "subtopic type", "subtopic type (2)", "type"`},
		},
		"topics in XML with their own grammar": {
			text: `<?xml version="1.0"?>
<!DOCTYPE track [
  <!ELEMENT track (topic)*>
  <!ATTLIST topic number CDATA #REQUIRED>
] >
<track><topic number="q1"><query>rain</query></topic></track>`,
			answers: "q1 0 d1 1\n",
			goals:   []string{"rain"},
		},
		"topics in XML, text alone": {
			text:    "<topics task=\"trials\">\n<topic number=\"q1\">\nA man of 45 years.\n</topic>\n</topics>",
			answers: "q1 0 d1 1\n",
			goals:   []string{"A man of 45 years."},
		},
		"topics in XML, elements": {
			text:    "<topics><topic><number>q1</number><query>rain</query><description>Is rain wet?</description><stance>helpful</stance></topic><topic><query>no number</query></topic></topics>",
			answers: "q1 0 d1 1\n",
			goals:   []string{"rain"},
			notes:   []string{"topic 2 left out: it has no number or no title", unread + `"description", "stance"`},
		},
		"queries": {
			text:    `{"_id":"q1","text":"rain","metadata":{"url":"u"}}`,
			answers: "q1\td1\t1\n",
			goals:   []string{"rain"},
			notes:   []string{unread + `"metadata"`},
		},
		"bfcl": {
			text:    `{"id":"a","question":[[{"role":"user","content":"x?","name":"bo"}]],"function":[{"name":"f"}],"language":"py"}`,
			answers: `{"id":"a","ground_truth":[{"f":{}}],"source":"s"}`,
			goals:   []string{"x?\n\nThe functions: [{\"name\":\"f\"}]\n\n" + bfclForm},
			notes: []string{
				"text in calls is compared regardless of case; BFCL also ignores some punctuation",
				unread + `"answers: source", "language", "question.name"`,
			},
		},
		"questions": {
			text: `{"id":{"$oid":"1"},"question":[{"role":"user","content":[{"type":"text","text":"x?","cache_control":{"type":"e"}}],"tool_calls":[1]}],"answer":"y","domain":["a","b"],"empty":"","none":null,"list":[],"level":0}`,
			o:    Options{Format: Questions}, goals: []string{"x?"},
			notes: []string{unread + `"domain", "id", "level", "question.content.cache_control", "question.tool_calls"; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read`},
		},
		"questions with an object of choices": {
			text: `{"question":"x?","choices":{"text":["red","blue"],"label":["1","2"]},"answer":"blue"}` + "\n" + `{"question":"y?","choices":{"text":["red","blue"],"label":["A","B"],"score":[1,2]},"answer":"A"}`,
			goals: []string{
				"x?\n\nA) red\nB) blue\n\nAnswer with the letter alone.", "y?\n\nA) red\nB) blue\n\nAnswer with the letter alone.",
			},
			notes: []string{unread + `"choices.label", "choices.score"; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read`},
		},
		"answers without a use": {
			text: `{"question":"x?","answer":"y"}`, answers: "z", goals: []string{"x?"},
			notes: []string{"the --answers file is not read: in the format questions, one file contains both the questions and the answers"},
		},
		"a table": {
			text: "id,question,answer,note,empty\n" + strings.Repeat("x", 151) + ",q?,a,n,,surplus\n", goals: []string{"q?"},
			notes: []string{
				fmt.Sprintf("line 2: the id %s is longer than 150 bytes; a number replaces it", show(strings.Repeat("x", 151))),
				unread + `"column 6", "empty", "note"; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read`,
			},
		},
		"inspect": {
			text: `{"input":"x?","target":"y","metadata":{"category":["a"],"level":2},"scorer":"includes"}`, goals: []string{"x?"},
			notes: []string{unread + `"metadata.category", "metadata.level", "scorer"`},
		},
		"promptfoo": {
			text: "description: d\nproviders: [p]\nsharing: null\nprompts: [{raw: 'Say {{a}}', label: l}]\ndefaultTest: {options: {provider: x}, metadata: {m: 1}, threshold: 0.5}\n" +
				"tests: [{description: t, vars: {a: x, b: y}, options: {prefix: z}, assert: [{type: contains, value: x, metric: k}]}]\n",
			goals: []string{"Say x"},
			notes: []string{unread + `"assert.metric", "defaultTest.metadata", "defaultTest.options", "defaultTest.threshold", "description", "options", "prompts.label", "providers", "vars.b"`},
		},
		"results of promptfoo": {
			text:  `{"evalId":"e","results":{"version":3,"results":[{"testIdx":0,"prompt":{"raw":"Which: a screen","label":"l"},"response":{"output":"o"},"success":false,"testCase":{"vars":{"m":"a screen","n":"unseen"},"assert":[{"type":"equals","value":"hw"}],"threshold":1}}]}}`,
			goals: []string{"Which: a screen"},
			notes: []string{unread + `"threshold", "vars.n"`, `the tasks leave out the answers and scores of the evaluation: "evalId", "results.response", "results.success", "results.testIdx", "version"`},
		},
	} {
		if c.answers != "" {
			c.o.Answers = []byte(c.answers)
		}
		tasks, told, err := Read(strings.NewReader(c.text), c.o)
		var goals, notes []string
		for _, task := range tasks {
			if task.User != nil {
				task.Goal = task.User.Goal
			}
			goals = append(goals, task.Goal)
		}
		for _, n := range told {
			notes = append(notes, n.String())
		}
		if d := cmp.Diff(c.goals, goals) + cmp.Diff(c.notes, notes); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

// TestManyColumns checks that even the columns of a wide table are named, whatever else is
// left out.
func TestManyColumns(t *testing.T) {
	header, cells := "question,answer", "q,a"
	for i := range 60 {
		header += fmt.Sprintf(",c%d", i)
		cells += ",x"
	}
	text := header + "\n" + cells + "\n" + strings.Repeat("q,\"a\"x\nonly\n", 30)
	_, notes, err := Read(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	folded := Fold(notes)
	if last := folded[len(folded)-1].Text; !strings.Contains(last, `"c59"`) || len(folded) > 10 {
		t.Errorf("%d notes, the last %s", len(folded), last)
	}
}

// TestFoldKeepsCausesApart checks that assertions of different types count as different
// causes, and that the note on unread keys is shown even if ten other causes are more
// frequent.
func TestFoldKeepsCausesApart(t *testing.T) {
	var notes []Note
	for i := range 14 {
		for range 3 {
			notes = append(notes, Note{Line: i + 1, Text: fmt.Sprintf("assertion of test %d left out: no grader of %q", i, fmt.Sprint("t", i)), Kind: fmt.Sprintf("%q", fmt.Sprint("t", i))})
		}
	}
	few := Fold(notes[:12])
	if len(few) != 4 || few[1].String() != `line 2: assertion of test 1 left out: no grader of "t1"; and 2 more like this (lines 2, 2)` {
		t.Errorf("%v", few)
	}
	notes = append(notes, Note{Text: `not read: "level"`, Whole: true})
	all := Fold(notes)
	if len(all) != 10 || !slices.ContainsFunc(all, func(n Note) bool { return n.Text == `not read: "level"` }) {
		t.Errorf("%v", all)
	}
	if last := all[len(all)-1].Text; last != `and 18 more notes of 6 other causes, among them: "t8", "t9", "t10", "t11", "t12", "t13"` {
		t.Error(last)
	}
}

func TestBFCLWithoutAnswers(t *testing.T) {
	_, notes, err := lines(t, bfclQuestions, Options{})
	if err == nil || err.Error() != "BFCL keeps the possible answers in a separate file, which has the same name in the folder possible_answer: pass it with --answers" || len(notes) > 0 {
		t.Errorf("%v, %q", err, notes)
	}
	own := `{"id":"a","question":[[{"role":"user","content":"x?"}]],"function":[{"name":"f"}],"ground_truth":[{"f":{}}]}` + "\n" + `{"id":"b","question":[[{"role":"user","content":"y?"}]],"function":[{"name":"f"}]}`
	tasks, notes, err := lines(t, own, Options{})
	if err != nil || len(tasks) != 1 || notes[0] != "line 2: left out: it has no ground_truth" {
		t.Errorf("%v, %q, %q", err, tasks, notes)
	}
}

func TestMemoriesNameWhatTheyLack(t *testing.T) {
	const text = `{"question":"a","answer":["1","one"],"labels":"x"}` + "\n" + `{"question":"b","answer":"2","labels":"y"}`
	memories, notes, err := Memories(strings.NewReader(text), Options{Columns: Columns{Tags: "labels"}})
	if err != nil || len(memories) != 2 || len(notes) != 2 || notes[0].Text != "the graders and further accepted answers of 1 task are not imported, because memories cannot contain them" ||
		notes[1].Text != "the tags of 2 tasks are not imported, because memories cannot contain them" {
		t.Errorf("%v, %v, %v", memories, notes, err)
	}
}
