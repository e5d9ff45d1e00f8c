package turn

import (
	"maps"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/session"
)

// settings holds the parameters of a config in the types that the runtime reads.
type settings struct {
	recall     memory.Query // without text, domain or time
	choice     model.Choice
	selection  []string
	iterations int
	selfCheck  bool
	decompose  bool
	subgoals   int
	expire     int // number of model calls without use after which an activated tool is dropped
	notes      int // tokens
	bootstrap  int // tokens
	distill    session.Thresholds
	// Delegation is suggested if the agent's own competence is below delegateBelow and
	// another agent's competence is above delegateAbove.
	delegateBelow, delegateAbove float64
	strategy                     string
	demonstrations               []agent.Demonstration
	form                         model.AnswerForm
	retries                      int // maximum number of times that the model is asked to repair an answer that lacks the requested form
	route                        string
	temperature                  *float64 // nil leaves the temperature to the route
}

// newSettings decodes a config for a turn in a domain. Parameters that the space leaves out
// have the values in defaults.
func newSettings(c, defaults agent.Config, domain string) settings {
	v := maps.Clone(defaults)
	maps.Copy(v, c)
	s := settings{
		recall: memory.Query{
			MinScore: v.Float("recall.min_score", 0), MaxMemories: v.Int("recall.max_memories", 0),
			Lambda: v.Float("recall.mmr_lambda", 0), TokenBudget: v.Int("recall.token_budget", 0),
		},
		choice: model.Choice{
			PatternWeight: v.Float("tools.pattern_weight", 0), PerformanceWeight: v.Float("tools.performance_weight", 0),
			Cutoff: v.Float("tools.cutoff", 0),
		},
		iterations: v.Int("loop.max_iterations", 0),
		selfCheck:  v.Bool("loop.self_check", false),
		decompose:  v.Bool("decompose.enabled", false),
		subgoals:   v.Int("decompose.max_subgoals", 0),
		expire:     v.Int("tools.expire_turns", 0),
		notes:      v.Int("notes.token_budget", 0),
		bootstrap:  v.Int("bootstrap.token_budget", 0),
		distill:    session.Thresholds{Tokens: v.Int("distill.threshold_tokens", 0), Messages: v.Int("distill.threshold_messages", 0)},
		strategy:   v.String("strategy"),
		form:       model.AnswerForm(v.String("answer.form")),
		retries:    v.Int("answer.retries", 0),
		route:      c.String("routes." + domain),

		delegateBelow: v.Float("delegate.below", 0),
		delegateAbove: v.Float("delegate.above", 0),
	}
	s.selection, _ = v.List("tools.selection")
	s.demonstrations, _ = agent.ParseDemonstrations(v.String("demonstrations")) // cannot fail, because the space allows no other text
	for _, name := range []string{generalTemperature + "." + domain, generalTemperature} {
		if c[name] != nil && s.temperature == nil {
			t := c.Float(name, 0)
			s.temperature = &t
		}
	}
	return s
}
