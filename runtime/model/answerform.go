package model

import (
	"encoding/json"
	"regexp"
	"strings"

	foreign "evolve/runtime/text"
)

// AnswerForm is the form in which a language model is asked to answer. The runtime checks
// it, and takes the answer out of it.
type AnswerForm string

// The forms. The zero value is [FreeForm].
const (
	// FreeForm takes the reply as the answer.
	FreeForm AnswerForm = "free"
	// LineForm is an answer of one line.
	LineForm AnswerForm = "line"
	// JSONForm is a JSON object with the answer under the key "answer".
	JSONForm AnswerForm = "json"
	// ReasonedForm is brief reasoning with a last line "Answer: " and the answer.
	ReasonedForm AnswerForm = "reasoned"
	// MessageForm takes the reply as it is, without the rules on an answer: it is the
	// message of a person whose part the model takes. No config has it.
	MessageForm AnswerForm = "message"
)

// AnswerForms lists the forms, the default first.
func AnswerForms() []AnswerForm { return []AnswerForm{FreeForm, LineForm, JSONForm, ReasonedForm} }

// Extract returns the answer in a reply and reports whether the reply has the form. A
// reply without the form is the answer as a whole.
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

// maxObjects bounds the places in a reply where a JSON object is looked for.
const maxObjects = 50

// keyed returns the value under "answer" of the last JSON object in a reply that has one.
// Text around the object, such as the fence of a code block, does not matter.
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

// scalar returns a JSON value as an answer: the text of a string, any other value as it
// is written. It returns false for null, for an empty text, and where there is no value.
func scalar(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	return text, text != "" && string(raw) != "null"
}

// statement matches the line that states the answer after the reasoning.
var statement = regexp.MustCompile(`(?im)^[ \t>*#_-]*(?:the |my )?(?:final )?answer(?: is)?[ \t*_]*:[ \t*_]*`)

// stated returns the answer that a reply states last: the rest of the line after
// "Answer:", or the next line that is not blank.
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
