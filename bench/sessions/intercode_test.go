package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInterCode reads episodes. The action that earned the reward is the answer, and the
// actions before it are calls to the environment.
func TestInterCode(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "intercode.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"intercode log.json:0 task 0 \"intercode ./data/depot.json 0\" \"bash\" [true, reward 1]\n  user: Count the crates that are listed in /depot/list.txt[]\n" +
			"  assistant: cat /depot/list.txt[bash]\n  tool: oak\npine\n[]\n  assistant: wc -l < /depot/list.txt[]\n",
		"intercode log.json:0 task 1 \"intercode log.json 1\" \"sql\" [false, reward 0.4]\n  user: Who drives the red van?[]\n  assistant: SELECT driver FROM vans[]\n",
		"intercode log.json:0 task 2 \"intercode log.json 2\" \"sql\" [true, gold]\n  user: Which depot has the most bays?[]\n  assistant: SELECT name FROM depots ORDER BY bays DESC LIMIT 1[]\n",
		"intercode log.json:0 task 12 \"intercode log.json 12\" \"ctf\" [true, reward 1]\n  user: Find the word in the file note[]\n  assistant: cat note[ctf]\n  tool: larch[]\n  assistant: larch[]\n",
		"intercode log.json:0 task \"\" \"\" [true, reward 1]\n  user: Print the sum of 2 and 3[]\n  assistant: print(2+3)[]\n",
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, bytes.ReplaceAll(data, []byte("NaN"), []byte("null"))); err != nil {
		t.Fatal(err)
	}
	under := append(append([]byte("{\n\"meta\": {\"env\": \"bash\"},\n\"logs\": "), compact.Bytes()...), "\n}\n"...)
	for form, log := range map[string][]byte{"a document": data, "one line": compact.Bytes(), "under logs": under} {
		got, notes := readAll(t, "log.json", log, "")
		var lines []string
		for i := range got {
			got[i].Line = 0
			lines = append(lines, told(got[i]))
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
		if notes.Bad != 2 || len(notes.Formats) != 1 || notes.Formats[0] != InterCode {
			t.Errorf("%s: %+v", form, notes)
		}
	}
	b := newBuilder(t, Options{PerDomain: 10})
	if _, err := Read(bytes.NewReader(data), ReadOptions{Name: "log.json"}, b.Add); err != nil {
		t.Fatal(err)
	}
	tasks, s := b.Tasks()
	if len(tasks) != 4 || s.Refused != 1 || *tasks[0].Answer != "wc -l < /depot/list.txt" || tasks[0].Tags[0] != "tool bash" || tasks[0].Source.Approval != "reward 1" {
		t.Errorf("%+v, %+v", tasks, s)
	}
}

// TestInterCodeIsBounded reads hostile episodes.
func TestInterCodeIsBounded(t *testing.T) {
	many := `{"query":"q","turn_history":{"actions":[` + strings.TrimSuffix(strings.Repeat(`"ls",`, 10_000), ",") + `],"observations":[],"rewards":[]}}`
	deep := strings.Repeat(`{"logs":`, 50) + `{"query":"q","turn_history":{"actions":["ls"]}}` + strings.Repeat("}", 50)
	for log, want := range map[string]string{
		many: "has 10000 actions; the limit is 2500",
		deep: "has no known format",
		`{"query":"q","turn_history":{"actions":[1,{}]}}`: "has an action that is not text",
		`{"query":{},"turn_history":{"actions":["ls"]}}`:  "has no query",
		`{"0":{"turn_history":{"actions":["ls"]}}}`:       "has no query",
		`{"0":[{"turn_history":{"actions":["ls"]}}]}`:     "has no known format",
	} {
		_, err := Read(strings.NewReader(log+"\n"), ReadOptions{Name: "x"}, func(c Conversation) { t.Errorf("%.40s: %+v", log, c) })
		if err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%.60s: %v", log, err)
		}
	}
}
