package provider

import (
	"embed"

	"evolve/runtime/model"
)

// answerRules holds the rules on an answer for each form, in files named answer_FORM.md.
//
//go:embed answer_*.md
var answerRules embed.FS

// ruled returns the rules for a form of the answer.
func ruled(form model.AnswerForm) string {
	if form == "" {
		form = model.FreeForm
	}
	own, err := answerRules.ReadFile("answer_" + string(form) + ".md")
	if err != nil { // no config has another form
		return rules
	}
	return rules + string(own)
}

// requested returns the runtime's sentence after the goal that requests a form; empty for
// the free form.
func requested(form model.AnswerForm) string {
	switch form {
	case model.LineForm:
		return "answer in one line, with the answer alone."
	case model.JSONForm:
		return `answer with one JSON object, {"answer": "…"}, and nothing else.`
	case model.ReasonedForm:
		return `reason briefly, and end with a line "Answer: …".`
	}
	return ""
}
