package model

import (
	"encoding/json"
	"regexp"
	"strings"

	foreign "evolve/runtime/text"
)

// AnswerForm is the form in which a language model must answer. The runtime checks the form
// and extracts the answer from it.
type AnswerForm string

// The forms. The zero value is [FreeForm].
const (
	// FreeForm takes the reply as the answer.
	FreeForm AnswerForm = "free"
	// LineForm is an answer of one line.
	LineForm AnswerForm = "line"
	// JSONForm is a JSON object with the answer under the key "answer".
	JSONForm AnswerForm = "json"
	// ReasonedForm is brief reasoning followed by a last line that consists of "Answer: "
	// and the answer.
	ReasonedForm AnswerForm = "reasoned"
	// MessageForm uses the reply as it is, and the rules for answers do not apply, because
	// the reply is a message by a person whose role the model plays. No config can select
	// this form.
	MessageForm AnswerForm = "message"
)

// AnswerForms returns the forms that a config can select, the default first.
func AnswerForms() []AnswerForm { return []AnswerForm{FreeForm, LineForm, JSONForm, ReasonedForm} }

// Extract returns the answer in a reply and reports whether the reply has the form f. If
// not, the whole reply is the answer.
func (f AnswerForm) Extract(reply string) (string, bool) {
	reply = strings.TrimSpace(reply)
	answer, ok := reply, true
	switch f {
	case LineForm:
		ok = reply != "" && !strings.ContainsAny(reply, "\r\n")
	case JSONForm:
		answer, ok = keyed(reply)
	case ReasonedForm:
		answer, ok = stated(reply)
	}
	if !ok {
		return reply, false
	}
	return answer, true
}

// Write returns an answer in the form, as a model would write it.
func (f AnswerForm) Write(answer string) string {
	switch f {
	case LineForm:
		return strings.Join(strings.Fields(answer), " ")
	case JSONForm:
		out, _ := foreign.Marshal(map[string]string{"answer": answer}) // strings always encode
		return string(out)
	case ReasonedForm:
		return "Answer: " + strings.Join(strings.Fields(answer), " ")
	}
	return answer
}

// maxObjects limits the number of positions in a reply at which a JSON object is looked
// for.
const maxObjects = 50

// keyed returns the value of "answer" in the last JSON object in a reply that has a value
// for this key. Text around the object, such as a code fence, is ignored.
func keyed(reply string) (answer string, ok bool) {
	for range maxObjects {
		at := strings.IndexByte(reply, '{')
		if at < 0 {
			break
		}
		reply = reply[at:]
		var object map[string]json.RawMessage
		dec := json.NewDecoder(strings.NewReader(reply))
		if dec.Decode(&object) != nil {
			reply = reply[1:]
			continue
		}
		reply = reply[dec.InputOffset():]
		if value, has := scalar(object["answer"]); has {
			answer, ok = value, true
		}
	}
	return answer, ok
}

// scalar returns a JSON value as an answer: a string as its text, any other value as it is
// written. It returns false for null, for an empty text, and if there is no value.
func scalar(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	return text, text != "" && string(raw) != "null"
}

// statement matches the beginning of a line that states the answer after the reasoning.
var statement = regexp.MustCompile(`(?im)^[ \t>*#_-]*(?:the |my )?(?:final )?answer(?: is)?[ \t*_]*:[ \t*_]*`)

// stated returns the last answer that a reply states: the rest of the line after "Answer:"
// or, if that is blank, the next line that is not blank.
func stated(reply string) (string, bool) {
	all := statement.FindAllStringIndex(reply, -1)
	if len(all) == 0 {
		return "", false
	}
	rest := strings.TrimSpace(reply[all[len(all)-1][1]:])
	line, _, _ := strings.Cut(rest, "\n")
	line = strings.TrimRight(line, " \t\r*_")
	return line, line != ""
}
