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

	"evolve/bench"
)

// bfclForm is the form of an answer, which the task asks for.
const bfclForm = `Answer with the JSON list of the calls alone, each as {"function": {"parameter": value}}.`

// readBFCL reads questions of the Berkeley Function-Calling Leaderboard. The goal is the
// question with its functions; a JSON schema made of the possible answers grades the calls.
// Text is compared regardless of case. Questions of several turns need an API that BFCL
// simulates, and are left out.
func readBFCL(c *collector, data []byte) error {
	possible, err := c.possibleAnswers()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(c.o.Answers)) == 0 && !answered(data) {
		return errors.New("the possible answers of BFCL are in a file of their own, of the same name in the folder possible_answer: name it by --answers")
	}
	err = c.eachObject(data, func(line, number int, r row) error {
		c.ignore("", r, "id", "question", "function", "ground_truth")
		t := bench.Task{ID: r.foreignID("id")}
		if err := c.bfclQuestion(&t, r); err != nil {
			return err
		}
		truth, ok := r.find("ground_truth")
		if !ok {
			truth, ok = possible[t.ID]
		}
		switch {
		case !ok && len(possible) == 0:
			return errors.New("has no ground_truth")
		case !ok:
			return errors.New("has no possible answer in the file of --answers")
		}
		var calls []map[string]map[string][]json.RawMessage
		if err := json.Unmarshal(truth, &calls); err != nil || len(calls) == 0 {
			return errors.New("has possible answers that are not a list of calls with lists of values")
		}
		schema, answer, err := callsSchema(calls)
		if err != nil {
			return err
		}
		spec, err := grader(map[string]any{"type": "json_schema", "schema": schema})
		if err != nil {
			return err
		}
		t.Answer, t.Graders = &answer, []bench.GraderSpec{spec}
		c.add(line, number, t)
		return nil
	})
	if len(c.tasks) > 0 {
		c.note(0, "text in calls is compared regardless of case; BFCL ignores some punctuation, too")
	}
	return err
}

// possibleAnswers returns the answers of the second file by the ids of their questions.
func (c *collector) possibleAnswers() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(c.o.Answers)) == 0 {
		return out, nil
	}
	var bad error
	err := c.eachObject(c.o.Answers, func(line, _ int, r row) error {
		c.ignore("answers: ", r, "id", "ground_truth")
		id := r.foreignID("id")
		truth, ok := r.find("ground_truth")
		if id == "" || !ok {
			bad = fmt.Errorf("line %d of the answers has no id with a ground_truth", line)
			return nil
		}
		out[id] = truth
		return nil
	})
	if err == nil && len(out) == 0 && bad != nil {
		err = bad
	}
	return out, err
}

// answered reports whether a question of a file has its possible answers itself.
func answered(data []byte) bool {
	found := false
	err := newCollector(Options{}).eachObject(data, func(_, _ int, r row) error {
		_, ok := r.find("ground_truth")
		found = found || ok
		return nil
	})
	return found && err == nil
}

// bfclQuestion sets the goal, or the messages, of a question with its functions.
func (c *collector) bfclQuestion(t *bench.Task, r row) error {
	var turns []json.RawMessage
	if raw, _ := r.find("question"); json.Unmarshal(raw, &turns) != nil || len(turns) == 0 {
		return errors.New("has a question that is not a list of turns")
	}
	if len(turns) > 1 {
		return errors.New("has several turns, for which BFCL simulates an API")
	}
	messages, err := c.chat("question.", turns[0])
	if err != nil {
		return err
	}
	functions, ok := r.find("function")
	if !ok {
		return errors.New("has no functions")
	}
	var text bytes.Buffer
	if err := json.Compact(&text, functions); err != nil {
		return errors.New("has functions that are no JSON")
	}
	last := &messages[len(messages)-1]
	if last.Role != "user" {
		return errors.New("has a question that does not end with a message of the user")
	}
	last.Content += "\n\nThe functions: " + text.String() + "\n\n" + bfclForm
	if len(messages) == 1 {
		t.Goal = last.Content
		return nil
	}
	t.Messages = messages
	return nil
}

// callsSchema returns the schema of an answer that has all calls, in any order, and no other;
// and one such answer.
func callsSchema(calls []map[string]map[string][]json.RawMessage) (schema map[string]any, answer string, err error) {
	var all []any
	var example []map[string]map[string]json.RawMessage
	for _, call := range calls {
		if len(call) != 1 {
			return nil, "", errors.New("has a possible answer that is not one call")
		}
		for name, args := range call {
			values, first := argsSchema(args)
			all = append(all, map[string]any{"contains": object([]string{name}, map[string]any{name: values})})
			example = append(example, map[string]map[string]json.RawMessage{name: first})
		}
	}
	raw, err := json.Marshal(example)
	if err != nil {
		return nil, "", err
	}
	return map[string]any{"type": "array", "minItems": len(calls), "maxItems": len(calls), "allOf": all}, string(raw), nil
}

// argsSchema returns the schema of the arguments of a call, of which each has a list of
// possible values, and the first of each. An argument with the value "" may be left out.
func argsSchema(args map[string][]json.RawMessage) (schema map[string]any, first map[string]json.RawMessage) {
	var required []string
	properties := map[string]any{}
	first = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		optional := slices.ContainsFunc(args[name], func(v json.RawMessage) bool { return string(v) == `""` })
		var choices []any
		for _, v := range args[name] {
			choices = append(choices, valueSchema(v))
		}
		properties[name] = map[string]any{"anyOf": choices}
		if !optional && len(args[name]) > 0 {
			required = append(required, name)
			first[name] = args[name][0]
		}
	}
	return object(required, properties), first
}

// valueSchema returns the schema of one possible value. An object has lists of values in its
// turn.
func valueSchema(v json.RawMessage) map[string]any {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return map[string]any{"type": "string", "pattern": "(?i)^" + regexp.QuoteMeta(strings.TrimSpace(text)) + "$"}
	}
	var inner map[string][]json.RawMessage
	if json.Unmarshal(v, &inner) == nil {
		schema, _ := argsSchema(inner)
		return schema
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil {
		items := make([]any, len(list))
		for i, item := range list {
			items[i] = valueSchema(item)
		}
		schema := map[string]any{"type": "array", "minItems": len(list), "maxItems": len(list)}
		if len(items) > 0 {
			schema["prefixItems"] = items
		}
		return schema
	}
	return map[string]any{"const": v}
}

func object(required []string, properties map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
