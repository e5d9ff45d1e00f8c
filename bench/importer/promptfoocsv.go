package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The columns with a special meaning in promptfoo's tables of tests; the others are
// variables.
const (
	expectedColumn = "__expected"
	metadataColumn = "__metadata:"
)

// isTestTable reports whether the first line of a table has a column of expected outputs.
func isTestTable(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(first))
	r.LazyQuotes = true
	record, err := r.Read()
	return err == nil && slices.ContainsFunc(record, isExpected)
}

// isExpected reports whether a column has an expected output: it is called __expected, with
// or without a number.
func isExpected(name string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(name), expectedColumn)
	return ok && strings.Trim(rest, "0123456789") == ""
}

// testTable converts a table of promptfoo's tests into its list of tests, one mapping for
// each record. Malformed records are left out with a note.
func (c *collector) testTable(data []byte) (*yaml.Node, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	tests := &yaml.Node{Kind: yaml.SequenceNode}
	var header []string
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return tests, nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			c.note(bad.StartLine, "left out: %s", tableProblem(bad))
			continue
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if header == nil {
			for _, name := range record {
				header = append(header, strings.TrimSpace(name))
			}
			continue
		}
		tests.Content = append(tests.Content, c.tableTest(header, record, line))
	}
}

// tableTest converts a record of a table into a test.
func (c *collector) tableTest(header, record []string, line int) *yaml.Node {
	vars, metadata := mapping(line), mapping(line)
	asserts := &yaml.Node{Kind: yaml.SequenceNode, Line: line}
	test := mapping(line)
	for i, cell := range record {
		if i >= len(header) || header[i] == "" {
			if strings.TrimSpace(cell) != "" {
				c.unread["a column without a name"]++
			}
			continue
		}
		name := header[i]
		key, isMetadata := strings.CutPrefix(name, metadataColumn)
		switch {
		case isExpected(name):
			if strings.TrimSpace(cell) != "" {
				asserts.Content = append(asserts.Content, tableAssertion(cell, line))
			}
		case isMetadata:
			set(metadata, strings.TrimSuffix(key, "[]"), cell)
		case name == "__description":
			set(test, "description", cell)
		case strings.HasPrefix(name, "__"):
			if strings.TrimSpace(cell) != "" {
				c.unread[name]++
			}
		default:
			set(vars, name, cell)
		}
	}
	put(test, "vars", vars)
	put(test, "assert", asserts)
	put(test, "metadata", metadata)
	return test
}

// typed matches an expected output that names the type of its assertion: "contains: x",
// "similar(0.8): x", "is-json".
var typed = regexp.MustCompile(`^\s*((?:not-)?[a-z][a-z-]*)(?:\(([0-9.]+)\))?\s*(?::((?s:.*)))?$`)

// assertionTypes are the types that an expected output can name. If the text before a colon
// is not one of these types, it is part of the expected output.
const assertionTypes = " answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json contains-sql contains-xml " +
	"context-faithfulness context-recall context-relevance cost equals eval f-score factuality finish-reason fn g-eval gleu grade guardrails " +
	"icontains icontains-all icontains-any is-html is-json is-refusal is-sql is-valid-function-call is-valid-openai-function-call " +
	"is-valid-openai-tools-call is-xml javascript latency levenshtein llm-rubric meteor model-graded-closedqa model-graded-factuality moderation " +
	"perplexity perplexity-score pi python regex rouge-n ruby search-rubric select-best similar starts-with webhook word-count "

// alone reports whether an assertion of this name needs no value.
func alone(name string) bool {
	return strings.HasPrefix(name, "is-") || slices.Contains([]string{"contains-html", "contains-json", "contains-sql", "contains-xml", "cost", "latency", "guardrails"}, name)
}

// tableAssertion returns the assertion that a cell describes. A cell without a type is the
// complete expected output.
func tableAssertion(cell string, line int) *yaml.Node {
	a := mapping(line)
	m := typed.FindStringSubmatch(cell)
	base := ""
	if m != nil {
		base = strings.TrimPrefix(m[1], "not-")
	}
	if base == "" || !strings.Contains(assertionTypes, " "+base+" ") || m[3] == "" && !alone(base) {
		set(a, "type", "equals")
		set(a, "value", cell)
		return a
	}
	name := m[1]
	switch name {
	case "grade":
		name = "llm-rubric"
	case "fn", "eval":
		name = "javascript"
	}
	set(a, "type", name)
	if value := strings.TrimSpace(m[3]); value != "" {
		set(a, "value", value)
	}
	if m[2] != "" {
		set(a, "threshold", m[2])
	}
	return a
}

func mapping(line int) *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Line: line} }

// set adds a key with a text to a mapping, and put adds a key with any value.
func set(n *yaml.Node, key, value string) {
	put(n, key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: n.Line})
}

func put(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: n.Line}, value)
}
