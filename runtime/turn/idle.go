package turn

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Circumstances decide, beside the declared ranges, which parameters can change the result
// of an evaluation.
type Circumstances struct {
	// Language reports whether the model is a language model and not the heuristic.
	Language bool
	// Tools are the names of the registered tools; empty means all.
	Tools []string
	// Bootstrap maps the workspace's files, by name, to their texts.
	Bootstrap map[string]string
	// Memories counts those of the agent's snapshot.
	Memories int
	// Domains maps a domain to its keywords; nil is [DefaultDomains].
	Domains map[string][]string
	// Tasks are all that the agent is measured on, as it gets them.
	Tasks []agent.Task
}

// rememberTool adds facts in the middle of a turn.
const rememberTool = "memory_add"

// chooses are the weights by which the heuristic chooses a tool; a language model chooses
// by itself.
var chooses = []string{"tools.pattern_weight", "tools.performance_weight", "tools.cutoff"}

// Idle maps those parameters of s that cannot change the result of any evaluation to the
// reason, in words that follow "not searched:". It names a parameter only where no value
// within the range of s can act: what a tool merely shows of the config does not count.
// An evaluation starts without a session and knows of no other agent, so nothing acts that
// takes effect through notes or delegation.
func Idle(s agent.Space, c Circumstances) map[string]string {
	model := "cannot act with the heuristic model"
	if c.Language {
		model = "cannot act with a language model"
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
		case group == "temperature" || group == "routes":
			if !met.domains[domain] {
				why = "cannot act: no task is of the domain " + domain
			}
		case group == "delegate":
			why = "cannot act: an evaluation knows of no other agent"
		case group == "notes":
			why = "cannot act: an evaluation starts without notes"
		case group == "distill" && !met.turns:
			why = "cannot act: no task has earlier turns"
		case group == "recall" && c.Memories == 0 && !met.memories && !c.remembers():
			why = "cannot act: there are no memories"
		case group == "bootstrap" && c.fits(p):
			why = "cannot act: the workspace's files fit into the least budget"
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

// met is what the tasks bring along.
type met struct {
	domains         map[string]bool
	turns, memories bool
}

func (c Circumstances) met() met {
	m := met{domains: map[string]bool{}}
	table := c.Domains
	if table == nil {
		table = DefaultDomains()
	}
	of := newClassifier(memory.NewLexicon(), table)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		m.turns = m.turns || len(t.Messages) > 0
		m.memories = m.memories || len(t.Memories) > 0
		goal, _ := goalOf(t)
		m.domains[cmp.Or(t.Domain, of.classify(goal))] = true
	}
	return m
}

// remembers reports whether the agent can add facts while it works.
func (c Circumstances) remembers() bool {
	return c.Language && (len(c.Tools) == 0 || slices.Contains(c.Tools, rememberTool))
}

// fits reports whether the files and the longest strategy fit into every budget that p
// allows, so that nothing is ever left out of the prompt.
func (c Circumstances) fits(p agent.Param) bool {
	files := 0
	for _, text := range bootstrapFiles(c.Bootstrap) {
		files += memory.Tokens(text)
	}
	if files == 0 {
		return true // the strategy alone has no budget
	}
	strategy := maxStrategy // in tokens: a character has at most four bytes, as a token has
	if !c.Language {
		strategy /= 4 // the lines that the heuristic understands are ASCII
	}
	return p.Kind == agent.Int && float64(files+strategy) <= p.Min
}
