package reflection

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

//go:embed task.md
var task string

// request returns the request to the model, with as much material as fits into the number
// of tokens that the model can read.
func (m Material) request(route string, seed int64) *model.Request {
	for n := 0; ; n++ {
		req := m.requestAt(extents()[n], route, seed)
		if m.Room <= 0 || n == len(extents())-1 || tokens(req) <= m.Room {
			return req
		}
	}
}

// template returns an example of the answer's form for the component. Small models follow
// such a template better than a description.
func (m Material) template() string {
	name, err := json.Marshal(m.Component)
	if err != nil { // a text always encodes
		return ""
	}
	return `{"component": ` + string(name) + `, "value": …, "rationale": "…"}`
}

// extent is the amount of material that a request shows.
type extent struct {
	// cases and events limit the wording's numbers of cases and events. tried limits the
	// number of earlier changes, and text limits the number of bytes of a goal, an answer
	// or the feedback.
	cases, events, tried, text int
	// around reports whether the config, the competence and the health are shown.
	around bool
}

// extents returns the extents to try, from the one that shows all material to the one that
// shows the least.
func extents() []extent {
	return []extent{
		{maxCases, maxEvents, maxTried, maxNote, true},
		{maxCases, 2, 6, 1000, true},
		{maxCases, 0, 4, 400, false},
		{3, 0, 3, 250, false},
		{2, 0, 2, 120, false},
	}
}

// tokens estimates the length of a request in tokens. In JSON, a token has about three
// bytes.
func tokens(req *model.Request) int {
	n := len(req.Goal)
	for _, s := range req.System {
		n += len(s.Text)
	}
	for _, s := range req.Shared {
		n += len(s.Key) + len(strconv.Quote(s.Text))
	}
	return (n + overhead) / 3
}

// overhead is the length, in bytes, of the rules that a model gets with every request.
const overhead = 1200

// requestAt returns the request at the given extent. All material is data, which the
// renderer of [model.Request] encodes as lines of JSON that no text can break.
func (m Material) requestAt(x extent, route string, seed int64) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: task + "\n" + m.wording().approach}},
		Goal:      "Propose " + m.order() + ". Answer with this JSON object alone: " + m.template(),
		Remaining: 1,
		Sampling:  model.Sampling{Route: route, Seed: seed, MaxTokens: m.maxTokens()},
	}
	if m.Plain {
		req.System, req.Goal = []model.Section{{Name: "TASK", Text: plainTask}}, m.plainOrder()
	} else {
		req.Schema = m.schema()
	}
	add := func(key string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // values of the types below can always be encoded
			req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: string(raw)})
		}
	}
	add("component", m.component())
	if m.Dataset.Tasks > 0 {
		add("the tasks", m.Dataset.cut(x.text))
	}
	shown := m.shown()
	for i, c := range shown[:min(len(shown), x.cases)] {
		add(fmt.Sprintf("case %d", i+1), c.excerpt(min(x.events, m.wording().events), min(x.text, maxGoal)))
	}
	if x.around {
		m.addAround(add, x)
	}
	if tried := m.Tried[:min(len(m.Tried), x.tried)]; len(tried) > 0 {
		type change struct {
			Value   string   `json:"value,omitempty"`
			Change  string   `json:"change,omitempty"`
			Gain    *float64 `json:"gain,omitempty"`
			Refused string   `json:"refused,omitempty"`
			Result  string   `json:"result,omitempty"`
		}
		var list []change
		for _, t := range tried {
			c := change{Value: memory.Cut(t.Text, maxEvent), Change: memory.Cut(t.Rationale, maxEvent), Refused: memory.Cut(t.Refused, maxEvent)}
			switch {
			case t.Unscored:
				c.Result = "none yet"
			case t.Refused == "":
				c.Gain = &t.Gain
			}
			list = append(list, c)
		}
		add("changes of the component that were tried, the latest first, with their gain in score or why they were refused", list)
	}
	return req
}

// addAround adds what surrounds the component and its cases to a request, such as the
// config and the competence.
func (m Material) addAround(add func(key string, v any), x extent) {
	add("config", m.Config)
	if len(m.Competence) > 0 {
		add("competence by domain", m.Competence)
	}
	if len(m.Health) > 0 {
		add("health of tools", m.Health)
	}
	if m.Feedback != "" {
		add(feedbackKey, memory.Cut(m.Feedback, x.text))
	}
	if len(m.Corrections) > 0 {
		add(correctionsKey, cuts(m.Corrections))
	}
}

// feedbackKey and correctionsKey are the keys under which a request shows the feedback and
// the corrections from live turns.
const (
	feedbackKey    = "recent feedback"
	correctionsKey = "what people corrected"
)

// inUse reports whether a request shows the feedback or the corrections. A request to a
// model that can read only a few tokens shows neither.
func inUse(req *model.Request) bool {
	return slices.ContainsFunc(req.Shared, func(s model.Shared) bool { return s.Key == feedbackKey || s.Key == correctionsKey })
}

// component returns the declaration of the component, with its current value.
func (m Material) component() any {
	p, _ := m.Space.Lookup(m.Component)
	out := map[string]any{"name": p.Name, "type": p.Kind, "value": m.Config[p.Name], "default": p.Default}
	if p.Description != "" {
		out["description"] = p.Description
	}
	switch p.Kind {
	case agent.Float, agent.Int:
		out["min"], out["max"] = p.Min, p.Max
	case agent.Choice:
		out["values"] = p.Values
	case agent.Subset:
		out["of"], out["min_items"] = p.Of, p.MinItems
		if p.MaxItems > 0 {
			out["max_items"] = p.MaxItems
		}
	case agent.Text:
		out["max_chars"] = m.maxChars(p)
		if len(p.Lines) > 0 {
			out["lines_known_to_work"] = p.Lines[:min(len(p.Lines), maxLines)]
		}
	}
	return out
}

// excerpt returns the part of a case that is shown. It contains at most the given number of
// events from the transcript, and at most the given number of bytes of the goal and of the
// answer.
func (c Case) excerpt(events, text int) any {
	type event struct {
		Kind    string        `json:"kind"`
		Name    string        `json:"name,omitempty"`
		Outcome agent.Outcome `json:"outcome,omitempty"`
		Text    string        `json:"text,omitempty"`
	}
	out := struct {
		Task    string        `json:"task"`
		Domain  string        `json:"domain,omitempty"`
		Passed  bool          `json:"passed"`
		Score   float64       `json:"score"`
		Outcome agent.Outcome `json:"outcome,omitempty"`
		Goal    string        `json:"goal"`
		Answer  string        `json:"answer"`
		Wanted  string        `json:"expected,omitempty"`
		Reasons []string      `json:"graders,omitempty"`
		Events  []event       `json:"transcript,omitempty"`
		Left    int           `json:"events_left_out,omitempty"`
	}{
		Task: c.Task, Domain: c.Domain, Passed: c.Pass, Score: c.Score, Outcome: c.Outcome,
		Goal: memory.Cut(c.Goal, text), Answer: memory.Cut(c.Answer, text), Wanted: memory.Cut(c.Expected, maxEvent),
		Reasons: cuts(c.Reasons),
	}
	if c.Transcript == nil || events == 0 {
		return out
	}
	telling := c.Transcript.Events[:0:0]
	for _, e := range c.Transcript.Events {
		switch e.Kind {
		case agent.EventBootstrap, agent.EventPolicy, agent.EventRoute, agent.EventLimited:
			// Internal events of the runtime, which no config influences, are left out.
		default:
			telling = append(telling, e)
		}
	}
	// The end of a run is more informative than its beginning.
	if n := len(telling); n > events {
		out.Left, telling = n-events, telling[n-events:]
	}
	for _, e := range telling {
		out.Events = append(out.Events, event{e.Kind, memory.Cut(e.Name, maxEvent), e.Outcome, memory.Cut(e.Text, maxEvent)})
	}
	return out
}

// cuts returns the texts in a list, limited in number and each limited in length.
func cuts(texts []string) []string {
	var out []string
	for _, t := range texts[:min(len(texts), maxTried)] {
		out = append(out, memory.Cut(t, maxEvent))
	}
	return out
}
