package night

import (
	"fmt"
	"slices"

	"evolve/runtime/agent"
)

// changeable returns the maximum number of parameters in which a finalist can differ from
// the champion at the same time. Only parameters with more than one value count. Of the
// parameters that depend on another parameter's value, changeable counts the largest number
// that one value activates. A parameter that depends on several others counts under the
// last of them by name.
func changeable(s agent.Space) int {
	n := 0
	for _, p := range s.Params {
		if len(p.When) == 0 {
			n += changeableWith(s, p)
		}
	}
	return n
}

// changeableWith counts a parameter and the parameters that depend on it. The
// dependencies in a space have no cycles.
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

// changedBy counts the parameters in which two configs differ. It ignores a parameter
// that only one of them has, because its presence follows from the value of the parameter
// on which it depends.
func changedBy(config, than agent.Config) int {
	n := 0
	for name, v := range config {
		if was, ok := than[name]; ok && !(agent.Config{name: v}).Equal(agent.Config{name: was}) {
			n++
		}
	}
	return n
}
