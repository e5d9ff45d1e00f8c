package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/bench"
)

// readEvals reads samples of OpenAI evals: input messages and one or more ideal answers.
func readEvals(c *collector, data []byte) error {
	return c.eachObject(data, func(line, number int, r row) error {
		input, ok := r.find("input")
		if !ok {
			return errors.New("has no input")
		}
		c.ignore("", r, "input", "ideal", "id")
		ideal, ok := r.find("ideal")
		if !ok {
			return errors.New("has no ideal answer")
		}
		t := bench.Task{ID: r.foreignID("id")}
		if err := conversation(&t, input); err != nil {
			return err
		}
		answers, ok := texts(ideal)
		if !ok {
			return errors.New("has an ideal answer that is neither text nor a list of texts")
		}
		if err := accept(&t, answers, c.chosenGrader()); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
}

// readInspect reads samples of Inspect: input, target, and choices for a question with
// options. A sample with files, a sandbox or a setup script is left out, because these
// are outside of the file.
func readInspect(c *collector, data []byte) error {
	return c.eachObject(data, func(line, number int, r row) error {
		for _, foreign := range []string{"files", "sandbox", "setup"} {
			if _, ok := r.find(foreign); ok {
				return fmt.Errorf("needs %s, and nothing outside this file is read", foreign)
			}
		}
		input, ok := r.find("input")
		if !ok {
			return errors.New("has no input")
		}
		c.ignore("", r, "input", "target", "choices", "id", "metadata")
		target, ok := r.find("target")
		if !ok {
			return errors.New("has no target")
		}
		t := bench.Task{ID: r.foreignID("id")}
		if err := conversation(&t, input); err != nil {
			return err
		}
		answers, ok := texts(target)
		if !ok {
			return errors.New("has a target that is neither text nor a list of texts")
		}
		if raw, ok := r.find("metadata"); ok {
			t.Domain = c.domainOf(raw)
		}
		fields := c.chosenGrader()
		if raw, ok := r.find("choices"); ok {
			choices, ok := texts(raw)
			if !ok {
				return errors.New("has choices that are not a list of texts")
			}
			var err error
			if answers, err = c.offer(&t, choices, answers); err != nil {
				return err
			}
			fields = map[string]any{"type": "exact", "ignore_case": true}
		}
		if err := accept(&t, answers, fields); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
}

// offer is [offer] that also counts the position of the right choice.
func (c *collector) offer(t *bench.Task, choices, target []string) ([]string, error) {
	accepted, err := offer(t, choices, target)
	if err == nil {
		c.right[accepted[0]]++
	}
	return accepted, err
}

// offer adds the choices to the question and returns the accepted answers: the letter and
// the choice itself.
func offer(t *bench.Task, choices, target []string) ([]string, error) {
	if t.Goal == "" {
		return nil, errors.New("has choices for a conversation, which cannot be shown")
	}
	if len(target) != 1 || len(target[0]) != 1 {
		return nil, errors.New("has choices and not one letter as its target")
	}
	right := int(target[0][0]) - 'A'
	if right < 0 || right >= len(choices) || len(choices) > 26 {
		return nil, errors.New("has a target that is none of its choices")
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

// domainOf returns the domain or category in metadata, or "". It reads nothing else
// there.
func (c *collector) domainOf(raw []byte) string {
	var r row
	if json.Unmarshal(raw, &r) != nil {
		c.unread["metadata"]++
		return ""
	}
	key, _ := r.key(domainNames...)
	c.ignore("metadata.", r, key)
	domain, _ := text(r[key])
	return domain
}
