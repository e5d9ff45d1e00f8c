package sessions

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// call is one call of a model, as described by a span and the events that belong to it.
type call struct {
	at            record
	conversation  string // gen_ai.conversation.id
	trace         string
	start         uint64
	input, output []Message
	// whole reports whether attributes contained the messages; events, which may repeat
	// them, are then ignored.
	whole   bool
	verdict Verdict
}

// spans are the calls of a log by trace and span.
type spans struct {
	list []*call
	of   map[string]*call
}

func (s *spans) at(rec record, trace, span string) *call {
	key := trace + " " + span
	if c, ok := s.of[key]; ok && span != "" {
		return c
	}
	if s.of == nil {
		s.of = map[string]*call{}
	}
	rec.fields, rec.head = nil, nil
	c := &call{at: rec, trace: trace}
	s.of[key], s.list = c, append(s.list, c)
	return c
}

// otel reads the spans and log records of a resource. Their messages are combined at the
// end of the log, since events may precede or follow their span.
func (r *reader) otel(rec record) error {
	if err := r.hold(rec.size); err != nil {
		return err
	}
	groups := rec.fields.list("scopeSpans", "scopeLogs")
	if groups == nil {
		return errors.New("has neither scopeSpans nor scopeLogs")
	}
	for _, raw := range groups {
		group, _ := object(raw)
		for _, raw := range group.list("spans") {
			if span, err := object(raw); err == nil {
				r.span(rec, span)
			}
		}
		for _, raw := range group.list("logRecords") {
			if entry, err := object(raw); err == nil {
				r.logRecord(rec, entry)
			}
		}
	}
	return nil
}

// span reads a span with gen_ai attributes or events.
func (r *reader) span(rec record, span row) {
	attrs := attributes(span.list("attributes"))
	events := span.list("events")
	if !aboutModels(attrs) && !slices.ContainsFunc(events, isModelEvent) {
		return
	}
	c := r.spans.at(rec, span.text("traceId"), span.text("spanId"))
	c.start, _ = strconv.ParseUint(span.text("startTimeUnixNano"), 10, 64)
	c.attributes(attrs)
	for _, raw := range events {
		event, _ := object(raw)
		c.event(event.text("name"), attributes(event.list("attributes")), nil)
	}
}

func aboutModels(attrs map[string]any) bool {
	for key := range attrs {
		if strings.HasPrefix(key, "gen_ai.") {
			return true
		}
	}
	return false
}

func isModelEvent(raw json.RawMessage) bool {
	var event struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(raw, &event) == nil && strings.HasPrefix(event.Name, "gen_ai.")
}

// logRecord reads a log record that is an event of a span.
func (r *reader) logRecord(rec record, entry row) {
	attrs := attributes(entry.list("attributes"))
	name := orElse(entry.text("eventName"), textOf(attrs["event.name"]))
	if !strings.HasPrefix(name, "gen_ai.") {
		return
	}
	c := r.spans.at(rec, entry.text("traceId"), entry.text("spanId"))
	if c.start == 0 {
		c.start, _ = strconv.ParseUint(orElse(entry.text("timeUnixNano"), entry.text("observedTimeUnixNano")), 10, 64)
	}
	body, _ := anyValue(entry.first("body"), 0).(map[string]any)
	c.event(name, attrs, body)
}

// attributes reads messages from attributes: the ones that the current conventions
// define, or the older ones with numbers in their names.
func (c *call) attributes(attrs map[string]any) {
	c.conversation = orElse(textOf(attrs["gen_ai.conversation.id"]), c.conversation)
	input := slices.Concat(messagesOf(attrs["gen_ai.input.messages"]), numbered(attrs, "gen_ai.prompt."))
	output := slices.Concat(messagesOf(attrs["gen_ai.output.messages"]), numbered(attrs, "gen_ai.completion."))
	if c.whole || len(input)+len(output) == 0 {
		return
	}
	if m, _ := content(jsonOf(attrs["gen_ai.system_instructions"])); m.Text != "" {
		m.Role = System
		input = slices.Insert(input, 0, m)
	}
	c.input, c.output, c.whole = input, output, true
}

func messagesOf(v any) []Message {
	if v == nil {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(jsonOf(v), &list) != nil || len(list) == 0 {
		return nil
	}
	messages, err := chatMessages(list)
	if err != nil {
		return nil
	}
	return messages
}

// numbered reads messages from attributes such as gen_ai.prompt.0.content.
func numbered(attrs map[string]any, prefix string) []Message {
	var out []Message
	for i := range maxMessages {
		at := prefix + strconv.Itoa(i) + "."
		role, text := attrs[at+"role"], attrs[at+"content"]
		if role == nil && text == nil {
			break
		}
		m, _ := content(jsonText(text))
		var err error
		if m.Role, err = roleOf(orElse(textOf(role), "assistant")); err == nil {
			out = append(out, m)
		}
	}
	return out
}

// jsonText returns content as JSON. A text that is itself a JSON list of parts is returned
// as it is.
func jsonText(v any) json.RawMessage {
	if s, ok := v.(string); ok && !strings.HasPrefix(strings.TrimSpace(s), "[{") {
		return mustMarshal(s)
	}
	return jsonOf(v)
}

// event reads an event of a span: a message or a choice in one of the older forms, or the
// result of an evaluation.
func (c *call) event(name string, attrs, body map[string]any) {
	values := attrs
	if body != nil {
		values = body
	}
	switch name {
	case "gen_ai.client.inference.operation.details":
		c.attributes(attrs)
		c.attributes(body)
		return
	case "gen_ai.evaluation.result":
		c.evaluated(attrs)
		return
	}
	if c.whole {
		return
	}
	switch name {
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		role := strings.TrimSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
		c.input = append(c.input, eventMessage(role, values)...)
	case "gen_ai.choice":
		if inner := values["message"]; inner != nil {
			message, _ := object(jsonOf(inner))
			values = map[string]any{"content": jsonAny(message["content"]), "tool_calls": jsonAny(message["tool_calls"])}
		}
		c.output = append(c.output, eventMessage("assistant", values)...)
	case "gen_ai.content.prompt":
		c.input = append(c.input, messagesOf(attrs["gen_ai.prompt"])...)
	case "gen_ai.content.completion":
		c.output = append(c.output, messagesOf(attrs["gen_ai.completion"])...)
	}
}

func jsonAny(raw json.RawMessage) any {
	var v any
	if !present(raw) || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

func eventMessage(role string, values map[string]any) []Message {
	calls := values["tool_calls"]
	if s, ok := calls.(string); ok {
		calls = jsonAny(json.RawMessage(s))
	}
	m, err := chatMessage(mustMarshal(map[string]any{"role": role, "content": values["content"], "tool_calls": calls}))
	if err != nil {
		return nil
	}
	return []Message{m}
}

// evaluated reads the result of an evaluation. If a call has several evaluations, all of
// them must approve.
func (c *call) evaluated(attrs map[string]any) {
	how := strings.TrimSpace("evaluation " + textOf(attrs["gen_ai.evaluation.name"]))
	v := Verdict{How: how}
	if value := textOf(attrs["gen_ai.evaluation.score.value"]); value != "" {
		share, err := strconv.ParseFloat(value, 64)
		v.Given, v.Approved, v.How = err == nil, err == nil && share == 1, how+" "+value
	}
	label := strings.ToLower(textOf(attrs["gen_ai.evaluation.score.label"]))
	switch label {
	case "pass", "passed", "approved", "correct", "positive", "good", "true":
		v = Verdict{Given: true, Approved: true, How: how + " " + label}
	case "fail", "failed", "rejected", "incorrect", "negative", "bad", "false":
		v = Verdict{Given: true, How: how + " " + label}
	}
	if v.Given && (!c.verdict.Given || c.verdict.Approved) {
		c.verdict = v
	}
}

// conversations combines the calls of a conversation or a trace, in order of time. A call
// continues the conversation whose messages its input begins with. A call whose input is
// only the new message continues the latest conversation with its id.
func (s *spans) conversations() []heldConversation {
	var order []string
	groups := map[string][]*call{}
	traces := map[string]string{} // trace → conversation id
	for _, c := range s.list {
		if c.conversation != "" {
			traces[c.trace] = c.conversation
		}
	}
	for _, c := range s.list {
		c.conversation = orElse(c.conversation, traces[c.trace])
		key := "conversation " + c.conversation
		if c.conversation == "" {
			key = "trace " + c.trace
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], c)
	}
	var out []heldConversation
	for _, key := range order {
		out = append(out, joinCalls(groups[key])...)
	}
	return out
}

// thread is a conversation under construction, with the state of its messages.
type thread struct {
	heldConversation
	states []string // after each message that [states] counts
}

func joinCalls(calls []*call) []heldConversation {
	slices.SortStableFunc(calls, func(a, b *call) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	var threads []*thread
	ends := map[string]*thread{} // by their last state
	latest := map[string]*thread{}
	for _, c := range calls {
		if len(c.input)+len(c.output) == 0 {
			if last := latest[c.trace]; last != nil && c.verdict.Given {
				last.approve(c.verdict)
			}
			continue
		}
		input := states(c.input)
		var t *thread
		for i := len(input) - 1; i >= 0 && t == nil; i-- {
			t = ends[input[i]]
		}
		asked := slices.ContainsFunc(c.input, func(m Message) bool { return m.Role == Assistant })
		switch {
		case t != nil:
			t.Messages = withVerdicts(slices.Concat(c.input, c.output), t.Messages)
		case c.conversation != "" && !asked && latest["id "+c.conversation] != nil:
			t = latest["id "+c.conversation]
			added := slices.DeleteFunc(slices.Clone(c.input), func(m Message) bool { return m.Role == System })
			t.Messages = slices.Concat(t.Messages, added, c.output)
		default:
			id := orElse(c.conversation, c.trace)
			t = &thread{heldConversation: heldConversation{at: c.at, Conversation: Conversation{ID: id, Messages: slices.Concat(c.input, c.output)}}}
			threads = append(threads, t)
		}
		if len(t.states) > 0 {
			delete(ends, t.states[len(t.states)-1])
		}
		if t.states = states(t.Messages); len(t.states) > 0 {
			ends[t.states[len(t.states)-1]] = t
		}
		t.approve(c.verdict)
		latest[c.trace] = t
		if c.conversation != "" {
			latest["id "+c.conversation] = t
		}
	}
	return whole(threads)
}

// approve sets the verdict on the last answer, unless that answer is already refused.
func (t *thread) approve(v Verdict) {
	for i := len(t.Messages) - 1; i >= 0 && v.Given; i-- {
		if m := &t.Messages[i]; m.Role == Assistant && m.Text != "" {
			if !m.Verdict.Given || m.Verdict.Approved {
				m.Verdict = v
			}
			return
		}
	}
}

// withVerdicts looks in messages for answers that equal answers in the list earlier, and
// copies the verdicts from the earlier answers to them.
func withVerdicts(messages, earlier []Message) []Message {
	said := map[string]Verdict{}
	for _, m := range earlier {
		if m.Verdict.Given {
			said[m.Text] = m.Verdict
		}
	}
	for i := range messages {
		m := &messages[i]
		if v, ok := said[m.Text]; ok && m.Role == Assistant && (!m.Verdict.Given || m.Verdict.Approved) {
			m.Verdict = v
		}
	}
	return messages
}

// states returns, for each text by the user or the assistant, a digest of the
// conversation up to and including that text.
func states(messages []Message) []string {
	var out []string
	last := ""
	for _, m := range messages {
		if !m.counts() {
			continue
		}
		last = digest([]Message{{Role: System, Text: last}, {Role: m.Role, Text: strings.TrimSpace(m.Text)}})
		out = append(out, last)
	}
	return out
}

// counts reports whether a message is a text of the user or the assistant.
func (m *Message) counts() bool {
	return (m.Role == User || m.Role == Assistant) && strings.TrimSpace(m.Text) != ""
}

// whole returns the conversations that are not the beginning of another one. A span around
// a model call, for example, yields such a beginning.
func whole(threads []*thread) []heldConversation {
	within := map[string]int{}
	for _, t := range threads {
		for _, s := range t.states {
			within[s]++
		}
	}
	var out []heldConversation
	var left []Message
	for _, t := range threads {
		if n := len(t.states); n > 0 && within[t.states[n-1]] > 1 {
			within[t.states[n-1]]--
			left = append(left, t.Messages...)
			continue
		}
		out = append(out, t.heldConversation)
	}
	for i := range out {
		out[i].Messages = withVerdicts(out[i].Messages, left)
	}
	return out
}
