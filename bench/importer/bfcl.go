package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"evolve/bench"
)

// bfclForm is the part of the goal that prescribes the form of the answer.
const bfclForm = `Answer with the JSON list of the calls alone, each as {"function": {"parameter": value}}; it is empty if no function fits.`

// readBFCL reads questions of the Berkeley Function-Calling Leaderboard. The goal is the
// question with its functions; a JSON schema made of the possible answers grades the calls.
// Text is compared regardless of case. Questions for an API that BFCL simulates are left out,
// as are those whose calls it executes.
func readBFCL(c *collector, data []byte) error {
	possible, err := c.possibleAnswers()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(c.o.Answers)) == 0 && lacksAnswers(data) {
		return errors.New("BFCL keeps the possible answers in a separate file, which has the same name in the folder possible_answer: pass it with --answers")
	}
	err = c.eachObject(data, func(line, number int, r row) error {
		c.ignore("", r, "id", "question", "function", "ground_truth")
		t := bench.Task{ID: r.foreignID("id")}
		if err := c.bfclQuestion(&t, r); err != nil {
			return err
		}
		schema, answer, err := bfclSchema(r, t.ID, possible)
		if err != nil {
			return err
		}
		spec, err := grader(map[string]any{"type": "json_schema", "schema": schema})
		if err != nil {
			return err
		}
		t.Answer, t.Graders = answer, []bench.GraderSpec{spec}
		c.add(line, number, t)
		return nil
	})
	if len(c.tasks) > 0 {
		c.note(0, "text in calls is compared regardless of case; BFCL also ignores some punctuation")
	}
	return err
}

// possibleAnswers returns the answers in the second file, by the ids of their questions.
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
			bad = fmt.Errorf("line %d of the answers has no id or no ground_truth", line)
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

// lacksAnswers reports whether a file needs a separate file of possible answers: at least
// one of its questions needs possible answers, and no question has answers of its own.
func lacksAnswers(data []byte) bool {
	lacks, own := false, false
	err := newCollector(Options{}).eachObject(data, func(_, _ int, r row) error {
		_, truth := r.find("ground_truth")
		own = own || truth
		lacks = lacks || !simulated(r) && !relevance.MatchString(r.foreignID("id"))
		return nil
	})
	return err != nil || lacks && !own
}

// relevance matches the ids of questions that have no possible answers. They ask whether a
// function fits; in the questions about irrelevance, none does.
var relevance = regexp.MustCompile(`^(?:live_)?(ir)?relevance_`)

// simulated reports whether a question needs an API that BFCL simulates.
func simulated(r row) bool {
	_, ok := r.find("involved_classes", "initial_config")
	return ok
}

// bfclSchema returns the schema of the calls that answer a question, and one such answer if
// it is known.
func bfclSchema(r row, id string, possible map[string]json.RawMessage) (schema map[string]any, answer *string, err error) {
	truth, ok := r.find("ground_truth")
	if !ok {
		truth, ok = possible[id]
	}
	switch kind := relevance.FindStringSubmatch(id); {
	case ok:
	case kind != nil && kind[1] != "":
		none := "[]"
		return map[string]any{"type": "array", "maxItems": 0}, &none, nil
	case kind != nil:
		schema, err = anyCall(r)
		return schema, nil, err
	case len(possible) == 0:
		return nil, nil, errors.New("has no ground_truth")
	default:
		return nil, nil, errors.New("has no possible answer in the --answers file")
	}
	var calls []map[string]map[string][]json.RawMessage
	if err := json.Unmarshal(truth, &calls); err != nil || len(calls) == 0 {
		if code, _ := texts(truth); len(code) > 0 {
			return nil, nil, errors.New("has its possible answers as code, which BFCL executes")
		}
		return nil, nil, errors.New("has possible answers that are not a list of calls with lists of values")
	}
	schema, first, err := callsSchema(calls)
	return schema, &first, err
}

// bfclQuestion sets the goal or the messages of a task from a question and its functions.
func (c *collector) bfclQuestion(t *bench.Task, r row) error {
	var turns []json.RawMessage
	if raw, _ := r.find("question"); json.Unmarshal(raw, &turns) != nil || len(turns) == 0 {
		return errors.New("has a question that is not a list of turns")
	}
	switch {
	case len(turns) > 1:
		return errors.New("has several turns, for which BFCL simulates an API")
	case simulated(r):
		return errors.New("needs an API that BFCL simulates")
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
		return errors.New("has functions that are not JSON")
	}
	last := &messages[len(messages)-1]
	if last.Role != "user" {
		return errors.New("has a question that does not end with a message from the user")
	}
	last.Content += "\n\nThe functions: " + text.String() + "\n\n" + bfclForm
	if len(messages) == 1 {
		t.Goal = last.Content
		return nil
	}
	t.Messages = messages
	return nil
}
