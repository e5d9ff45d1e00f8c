package nightly

import (
	"fmt"
	"slices"

	"evolve/runtime/agent"
)

// changeable counts the parameters that a finalist can have otherwise than the champion at once:
// those with more than one value, and of those that depend on the value of another one as many
// as are active under the value with the most. Of several that one depends on, the last by
// name counts.
func changeable(s agent.Space) int {
	n := 0
	for _, p := range s.Params {
		if len(p.When) == 0 {
			n += changeableWith(s, p)
		}
	}
	return n
}

// changeableWith counts a parameter and what depends on it. A space has no circles.
func changeableWith(s agent.Space, p agent.Param) int {
	byValue := map[string]int{}
	for _, q := range s.Params {
		names := make([]string, 0, len(q.When))
		for name := range q.When {
			names = append(names, name)
		}
		if len(names) == 0 || slices.Max(names) != p.Name {
			continue
		}
		n := changeableWith(s, q)
		for _, v := range q.When[p.Name] {
			byValue[fmt.Sprint(v)] += n
		}
	}
	most := 0
	for _, n := range byValue {
		most = max(most, n)
	}
	if varies(p) {
		most++
	}
	return most
}

// varies reports whether a parameter has more than one value.
func varies(p agent.Param) bool {
	switch p.Kind {
	case agent.Choice:
		return len(p.Values) > 1
	case agent.Int, agent.Float:
		return p.Min < p.Max
	case agent.Subset:
		return p.MinItems < len(p.Of)
	case agent.Bool, agent.Text:
	}
	return true
}

// changedBy counts the parameters that a config has otherwise than another; one that only one
// of them has follows the parameter that it depends on.
func changedBy(config, than agent.Config) int {
	n := 0
	for name, v := range config {
		if was, ok := than[name]; ok && !(agent.Config{name: v}).Equal(agent.Config{name: was}) {
			n++
		}
	}
	return n
}
