package sessions

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// inspect reads a sample of a log of Inspect. The epochs of a sample are one family.
func (r *reader) inspect(rec record) error {
	list := rec.fields.list("messages")
	messages, err := chatMessages(list)
	if err != nil {
		return err
	}
	for i := range messages {
		if attached(messages[i].Text) {
			messages[i].Partial = true
		}
	}
	input := inspectInput(list, messages)
	if at := asked(messages, input); at >= 0 {
		messages[at].Text = withChoices(messages[at].Text, rec.fields.list("choices"))
	}
	if present(rec.fields["error"]) {
		return errors.New("ended with an error")
	}
	id := rec.fields.text("id")
	c := Conversation{
		ID: strings.TrimSpace(id + " epoch " + orElse(rec.fields.text("epoch"), "1")), Messages: messages,
		Verdict: scored(rec.fields.inner("scores")), Domain: domainIn(rec.fields),
		Target: inspectTarget(rec.fields, messages, input),
	}
	if id != "" {
		c.Family = orElse(rec.head.inner("eval").text("task"), r.log.File) + " " + name(id)
	}
	return r.give(rec, c)
}

// asked returns the index of the last message of the user in the input of a sample, or −1
// if there is none.
func asked(messages []Message, input func(i int) bool) int {
	at := -1
	for i, m := range messages {
		if m.Role == User && input(i) {
			at = i
		}
	}
	return at
}

// withChoices returns a question with the lettered choices of its sample, in the form in
// which Inspect presents them. A question that already contains them is returned
// unchanged: Inspect's solver for multiple choice adds them, but other solvers do not,
// and without them the question cannot be answered with a letter.
func withChoices(question string, choices []json.RawMessage) string {
	var letters, lines []string
	shown := true
	for i, raw := range choices {
		letter, text := strconv.Itoa(i-lettered+1), strings.TrimSpace(scalar(raw))
		if i < lettered {
			letter = string(rune('A' + i))
		}
		letters, lines = append(letters, letter), append(lines, letter+") "+text)
		shown = shown && slices.ContainsFunc([]string{") ", ". ", ": "}, func(mark string) bool { return strings.Contains(question, letter+mark+text) })
	}
	if shown { // or there are no choices
		return question
	}
	return "Answer the following multiple choice question. The entire content of your response should be of the following format: 'ANSWER: $LETTER' " +
		"(without quotes) where LETTER is one of " + strings.Join(letters, ",") + ".\n\n" + strings.TrimSpace(question) + "\n\n" + strings.Join(lines, "\n")
}

// lettered is the maximum number of choices with letters; Inspect numbers any further
// choices.
const lettered = 26

// attached reports whether a text refers to an attachment of the log that contains the
// text.
func attached(text string) bool {
	return strings.HasPrefix(text, "attachment://") || strings.HasPrefix(text, "tc://")
}

// scored returns the verdict that the scores of a sample imply: approved if all of them are
// C, 1, true or yes. Scores of an unknown form are ignored.
func scored(scores row) Verdict {
	names := make([]string, 0, len(scores))
	for n := range scores {
		names = append(names, n)
	}
	slices.Sort(names)
	var v Verdict
	for _, n := range names {
		score, _ := object(scores[n])
		right, ok := rightScore(score.first("value"))
		if !ok {
			continue
		}
		v.Approved = right && (v.Approved || !v.Given)
		v.How, v.Given = strings.TrimSpace(v.How+" "+n+" "+scoreText(score.first("value"))), true
	}
	if v.Given {
		v.How = "score " + v.How
	}
	return v
}

func rightScore(raw json.RawMessage) (right, ok bool) {
	var number float64
	if json.Unmarshal(raw, &right) == nil && present(raw) {
		return right, true
	}
	if json.Unmarshal(raw, &number) == nil && present(raw) {
		return number == 1, true
	}
	switch word := strings.ToUpper(scalar(raw)); word {
	case "C", "I", "P", "N", "TRUE", "FALSE", "YES", "NO":
		return word == "C" || word == "TRUE" || word == "YES", true
	}
	return false, false
}

func scoreText(raw json.RawMessage) string {
	if s := scalar(raw); s != "" {
		return s
	}
	return string(raw)
}
