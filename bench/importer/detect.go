package importer

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// The usual names of the fields of a row, in order of preference.
var (
	questionNames = []string{"question", "goal", "prompt", "input", "query", "instruction", "text", "utterance"}
	answerNames   = []string{"answer", "target", "expected", "ideal", "output", "completion", "reference", "ground_truth", "label", "intent"}
	choiceNames   = []string{"choices", "options"}
	domainNames   = []string{"domain", "category", "subject"}
)

// promptfooKey matches a line of a promptfoo configuration in YAML.
var promptfooKey = regexp.MustCompile(`(?m)^(?:tests|prompts|providers|defaultTest|- *(?:vars|assert|description)) *:`)

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

// ofDocument detects the formats that are one JSON object.
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

// ofRow detects the formats by the keys of the first object.
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

// rowsOf decodes a list of objects; nil for anything else.
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
