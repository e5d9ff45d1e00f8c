package reflection

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

//go:embed task.md
var task string

// request returns the request to the model. All material is data, which the renderer of
// [model.Request] encodes in lines of JSON that no text can break.
func (m Material) request(route string, seed int64) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: task}},
		Goal:      "Propose " + m.form().order() + ". Answer with the JSON object alone.",
		Remaining: 1,
		Sampling:  model.Sampling{Route: route, Seed: seed},
	}
	add := func(key string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // values of the types below always encode
			req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: string(raw)})
		}
	}
	add("component", m.component())
	add("config", m.Config)
	for i, c := range m.shown() {
		add(fmt.Sprintf("case %d", i+1), c.excerpt())
	}
	if len(m.Competence) > 0 {
		add("competence by domain", m.Competence)
	}
	if len(m.Health) > 0 {
		add("health of tools", m.Health)
	}
	if m.Feedback != "" {
		add("recent feedback", memory.Cut(m.Feedback, maxNote))
	}
	if len(m.Corrections) > 0 {
		add("what people corrected", cuts(m.Corrections))
	}
	if tried := m.Tried[:min(len(m.Tried), maxTried)]; len(tried) > 0 {
		type change struct {
			Change string  `json:"change"`
			Gain   float64 `json:"gain"`
		}
		var list []change
		for _, t := range tried {
			list = append(list, change{memory.Cut(t.Rationale, maxEvent), t.Gain})
		}
		add("changes of the component that were tried, the latest first, with their gain in score", list)
	}
	return req
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
		out["max_chars"] = p.MaxChars
		if len(p.Lines) > 0 {
			out["lines_known_to_work"] = p.Lines[:min(len(p.Lines), maxLines)]
		}
	}
	return out
}

// excerpt returns the shown part of a case.
func (c Case) excerpt() any {
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
		Reasons []string      `json:"graders,omitempty"`
		Events  []event       `json:"transcript,omitempty"`
		Left    int           `json:"events_left_out,omitempty"`
	}{
		Task: c.Task, Domain: c.Domain, Passed: c.Pass, Score: c.Score, Outcome: c.Outcome,
		Goal: memory.Cut(c.Goal, maxGoal), Answer: memory.Cut(c.Answer, maxGoal), Reasons: cuts(c.Reasons),
	}
	if c.Transcript == nil {
		return out
	}
	telling := c.Transcript.Events[:0:0]
	for _, e := range c.Transcript.Events {
		switch e.Kind {
		case agent.EventBootstrap, agent.EventPolicy, agent.EventRoute, agent.EventLimited:
			// Internal events of the runtime, which no config changes.
		default:
			telling = append(telling, e)
		}
	}
	// The end of a run is more informative than its beginning.
	if n := len(telling); n > maxEvents {
		out.Left, telling = n-maxEvents, telling[n-maxEvents:]
	}
	for _, e := range telling {
		out.Events = append(out.Events, event{e.Kind, memory.Cut(e.Name, maxEvent), e.Outcome, memory.Cut(e.Text, maxEvent)})
	}
	return out
}

// cuts limits a list of texts, and each of them.
func cuts(texts []string) []string {
	var out []string
	for _, t := range texts[:min(len(texts), maxTried)] {
		out = append(out, memory.Cut(t, maxEvent))
	}
	return out
}
