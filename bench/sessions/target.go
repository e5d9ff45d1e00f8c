package sessions

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/bench"
	"evolve/bench/grade"
)

// Target is the reference that a log has for its conversations, such as the target of a
// sample of Inspect. The zero value means that there is none.
type Target struct {
	// Texts are the accepted answers; the first one is shown to people.
	Texts []string
	// Ask is the index of the message that Texts answer.
	Ask int
	// Choices reports whether the text is the letter of a choice.
	Choices bool
}

// targetHow is the provenance of an answer that is a target.
const targetHow = "target of the log"

// withTarget makes the target the accepted answer to the message to which it belongs. It
// does not change the log's verdicts, because a refused answer was judged with the same
// target.
func withTarget(c *Conversation, list []judged) []judged {
	if len(c.Target.Texts) == 0 {
		return list
	}
	for i := range list {
		list[i].untargeted = list[i].ask != c.Target.Ask
		if !list[i].untargeted {
			list[i].target, list[i].acted, list[i].how, list[i].by = c.Target.Texts, false, targetHow, ""
		}
	}
	if slices.ContainsFunc(list, func(e judged) bool { return len(e.target) > 0 }) {
		return list
	}
	// The answer was submitted by a tool, or there was none.
	e := judged{exchange: exchange{ask: c.Target.Ask, answer: -1, next: -1}, target: c.Target.Texts, how: targetHow}
	e.goal = strings.TrimSpace(c.Messages[e.ask].Text)
	for i, m := range c.Messages {
		e.partial = e.partial || i <= e.ask && m.Partial
		if i > e.ask {
			e.tools = append(e.tools, m.Tools...)
		}
	}
	return append(list, e)
}

// inspectTarget reads the target of a sample, which is a text or a list. The target
// refers to the user's last message in the sample's input. If a model graded the sample
// by criteria, the target may be a criterion, so inspectTarget returns none.
func inspectTarget(sample row, messages []Message, input func(i int) bool) Target {
	if sample.inner("scores").has("model_graded_qa") {
		return Target{}
	}
	var out Target
	list := sample.list("target")
	if list == nil && sample.has("target") {
		list = []json.RawMessage{sample.first("target")}
	}
	for _, raw := range list {
		if text := strings.TrimSpace(scalar(raw)); text != "" && !attached(text) && !slices.Contains(out.Texts, text) {
			out.Texts = append(out.Texts, text)
		}
	}
	out.Ask = asked(messages, input)
	out.Choices = len(sample.list("choices")) > 0
	if out.Ask < 0 || out.Choices && (len(out.Texts) != 1 || utf8.RuneCountInString(out.Texts[0]) != 1) {
		return Target{}
	}
	return out
}

// inspectInput returns a function that reports whether a message of a sample belongs to its
// input: the messages marked as input or, if none is marked, those before the first message
// of the assistant.
func inspectInput(list []json.RawMessage, messages []Message) func(i int) bool {
	marked := make([]bool, len(list))
	for i, raw := range list {
		m, _ := object(raw)
		marked[i] = m.text("source") == "input"
	}
	if slices.Contains(marked, true) {
		return func(i int) bool { return marked[i] }
	}
	first := slices.IndexFunc(messages, func(m Message) bool { return m.Role == Assistant })
	return func(i int) bool { return first < 0 || i < first }
}

// targetGraders returns the graders for accepted answers. They accept the letter of a
// choice on its own or at the end, numbers by value, short texts as a part of the answer,
// and other texts by their words.
func (b *Builder) targetGraders(t Target) []bench.GraderSpec {
	fields := map[string]any{"type": "f1"}
	short := func(s string) bool {
		return len(strings.Fields(s)) <= statedWords && !strings.Contains(s, "\n") && strings.ContainsFunc(s, wordy)
	}
	all := func(is func(string) bool) bool {
		return !slices.ContainsFunc(t.Texts, func(s string) bool { return !is(s) })
	}
	switch {
	case b.o.Grader != "":
		fields["type"] = b.o.Grader
		if len(t.Texts) > 1 && slices.Contains(grade.Rules().Fields[b.o.Grader], "answer") {
			fields["answer"] = t.Texts
		}
		return graderOf(fields)
	case t.Choices:
		return graderOf(map[string]any{"type": "regex", "pattern": `(?is)(?:^|answer\W{1,9})` + regexp.QuoteMeta(t.Texts[0]) + `\W*$`})
	case all(numeral):
		fields["type"] = "numeric"
	case all(short):
		if !slices.ContainsFunc(t.Texts, func(s string) bool { return utf8.RuneCountInString(s) < 4 }) {
			return graderOf(map[string]any{"type": "contains", "ignore_case": true, "any": t.Texts})
		}
		// A short word also occurs inside many other words.
		var alternatives []string
		for _, s := range t.Texts {
			alternatives = append(alternatives, regexp.QuoteMeta(s))
		}
		return graderOf(map[string]any{"type": "regex", "pattern": `(?i)(?:^|[^\pL\pN])(?:` + strings.Join(alternatives, "|") + `)(?:[^\pL\pN]|$)`})
	}
	if len(t.Texts) > 1 {
		fields["answer"] = t.Texts
	}
	return graderOf(fields)
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// numeral reports whether a text is one number, with or without a currency sign or a
// percent sign.
func numeral(s string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(s, "$€£% "), ",", ""), 64)
	return err == nil && strings.ContainsFunc(s, unicode.IsDigit) && !strings.ContainsAny(s, "xXpP_")
}

// graderOf returns a grader with the given fields.
func graderOf(fields map[string]any) []bench.GraderSpec {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if enc.Encode(fields) != nil { // texts always encode
		return nil
	}
	var spec bench.GraderSpec
	if json.Unmarshal(raw.Bytes(), &spec) != nil {
		return nil
	}
	return []bench.GraderSpec{spec}
}
