package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The usual names of the fields of a row, in order of preference.
var (
	questionNames = []string{"question", "goal", "prompt", "input", "query", "instruction", "text", "utterance"}
	answerNames   = []string{"answer", "target", "expected", "ideal", "output", "completion", "reference", "ground_truth", "label", "intent"}
	choiceNames   = []string{"choices", "options"}
	domainNames   = []string{"domain", "category", "subject"}
)

// promptfooKey matches a line of a promptfoo configuration or of promptfoo's results in YAML.
var promptfooKey = regexp.MustCompile(`(?m)^(?:evalId|tests|prompts|providers|defaultTest|- *(?:vars|assert|description)) *:`)

// Detect detects the format from the content; it returns "" when it cannot.
func Detect(data []byte) Format {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return ""
	}
	switch data[0] {
	case '{':
		var whole row
		if json.Unmarshal(data, &whole) == nil {
			if f := ofDocument(whole); f != "" {
				return f
			}
			return ofRow(whole)
		}
		first, _, _ := bytes.Cut(data, []byte("\n"))
		var r row
		if json.Unmarshal(first, &r) == nil {
			return ofRow(r)
		}
		return ""
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil || len(list) == 0 {
			return ""
		}
		if isPair(list[0]) {
			return Labelled
		}
		var r row
		if json.Unmarshal(list[0], &r) != nil {
			return ""
		}
		return ofRow(r)
	}
	if promptfooKey.Match(data) || isTestTable(data) {
		return Promptfoo
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if isTopics(data) {
		return Retrieval
	}
	if bytes.ContainsAny(first, ",;\t") {
		return CSV
	}
	return ""
}

// detect detects the format from the content and the selected columns: objects that match
// no format are questions if they have the columns of a question and an answer.
func detect(data []byte, chosen Columns) Format {
	if f := Detect(data); f != "" {
		return f
	}
	first := firstObject(data)
	has := func(column string, usual []string) bool {
		if column != "" {
			usual = []string{column}
		}
		_, ok := first.find(usual...)
		return ok
	}
	if has(chosen.Question, questionNames) && has(chosen.Answer, answerNames) {
		return Questions
	}
	return ""
}

// firstObject returns the first object of JSON lines or of a JSON list, or nil if there is
// none.
func firstObject(data []byte) row {
	var list []row
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		return list[0]
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var r row
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	return r
}

// maxKeys limits the number of keys that the error for an unknown format lists.
const maxKeys = 12

// unknownFormat returns the error for a file of no known format, with the keys of its objects.
func unknownFormat(data []byte) error {
	keys := slices.Sorted(maps.Keys(firstObject(data)))
	if len(keys) == 0 {
		return errors.New("the format cannot be detected from the content; name the format")
	}
	for i, key := range keys {
		keys[i] = show(key)
	}
	if more := len(keys) - maxKeys; more > 0 {
		keys = append(keys[:maxKeys], fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("the format cannot be detected from the content; its first object has %s: name the format, or say which of these keys hold the question and the answer", strings.Join(keys, ", "))
}

// ofDocument detects the format of a file that is one JSON object.
func ofDocument(doc row) Format {
	if _, ok := doc.find("tests", "prompts", "defaultTest"); ok {
		return Promptfoo
	}
	if isInspectLog(doc) {
		return Inspect
	}
	if isPromptfooOutput(doc) {
		return Promptfoo
	}
	if list := rowsOf(doc["tasks"]); len(list) > 0 && isTau(list[0]) {
		return Tau
	}
	for _, raw := range doc {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 && isPair(list[0]) {
			return Labelled
		}
	}
	return ""
}

// ofRow detects the format of a file from the keys of its first object.
func ofRow(r row) Format {
	has := func(names ...string) bool { _, ok := r.find(names...); return ok }
	switch {
	case isTau(r):
		return Tau
	case has("question") && has("function", "involved_classes", "initial_config"):
		return BFCL
	case has("_id") && has("text") && !has(answerNames...):
		return Retrieval
	case has("vars", "assert", "testCase"):
		return Promptfoo
	case has("input") && has("ideal"):
		return Evals
	case has("input") && has("target", "choices"):
		return Inspect
	case has(questionNames...) && has(answerNames...):
		return Questions
	}
	return ""
}

func isPair(raw json.RawMessage) bool {
	var pair []string
	return json.Unmarshal(raw, &pair) == nil && len(pair) == 2
}

// rowsOf decodes a list of objects. It returns nil for anything else.
func rowsOf(raw json.RawMessage) []row {
	var list []row
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// isPromptfooOutput reports whether a JSON object is the output of an evaluation by promptfoo.
func isPromptfooOutput(doc row) bool {
	raw := doc["results"]
	var inner row
	if json.Unmarshal(raw, &inner) == nil {
		raw = inner["results"]
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return false
	}
	var first row
	if json.Unmarshal(list[0], &first) != nil {
		return false
	}
	_, ok := first.find("testCase")
	return ok
}
