package workspace

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	rtext "evolve/runtime/text"

	"go.yaml.in/yaml/v4"
)

// field describes the valid values at one position in a YAML file, and is bound to the
// variable that stores the value. The loader, the JSON schema and the comments in a
// scaffold all use the same fields, so all three accept the same keys.
type field interface {
	// read checks a node and stores its value. It reports issues to s; name is the name of
	// the value in these issues.
	read(s *source, n *yaml.Node, name string)
	// schema returns the field as a JSON schema.
	schema() schema
}

// schema is a JSON schema, draft 2020-12.
type schema map[string]any

// key is one key of an object.
type key struct {
	name string
	// doc explains the key in one sentence, without the final full stop.
	doc   string
	field field
	// required reports whether the key must be present.
	required bool
	// def is the default in YAML; it is empty if there is none.
	def string
	// example is an example value that is shown if there is no default.
	example string
}

// object is a mapping with known keys.
type object struct {
	keys []key
	// later contains the keys that other versions of evolve support but this version does
	// not.
	later []string
	// seen, if not nil, receives the value node of each key.
	seen map[string]*yaml.Node
	// when is the condition under which exactly the keys in keys are valid, written as in
	// "kind: openai". others lists the keys that are valid under some condition.
	when   string
	others []string
	// check is called if all keys are valid; it may be nil. name is the name of the object.
	check func(s *source, n *yaml.Node, name string)
	// limits holds further keywords for the object's JSON schema.
	limits schema
}

func (o object) names() []string {
	names := make([]string, len(o.keys))
	for i, k := range o.keys {
		names[i] = k.name
	}
	return names
}

func (o object) read(s *source, n *yaml.Node, name string) {
	if !isMapping(s, n, name) {
		return
	}
	there, before := map[string]bool{}, s.errs.total
	for i := 0; i+1 < len(n.Content); i += 2 {
		kn, vn := n.Content[i], n.Content[i+1]
		k, ok := keyName(kn)
		if !ok || there[k] {
			continue // already reported
		}
		there[k] = true
		at := slices.IndexFunc(o.keys, func(known key) bool { return known.name == k })
		if at < 0 {
			o.unknown(s, kn, k)
			continue
		}
		if o.seen != nil {
			o.seen[k] = vn
		}
		o.keys[at].field.read(s, vn, quote(k))
	}
	for _, k := range o.keys {
		if k.required && !there[k.name] {
			s.bad(n, "", "%s is missing", quote(k.name))
		}
	}
	if o.check != nil && s.errs.total == before {
		o.check(s, n, name)
	}
}

func (o object) unknown(s *source, n *yaml.Node, name string) {
	if slices.Contains(o.later, name) {
		s.bad(n, "", "%s is not supported by this version of evolve", quote(name))
		return
	}
	if slices.Contains(o.others, name) {
		s.bad(n, "", "%s cannot be used with %s", quote(name), o.when)
		return
	}
	s.bad(n, didYouMean(name, o.names()), "unknown key %s", quote(name))
}

func (o object) schema() schema {
	properties, required := schema{}, []any{}
	for _, k := range o.keys {
		p := k.field.schema()
		p["description"] = sentence(k.doc)
		properties[k.name] = p
		if k.required {
			required = append(required, k.name)
		}
	}
	out := schema{"type": []any{"object", "null"}, "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["type"] = "object"
		out["required"] = required
	}
	maps.Copy(out, o.limits)
	return out
}

// unexplained is a field whose keys are left out of the comments in a scaffold.
type unexplained struct{ field }

// mapping is a mapping with arbitrary keys and values of one kind.
type mapping struct {
	// each returns the field of one key, or nil after reporting that the key is invalid.
	each func(s *source, key *yaml.Node) field
	// item is a field for the values. It is used only for the schema, and nothing is
	// stored in its variable.
	item field
}

func (m mapping) read(s *source, n *yaml.Node, name string) {
	if !isMapping(s, n, name) {
		return
	}
	there := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, ok := keyName(n.Content[i])
		if !ok || there[k] {
			continue // already reported
		}
		there[k] = true
		if f := m.each(s, n.Content[i]); f != nil {
			f.read(s, n.Content[i+1], quote(k))
		}
	}
}

func (m mapping) schema() schema {
	return schema{"type": []any{"object", "null"}, "additionalProperties": m.item.schema()}
}

// listOf is a list with items of one kind.
type listOf struct {
	// each returns the field of one item.
	each func() field
	// min is the minimum number of items, and most is the maximum, where 0 means no
	// maximum. unique reports whether duplicates are refused.
	min, most int
	unique    bool
}

func (l listOf) read(s *source, n *yaml.Node, name string) {
	if l.min == 0 && isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			hint = fmt.Sprintf("write [%s]", n.Value)
		}
		s.bad(n, hint, "%s must be a list, not %s", name, describe(n))
		return
	}
	if len(n.Content) < l.min {
		s.bad(n, "", "%s must have at least %s", name, rtext.Count(l.min, "item"))
	}
	if l.most > 0 && len(n.Content) > l.most {
		s.bad(n, "", "%s has more than %s", name, rtext.Count(l.most, "item"))
	}
	there := map[string]bool{}
	for i, item := range n.Content {
		l.each().read(s, item, fmt.Sprintf("item %d of %s", i+1, name))
		if l.unique && item.Kind == yaml.ScalarNode {
			if there[item.Value] {
				s.bad(item, "", "%s has %q twice", name, item.Value)
			}
			there[item.Value] = true
		}
	}
}

func (l listOf) schema() schema {
	out := schema{"type": []any{"array", "null"}, "items": l.each().schema()}
	if l.min > 0 {
		out["type"] = "array"
		out["minItems"] = l.min
	}
	if l.most > 0 {
		out["maxItems"] = l.most
	}
	if l.unique {
		out["uniqueItems"] = true
	}
	return out
}

// union is an object whose further keys depend on the value of one of them.
type union struct {
	// by is the key whose value determines the member that applies. Every member has this
	// key.
	by      string
	names   []string
	members map[string]object
	// optional reports whether the key whose name is in by may be left out. If it is left
	// out, the caller reads the object in a different way.
	optional bool
}

func (u union) read(s *source, n *yaml.Node, name string) {
	if !isMapping(s, n, name) {
		return
	}
	by := child(n, u.by)
	if by == nil {
		s.bad(n, "", "%q is missing from %s", u.by, name)
		return
	}
	var which string
	if (text{to: &which, words: u.names}).take(s, by, quote(u.by)) {
		member := u.members[which]
		member.when = u.by + ": " + which
		for _, other := range u.names {
			member.others = append(member.others, u.members[other].names()...)
		}
		member.read(s, n, name)
	}
}

func (u union) schema() schema {
	all := schema{}
	var cases []any
	for _, name := range u.names {
		member := u.members[name].schema()
		for k, p := range member["properties"].(schema) {
			if k != u.by {
				all[k] = true
				continue
			}
			all[k] = schema{"enum": enum(u.names), "description": p.(schema)["description"]}
		}
		is := schema{"required": []any{u.by}, "properties": schema{u.by: schema{"const": name}}}
		cases = append(cases, schema{"if": is, "then": member})
	}
	out := schema{"type": "object", "properties": all, "additionalProperties": false, "allOf": cases}
	if u.optional {
		out["type"] = []any{"object", "null"}
	} else {
		out["required"] = []any{u.by}
	}
	return out
}

// child returns the value of a key, or nil if the key is missing.
func child(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k, ok := keyName(n.Content[i]); ok && k == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// isMapping reports whether n is a mapping or empty. If n is neither, isMapping reports an
// issue.
func isMapping(s *source, n *yaml.Node, name string) bool {
	switch {
	case n.Kind == yaml.MappingNode || isNull(n):
		return true
	case name == "":
		s.bad(n, "", "must be a mapping of keys to values, not %s", describe(n))
	default:
		s.bad(n, "", "%s must be a mapping of keys to values, not %s", name, describe(n))
	}
	return false
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe returns a description of the kind of a node.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	}
	return "text"
}

func quote(name string) string { return fmt.Sprintf("%q", name) }

func sentence(doc string) string {
	if doc == "" {
		return ""
	}
	return strings.ToUpper(doc[:1]) + doc[1:] + "."
}

func enum(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

// namePattern matches names of agents and suites. They are safe as file names, in git refs
// and as shell words.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

const nameRule = "1 to 64 letters, digits, - or _"

// SuiteProblem returns the reason why a workspace cannot have a suite with this name, or ""
// if it can.
func SuiteProblem(name string) string {
	if namePattern.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("a suite's name must be %s; it is %q", nameRule, name)
}

// DomainProblem returns the reason why agent.yaml cannot have a domain with this name, or
// "" if it can.
func DomainProblem(name string) string {
	if namePattern.MatchString(name) || name == "_global" {
		return ""
	}
	return fmt.Sprintf("a domain's name must be %s; it is %q", nameRule, name)
}
