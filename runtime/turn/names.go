package turn

import (
	"slices"

	"evolve/runtime/experience"
	"evolve/runtime/tool"
)

// names returns the names that may appear in the system prompt.
func (a *Agent) names() experience.Names {
	var specs []tool.Spec
	for _, name := range a.registry.Names() {
		spec, _ := a.registry.Spec(name)
		specs = append(specs, spec)
	}
	return namesIn(specs, a.domains.domains)
}

// Names returns the names that may appear in the system prompt of a language model's
// turns, without the tools of [Options.Foreign]: the names of the given tools (nil means
// all tools) and of the domains in the table (nil means the table that [DefaultDomains]
// returns).
func Names(tools []string, table map[string][]string) experience.Names {
	if table == nil {
		table = DefaultDomains()
	}
	var domains []string
	for d := range table {
		domains = append(domains, d)
	}
	slices.Sort(domains)
	var specs []tool.Spec
	for _, t := range slices.Concat(tool.Builtin(), tool.Further()) {
		if spec := t.Spec(); tools == nil || slices.Contains(tools, spec.Name) {
			specs = append(specs, spec)
		}
	}
	return namesIn(specs, domains)
}

func namesIn(specs []tool.Spec, domains []string) experience.Names {
	names := experience.Names{Tools: map[string][]string{}, Domains: domains}
	for _, s := range specs {
		names.Tools[s.Name] = s.Methods()
	}
	return names
}
