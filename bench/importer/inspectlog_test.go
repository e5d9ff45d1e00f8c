package importer

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// logOf returns an Inspect log in the form that version 0.3 writes, with the given fields
// of the evaluation, status and samples.
func logOf(spec, status, results, samples string) string {
	return `{"version": 2, "status": "` + status + `", "eval": {"run_id": "XmHA", "created": "2025-07-05T09:59:40-04:00", "task": "capitals",
  "dataset": {"name": "capitals", "location": "capitals.jsonl", "samples": 2, "sample_ids": [1, 2], "shuffled": false},
  "model": "ollama/gemma3", "config": {"epochs": 2}` + spec + `},
 "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
 "results": ` + results + `, "stats": {"started_at": "2025-07-05T09:59:40-04:00"}, "samples": [` + samples + `]}`
}

// sampleOf returns a sample of a log, including the sample's answer and score.
func sampleOf(id, epoch, fields string) string {
	return `{"id": ` + id + `, "epoch": ` + epoch + `, ` + fields + `, "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Bergen"}],
  "output": {"model": "gemma3", "choices": []}, "scores": {"s": {"value": "I", "answer": "Bergen"}}, "metadata": {"category": "north", "label": 1},
  "store": {}, "events": [{"event": "sample_init", "sample": {"input": "attachment://dfed"}}], "attachments": {"dfed": "?"}}`
}

func TestInspectLog(t *testing.T) {
	const (
		oslo  = `"input": "Capital of Norway?", "target": "Oslo"`
		rome  = `"input": [{"id": "Kb", "role": "user", "content": "Capital?"}], "target": ["Rome", "Roma"]`
		judge = `1 task is graded by a judge model on the route "default", unless a grader names another route in "route"`
		label = `not read, and therefore in no task: "metadata.label"`
		// In a log, the messages of an input have ids.
		labels  = `not read, and therefore in no task: "input.id", "metadata.label"`
		results = `the tasks leave out the answers and scores of the evaluation: "eval", "plan", "results", "samples.attachments", "samples.epoch", "samples.events", "samples.messages", "samples.output", "samples.scores", "stats", "status", "version"`
		// For a log without results, the note does not name them.
		ended = `the tasks leave out the answers and scores of the evaluation: "eval", "plan", "samples.attachments", "samples.epoch", "samples.events", "samples.messages", "samples.output", "samples.scores", "stats", "status", "version"`
	)
	plain := `{"id":"1","domain":"north","goal":"Capital of Norway?","answer":"Oslo"}`
	graded := `{"id":"1","domain":"north","goal":"Capital of Norway?","graders":[{"rubric":"` + meetsReference + `","type":"judge"}],"answer":"Oslo"}`
	two := sampleOf("1", "1", oslo) + "," + sampleOf("2", "1", rome)
	for name, c := range map[string]struct {
		log    string
		grader string
		tasks  []string
		notes  []string
	}{
		"a scorer without a model": {
			logOf(`, "scorers": [{"name": "match", "options": {}, "metrics": [], "metadata": {}}]`, "success", `{"total_samples": 2, "scores": []}`, two), "",
			[]string{plain, `{"id":"2","domain":"north","goal":"Capital?","graders":[{"answer":["Rome","Roma"],"type":"exact"}],"answer":"Rome"}`},
			[]string{`the log's scorer "match" is not imported: exact grades instead; to use a different grader, pass --grader`, labels, results},
		},
		"a model as scorer, epochs": {
			logOf(`, "scorers": [{"name": "inspect_ai/model_graded_qa", "options": {"partial_credit": true, "model": null}}, {"name": "match"}]`, "cancelled",
				`{"scores": [{"metrics": {"stderr": {"value": NaN}, "max": {"value": -Infinity}, "NaN \" NaN": {"value": 1}}}]}`,
				sampleOf("1", "1", oslo)+","+sampleOf("1", "2", oslo)), "",
			[]string{graded},
			[]string{
				`the log's scorer model_graded_qa has its own "partial_credit", which is not in the judge's rubric: edit the rubric`,
				`the log's scorer "match" is not imported: model_graded_qa grades instead; to use a different grader, pass --grader`,
				`the log's 2 samples come from several epochs of 1 task`,
				`the log contains only 1 of the 2 tasks in its data set (status of the log: "cancelled")`,
				judge, label, results,
			},
		},
		"an older log names its scorer with the results": {
			logOf("", "success", `{"scores": [{"name": "model_graded_qa", "scorer": "model_graded_qa", "params": {}}]}`, sampleOf("1", "1", oslo)), "",
			[]string{graded},
			[]string{`the log contains only 1 of the 2 tasks in its data set (status of the log: "success")`, judge, label, results},
		},
		"another grader": {
			logOf(`, "scorers": [{"name": "model_graded_qa"}]`, "success", `null`, two), "f1",
			[]string{
				`{"id":"1","domain":"north","goal":"Capital of Norway?","graders":[{"type":"f1"}],"answer":"Oslo"}`,
				`{"id":"2","domain":"north","goal":"Capital?","graders":[{"answer":["Rome","Roma"],"type":"f1"}],"answer":"Rome"}`,
			},
			[]string{labels, ended},
		},
		"the scorer includes": {
			logOf(`, "scorers": [{"name": "includes", "options": {"ignore_case": true}}]`, "success", `{"scores": []}`, two), "",
			[]string{
				`{"id":"1","domain":"north","goal":"Capital of Norway?","graders":[{"ignore_case":true,"type":"contains"}],"answer":"Oslo"}`,
				`{"id":"2","domain":"north","goal":"Capital?","graders":[{"answer":["Rome","Roma"],"ignore_case":true,"type":"contains"}],"answer":"Rome"}`,
			},
			[]string{labels, results},
		},
		"includes that minds the case": {
			logOf(`, "scorers": [{"name": "includes", "options": {"ignore_case": false}}]`, "success", `null`, sampleOf("1", "1", oslo)), "",
			[]string{plain},
			[]string{
				`the log's scorer "includes" is not imported: exact grades instead; to use a different grader, pass --grader`,
				`the log contains only 1 of the 2 tasks in its data set (status of the log: "success")`, label, ended,
			},
		},
		"what is outside of the log": {
			logOf("", "success", `null`, two+","+sampleOf("3", "1", `"files": ["a.txt"], `+oslo)+","+
				sampleOf("4", "1", `"input": [{"role": "user", "content": [{"type": "text", "text": "attachment://dfed"}]}], "target": "x"`)), "",
			[]string{plain, `{"id":"2","domain":"north","goal":"Capital?","graders":[{"answer":["Rome","Roma"],"type":"exact"}],"answer":"Rome"}`},
			[]string{
				`the log's scorer "s" is not imported: exact grades instead; to use a different grader, pass --grader`,
				"item 3 left out: it needs files, but nothing outside this file is read",
				"item 4 left out: it has an input with an attachment, but only text can be read", labels, ended,
			},
		},
	} {
		for form, log := range map[string]string{"JSON": c.log, ".eval": zippedForm(t, c.log)} {
			tasks, notes, err := lines(t, log, Options{Grader: c.grader})
			if err != nil {
				t.Errorf("%s as %s: %v", name, form, err)
			}
			if d := cmp.Diff([][]string{c.tasks, c.notes}, [][]string{tasks, notes}); d != "" {
				t.Errorf("%s as %s: %s", name, form, d)
			}
		}
	}
	damaged := zippedLog(t, logOf("", "success", "null", ""), "samples/1_epoch_1.json", sampleOf("1", "1", oslo), "samples/2_epoch_1.json", `{"id": 2, `)
	tasks, notes, err := lines(t, damaged, Options{})
	if err != nil || len(tasks) != 1 || notes[0] != "left out: sample 2 is not valid JSON" {
		t.Errorf("%v, %q, %v", tasks, notes, err)
	}
}

// zippedLog returns a log in the .eval form, with files given by their names. As in
// Inspect's own files, the log begins with the data known at its start.
func zippedLog(t *testing.T, header string, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	files = append([]string{"_journal/start.json", `{"version": 2, "eval": {}}`, "header.json", header}, files...)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// zippedForm returns a JSON log in the .eval form.
func zippedForm(t *testing.T, log string) string {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(finite([]byte(log)), &doc); err != nil {
		t.Fatal(err)
	}
	var samples []json.RawMessage
	if err := json.Unmarshal(doc["samples"], &samples); err != nil {
		t.Fatal(err)
	}
	var files []string
	for i, raw := range samples {
		files = append(files, fmt.Sprintf("samples/%d_epoch_1.json", i), string(raw))
	}
	delete(doc, "samples")
	header, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return zippedLog(t, string(header), files...)
}

// TestInspectLogRefused checks that a log without tasks is refused, and that the error
// states what can be done.
func TestInspectLogRefused(t *testing.T) {
	sample := sampleOf("1", "1", `"input": "x", "target": "y"`)
	for log, want := range map[string]string{
		logOf("", "started", "null", ""):                                                      "the log contains no samples (Inspect omits them from a header and with --no-log-samples); import the data set itself",
		`{"version": 2, "status": "success", "eval": {"task": "x"}, "samples": {}}`:           "the log is not a valid Inspect log",
		logOf(`, "sandbox": {"type": "docker", "config": "c.yaml"}`, "success", "{}", sample): "no task could be read as inspect",
		"PK\x03\x04\xff": "it is a ZIP archive that is truncated or damaged",
		zippedLog(t, `{"eval": {}}`, "notes.txt", "x"):                     "it is a ZIP archive without Inspect samples",
		zippedLog(t, `{"eval": {}}`, "samples/1_epoch_1.json", `{"id": 1`): "the log contains no samples",
	} {
		_, _, err := lines(t, log, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
