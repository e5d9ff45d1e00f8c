package model

import (
	"strings"
	"testing"
)

func TestExtract(t *testing.T) {
	for name, c := range map[string]struct {
		form   AnswerForm
		reply  string
		answer string
		ok     bool
	}{
		"free takes all":              {FreeForm, " two\nlines \n", "two\nlines", true},
		"the zero form is free":       {"", "x", "x", true},
		"one line":                    {LineForm, "flight\n", "flight", true},
		"two lines":                   {LineForm, "flight\nbecause", "flight\nbecause", false},
		"no line":                     {LineForm, "", "", false},
		"object":                      {JSONForm, `{"answer": " flight "}`, "flight", true},
		"fenced object":               {JSONForm, "Sure:\n```json\n{\"answer\": \"a{b\"}\n```", "a{b", true},
		"last object":                 {JSONForm, `{"answer": "a"} no, {"answer": "b"} {"other": 1}`, "b", true},
		"number as written":           {JSONForm, `{"answer": 12.50}`, "12.50", true},
		"list":                        {JSONForm, `{"answer": ["a","b"]}`, `["a","b"]`, true},
		"false":                       {JSONForm, `{"answer": false}`, "false", true},
		"null":                        {JSONForm, `{"answer": null}`, `{"answer": null}`, false},
		"other key":                   {JSONForm, `{"label": "a"}`, `{"label": "a"}`, false},
		"broken object":               {JSONForm, `{"answer": "a`, `{"answer": "a`, false},
		"broken before a whole one":   {JSONForm, `{ {"answer": "a"}`, "a", true},
		"reasons":                     {ReasonedForm, "It flies.\nAnswer: flight", "flight", true},
		"last statement":              {ReasonedForm, "Answer: a\nNo.\nAnswer: b", "b", true},
		"bold statement":              {ReasonedForm, "**Final answer:** flight **", "flight", true},
		"answer on the next line":     {ReasonedForm, "Answer:\n\n42\nDone.", "42", true},
		"statement inside a sentence": {ReasonedForm, "I think the answer: 42", "I think the answer: 42", false},
		"empty statement":             {ReasonedForm, "Answer: ", "Answer:", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer, ok := c.form.Extract(c.reply)
			if answer != c.answer || ok != c.ok {
				t.Errorf("%q, %v", answer, ok)
			}
		})
	}
	if _, ok := JSONForm.Extract(strings.Repeat("{", 1<<16)); ok {
		t.Error("braces are an answer")
	}
}

// TestWrite tests that each form is recognised in an answer written in that form.
func TestWrite(t *testing.T) {
	for _, f := range AnswerForms() {
		if answer, ok := f.Extract(f.Write("a <b> & \"c\"")); answer != "a <b> & \"c\"" || !ok {
			t.Errorf("%s: %q, %v", f, answer, ok)
		}
	}
}
