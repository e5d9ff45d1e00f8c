package importer

import (
	"slices"
	"strings"
	"testing"
)

// TestDoubtful checks the notes about empty answers and about identical questions with
// different answers.
func TestDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		o     Options
		tasks int
		notes []string
	}{
		"one empty answer": {"question,answer\na,1\nb,\nc,3\n", Options{}, 2, []string{"1 entry has an empty answer and is left out (line 3)"}},
		"empty answers": {
			"question,answer\na,1\nb,\nc,  \nd,\ne,\n",
			Options{},
			1,
			[]string{"4 entries have an empty answer and are left out (lines 3, 4, 5, …)"},
		},
		"of objects": {
			`{"question":"a","answer":""}` + "\n" + `{"question":"b","answer":["",""]}` + "\n" + `{"question":"c","answer":["","x"]}`,
			Options{},
			1,
			[]string{"2 entries have an empty answer and are left out (lines 1, 2)"},
		},
		"of a list":          {`[{"question":"a","answer":"x"},{"question":"b","answer":" "}]`, Options{}, 1, []string{"1 entry has an empty answer and is left out (item 2)"}},
		"of samples":         {`{"input":"q","target":""}` + "\n" + `{"input":"r","target":"x"}`, Options{}, 1, []string{"1 entry has an empty answer and is left out (line 1)"}},
		"of pairs":           {`[["a"," "],["c","d"]]`, Options{Format: Labelled}, 1, []string{"1 entry has an empty answer and is left out (item 1)"}},
		"judged without any": {`{"input":"q","target":""}` + "\n" + `{"input":"r","target":"x"}`, Options{Grader: "model_graded_qa"}, 2, nil},
		"empty questions":    {"question,answer\na,1\n ,2\n", Options{}, 1, []string{"line 3: left out: it has no question or no answer"}},
		"an empty text":      {`{"question":" ","answer":"x"}` + "\n" + `{"question":"b","answer":"x"}`, Options{}, 1, []string{"line 1: left out: its question is empty"}},
		"contradictions": {
			"question,answer\na,1\nb,2\na ,3\na,1\na,4\nc,1\nc,2\nd,1\nd,1\n",
			Options{},
			9,
			[]string{"2 questions occur more than once with different answers, so the same answer cannot be right every time (first: lines 2, 4, 5, …)"},
		},
		"one contradiction": {
			`{"question":"a","answer":"x"}` + "\n" + `{"question":"a","answer":"y"}`,
			Options{},
			2,
			[]string{"1 question occurs more than once with different answers, so the same answer cannot be right every time (lines 1, 2)"},
		},
		"the same answers": {"question,answer\na,1\na,1\n", Options{}, 2, nil},
	} {
		tasks, notes, err := Read(strings.NewReader(c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, n := range notes {
			if !strings.Contains(n.Text, "judge") {
				got = append(got, n.String())
			}
		}
		if len(tasks) != c.tasks || !slices.Equal(got, c.notes) {
			t.Errorf("%s: %d tasks, %q, want %d, %q", name, len(tasks), got, c.tasks, c.notes)
		}
	}
}
