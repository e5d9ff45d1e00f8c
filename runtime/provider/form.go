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
	// Tools reports whether tools are offered, Refers reports whether the runtime's own
	// tool refer is one of them, and Data reports whether there are lines of data.
	Tools, Refers, Data bool
	// Examples is the number of solved examples.
	Examples int
}

// ruled returns the rules for a conversation in the given situation, followed by the rules
// for the answer form.
func ruled(form model.AnswerForm, s situation) string {
	var b strings.Builder
	for _, name := range []string{"rules", "answer_" + string(cmp.Or(form, model.FreeForm))} {
		if t := rules.Lookup(name + ".md"); t != nil { // nil only for MessageForm, which no config can select
			_ = t.Execute(&b, s) // cannot fail: every situation fits the template, and b is a string builder
		}
	}
	return b.String()
}

// requested returns the runtime's sentence that requests a form of answer, to be placed
// after the goal; it is empty for the free form.
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
