package provider

import (
	"cmp"
	"embed"
	"strings"
	"text/template"

	"evolve/runtime/model"
)

// ruleFiles holds the runtime's rules as templates: those on the conversation in rules.md,
// and those on an answer, for each form, in files named answer_FORM.md.
//
//go:embed rules.md answer_*.md
var ruleFiles embed.FS

var rules = template.Must(template.ParseFS(ruleFiles, "*.md"))

// situation determines which rules apply to a conversation.
type situation struct {
	// Tools reports whether tools are offered, Refers whether the runtime's own refer is
	// one of them, and Data whether there are lines of data.
	Tools, Refers, Data bool
	// Examples is the number of solved examples.
	Examples int
}

// ruled returns the rules that apply, with those for a form of the answer.
func ruled(form model.AnswerForm, s situation) string {
	var b strings.Builder
	for _, name := range []string{"rules", "answer_" + string(cmp.Or(form, model.FreeForm))} {
		if t := rules.Lookup(name + ".md"); t != nil { // no config allows another form
			_ = t.Execute(&b, s) // a situation always fits, into a builder
		}
	}
	return b.String()
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
