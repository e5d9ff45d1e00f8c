package sessions

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/scrub"
)

// readAll reads a log.
func readAll(t *testing.T, name string, data []byte, format Format) ([]Conversation, Log) {
	t.Helper()
	var out []Conversation
	log, err := Read(bytes.NewReader(data), ReadOptions{Name: name, Format: format}, func(c Conversation) { out = append(out, c) })
	if err != nil {
		t.Fatalf("%s: %v, %+v", name, err, log)
	}
	return out, log
}

// told describes a conversation, one line per message.
func told(c Conversation) string {
	var b strings.Builder
	verdict := func(v Verdict) string {
		if !v.Given {
			return ""
		}
		return " " + strings.TrimSpace(fmt.Sprintf("[%t, %s %s", v.Approved, v.How, v.By)) + "]"
	}
	fmt.Fprintf(&b, "%s %s:%d %s %q %q%s\n", c.Format, c.File, c.Line, c.ID, c.Family, c.Domain, verdict(c.Verdict))
	for _, m := range c.Messages {
		partial := ""
		if m.Partial {
			partial = " partial"
		}
		fmt.Fprintf(&b, "  %s: %s%v%s%s\n", m.Role, m.Text, m.Tools, partial, verdict(m.Verdict))
	}
	return b.String()
}

// TestFormats reads a log of each format and checks its conversations and the entries that
// are left out.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		file  string
		want  []string
		named []string
	}{
		{"openai.jsonl", []string{
			"openai openai.jsonl:1 conv-1 \"\" \"\"\n  system: You know the depot.[]\n  user: How many pallets fit into bay 7?[]\n  assistant: [bay_size]\n  tool: []\n  assistant: 42 pallets.[]\n  user: Perfect, thanks![]\n  assistant: You're welcome![]\n",
			"openai openai.jsonl:2 conv-2 \"\" \"\"\n  user: Which city is the seat of the northern office?[]\n  assistant: Bergen[]\n  user: No, that's wrong. The correct answer is Oslo.[]\n  assistant: I see, Oslo.[]\n",
			"openai openai.jsonl:3 conv-3 \"\" \"\" [false, approved false]\n  user: Who drives the red van?[]\n  assistant: Nobody.[]\n  user: Great, thank you![]\n",
			"openai openai.jsonl:5  \"\" \"\" [true, approved true Kim]\n  system: Be brief.[]\n  user: When does the kiosk open on Sundays?[]\n  assistant: At nine.[]\n",
		}, []string{"line 4 is not valid JSON", `line 6 has a message, number 1, that has the unknown role "robot"`}},
		{"anthropic.jsonl", []string{
			"anthropic anthropic.jsonl:1 a1 \"\" \"\"\n  system: You plan trips.[]\n  user: Is the ferry to Hydra running on Friday evening?[]\n  assistant: Let me look.[timetable]\n  tool: []\n  assistant: Yes, the last one leaves at 20:15.[]\n  user: Thank you, that's right.[]\n",
			"anthropic anthropic.jsonl:2 a2 \"\" \"\" [false, feedback 👎]\n  user: Is the museum free?[]\n  assistant: Yes.[]\n",
			"anthropic anthropic.jsonl:3 a3 \"\" \"\" [true, feedback thumbs_up]\n  user: What is on this picture?[] partial\n  assistant: A ferry.[]\n",
		}, nil},
		{"plain.jsonl", []string{
			"plain plain.jsonl:1  \"\" \"\"\n  user: What is the code of the spare key box?[]\n  assistant: It is in the blue folder.[]\n  user: Great, that's it.[]\n  assistant: Good.[]\n",
			"plain plain.jsonl:4 s2 \"\" \"\"\n  user: How many chairs are in the large hall?[]\n  assistant: 120[] [true, approved true Ann]\n  user: And in the small one?[]\n  assistant: 30[]\n",
			"plain plain.jsonl:5 s3 \"\" \"\"\n  user: Name the two gates that open at night.[]\n  assistant: North and west.[]\n  user: Exactly, thanks.[]\n",
		}, nil},
		{"promptfoo.json", []string{
			"promptfoo promptfoo.json:0 test 0 \"promptfoo.json 0\" \"language\" [true, passed by its assertions]\n  user: Translate to French: house[]\n  assistant: maison[]\n",
			"promptfoo promptfoo.json:0 test 0 \"promptfoo.json 0\" \"\" [true, passed by its assertions]\n  system: You translate.[]\n  user: French for house?[]\n  assistant: maison[]\n",
			"promptfoo promptfoo.json:0 test 1 \"promptfoo.json 1\" \"\" [false, failed by a person]\n  user: Translate to French: dog[]\n  assistant: chat[]\n",
			"promptfoo promptfoo.json:0 test 2 \"promptfoo.json 2\" \"\" [true, passed by its assertions]\n  user: Translate to French: tree[]\n  assistant: {\"word\": \"arbre\"}[]\n",
		}, []string{"item 5 has no answer"}},
		{"inspect.json", []string{
			"inspect inspect.json:0 1 epoch 1 \"geography 1\" \"\" [true, score match C]\n  user: Capital of Peru?[]\n  assistant: Lima[]\n",
			"inspect inspect.json:0 1 epoch 2 \"geography 1\" \"\" [true, score match C]\n  user: Capital of Peru?[]\n  assistant: Lima[]\n",
			"inspect inspect.json:0 2 epoch 1 \"geography 2\" \"\" [false, score judge 1 match I]\n  user: Capital of Chad?[]\n  assistant: Lagos[]\n",
			"inspect inspect.json:0 3 epoch 1 \"geography 3\" \"\" [true, score match true]\n  user: attachment://abc[] partial\n  assistant: A map[]\n",
		}, []string{"item 5 ended with an error"}},
		{"tau.json", []string{
			"tau tau.json:0 task 3 trial 0 \"tau.json 3\" \"\" [true, reward 1]\n  system: You are a clerk.[]\n  user: Please move my booking to Monday morning.[]\n  assistant: [move]\n  tool: []\n  assistant: It is on Monday at nine.[]\n  user: Thanks![]\n",
			"tau tau.json:0 task 3 trial 1 \"tau.json 3\" \"\" [true, reward 1]\n  user: I need another day for what I have booked.[]\n  assistant: It is on Monday at nine.[]\n  user: []\n",
			"tau tau.json:0 task 4 trial 0 \"tau.json 4\" \"\" [false, reward 0]\n  user: Cancel all.[]\n  assistant: Done.[]\n  user: Great, thank you![]\n",
			"tau tau.json:0 task 5 trial 0 \"tau.json 5\" \"\" [true, reward 1]\n  user: Can you sell me the boat?[]\n  assistant: I cannot.[]\n  user: Then a person, please.[]\n  assistant: [transfer]\n  tool: []\n",
		}, nil},
		{"otel.jsonl", []string{
			"otel otel.jsonl:1 talk-1 \"\" \"\"\n  system: You know the harbour.[]\n  user: How deep is the east basin?[]\n  assistant: [depth]\n  tool: []\n  assistant: 11 metres.[]\n  user: Perfect, thank you.[]\n  assistant: You're welcome.[]\n",
			"otel otel.jsonl:3 t3 \"\" \"\"\n  system: Be brief.[]\n  user: Which crane is the tallest?[]\n  assistant: Crane 4[] [true, evaluation Relevance 1]\n",
			"otel otel.jsonl:4 t4 \"\" \"\"\n  user: Who keeps the light?[]\n  assistant: Ada does.[] [false, evaluation human fail]\n",
			"otel otel.jsonl:5 t5 \"\" \"\"\n  user: When is high tide?[]\n  assistant: At noon.[]\n",
		}, nil},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		list, log := readAll(t, "/home/someone/"+c.file, data, "")
		var got []string
		for _, conversation := range list {
			got = append(got, told(conversation))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.file, diff)
		}
		if diff := cmp.Diff(c.named, append([]string(nil), log.Named...)); diff != "" || log.Bad != len(c.named) || len(log.Formats) != 1 {
			t.Errorf("%s: %+v\n%s", c.file, log, diff)
		}
	}
}

// TestForms reads the same conversations from every form in which a log may come.
func TestForms(t *testing.T) {
	tau, err := os.ReadFile("testdata/tau.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(tau, &list); err != nil {
		t.Fatal(err)
	}
	var lines, damaged bytes.Buffer
	damaged.WriteString("{\"task_id\": 1, \"traj\": [\n")
	for _, raw := range list {
		lines.WriteString("\n" + string(raw) + "\r\n")
		damaged.Write(append(raw, '\n'))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, tau); err != nil {
		t.Fatal(err)
	}
	want, _ := readAll(t, "x", tau, "")
	for name, data := range map[string][]byte{
		"lines": lines.Bytes(), "compact": compact.Bytes(), "with a byte order mark": append([]byte("\xef\xbb\xbf"), tau...),
		"simulations": []byte("{\n\"info\": 1,\n\"simulations\": " + string(tau) + "}"), "one line of simulations": []byte(`{"simulations":` + compact.String() + `}`),
		"a damaged first line": damaged.Bytes(),
	} {
		got, log := readAll(t, "x", data, "")
		if len(got) != len(want) {
			t.Fatalf("%s: %d conversations, %+v", name, len(got), log)
		}
		for i := range got {
			if got[i].Digest != want[i].Digest || got[i].Verdict != want[i].Verdict {
				t.Errorf("%s: conversation %d differs", name, i)
			}
		}
		if want := map[string]int{"a damaged first line": 1}[name]; log.Bad != want {
			t.Errorf("%s: %+v", name, log)
		}
	}
}

// TestInspectArchive reads a log in the .eval form.
func TestInspectArchive(t *testing.T) {
	text, err := os.ReadFile("testdata/inspect.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Eval    json.RawMessage   `json:"eval"`
		Samples []json.RawMessage `json:"samples"`
	}
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("NaN"), []byte("null")), &doc); err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	put := func(name, text string) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for i, raw := range doc.Samples {
		put(fmt.Sprintf("samples/%d_epoch_1.json", i), string(raw))
	}
	put("samples/9_epoch_1.json", "{")
	put("../../escape.json", "{}")
	put("header.json", `{"eval":`+string(doc.Eval)+`,"results":{"metrics":NaN}}`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	want, _ := readAll(t, "x", text, "")
	got, log := readAll(t, "x", data.Bytes(), "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"item 5 ended with an error", "item 6 is not valid JSON"}, log.Named); diff != "" {
		t.Error(diff)
	}
	if _, err := Read(bytes.NewReader(data.Bytes()[:300]), ReadOptions{}, func(Conversation) {}); err == nil {
		t.Error("a cut archive was read")
	}
}

// TestUnreadable checks that the error names the reason if nothing in a log can be read.
func TestUnreadable(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "it is empty",
		" \n\n":                         "it contains no conversation, because it is empty",
		"hello":                         "it contains no conversation: line 1 is not valid JSON",
		"42":                            "it contains no conversation: line 1 is not a JSON object",
		`{"a":1}`:                       "it contains no conversation: line 1 has no known format",
		"[1]":                           "it contains no conversation: item 1 is not a JSON object",
		"[{\"traj\":":                   "it contains no conversation: item 1 and everything after it cannot be read: the log ends in the middle of this item",
		"{\n\"results\":{\"results\":{": "its lists of results are nested too deeply",
		`{"messages":[]}`:               "it contains no conversation: line 1 has no known format",
		`{"messages":[{"role":"assistant","content":"x"}]}`: "it contains no conversation: line 1 has no message from a user",
		"{\"messages\":[\xff]}":                             "it contains no conversation: line 1 is not valid UTF-8",
		"PK\x03\x04":                                        "it is a ZIP archive that is truncated or damaged",
	} {
		_, err := Read(strings.NewReader(text), ReadOptions{Name: "x"}, func(Conversation) {})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader("{}"), ReadOptions{Format: "nonsense"}, nil); err == nil {
		t.Error("an unknown format was taken")
	}
}

// TestManyBad checks that the first ten bad records are named and that all of them are
// counted.
func TestManyBad(t *testing.T) {
	text := strings.Repeat("{\n", 25) + `{"user":"q","assistant":"a"}`
	_, log := readAll(t, "x", []byte(text), "")
	if log.Bad != 25 || len(log.Named) != 10 || log.Named[9] != "line 10 is not valid JSON" {
		t.Errorf("%+v", log)
	}
}

// TestMessagesTwice checks that a span and an event that both contain the messages of a
// call give one conversation, in either order. An enclosing call of the same conversation
// adds no other conversation.
func TestMessagesTwice(t *testing.T) {
	const attributes = `[{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Who keeps the light?\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Ada.\"}]}]"}}]`
	span := func(id, events string) string {
		return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"` + id + `","startTimeUnixNano":"5","attributes":` + attributes + `,"events":[` + events + `]}]}]}]}`
	}
	entry := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"t","spanId":"a","timeUnixNano":"6","eventName":"gen_ai.client.inference.operation.details","attributes":` + attributes + `}]}]}]}`
	message := `{"name":"gen_ai.user.message","attributes":[{"key":"content","value":{"stringValue":"Who keeps the light?"}}]}`
	verdict := `{"name":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.score.label","value":{"stringValue":"pass"}}]}`
	want := "otel x:1 t \"\" \"\"\n  user: Who keeps the light?[]\n  assistant: Ada.[]"
	for text, end := range map[string]string{
		span("a", message) + "\n" + entry:         "\n",
		entry + "\n" + span("a", message):         "\n",
		span("a", verdict) + "\n" + span("b", ""): " [true, evaluation pass]\n",
		span("b", "") + "\n" + span("a", verdict): " [true, evaluation pass]\n",
	} {
		list, _ := readAll(t, "x", []byte(text), "")
		if len(list) != 1 {
			t.Errorf("%d conversations of %s", len(list), text)
			continue
		}
		list[0].Line = 1
		if diff := cmp.Diff(want+end, told(list[0])); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

// TestFormatOverrides checks that a stated format decides how records are read.
func TestFormatOverrides(t *testing.T) {
	data := []byte(`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"reward":1,"task_id":7}`)
	for format, family := range map[Format]string{"": "", OpenAI: "", Tau: "x 7"} {
		list, _ := readAll(t, "x", data, format)
		if len(list) != 1 || list[0].Family != family || !list[0].Verdict.Approved {
			t.Errorf("%q: %+v", format, list)
		}
	}
}

// TestLongRecord checks that a line longer than the bound is counted and skipped, and that
// the rest is read.
func TestLongRecord(t *testing.T) {
	line := `{"user":"q","assistant":"a"}` + "\n"
	text := line + `{"user":"` + strings.Repeat("x", maxRecord) + "\"}\n" + line
	list, log := readAll(t, "x", []byte(text), "")
	if len(list) != 1 || len(list[0].Messages) != 4 || log.Bad != 1 || log.Named[0] != "line 2 is longer than 32 MB" {
		t.Errorf("%d, %+v", len(list), log)
	}
}

func TestFinite(t *testing.T) {
	in := `{"a":NaN,"b":[Infinity,-Infinity,-1],"c":"NaN \" -Infinity","d":null}`
	want := `{"a":null,"b":[null,null,-1],"c":"NaN \" -Infinity","d":null}`
	for _, size := range []int{1, 2, 3, 7, 1000} {
		var out []byte
		f := newFinite(strings.NewReader(in))
		for {
			buf := make([]byte, size)
			n, err := f.Read(buf)
			out = append(out, buf[:n]...)
			if err != nil {
				break
			}
		}
		if string(out) != want {
			t.Errorf("in pieces of %d: %s", size, out)
		}
	}
}

// FuzzRead checks that no log crashes the process, and that the conversations found in it
// stay within the bounds.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "")
	}
	for _, format := range Formats() {
		f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":null}]}],"samples":[[]],"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[{"name":"gen_ai.choice","attributes":[{"key":"message","value":{"arrayValue":{"values":[{}]}}}]}]}]}]}]}`), string(format))
	}
	f.Add([]byte("PK\x03\x04"), "")
	f.Add([]byte(strings.Repeat(`{"kvlistValue":{"values":[`, 300)), "otel")
	clean := scrub.New(nil).String
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		b := newBuilder(t, Options{PerDomain: 3, Scrub: clean})
		log, err := Read(bytes.NewReader(data), ReadOptions{Name: "x", Format: Format(format)}, func(c Conversation) {
			if len(c.ID) > maxName || len(c.Messages) == 0 || c.Digest == "" {
				t.Errorf("%+v", c)
			}
			b.Add(c)
		})
		if err == nil && log.Conversations == 0 || len(log.Named) > maxNamed {
			t.Errorf("%v, %+v", err, log)
		}
		tasks, s := b.Tasks()
		if len(tasks) != s.Kept || s.Search+s.Holdout != s.Kept {
			t.Errorf("%d tasks, %+v", len(tasks), s)
		}
		for i := range tasks {
			if !valid(tasks[i]) {
				t.Errorf("%+v is not valid in a suite", tasks[i])
			}
		}
	})
}
