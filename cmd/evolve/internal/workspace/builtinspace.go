package workspace

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/agent"
)

// narrowedSpace returns the space of a built-in agent after applying the tighter ranges
// in the agent's file. It also returns the names of the searched parameters, or nil if
// all parameters are searched.
func narrowedSpace(s *source, f *agentFile, full agent.Space) (agent.Space, []string) {
	space := agent.Space{Params: slices.Clone(full.Params)}
	if f.given["space"] == nil || isNull(f.given["space"]) {
		return space, nil
	}
	searched := []string{}
	for _, d := range f.params {
		i := slices.IndexFunc(space.Params, func(p agent.Param) bool { return p.Name == d.Name })
		if i < 0 {
			if !d.broken {
				s.bad(d.name, didYouMean(d.Name, full.Names()), "the built-in agent has no parameter %q", d.Name)
			}
			continue
		}
		searched = append(searched, d.Name)
		if !d.broken {
			space.Params[i] = d.narrow(s, space.Params[i])
		}
	}
	if len(searched) == 0 && len(f.params) == 0 {
		s.bad(f.given["space"], "leave it out to search every parameter", `"space" names no parameter to search`)
	}
	narrowConditions(space)
	return space, searched
}

// narrowConditions narrows the conditions of a space. It removes from each condition the
// values that the parameter on which it depends can no longer have.
func narrowConditions(space agent.Space) {
	for i, p := range space.Params {
		when := maps.Clone(p.When)
		for other, values := range when {
			if q, ok := space.Lookup(other); ok {
				when[other] = slices.DeleteFunc(slices.Clone(values), func(v any) bool {
					_, err := q.Coerce(v)
					return err != nil
				})
			}
		}
		space.Params[i].When = when
	}
}

// narrow returns p with the tighter range of the entry.
func (d *paramDraft) narrow(s *source, p agent.Param) agent.Param {
	before := s.errs.total
	whole := p
	if n := d.given["type"]; n != nil && d.kind != string(p.Kind) {
		s.bad(n, "leave the type out", "parameter %q is of type %s", p.Name, p.Kind)
		d.broken = true
		return whole
	}
	for _, name := range slices.Sorted(maps.Keys(d.given)) {
		if !d.narrowKey(s, name, &p, whole) {
			s.bad(d.given[name], "", "%q does not apply to a parameter of type %s", name, p.Kind)
		}
	}
	if s.errs.total > before {
		d.broken = true
		return whole
	}
	d.narrowDefault(s, &p)
	return p
}

// narrowKey applies one key of the entry to p. It reports whether the key applies to
// parameters of p's kind.
func (d *paramDraft) narrowKey(s *source, name string, p *agent.Param, whole agent.Param) bool {
	n, named := d.given[name], fmt.Sprintf("%q of %q", name, p.Name)
	switch name {
	case "type", "default": // these keys are read separately, before and after the range
		return true
	case "description":
		p.Description = d.Description
		return true
	case "when":
		s.bad(n, "", "the condition of a built-in parameter cannot be changed")
		return true
	case "use":
		s.bad(n, "leave the key `use` out", "the use of a built-in parameter cannot be changed")
		return true
	}
	switch key := string(p.Kind) + " " + name; {
	case p.Numeric() && name == "min":
		number{to: &p.Min, min: whole.Min, max: whole.Max}.read(s, n, named)
	case p.Numeric() && name == "max":
		number{to: &p.Max, min: whole.Min, max: whole.Max}.read(s, n, named)
	case p.Numeric() && name == "log":
		p.Log = d.Log
	case key == string(agent.Subset)+" min":
		wholeNumber(&p.MinItems, whole.MinItems, itemBound(whole)).read(s, n, named)
	case key == string(agent.Subset)+" max":
		wholeNumber(&p.MaxItems, max(1, whole.MinItems), itemBound(whole)).read(s, n, named)
	case key == string(agent.Subset)+" of":
		p.Of = d.members(s, n, whole)
		p.MaxItems = min(p.MaxItems, len(p.Of))
	case key == string(agent.Choice)+" values":
		p.Values = d.among(s, n, whole)
	case key == string(agent.Text)+" max_chars":
		wholeNumber(&p.MaxChars, 1, whole.MaxChars).read(s, n, named)
	case key == string(agent.Text)+" lines":
		p.Lines = d.Lines
	default:
		return false
	}
	return true
}

func wholeNumber(to *int, least, most int) whole[int] { return whole[int]{to, least, most} }

// itemBound returns the maximum number of members of a subset.
func itemBound(p agent.Param) int {
	if p.MaxItems > 0 {
		return p.MaxItems
	}
	return len(p.Of)
}

// narrowDefault sets the default from the entry, and checks that it lies within the range.
func (d *paramDraft) narrowDefault(s *source, p *agent.Param) {
	hint := "give it a default in its range"
	if d.given["default"] != nil {
		hint = ""
		v, ok := d.value(s)
		if !ok {
			d.broken = true
			return
		}
		p.Default = v
		if coerced, err := p.Coerce(v); err == nil {
			p.Default = coerced
		}
	}
	alone := *p
	alone.When = nil
	for _, problem := range (agent.Space{Params: []agent.Param{alone}}).Check() {
		s.bad(d.at(problem.Text), hint, "%s", problem)
		d.broken = true
	}
}

// among returns the values to which the entry narrows a choice.
func (d *paramDraft) among(s *source, n *yaml.Node, whole agent.Param) []any {
	var out []any
	for i, v := range d.Values {
		value, err := whole.Coerce(v)
		if err != nil {
			s.bad(n.Content[i], "", "parameter %q %s", whole.Name, err)
			continue
		}
		out = append(out, value)
	}
	return out
}

// members returns the members of a subset that the entry retains, in the order of the whole
// subset.
func (d *paramDraft) members(s *source, n *yaml.Node, whole agent.Param) []string {
	for i, v := range d.Of {
		if !slices.Contains(whole.Of, v) && !slices.Contains(whole.Retired, v) {
			s.bad(n.Content[i], didYouMean(v, whole.Of), "parameter %q has no member %q", whole.Name, v)
		}
	}
	return slices.DeleteFunc(slices.Clone(whole.Of), func(m string) bool { return !slices.Contains(d.Of, m) })
}

// fix reduces the range of each parameter that is not searched to the champion's value. It
// evaluates the conditions that depend on such parameters, and removes parameters that can
// never become active.
func fix(space agent.Space, searched []string, champion agent.Config) agent.Space {
	fixed := func(name string) bool { return searched != nil && !slices.Contains(searched, name) }
	var out agent.Space
	for _, p := range space.Params {
		if !possible(space, fixed, champion, p.Name) {
			continue
		}
		p.When = maps.Clone(p.When)
		maps.DeleteFunc(p.When, func(other string, _ []any) bool { return fixed(other) })
		if fixed(p.Name) {
			v, ok := champion[p.Name]
			if !ok {
				v = p.Default
			}
			p = p.Only(v)
		}
		out.Params = append(out.Params, p)
	}
	return out
}

// possible reports whether a parameter can become active, given the champion's values of
// the parameters that are fixed.
func possible(space agent.Space, fixed func(string) bool, champion agent.Config, name string) bool {
	p, _ := space.Lookup(name)
	for other, values := range p.When {
		if !possible(space, fixed, champion, other) {
			return false
		}
		if fixed(other) {
			one := agent.Space{Params: []agent.Param{
				{Name: other, Kind: agent.Choice, Values: values, Default: champion[other]},
			}}
			if _, problems := one.Parse(map[string]any{other: champion[other]}); len(problems) > 0 {
				return false
			}
		}
	}
	return true
}
