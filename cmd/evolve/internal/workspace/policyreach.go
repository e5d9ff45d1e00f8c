package workspace

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// policyReach rejects policies that cannot take effect, and then those that contradict each
// other. An operator's own program or service calls its tools and models itself, so
// policies can limit only its tasks as a whole: their concurrency, rate and deadline, which
// are set under the agent's role, and what a run may spend.
func (f *settingsFile) policyReach(s *source, agents []Agent) {
	if s.errs.failed(s.file) {
		return
	}
	defer f.checkBook(s)
	// Assume that the servers and providers in the file will be called at some time.
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
			s.bad(l.key, "to limit an agent's tasks as a whole, use the agent's id as a key under roles",
				"no agent here calls tools through evolve, so policies under %s.%s have no effect", group, what)
		case !overlay && len(l.keys) > 0:
			s.bad(firstNode(l.keys), "to limit an agent's tasks as a whole, use the agent's id as a key under roles",
				"no agent here calls tools or models through evolve, so policies under environment have no effect")
		}
	}
}

// refuseForTasks rejects those keys of a role that cannot limit tasks as a whole.
func (l *layerEntry) refuseForTasks(s *source, a Agent) {
	budget := l.parts["budget"].keys
	for _, c := range []struct {
		at        *yaml.Node
		key, hint string
	}{
		{l.keys["retry"], "retry", "a task that failed because of the infrastructure is retried automatically"},
		{l.keys["breaker"], "breaker", "a run has its own breaker, which pauses the run and, if failures continue, ends it"},
		{budget["day"], "budget.day", "budget.run limits a run, and evolve run --budget-usd limits a night"},
		{budget["exhausted"], "budget.exhausted", "an agent's night ends when the agent's budget is spent"},
		{budget["degrade_to"], "budget.degrade_to", "an agent's night ends when the agent's budget is spent"},
	} {
		if c.at != nil {
			s.bad(c.at, c.hint, "agent %s is of kind %s: %q cannot limit its tasks, but concurrency, queue_wait, rate, deadline, budget.run and budget.agent can",
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
