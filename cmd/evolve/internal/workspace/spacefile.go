package workspace

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/agent"
)

// paramDraft is one entry under space in agent.yaml, before the space is checked as a
// whole.
type paramDraft struct {
	agent.Param
	kind, use string
	// name is the node of the entry's name; given holds the value nodes of the entry's
	// keys.
	name  *yaml.Node
	given map[string]*yaml.Node
	// when maps each parameter name in the entry's condition to its node.
	when map[string]*yaml.Node
	// broken reports whether an issue was already reported for the entry, so that issues
	// that follow from it are suppressed.
	broken bool
}

// paramName excludes names that would be unreadable in a report or could not be keys.
var paramName = regexp.MustCompile(`^[\pL\pN_][\pL\pN_./:+-]{0,99}$`)

const (
	// maxParams is the maximum number of parameters in a space.
	maxParams = 500
	// maxNumber is the largest number up to which float64 represents every whole number
	// exactly.
	maxNumber = 1 << 53
	maxChars  = 1_000_000
)

var kinds = []string{
	string(agent.Float), string(agent.Int), string(agent.Choice),
	string(agent.Bool), string(agent.Subset), string(agent.Text),
}

func spaceKeys(f *agentFile) mapping {
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			if !paramName.MatchString(k.Value) {
				s.bad(k, "", "a parameter's name must be 1 to 100 letters, digits and _ . / : + -, and begin with a letter, a digit or _; it is %q", k.Value)
				return nil
			}
			d := newDraft()
			d.Name, d.name = k.Value, k
			f.params = append(f.params, d)
			if len(f.params) > maxParams {
				if len(f.params) == maxParams+1 {
					s.bad(k, "", "a space has at most %d parameters", maxParams)
				}
				return nil
			}
			return draft{d}
		},
		item: draft{newDraft()},
	}
}

func newDraft() *paramDraft {
	return &paramDraft{given: map[string]*yaml.Node{}, when: map[string]*yaml.Node{}}
}

// draft is the field for one entry under space. It requires no keys, because for a built-in
// agent an entry only narrows a parameter that is already complete.
type draft struct{ *paramDraft }

// byType returns the keys of an entry for each type.
func (d draft) byType() union {
	members := paramMembers(d.paramDraft)
	for _, kind := range kinds {
		for i := range members[kind].keys {
			members[kind].keys[i].required = false
		}
	}
	return union{by: "type", names: kinds, members: members, optional: true}
}

func (d draft) read(s *source, n *yaml.Node, name string) {
	before := s.errs.total
	u := d.byType()
	if isNull(n) || n.Kind == yaml.MappingNode && child(n, "type") == nil {
		anyType(d.paramDraft, u.members).read(s, n, name)
	} else {
		u.read(s, n, name)
	}
	d.Kind, d.Use = agent.Kind(d.kind), agent.TextUse(d.use)
	def := d.given["default"]
	d.broken = s.errs.total > before || def != nil && def.Kind == yaml.AliasNode
}

func (d draft) schema() schema { return d.byType().schema() }

// anyType returns an object that accepts the keys of all types, for an entry that gives no
// type.
func anyType(d *paramDraft, members map[string]object) object {
	all := object{seen: d.given}
	for _, kind := range kinds {
		for _, k := range members[kind].keys {
			if slices.Contains(all.names(), k.name) {
				continue
			}
			if k.name == "min" || k.name == "max" {
				k.field = custom{} // its type, a number or a count, depends on the parameter's type
			}
			all.keys = append(all.keys, k)
		}
	}
	return all
}

// paramMembers returns the keys of a parameter for each type.
func paramMembers(d *paramDraft) map[string]object {
	typ := key{name: "type", doc: "float, int, choice, bool, subset or text", field: oneOf(&d.kind, kinds...), required: true}
	common := []key{
		{name: "when", doc: "other parameters with the values for which this one is active; all conditions must be met", field: whenKeys(d)},
		{name: "description", doc: "what the parameter does, for people and for models that propose changes", field: text{to: &d.Description}},
	}
	def := func(form schema) key {
		return key{name: "default", doc: "value of the parameter until something better is adopted", field: custom{form: form}, required: true}
	}
	member := func(keys ...key) object {
		return object{seen: d.given, keys: append(append([]key{typ}, keys...), common...)}
	}
	return map[string]object{
		string(agent.Float): member(
			key{name: "min", doc: "least value", field: number{to: &d.Min, min: -1e300, max: 1e300}, required: true},
			key{name: "max", doc: "greatest value", field: number{to: &d.Max, min: -1e300, max: 1e300}, required: true},
			key{name: "log", doc: "true: the parameter acts on a logarithmic scale; min must be above 0", field: flag{&d.Log}, def: "false"},
			def(schema{"type": "number"})),
		string(agent.Int): member(
			key{name: "min", doc: "least value", field: number{to: &d.Min, min: -maxNumber, max: maxNumber}, required: true},
			key{name: "max", doc: "greatest value", field: number{to: &d.Max, min: -maxNumber, max: maxNumber}, required: true},
			key{name: "log", doc: "true: the parameter acts on a logarithmic scale; min must be above 0", field: flag{&d.Log}, def: "false"},
			def(schema{"type": "integer"})),
		string(agent.Choice): member(
			key{name: "values", doc: "allowed values: text, numbers, true or false", field: listOf{min: 1, each: func() field { return scalarInto(&d.Values) }}, required: true},
			def(scalarForm)),
		string(agent.Bool): member(def(schema{"type": "boolean"})),
		string(agent.Subset): member(
			key{name: "of", doc: "members that the subset may contain", field: words(&d.Of, 1, nil, ""), required: true},
			key{name: "min", doc: "minimum number of members", field: whole[int]{&d.MinItems, 0, 10_000}, def: "0"},
			key{name: "max", doc: "maximum number of members", field: whole[int]{&d.MaxItems, 1, 10_000}, def: "all"},
			def(schema{"type": "array", "items": schema{"type": "string"}})),
		string(agent.Text): member(
			key{name: "max_chars", doc: "most characters", field: whole[int]{&d.MaxChars, 1, maxChars}, required: true},
			key{name: "use", doc: "demonstrations: solved tasks as examples, one JSON object per line with the keys task and answer; if left out, the text is an instruction", field: oneOf(&d.use, string(agent.Demonstrations))},
			key{name: "lines", doc: "whole lines that a search without a language model may add or remove", field: words(&d.Lines, 0, nil, "")},
			def(schema{"type": "string"})),
	}
}

var scalarForm = schema{"type": []any{"string", "number", "boolean"}}

// scalarInto is a field for a bool, a number or a text, which is appended to a list.
func scalarInto(to *[]any) custom {
	return custom{func(s *source, n *yaml.Node, name string) {
		if value, ok := scalar(s, n, name); ok {
			*to = append(*to, value)
		}
	}, scalarForm}
}

// scalar reads a bool, a number or a text.
func scalar(s *source, n *yaml.Node, name string) (any, bool) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		s.bad(n, "", "%s must be text, a number, true or false, not %s", name, describe(n))
		return nil, false
	}
	return scalarValue(n), true
}

func whenKeys(d *paramDraft) mapping {
	return mapping{
		each: func(_ *source, k *yaml.Node) field {
			d.when[k.Value] = k
			var values []any
			return then{listOf{min: 1, each: func() field { return scalarInto(&values) }}, func() { put(&d.When, k.Value, values) }}
		},
		item: listOf{min: 1, each: func() field { return scalarInto(new([]any)) }},
	}
}

// value returns the default without checking it against the parameter. If the default has
// no valid form, value reports an issue and returns false.
func (d *paramDraft) value(s *source) (any, bool) {
	n := d.given["default"]
	if n.Kind == yaml.SequenceNode {
		list := []string{}
		for i, item := range n.Content {
			var v string
			if !(text{to: &v}).take(s, item, "item "+show(i+1)+` of "default"`) {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	}
	return scalar(s, n, `"default"`)
}

// declaredSpace returns the space of a command agent, in which every parameter is declared
// in full.
func declaredSpace(s *source, f *agentFile) agent.Space {
	var space agent.Space
	for _, d := range f.params {
		if !d.broken {
			before := s.errs.total
			d.complete(s)
			d.broken = s.errs.total > before
		}
		space.Params = append(space.Params, d.Param)
	}
	checkSpace(s, f, space)
	return space
}

// complete checks that the keys of a full declaration are present, and sets the default,
// converted to the parameter's own type.
func (d *paramDraft) complete(s *source) {
	if d.kind == "" {
		s.bad(d.name, "", `"type" is missing from %q`, d.Name)
		return
	}
	for _, k := range paramMembers(d)[d.kind].keys {
		if k.required && d.given[k.name] == nil {
			s.bad(d.name, "", "%q is missing from %q", k.name, d.Name)
			d.broken = true
		}
	}
	if d.broken {
		return
	}
	v, ok := d.value(s)
	if !ok {
		return
	}
	d.Default = v
	if coerced, err := d.Coerce(v); err == nil {
		d.Default = coerced
	}
}

// checkSpace reports issues with the declarations as a whole, except those that follow from
// an issue that was reported before.
func checkSpace(s *source, f *agentFile, space agent.Space) {
	c := conditions{s: s, drafts: map[string]*paramDraft{}, depth: map[string]int{}, names: space.Names()}
	for _, d := range f.params {
		c.drafts[d.Name] = d
	}
	for _, d := range f.params {
		c.nesting(d)
	}
	// Leave out the conditions of parameters with issues, so that the time for the check is
	// bounded.
	sound := agent.Space{Params: slices.Clone(space.Params)}
	for i, p := range sound.Params {
		if c.drafts[p.Name].broken {
			sound.Params[i].When = nil
		}
	}
	reported := map[string]int{}
	for _, p := range sound.Check() {
		d := c.drafts[p.Param]
		if d == nil || d.broken || c.restsOnBroken(d) {
			continue
		}
		// If the range is invalid, the default cannot be checked against it, so no issue
		// with the default is reported after another issue with the parameter.
		if at := d.at(p.Text); reported[p.Param] == 0 || at != d.given["default"] {
			s.bad(at, "", "%s", p)
			reported[p.Param]++
		}
	}
}

// The limits on conditions. They are needed because the time to determine whether a
// parameter is active grows exponentially with the nesting of conditions.
const (
	maxConditions = 8
	maxNesting    = 4
)

// conditions follows the conditions from parameter to parameter to determine how deeply
// they are nested.
type conditions struct {
	s      *source
	drafts map[string]*paramDraft
	// depth maps each finished parameter to its nesting depth, and each parameter in
	// progress to underWay.
	depth map[string]int
	names []string
}

const underWay = -1

// nesting returns the length of d's longest chain of dependencies. It reports undeclared
// names, cycles, and violations of the limits.
func (c conditions) nesting(d *paramDraft) int {
	if n, ok := c.depth[d.Name]; ok {
		return n
	}
	c.depth[d.Name] = underWay
	deepest := 0
	if len(d.when) > maxConditions {
		c.refuse(d, d.given["when"], "", "has %d conditions, but at most %d are allowed", len(d.when), maxConditions)
	}
	for _, other := range slices.Sorted(maps.Keys(d.when)) {
		o := c.drafts[other]
		if o == nil {
			c.refuse(d, d.when[other], didYouMean(other, c.names), "depends on %q, which is not declared", other)
			continue
		}
		n := c.nesting(o)
		if n == underWay {
			c.refuse(d, d.when[other], "", "depends on itself")
			continue
		}
		deepest = max(deepest, n+1)
	}
	if deepest == maxNesting+1 {
		c.refuse(d, d.given["when"], "", "depends on a chain of more than %d parameters", maxNesting)
	}
	c.depth[d.Name] = deepest
	return deepest
}

func (c conditions) refuse(d *paramDraft, at *yaml.Node, hint, format string, args ...any) {
	c.s.bad(at, hint, "parameter %q %s", d.Name, fmt.Sprintf(format, args...))
	d.broken = true
}

// restsOnBroken reports whether d's condition names a parameter with issues.
func (c conditions) restsOnBroken(d *paramDraft) bool {
	for other := range d.When {
		if o := c.drafts[other]; o == nil || o.broken {
			return true
		}
	}
	return false
}

// at returns the node to which a problem refers: the value of the key that the problem
// names, or the parameter's name.
func (d *paramDraft) at(problem string) *yaml.Node {
	for _, c := range [][2]string{
		{"default", "default"},
		{"depends", "when"},
		{"log scale", "log"},
		{"the value", "values"},
		{"the member", "of"},
		{"min", "min"},
		{"max_chars", "max_chars"},
	} {
		if n := d.given[c[1]]; n != nil && strings.Contains(problem, c[0]) {
			return n
		}
	}
	return d.name
}
