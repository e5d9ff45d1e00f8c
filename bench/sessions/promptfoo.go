package sessions

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// promptfoo reads one result of an evaluation by promptfoo: the prompt as it was sent, the
// answer, and whether it passed. The results of a test are one family.
func (r *reader) promptfoo(rec record) error {
	prompt := rec.fields.inner("prompt").text("raw")
	if prompt == "" {
		prompt = rec.fields.text("prompt")
	}
	if prompt == "" {
		return errors.New("has no prompt")
	}
	c := Conversation{ID: conversationID(rec.fields), Messages: promptMessages(prompt), Verdict: graded(rec.fields)}
	if test := rec.fields.text("testIdx"); test != "" {
		c.Family = r.log.File + " " + name(test)
		c.ID = orElse(c.ID, "test "+test)
	}
	c.Domain = domainIn(rec.fields.inner("testCase"))
	output := rec.fields.inner("response").first("output")
	if !present(output) || rec.fields.inner("response").has("error") || rec.fields.has("error") && !graderError(rec.fields) {
		return errors.New("has no answer")
	}
	answer := Message{Role: Assistant}
	if json.Unmarshal(output, &answer.Text) != nil {
		answer.Text = string(output) // the provider parsed the answer as JSON
	}
	c.Messages = append(c.Messages, answer)
	return r.give(rec, c)
}

// graderError reports whether the error of a result comes from a failed assertion.
func graderError(r row) bool { return r.has("gradingResult") }

// promptMessages returns a prompt as messages: a list of chat messages in JSON, or a text
// by the user.
func promptMessages(prompt string) []Message {
	if text := strings.TrimSpace(prompt); strings.HasPrefix(text, "[") {
		var list []json.RawMessage
		if json.Unmarshal([]byte(text), &list) == nil {
			if messages, err := chatMessages(list); err == nil {
				return messages
			}
		}
	}
	return []Message{{Role: User, Text: prompt}}
}

// graded returns the verdict of a result. A person's rating replaces that of the
// assertions.
func graded(r row) Verdict {
	grading := r.inner("gradingResult")
	for _, raw := range slices.Backward(grading.list("componentResults")) {
		part, _ := object(raw)
		var pass bool
		if part.inner("assertion").text("type") == "human" && json.Unmarshal(part.first("pass"), &pass) == nil {
			return Verdict{Given: true, Approved: pass, How: passed(pass) + " by a person"}
		}
	}
	var pass bool
	if json.Unmarshal(r.first("success"), &pass) == nil && r.has("success") || json.Unmarshal(grading.first("pass"), &pass) == nil && grading.has("pass") {
		return Verdict{Given: true, Approved: pass, How: passed(pass) + " by its assertions"}
	}
	return Verdict{}
}

func passed(pass bool) string {
	if pass {
		return "passed"
	}
	return "failed"
}
