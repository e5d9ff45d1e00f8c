package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"go.yaml.in/yaml/v4"

	"evolve/bench"
	visible "evolve/runtime/text"
)

// outputOf returns the results of an evaluation by promptfoo, and reports whether the
// document has a list of results.
func outputOf(root *yaml.Node) ([]*yaml.Node, bool) {
	list := root
	if root.Kind == yaml.MappingNode {
		list = field(root, "results")
		if list != nil && list.Kind == yaml.MappingNode {
			list = field(list, "results")
		}
	}
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, false
	}
	for _, item := range list.Content {
		if field(resolve(item), "testCase") != nil {
			return list.Content, true
		}
	}
	return nil, root.Kind == yaml.MappingNode
}

// output adds each test of an evaluation once, with its first prompt as it was sent.
// Answers and scores do not become part of any task.
func (p *promptfoo) output(results []*yaml.Node) error {
	if len(results) == 0 {
		return errors.New("the output of promptfoo has no results")
	}
	seen := map[string]bool{}
	repeated, prompts := 0, map[string]bool{}
	for i, item := range results {
		item = resolve(item)
		countKeys(p.c.results, "results.", item, "testCase", "prompt")
		test := field(item, "testCase")
		if test == nil {
			p.c.note(item.Line, "result %d left out: it has no test", i+1)
			continue
		}
		prompt := field(item, "prompt")
		if prompt != nil && prompt.Kind == yaml.MappingNode {
			prompt = field(prompt, "raw")
		}
		key := testKey(item, test)
		if seen[key] {
			repeated++
			if index := field(item, "promptIdx"); isScalar(index) {
				prompts[index.Value] = true
			}
			continue
		}
		seen[key] = true
		if index := field(item, "promptIdx"); isScalar(index) {
			prompts[index.Value] = true
		}
		if !isScalar(prompt) {
			p.c.note(item.Line, "result %d left out: it has no prompt", i+1)
			continue
		}
		p.sent = prompt.Value
		if err := p.test(test, len(seen)); err != nil {
			p.c.note(item.Line, "test %d left out: %v", len(seen), err)
		}
	}
	if repeated > 0 {
		p.c.note(0, "the first result of each test becomes the task; %s from other prompts, providers and repeats left out", visible.Count(repeated, "result"))
	}
	if len(prompts) > 1 {
		p.c.note(0, "the evaluation had %s; each task uses the first prompt of its test", visible.Count(len(prompts), "prompt"))
	}
	return nil
}

// testKey returns a key that distinguishes the tests of an evaluation: their number, or
// their variables.
func testKey(result, test *yaml.Node) string {
	if index := field(result, "testIdx"); isScalar(index) {
		return index.Value
	}
	vars := field(test, "vars")
	if vars == nil {
		vars = field(result, "vars")
	}
	if vars == nil {
		return ""
	}
	v, err := plain(vars)
	if err != nil {
		return strconv.Itoa(result.Line)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return strconv.Itoa(result.Line)
	}
	return "vars " + string(raw)
}

// sentGoal sets the goal to a prompt as it was sent, which may be a list of chat messages.
func (p *promptfoo) sentGoal(t *bench.Task, prompt string) {
	messages, err := p.c.chat("prompt.", []byte(prompt))
	switch {
	case err != nil:
		t.Goal = prompt
	case len(messages) == 1 && messages[0].Role == "user":
		t.Goal = messages[0].Content
	default:
		t.Messages = messages
	}
}

// joined returns JSON lines as one list, and other data unchanged.
func joined(data []byte) []byte {
	trimmed := bytes.TrimSpace(data)
	first, rest, more := bytes.Cut(trimmed, []byte("\n"))
	if !more || !bytes.HasPrefix(trimmed, []byte("{")) || !json.Valid(first) || json.Valid(trimmed) {
		return data
	}
	out := append([]byte("["), first...)
	for line := range bytes.Lines(rest) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(append(out, ",\n"...), line...)
		}
	}
	return append(out, ']')
}
