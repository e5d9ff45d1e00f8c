package importer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoAnswerIsSeen imports files that contain the answer in additional places. Agents see
// only a task's text and domain; a note names the omissions.
func TestNoAnswerIsSeen(t *testing.T) {
	table := func(rows ...string) string { return strings.Join(rows, "\n") + "\n" }
	for name, c := range map[string]struct {
		text string
		o    Options
		// seen is the visible part of each task: its domain, ": " and its goal.
		seen []string
		// named are texts that the notes must contain; if empty, there must be no notes.
		named []string
	}{
		// Tables.
		"csv, the category is the answer": {
			text: table("question,category", "q1,bug", "q2,praise", "q3,spam"), o: Options{Columns: Columns{Answer: "category"}},
			seen: []string{": q1", ": q2", ": q3"},
		},
		"csv, the category repeats the answer": {
			text: table("question,label,category", "q1,bug,bug", "q2,praise,Praise", "q3,spam,spam"),
			seen: []string{": q1", ": q2", ": q3"}, named: []string{"the domains are left out", "domain is itself the answer"},
		},
		"csv, two tasks are enough": {
			text: table("question,label,domain", "q1,bug,bug", "q2,spam,spam"),
			seen: []string{": q1", ": q2"}, named: []string{"the domains are left out"},
		},
		"csv, the domain holds the answer": {
			text: table("question,label,domain", "q1,paris,geo/paris", "q2,rome,geo/rome", "q3,oslo,geo/oslo"),
			seen: []string{": q1", ": q2", ": q3"}, named: []string{"the domains are left out"},
		},
		"csv, answers of signs": {
			text: table("question,label,domain", "q1,+,+", "q2,-,-", "q3,/,/"),
			seen: []string{": q1", ": q2", ": q3"}, named: []string{"the domains are left out"},
		},
		"csv, answers alike tell nothing": {
			text: table("question,label,domain", "q1,hr,hr", "q2,hr,hr"),
			seen: []string{"hr: q1", "hr: q2"},
		},
		"csv, other columns repeat the answer": {
			text: table("id,question,answer,expected,tags,cluster,file,correct_option,metadata,label", "paris-001,q1,paris,paris,paris,paris,paris.txt,A,paris,paris", "rome-002,q2,rome,rome,rome,rome,rome.txt,B,rome,rome"),
			seen: []string{": q1", ": q2"}, named: []string{`"cluster"`, `"correct_option"`, `"expected"`, `"file"`, `"label"`, `"metadata"`, `"tags"`},
		},
		"csv, the answer has the name of a question": {
			text: table("prompt,text", "bug,q1", "spam,q2"), o: Options{Columns: Columns{Answer: "prompt"}},
			seen: []string{": q1", ": q2"},
		},
		"csv, the question has the name of an answer": {
			text: table("answer,target", "q1,bug", "q2,spam"), o: Options{Columns: Columns{Question: "answer"}},
			seen: []string{": q1", ": q2"},
		},
		"csv, the domain of a question with choices": {
			text: table("question,choices,answer,domain", "q1,paris|rome,A,paris", "q2,oslo|bonn,B,bonn"),
			seen: []string{
				": q1\n\nA) paris\nB) rome\n\nAnswer with the letter alone.", ": q2\n\nA) oslo\nB) bonn\n\nAnswer with the letter alone.",
			}, named: []string{"the domains are left out"},
		},
		"csv, the index of the choice": {
			text: table("question,choices,answer,answer_index", "q1,paris|rome,paris,0", "q2,oslo|bonn,bonn,1"),
			seen: []string{
				": q1\n\nA) paris\nB) rome\n\nAnswer with the letter alone.", ": q2\n\nA) oslo\nB) bonn\n\nAnswer with the letter alone.",
			}, named: []string{`"answer_index"`},
		},
		"csv, the right choice is always the first": {
			text: table(append([]string{"question,choices,answer"}, slices.Repeat([]string{"q,yes|no,yes"}, 8)...)...),
			seen: slices.Repeat([]string{": q\n\nA) yes\nB) no\n\nAnswer with the letter alone."}, 8), named: []string{"A is right in every question"},
		},
		"csv, cells without a header": {
			text: table("question,answer", "q1,a1,a1", "q2,a2,a2"),
			seen: []string{": q1", ": q2"}, named: []string{"column 3"},
		},
		"csv, columns by number": {
			text: table("q1,a1,a1", "q2,a2,a2"), o: Options{Columns: Columns{Question: "1", Answer: "2"}},
			seen: []string{": q1", ": q2"}, named: []string{"column 3"},
		},
		"csv, a text to read holds the answer": {
			text: table("question,answer", "Bonn or Oslo is Norway's capital?,Oslo", "Rome or Riga is Latvia's capital?,Riga"),
			seen: []string{": Bonn or Oslo is Norway's capital?", ": Rome or Riga is Latvia's capital?"},
		},
		"csv, the whole file tells and a sample of one does not": {
			text: table("question,label,domain", "q1,bug,bug", "q2,spam,spam"), o: Options{Limit: 1, Seed: 1},
			seen: []string{": q2"}, named: []string{"the domains are left out"},
		},

		// Objects that have a question and an answer.
		"questions, label and intent": {
			text: table(`{"text":"q1","intent":"bug","label":"bug","category":"bug","id":"bug-1"}`, `{"text":"q2","intent":"spam","label":"spam","category":"spam","id":"spam-1"}`),
			seen: []string{": q1", ": q2"}, named: []string{`"intent"`, "the domains are left out"},
		},
		"questions, target and expected": {
			text: table(`{"question":"q1","target":"bug","expected":"bug","metadata":{"answer":"bug"},"correct_option":0,"tags":["bug"]}`),
			seen: []string{": q1"}, named: []string{`"correct_option"`, `"expected"`, `"metadata"`, `"tags"`},
		},
		"questions, the answer has the name of a question": {
			text: table(`{"prompt":"bug","text":"q1"}`, `{"prompt":"spam","text":"q2"}`), o: Options{Format: Questions, Columns: Columns{Answer: "prompt"}},
			seen: []string{": q1", ": q2"},
		},
		"questions, the question has the name of an answer": {
			text: table(`{"answer":"q1","target":"bug"}`, `{"answer":"q2","target":"spam"}`), o: Options{Format: Questions, Columns: Columns{Question: "answer"}},
			seen: []string{": q1", ": q2"},
		},
		"questions, further accepted answers": {
			text: table(`{"question":"q1","answer":["Paris","City of Light"],"domain":"city of light"}`, `{"question":"q2","answer":"Rome","domain":"rome"}`),
			seen: []string{": q1", ": q2"}, named: []string{"the domains are left out"},
		},

		// Inspect.
		"inspect, metadata": {
			text: table(`{"input":"q1","target":"bug","id":"bug-1","metadata":{"category":"bug","file":"bug.txt","answer":"bug"}}`,
				`{"input":"q2","target":"spam","id":"spam-1","metadata":{"category":"spam","file":"spam.txt","answer":"spam"}}`),
			seen: []string{": q1", ": q2"}, named: []string{`"metadata.answer"`, `"metadata.file"`, "the domains are left out"},
		},
		"inspect, metadata that is no object": {
			text: table(`{"input":"q1","target":"bug","metadata":"bug"}`),
			seen: []string{": q1"}, named: []string{`"metadata"`},
		},
		"inspect, a choice as the domain": {
			text: table(`{"input":"q1","choices":["paris","rome"],"target":"A","metadata":{"domain":"paris","subject":"x"}}`,
				`{"input":"q2","choices":["oslo","bonn"],"target":"B","metadata":{"domain":"bonn","subject":"x"}}`),
			seen: []string{
				": q1\n\nA) paris\nB) rome\n\nAnswer with the letter alone.", ": q2\n\nA) oslo\nB) bonn\n\nAnswer with the letter alone.",
			}, named: []string{`"metadata.subject"`, "the domains are left out"},
		},
		"inspect, a domain of its own": {
			text: table(`{"input":"q1","target":"bug","metadata":{"domain":"mail"}}`, `{"input":"q2","target":"spam","metadata":{"domain":"web"}}`),
			seen: []string{"mail: q1", "web: q2"},
		},

		// promptfoo.
		"promptfoo, metadata": {
			text: "tests:\n- {vars: {q: q1}, metadata: {category: bug, answer: bug, id: bug-1}, assert: [{type: equals, value: bug}]}\n" +
				"- {vars: {q: q2}, metadata: {category: spam, answer: spam}, assert: [{type: equals, value: spam}]}\n",
			seen: []string{": q1", ": q2"}, named: []string{`"metadata.answer"`, "the domains are left out"},
		},
		"promptfoo, the domain is one of any": {
			text: "tests:\n- {vars: {q: q1}, metadata: {domain: bug}, assert: [{type: not-contains, value: sorry}, {type: contains-any, value: [bug, error]}]}\n" +
				"- {vars: {q: q2}, metadata: {domain: spam}, assert: [{type: not-contains, value: sorry}, {type: starts-with, value: spam}]}\n",
			seen: []string{": q1", ": q2"}, named: []string{"the domains are left out"},
		},
		"promptfoo, a variable that an assertion asks for": {
			text: "tests:\n- {vars: {q: q1, right: bug}, assert: [{type: equals, value: '{{ right }}'}]}\n" +
				"- {vars: {q: q2, right: spam}, assert: [{type: equals, value: '{{right}}'}]}\n",
			seen: []string{": q1", ": q2"}, named: []string{`"vars.right"`},
		},
		"promptfoo, a common assertion asks for it": {
			text: "defaultTest: {assert: [{type: similar, value: '{{right}}'}, {type: contains, value: '{{right}}'}]}\n" +
				"tests:\n- {vars: {q: q1, right: bug}}\n",
			seen: []string{": q1"}, named: []string{`"vars.right"`},
		},
		"promptfoo, a variable that is the answer in every test": {
			text: "tests:\n- {vars: {q: q1, z: bug}, assert: [{type: equals, value: Bug}]}\n" +
				"- {vars: {q: q2, z: spam}, assert: [{type: icontains, value: spam}]}\n",
			seen: []string{": q1", ": q2"}, named: []string{`"vars.z"`},
		},
		"promptfoo, a variable with the name of an answer": {
			text: "tests:\n- {vars: {q: q1, expected: It is a bug}, assert: [{type: contains, value: bug}]}\n",
			seen: []string{": q1"}, named: []string{`"vars.expected"`},
		},
		"promptfoo, an output to judge": {
			text: "tests:\n- {vars: {q: q1, output: blue}, assert: [{type: equals, value: good}]}\n- {vars: {q: q2, output: red}, assert: [{type: equals, value: bad}]}\n",
			seen: []string{": q: q1\noutput: blue", ": q: q2\noutput: red"},
		},
		"promptfoo, words that must not be repeated": {
			text: "tests:\n- {vars: {q: q1, word: blue}, assert: [{type: not-contains, value: '{{word}}'}]}\n",
			seen: []string{": q: q1\nword: blue"},
		},
		"promptfoo, the one variable": {
			text: "tests:\n- {vars: {q: blue}, assert: [{type: contains, value: '{{q}}'}]}\n",
			seen: []string{": blue"},
		},
		"promptfoo, a prompt that shows it": {
			text: "prompts: ['Say {{w}}.']\ntests:\n- {vars: {w: one, x: two}, assert: [{type: contains, value: '{{w}}'}]}\n",
			seen: []string{": Say one."}, named: []string{`"vars.x"`},
		},
		"promptfoo, further fields": {
			text: "tests:\n- {vars: {q: q1}, threshold: 0.5, provider: x, assert: [{type: contains, value: a, metric: m}]}\n",
			seen: []string{": q1"}, named: []string{`"threshold"`, `"provider"`, `"assert.metric"`},
		},

		// OpenAI evals.
		"evals": {
			text: table(`{"input":[{"role":"user","content":"q1"}],"ideal":"bug","id":"bug-1","category":"bug","metadata":{"a":"bug"},"expected":"bug"}`,
				`{"input":"q2","ideal":["spam"],"id":"spam-1","category":"spam","tags":["spam"]}`),
			seen: []string{": q1", ": q2"}, named: []string{`"category"`, `"expected"`, `"metadata"`, `"tags"`},
		},
		"evals, a conversation with the answer at its end": {
			text: table(`{"input":[{"role":"user","content":"q1"},{"role":"assistant","content":"Bug."}],"ideal":"bug"}`,
				`{"input":[{"role":"user","content":"bug or spam?"},{"role":"assistant","content":"spam"},{"role":"user","content":"q2"}],"ideal":"spam"}`),
			seen: []string{": bug or spam?spamq2"}, named: []string{"line 1: left out: its conversation already ends with an accepted answer"},
		},

		// Labelled utterances.
		"labelled, a domain for each label": {
			text: `{"test":[["q1","bug"],["q2","spam"],["q3","bug"]]}`, o: Options{Domains: map[string]string{"bug": "bug", "spam": "spam"}},
			seen: []string{": q1", ": q2", ": q3"}, named: []string{"the domains are left out"},
		},
		"labelled, a code for each label": {
			text: `{"test":[["q1","bug"],["q2","spam"]]}`, o: Options{Domains: map[string]string{"bug": "d1", "spam": "d2"}},
			seen: []string{": q1", ": q2"}, named: []string{"the domains are left out, because agents see them and each domain has only one label, which it would reveal"},
		},
		"labelled, domains of several labels": {
			text: `{"test":[["q1","bug"],["q2","spam"],["q3","ham"]]}`, o: Options{Domains: map[string]string{"bug": "code", "spam": "mail", "ham": "mail"}},
			seen: []string{"code: q1", "mail: q2", "mail: q3"},
		},
		"labelled, a part with the name of a label": {
			text: `{"bug":[["q1","bug"]]}`, seen: []string{": q1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tasks, notes, err := Read(strings.NewReader(c.text), c.o)
			if err != nil {
				t.Fatal(err, notes)
			}
			var seen []string
			for i := range tasks {
				v := tasks[i].ForAgent()
				words := v.Goal
				for _, m := range v.Messages {
					words += m.Content
				}
				seen = append(seen, v.Domain+": "+words+string(v.Input))
				if len(v.Memories) > 0 || v.ID == tasks[i].ID {
					t.Errorf("agents see %+v", v)
				}
			}
			if d := cmp.Diff(c.seen, seen); d != "" {
				t.Error(d)
			}
			var told []string
			for _, n := range notes {
				told = append(told, n.String())
			}
			all := strings.Join(told, "\n")
			for _, piece := range c.named {
				if !strings.Contains(all, piece) {
					t.Errorf("%s is not named in %q", piece, all)
				}
			}
			if len(c.named) == 0 && all != "" {
				t.Errorf("notes %q", all)
			}
		})
	}
}
