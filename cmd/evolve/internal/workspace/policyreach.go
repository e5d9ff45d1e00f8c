package workspace

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// policyReach refuses policies that cannot take effect, and then those that contradict
// themselves. A program or service of the operator's own calls its tools and models by
// itself, so policies can limit only its tasks as a whole: in its role, their
// concurrency, rate and deadline, and what a run may spend.
func (f *settingsFile) policyReach(s *source, agents []Agent) {
	if s.errs.failed(s.file) {
		return
	}
	defer f.checkBook(s)
	// If there are servers or providers in the file, they are called, or will be.
	calls := len(f.MCP) > 0 || len(f.Providers) > 0 ||
		slices.ContainsFunc(agents, func(a Agent) bool { return a.Adapter.Kind == KindBuiltin })
	for _, name := range SortedNames(f.layers) {
		group, what, overlay := strings.Cut(name, ".")
		l := f.layers[name]
		switch {
		case group == "roles":
			i := slices.IndexFunc(agents, func(a Agent) bool { return a.ID == what })
			if i >= 0 && agents[i].Adapter.Kind != KindBuiltin {
				l.refuseForTasks(s, agents[i])
			}
		case calls || len(agents) == 0:
		case group == "tools" || group == "origins":
			s.bad(l.key, "write limits of an agent's whole tasks under roles, by its id",
				"no agent here calls tools through evolve, so policies of %s.%s have no effect", group, what)
		case !overlay && len(l.keys) > 0:
			s.bad(firstNode(l.keys), "write limits of an agent's whole tasks under roles, by its id",
				"no agent here calls tools or models through evolve, so policies of the environment have no effect")
		}
	}
}

// refuseForTasks refuses the keys of a role that cannot apply to whole tasks.
func (l *layerEntry) refuseForTasks(s *source, a Agent) {
	budget := l.parts["budget"].keys
	for _, c := range []struct {
		at        *yaml.Node
		key, hint string
	}{
		{l.keys["retry"], "retry", "a task is tried again by itself when infrastructure failed it"},
		{l.keys["breaker"], "breaker", "a run has a breaker of its own, which pauses and ends it"},
		{budget["day"], "budget.day", "budget.run bounds a run, and evolve run --budget-usd a night"},
		{budget["exhausted"], "budget.exhausted", "a spent budget ends the night for the agent"},
		{budget["degrade_to"], "budget.degrade_to", "a spent budget ends the night for the agent"},
	} {
		if c.at != nil {
			s.bad(c.at, c.hint, "agent %s is of the kind %s, and %q cannot limit its tasks; concurrency, queue_wait, rate, deadline, budget.run and budget.agent can",
				a.ID, a.Adapter.Kind, c.key)
		}
	}
}

// firstNode returns the node that comes first in its file.
func firstNode(nodes map[string]*yaml.Node) *yaml.Node {
	var first *yaml.Node
	for _, n := range nodes {
		if first == nil || n.Line < first.Line || n.Line == first.Line && n.Column < first.Column {
			first = n
		}
	}
	return first
}
