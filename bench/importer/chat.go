package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/grade"
)

// readEvals reads samples of OpenAI evals: input messages and one or more ideal answers.
func readEvals(c *collector, data []byte) error {
	return c.samples(data, "ideal", "an ideal answer")
}

// readInspect reads samples of Inspect: input, target, and choices for a question with
// options. From a log, it reads the samples that were evaluated. A sample with files, a
// sandbox or a setup script is left out, because these are stored outside the file.
func readInspect(c *collector, data []byte) error {
	if isLog, err := readInspectLog(c, data); isLog {
		return err
	}
	return c.samples(data, "target", "a target", "choices", "metadata")
}

// samples reads samples that have an input, the accepted answers under the key answerKey
// and, for Inspect, further keys.
func (c *collector) samples(data []byte, answerKey, what string, further ...string) error {
	return c.eachObject(data, func(line, number int, r row) error {
		if len(further) > 0 {
			for _, foreign := range []string{"files", "sandbox", "setup"} {
				if _, ok := r.find(foreign); ok {
					return fmt.Errorf("needs %s, but nothing outside this file is read", foreign)
				}
			}
		}
		input, ok := r.find("input")
		if !ok {
			return errors.New("has no input")
		}
		if len(further) > 0 && attached(input) {
			return errors.New("has an input with an attachment, but only text can be read")
		}
		c.ignore("", r, append([]string{"input", answerKey, "id"}, further...)...)
		target, ok := r.find(answerKey)
		if !ok {
			_, noun, _ := strings.Cut(what, " ")
			return fmt.Errorf("has no %s", noun)
		}
		t := bench.Task{ID: c.scalar("", r, "id")}
		if err := c.conversation(&t, "input.", input); err != nil {
			return err
		}
		answers, ok := texts(target)
		if !ok {
			return fmt.Errorf("has %s that is neither a string nor a list of strings", what)
		}
		var choices []string
		if len(further) > 0 {
			if raw, ok := r.find("metadata"); ok {
				t.Domain = c.domainOf(raw)
			}
			if raw, ok := r.find("choices"); ok {
				if choices, ok = texts(raw); !ok {
					return errors.New("has choices that are not a list of strings")
				}
			}
		}
		if err := c.accept(&t, answers, choices); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
}

// accept sets the answer and the graders of a task with one or more accepted answers. With
// choices, the target is one of their letters, and the choices are added to the question;
// accept also counts the position of the right choice.
func (c *collector) accept(t *bench.Task, answers, choices []string) error {
	fields := map[string]any{"type": cmp.Or(c.o.Grader, "exact")}
	if c.o.Grader == inspectIncludes {
		fields = map[string]any{"type": "contains", "ignore_case": true}
	}
	if rubric := inspectScorers()[c.o.Grader]; rubric != "" {
		fields = map[string]any{"type": grade.TypeJudge, "rubric": rubric}
	}
	if choices != nil {
		var err error
		if answers, err = offer(t, choices, answers); err != nil {
			return err
		}
		c.right[answers[0]]++
		fields = map[string]any{"type": "exact", "ignore_case": true}
	}
	if len(answers) == 0 {
		return errors.New("has no answer")
	}
	if fields["type"] != grade.TypeJudge && !slices.ContainsFunc(answers, func(a string) bool { return strings.TrimSpace(a) != "" }) {
		return errEmptyAnswer
	}
	t.Answer = &answers[0]
	if len(answers) == 1 && len(fields) == 1 && fields["type"] == "exact" {
		return nil // the default
	}
	switch {
	case len(answers) == 1:
	case fields["type"] == grade.TypeJudge:
		fields["reference"] = "One of these:\n" + strings.Join(answers, "\n")
	default:
		fields["answer"] = answers
	}
	spec, err := grader(fields)
	if err != nil {
		return err
	}
	t.Graders = []bench.GraderSpec{spec}
	return nil
}

// offer adds the choices to the question and returns the accepted answers: the letter of
// the right choice and, if it is longer than one character, the text of that choice.
func offer(t *bench.Task, choices, target []string) ([]string, error) {
	if t.Goal == "" {
		return nil, errors.New("has choices, but they cannot be added to a conversation")
	}
	if len(target) != 1 || len(target[0]) != 1 {
		return nil, errors.New("has choices, but its target is not a single letter")
	}
	right := int(target[0][0]) - 'A'
	if right < 0 || right >= len(choices) || len(choices) > 26 {
		return nil, errors.New("has a target that is not among its choices")
	}
	var b strings.Builder
	b.WriteString(t.Goal + "\n")
	for i, choice := range choices {
		fmt.Fprintf(&b, "\n%c) %s", 'A'+i, choice)
	}
	b.WriteString("\n\nAnswer with the letter alone.")
	t.Goal = b.String()
	accepted := []string{target[0]}
	// A choice of one character could be another choice's letter.
	if text := strings.TrimSpace(choices[right]); len(text) > 1 && !slices.Contains(accepted, text) {
		accepted = append(accepted, text)
	}
	return accepted, nil
}

// domainOf returns the domain or category in metadata, or "". It records all other metadata
// as unused.
func (c *collector) domainOf(raw []byte) string {
	var r row
	if json.Unmarshal(raw, &r) != nil {
		c.unread["metadata"]++
		return ""
	}
	key, _ := r.key(domainNames...)
	c.ignore("metadata.", r, key)
	return c.scalar("metadata.", r, key)
}
