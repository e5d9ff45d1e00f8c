package patchwriter

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
// [model.Request] encodes as lines of JSON that no text can break.
func (m Material) request(route string, seed int64) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: task}},
		Goal:      "Repair the code. Answer with the rationale and the diff alone.",
		Remaining: 1,
		Sampling:  model.Sampling{Route: route, Seed: seed},
	}
	text := func(key, v string) { req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: v}) }
	add := func(key string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // values of the types below can always be encoded
			text(key, string(raw))
		}
	}
	text("target", m.Target)
	for i, c := range m.cases() {
		add(fmt.Sprintf("failure %d", i+1), c.excerpt())
	}
	shown, others := m.chosen()
	for _, p := range shown {
		text("file "+p, string(m.Files[p]))
	}
	if len(others) > 0 {
		add("further files, which are not shown and may not be changed tonight", others[:min(len(others), maxPaths)])
	}
	for i, a := range m.Attempts[:min(len(m.Attempts), maxTried)] {
		add(fmt.Sprintf("earlier patch %d, which was refused: do not repeat it, find out what it lacked", i+1), a.excerpt())
	}
	if m.Refused != "" {
		text("why your last answer was refused; this is the last try", memory.Cut(m.Refused, maxRefuse))
	}
	return req
}

// excerpt returns the part of an attempt that is shown: the beginnings of its rationale and
// diff, and of the first reasons for its refusal.
func (a Attempt) excerpt() any {
	var refused []string
	for _, r := range a.Refused[:min(len(a.Refused), maxCauses)] {
		refused = append(refused, memory.Cut(r, maxRefuse))
	}
	return struct {
		Rationale string   `json:"rationale"`
		Diff      string   `json:"diff"`
		Refused   []string `json:"refused"`
	}{memory.Cut(a.Rationale, maxEvent), memory.Cut(a.Diff, maxPatch), refused}
}

// cases returns the failures that are shown.
func (m Material) cases() []Case { return m.Cases[:min(len(m.Cases), maxCases)] }

// event is the part of a transcript's event that is shown to the model.
type event struct {
	Kind    string        `json:"kind"`
	Name    string        `json:"name,omitempty"`
	Outcome agent.Outcome `json:"outcome,omitempty"`
	Text    string        `json:"text,omitempty"`
}

// excerpt returns the part of a case that is shown to the model.
func (c Case) excerpt() any {
	return struct {
		Task    string        `json:"task"`
		Domain  string        `json:"domain,omitempty"`
		Score   float64       `json:"score"`
		Outcome agent.Outcome `json:"outcome,omitempty"`
		Goal    string        `json:"goal"`
		Answer  string        `json:"answer"`
		Reasons []string      `json:"graders,omitempty"`
		Events  []event       `json:"transcript,omitempty"`
	}{
		Task: c.Task, Domain: c.Domain, Score: c.Score, Outcome: c.Outcome,
		Goal: memory.Cut(c.Goal, maxGoal), Answer: memory.Cut(c.Answer, maxGoal), Reasons: c.reasons(), Events: c.events(),
	}
}

func (c Case) reasons() []string {
	var out []string
	for _, r := range c.Reasons[:min(len(c.Reasons), maxListed)] {
		out = append(out, memory.Cut(r, maxEvent))
	}
	return out
}

// events returns the last events of the case's transcript, because the end of a run is more
// informative than its beginning.
func (c Case) events() []event {
	if c.Transcript == nil {
		return nil
	}
	var out []event
	for _, e := range c.Transcript.Events {
		switch e.Kind {
		case agent.EventBootstrap, agent.EventPolicy, agent.EventRoute, agent.EventLimited:
			// Internal events of the runtime are left out.
		default:
			out = append(out, event{e.Kind, memory.Cut(e.Name, maxEvent), e.Outcome, memory.Cut(e.Text, maxEvent)})
		}
	}
	return out[max(0, len(out)-maxEvents):]
}

// texts returns the texts of a case that are used to select files.
func (c Case) texts() []string {
	out := append([]string{memory.Cut(c.Goal, maxGoal), memory.Cut(c.Answer, maxGoal), c.Domain}, c.reasons()...)
	for _, e := range c.events() {
		out = append(out, e.Name, e.Text)
	}
	return out
}
