package turn

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// temperatures returns the parameters of a space that have no effect with a model that
// accepts no temperature. There are none if the config chooses among routes, because the
// models of other routes may accept a temperature.
func temperatures(s agent.Space) []string {
	var names []string
	for _, p := range s.Params {
		group, _, _ := strings.Cut(p.Name, ".")
		if group == "routes" && len(p.Values) > 1 {
			return nil
		}
		if group == generalTemperature {
			names = append(names, p.Name)
		}
	}
	return slices.Clip(names)
}

// inert adds an event for a model that does not accept a temperature, at most once per
// turn.
func (r *run) inert(reply model.Reply) {
	names := temperatures(r.agent.space)
	if !reply.Untempered || r.untempered || len(names) == 0 {
		return
	}
	r.untempered = true
	r.event(agent.Event{Kind: agent.EventInert, Name: reply.Model, Text: "does not accept a temperature", Data: encode(names)})
}
