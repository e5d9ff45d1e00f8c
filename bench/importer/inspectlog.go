package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	visible "evolve/runtime/text"
)

// inspectLog is the part of an Inspect log, in JSON, that describes the log's tasks. The
// log also holds the answers and scores of one evaluation, which do not become part of
// any task.
type inspectLog struct {
	Status string `json:"status"`
	Eval   struct {
		Scorers []inspectScorer `json:"scorers"`
		Sandbox json.RawMessage `json:"sandbox"`
		Dataset struct {
			Samples int `json:"samples"`
		} `json:"dataset"`
	} `json:"eval"`
	Results struct {
		Scores []struct {
			Name   string         `json:"name"`
			Scorer string         `json:"scorer"`
			Params map[string]any `json:"params"`
		} `json:"scores"`
	} `json:"results"`
	Samples []row `json:"samples"`
}

// inspectScorer is a scorer with its arguments.
type inspectScorer struct {
	Name    string         `json:"name"`
	Options map[string]any `json:"options"`
}

// zipped is the beginning of a ZIP archive, the other form of a log.
var zipped = []byte("PK\x03\x04")

// isInspectLog reports whether a JSON object is a log of Inspect.
func isInspectLog(doc row) bool {
	var spec row
	if raw, ok := doc.find("eval"); !ok || json.Unmarshal(raw, &spec) != nil {
		return false
	}
	_, ok := doc.find("samples", "status", "plan")
	return ok
}

// readInspectLog reads each sample of a log once. It returns false if the data is not one
// JSON object with the keys of a log.
func readInspectLog(c *collector, data []byte) (bool, error) {
	var doc row
	if isObject := json.Unmarshal(data, &doc) == nil; !isObject || !isInspectLog(doc) {
		return false, nil
	}
	var log inspectLog
	if err := json.Unmarshal(data, &log); err != nil {
		return true, errors.New("the log is not a valid Inspect log")
	}
	if len(log.Samples) == 0 {
		return true, errors.New("the log contains no samples (Inspect omits them from a header and with --no-log-samples); import the data set itself")
	}
	c.logGrader(log.scorers())
	c.logResults(doc, log.Samples)
	samples := log.tasks()
	if all := len(log.Samples); all > len(samples) {
		c.note(0, "the log's %d samples come from several epochs of %s", all, visible.Count(len(samples), "task"))
	}
	if all := log.Eval.Dataset.Samples; all > len(samples) {
		c.note(0, "the log contains only %s of the %s in its data set (status of the log: %s)", visible.Whole(len(samples)), visible.Count(all, "task"), show(log.Status))
	}
	list, err := json.Marshal(samples)
	if err != nil {
		return true, err
	}
	return true, c.samples(list, "target", "a target", "choices", "metadata")
}

// sampleKeys are the keys of a sample that describe its task.
func sampleKeys() []string {
	return []string{"id", "input", "target", "choices", "metadata", "files", "sandbox", "setup"}
}

// logResults records the parts of a log that describe the evaluation.
func (c *collector) logResults(doc row, samples []row) {
	for key, raw := range doc {
		if key != "samples" && !hollow(raw) {
			c.results[key]++
		}
	}
	for _, sample := range samples {
		for key, raw := range sample {
			if !slices.Contains(sampleKeys(), key) && !hollow(raw) {
				c.results["samples."+key]++
			}
		}
	}
}

// tasks returns the samples, without repetitions in further epochs and with only the keys
// of a task. A sandbox of the evaluation applies to each sample that has none.
func (l inspectLog) tasks() []row {
	var out []row
	seen := map[string]bool{}
	for _, sample := range l.Samples {
		id := string(sample["id"])
		if id != "" && seen[id] {
			continue
		}
		seen[id] = true
		maps.DeleteFunc(sample, func(key string, _ json.RawMessage) bool {
			return !slices.Contains(sampleKeys(), key)
		})
		if _, ok := sample.find("sandbox"); !ok && len(l.Eval.Sandbox) > 0 {
			sample["sandbox"] = l.Eval.Sandbox
		}
		out = append(out, sample)
	}
	return out
}

// scored returns the names of the scores of the samples, in order.
func (l inspectLog) scored() []string {
	names := map[string]bool{}
	for _, sample := range l.Samples {
		var scores row
		if json.Unmarshal(sample["scores"], &scores) == nil {
			for name := range scores {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// scorers returns the scorers of the evaluation. Older logs name them only with the
// results, and the log of an evaluation that ended early names them only with the scores of
// samples.
func (l inspectLog) scorers() []inspectScorer {
	list := l.Eval.Scorers
	if len(list) == 0 {
		for _, s := range l.Results.Scores {
			list = append(list, inspectScorer{cmp.Or(s.Scorer, s.Name), s.Params})
		}
	}
	if len(list) == 0 {
		for _, name := range l.scored() {
			list = append(list, inspectScorer{Name: name})
		}
	}
	for i := range list {
		list[i].Name = strings.TrimPrefix(list[i].Name, "inspect_ai/")
	}
	return list
}

// logGrader adopts the scorer of a log if it has an equivalent, unless another grader was
// chosen, and adds notes on the scorers and options that it does not adopt.
func (c *collector) logGrader(scorers []inspectScorer) {
	if c.o.Grader != "" {
		return
	}
	var others []string
	for _, s := range scorers {
		equivalent := slices.Contains(InspectScorers(), s.Name) && s.Options["ignore_case"] != false
		if c.o.Grader != "" || !equivalent {
			if !slices.Contains([]string{"exact", "choice", c.o.Grader}, s.Name) {
				others = append(others, show(s.Name))
			}
			continue
		}
		c.o.Grader = s.Name
		for _, option := range []string{"instructions", "template", "partial_credit"} {
			if v := s.Options[option]; v != nil && v != false {
				c.note(0, "the log's scorer %s has its own %q, which is not in the judge's rubric: edit the rubric", s.Name, option)
			}
		}
	}
	if len(others) > 0 {
		c.noteWhole("the log's scorer %s is not imported: %s grades instead; to use a different grader, pass --grader", strings.Join(slices.Compact(others), ", "), cmp.Or(c.o.Grader, "exact"))
	}
}

// attached reports whether an input refers to an attachment of its log, such as an image.
func attached(input json.RawMessage) bool {
	return bytes.Contains(input, []byte(`"attachment://`)) || bytes.Contains(input, []byte(`"tc://`))
}

// finite returns a JSON object in which the numbers NaN and Infinity, which Inspect writes
// for a metric without a value, are replaced by null. It returns other data unchanged.
func finite(data []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) || json.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i, quoted := 0, false; i < len(data); i++ {
		word := ""
		for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
			if !quoted && bytes.HasPrefix(data[i:], []byte(w)) {
				word = w
			}
		}
		switch {
		case word != "":
			out = append(out, "null"...)
			i += len(word) - 1
			continue
		case data[i] == '"':
			quoted = !quoted
		case data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		}
		out = append(out, data[i])
	}
	if !json.Valid(out) {
		return data
	}
	return out
}
