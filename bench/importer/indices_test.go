package importer

import (
	"slices"
	"strings"
	"testing"
)

// TestAnswersThatAreNumbersOfChoices imports files in the form of MMLU. Some of the choices
// are numbers themselves, and the answers must not be compared with those numbers.
func TestAnswersThatAreNumbersOfChoices(t *testing.T) {
	const numbered = "the answers are read as the numbers of the right choices, counted from "
	for name, c := range map[string]struct {
		text, want, note string
	}{
		"from 0, in a table": {
			"question,subject,choices,answer\n" +
				"\"Is 7, or 8, prime?\",a,\"['Yes, yes', 'Yes, no', 'No, yes']\",1\n" +
				"How many?,a,\"['0', '2', '1', '3']\",2\n" +
				"Which?,b,\"[\"\"it's one\"\", 'none']\",0\n", "BCA", numbered + "0",
		},
		"from 0, in JSON":    {`{"question":"a","choices":["1","2","0"],"answer":0}` + "\n" + `{"question":"b","choices":["x","y"],"answer":1}`, "AB", numbered + "0"},
		"from 1":             {"question,choices,answer\na,x|y|z,3\nb,2|1|3,2\n", "CB", numbered + "1"},
		"the choices":        {"question,choices,answer\na,1|2|3,3\nb,0|1|2,0\n", "CA", ""},
		"of unknown base":    {"question,choices,answer\na,x|y|z,1\nb,2|1|3,2\nc,x|y,y\n", "AB", "target that is not among its choices"},
		"letters":            {"question,choices,answer\na,x|y|z,c\nb,2|1|3,A\n", "CA", ""},
		"from 0 with domain": {`{"team":"hr","question":"a","choices":["x","y"],"answer":0}` + "\n" + `{"team":"it","question":"b","choices":["x","y"],"answer":1}`, "AB", numbered + "0"},
	} {
		tasks, notes, err := Read(strings.NewReader(c.text), Options{Domain: "team"})
		got := ""
		for _, task := range tasks {
			got += *task.Answer
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, %v", name, got, notes, err)
		}
		if told := slices.ContainsFunc(notes, func(n Note) bool { return strings.Contains(n.Text, c.note) }); c.note != "" && !told || c.note == "" && len(notes) > 0 {
			t.Errorf("%s: notes %v", name, notes)
		}
		if strings.Contains(name, "domain") && (tasks[0].Domain != "hr" || tasks[1].Domain != "it") {
			t.Errorf("%s: domains %q, %q", name, tasks[0].Domain, tasks[1].Domain)
		}
	}
}
