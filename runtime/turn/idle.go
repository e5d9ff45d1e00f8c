package turn

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Circumstances determine, in addition to the declared ranges, which parameters can change
// the result of an evaluation.
type Circumstances struct {
	// Language reports whether the model is a language model rather than the heuristic.
	Language bool
	// Tools lists the registered tools; nil means all. Allowed lists those that the
	// operator allows to remember, share or draft.
	Tools, Allowed []string
	// Untempered reports whether no model on the agent's routes accepts a temperature.
	Untempered bool
	// Bootstrap maps the names of the workspace's files to their texts.
	Bootstrap map[string]string
	// Memories is the number of memories in the agent's snapshot.
	Memories int
	// Domains maps a domain to its keywords; nil means [DefaultDomains].
	Domains map[string][]string
	// Tasks holds all tasks that the agent is measured on, in the form in which it gets
	// them. The turns of a conversation follow one another and have the same id.
	Tasks []agent.Task
}

// rememberTool is the tool that adds facts during a turn, and enableTool is the tool that
// activates another.
const (
	rememberTool = "memory_add"
	enableTool   = "enable_tool"
)

// chooses lists the parameters by which the heuristic model chooses a tool; a language
// model does not use them.
var chooses = []string{"tools.pattern_weight", "tools.performance_weight", "tools.cutoff"}

// Idle maps the name of each parameter of s that cannot change the result of any evaluation
// to the reason, in a form that can follow "not searched:". It includes a parameter only if
// no value within the range of s has an effect; tools that merely display the config do not
// count. An evaluation starts without a session and without other agents. So parameters
// that act through delegation have no effect, and those that act through notes have an
// effect only if there are conversations.
func Idle(s agent.Space, c Circumstances) map[string]string {
	model := "has no effect with the heuristic model"
	if c.Language {
		model = "has no effect with a language model"
	}
	out := map[string]string{}
	met := c.met()
	felt := map[string]bool{}
	for _, name := range HeuristicSpace(nil, nil).Names() {
		felt[name] = true
	}
	for _, p := range s.Params {
		why := ""
		switch group, domain, _ := strings.Cut(p.Name, "."); {
		case !c.Language && !felt[p.Name] && group != "bootstrap",
			c.Language && slices.Contains(chooses, p.Name):
			why = model
		case group == generalTemperature || group == "routes":
			switch {
			case p.Name == generalTemperature && !met.without(s):
				why = "has no effect: each task has a domain with its own temperature"
			case p.Name != generalTemperature && !met.domains[domain]:
				why = "has no effect: no task is in the domain " + domain
			case group == generalTemperature && c.Untempered:
				why = "has no effect: the model does not accept a temperature"
			}
		case group == "decompose" && c.Language && !met.parts:
			why = "has no effect: no task has parts"
		case p.Name == "decompose.max_subgoals" && c.Language && !met.bounded:
			why = "has no effect: no task has more parts than the parameter's minimum"
		case p.Name == "tools.expire_turns" && c.Language && !c.activates():
			why = "has no effect: there is no tool to activate"
		case group == "delegate":
			why = "has no effect: an evaluation has no other agents"
		case group == "notes" && !met.conversations:
			why = "has no effect: an evaluation starts without notes"
		case group == "distill" && !met.turns:
			why = "has no effect: no task has earlier turns"
		case group == "recall" && c.Memories == 0 && !met.memories && !c.remembers():
			why = "has no effect: there are no memories"
		case group == "bootstrap" && c.fits(p):
			why = "has no effect: the workspace's files fit into the smallest budget"
			if !c.Language {
				why = model
			}
		}
		if why != "" {
			out[p.Name] = why
		}
	}
	return out
}

// met describes the properties of the tasks that determine whether a parameter has an
// effect.
type met struct {
	domains         map[string]bool
	turns, memories bool
	// conversations reports whether a task has several turns, between which notes are
	// passed on.
	conversations bool
	// parts reports whether a task has subgoals, and bounded reports whether the limit on
	// their number matters.
	parts, bounded bool
}

// without reports whether a task has a domain for which the space has no separate
// temperature.
func (m met) without(s agent.Space) bool {
	for domain := range m.domains {
		if _, own := s.Lookup(generalTemperature + "." + domain); !own {
			return true
		}
	}
	return false
}

func (c Circumstances) met() met {
	m := met{domains: map[string]bool{}}
	table := c.Domains
	if table == nil {
		table = DefaultDomains()
	}
	lex := memory.NewLexicon()
	of := newClassifier(lex, table)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		m.turns = m.turns || len(t.Messages) > 0
		m.conversations = m.conversations || i > 0 && t.ID != "" && t.ID == c.Tasks[i-1].ID && t.Goal != c.Tasks[i-1].Goal
		m.memories = m.memories || len(t.Memories) > 0
		goal, _ := goalOf(t)
		m.domains[cmp.Or(t.Domain, of.classify(goal))] = true
		few := len(decompose(lex, goal, leastSubgoals).Subgoals)
		m.parts = m.parts || few > 0
		for most := leastSubgoals + 1; most <= maxSubgoals; most++ {
			n := len(decompose(lex, goal, most).Subgoals)
			m.parts, m.bounded = m.parts || n > 0, m.bounded || n != few
		}
	}
	return m
}

// remembers reports whether the agent can add facts during a turn.
func (c Circumstances) remembers() bool {
	return c.Language && slices.Contains(c.Allowed, rememberTool) && c.activates() && c.has(rememberTool)
}

// activates reports whether the agent can activate a tool during a turn.
func (c Circumstances) activates() bool {
	return c.Tools == nil || c.has(enableTool) && len(essential(c.Tools))+len(unallowed(c.Tools, c.Allowed)) < len(c.Tools)
}

func (c Circumstances) has(tool string) bool {
	return c.Tools == nil || slices.Contains(c.Tools, tool)
}

// fits reports whether the files and the longest strategy fit into every budget that p
// allows, so that nothing is ever left out of the prompt.
func (c Circumstances) fits(p agent.Param) bool {
	files := 0
	for _, text := range bootstrapFiles(c.Bootstrap) {
		files += memory.Tokens(text)
	}
	if files == 0 {
		return true // no budget applies to a strategy without files
	}
	strategy := maxStrategy // in tokens: a character has at most four bytes, and a token has four
	if !c.Language {
		strategy /= 4 // the lines of the heuristic's language are ASCII
	}
	return p.Kind == agent.Int && float64(files+strategy) <= p.Min
}
