package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the type of a parameter.
type Kind string

// The kinds of parameter.
const (
	Float  Kind = "float"
	Int    Kind = "int"
	Choice Kind = "choice"
	Bool   Kind = "bool"
	Subset Kind = "subset"
	Text   Kind = "text"
)

// Param declares one parameter. Archives contain the hash of a parameter's JSON, so fields
// added later are omitted from the JSON when they are zero.
type Param struct {
	Name string
	Kind Kind
	// Min and Max bound a Float or Int; both bounds are included.
	Min, Max float64
	// Log reports whether a Float or Int has a logarithmic scale. Such a scale requires
	// that Min is above 0.
	Log bool
	// Values are the distinct values of a Choice, which are scalars (string, bool, int64,
	// float64).
	Values []any
	// Of lists the members that a Subset can contain, in declaration order. If it is empty,
	// the subset is always empty.
	Of []string
	// Retired lists members that a Subset could contain in earlier versions. They are
	// dropped whenever a value is read.
	Retired []string `json:",omitempty"`
	// MinItems and MaxItems bound the number of members of a Subset; if MaxItems is 0, all
	// members are allowed.
	MinItems, MaxItems int
	// MaxChars is the maximum length of a Text, in characters.
	MaxChars int
	// Use is how the agent uses a Text.
	Use TextUse `json:",omitempty"`
	// Lines are whole lines that a search without a language model may add to a Text or
	// remove from it, such as the directives of the built-in model.
	Lines   []string
	Default any
	// When maps the names of other parameters to the values that make this parameter
	// active; the condition in every entry must be met. If When is empty, the parameter is
	// always active.
	When map[string][]any
	// Description describes the parameter, for people and for language models that propose
	// changes.
	Description string
}

// Numeric reports whether the parameter is a Float or an Int, the kinds that have a scale.
func (p Param) Numeric() bool { return p.Kind == Float || p.Kind == Int }

// Only returns p with v as its only value.
func (p Param) Only(v any) Param {
	out := Param{Name: p.Name, Default: v, When: p.When, Description: p.Description}
	if list, ok := v.([]string); ok {
		out.Kind, out.Of, out.MinItems, out.MaxItems, out.Retired = Subset, list, len(list), len(list), p.Retired
		return out
	}
	out.Kind, out.Values = Choice, []any{v}
	return out
}

// Space is the ordered list of declared parameters.
type Space struct {
	Params []Param
}

// Problem is one fault in a config or a space.
type Problem struct {
	Param string
	Text  string
}

func (p Problem) String() string {
	if p.Param == "" {
		return p.Text
	}
	return fmt.Sprintf("parameter %q %s", p.Param, p.Text)
}

// Lookup returns the parameter with the given name.
func (s Space) Lookup(name string) (Param, bool) {
	for _, p := range s.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// Names returns the names of the parameters in order.
func (s Space) Names() []string {
	names := make([]string, len(s.Params))
	for i, p := range s.Params {
		names[i] = p.Name
	}
	return names
}

// Default returns the config in which every active parameter has its default value.
// Inactive parameters are absent.
func (s Space) Default() Config {
	c := make(Config, len(s.Params))
	for _, p := range s.Params {
		c[p.Name] = p.Default
	}
	return s.Canonical(c.Clone())
}

// Active reports whether a parameter has an effect under c: every parameter that its
// condition names must itself be active and have one of the named values. A parameter
// absent from c counts as having its default.
func (s Space) Active(c Config, name string) bool {
	return s.active(c, name, 0)
}

func (s Space) active(c Config, name string, depth int) bool {
	p, ok := s.Lookup(name)
	if !ok || depth > len(s.Params) {
		return false
	}
	for other, values := range p.When {
		if !s.active(c, other, depth+1) {
			return false
		}
		have, ok := c[other]
		if !ok {
			q, _ := s.Lookup(other)
			have = q.Default
		}
		if !slices.ContainsFunc(values, func(v any) bool { return sameScalar(v, have) }) {
			return false
		}
	}
	return true
}

// Canonical returns c with the defaults of absent active parameters added and the inactive
// or unknown parameters removed. It does not check values.
func (s Space) Canonical(c Config) Config {
	out := make(Config, len(s.Params))
	for _, p := range s.Params {
		if !s.Active(c, p.Name) {
			continue
		}
		v, ok := c[p.Name]
		if !ok {
			v = p.Default
		}
		out[p.Name] = v
	}
	return out.Clone()
}

// Parse checks values from outside, such as a person's file or a model's proposal, against
// the space. It returns the canonical config, or every problem that it found. Inactive
// parameters are dropped, and absent parameters get their defaults.
func (s Space) Parse(raw map[string]any) (Config, []Problem) {
	var problems []Problem
	c := make(Config, len(raw))
	for name, v := range raw {
		p, ok := s.Lookup(name)
		if !ok {
			problems = append(problems, Problem{name, "is not declared in the space"})
			continue
		}
		val, err := p.Coerce(v)
		if err != nil {
			problems = append(problems, Problem{name, err.Error()})
			continue
		}
		c[name] = val
	}
	if len(problems) > 0 {
		slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Param, b.Param) })
		return nil, problems
	}
	return s.Canonical(c), nil
}

// Coerce converts a value from outside to the type of the parameter. The error's text
// completes a sentence that begins with "parameter X".
func (p Param) Coerce(v any) (any, error) {
	v, err := normalize(v)
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case Float, Int:
		return p.coerceNumber(v)
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("must be true or false")
	case Choice:
		for _, allowed := range p.Values {
			if sameScalar(allowed, v) {
				return allowed, nil
			}
		}
		return nil, fmt.Errorf("must be one of %s", list(p.Values))
	case Subset:
		return p.coerceSubset(v)
	case Text:
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("must be text")
		}
		if !utf8.ValidString(s) {
			return nil, fmt.Errorf("is not valid UTF-8")
		}
		if n := utf8.RuneCountInString(s); p.MaxChars > 0 && n > p.MaxChars {
			return nil, fmt.Errorf("has %d characters, but at most %d are allowed", n, p.MaxChars)
		}
		if _, ok := ParseDemonstrations(s); p.Use == Demonstrations && !ok {
			return nil, fmt.Errorf(`must have one JSON object per line, with the keys "task" and "answer"`)
		}
		return s, nil
	}
	return nil, fmt.Errorf("has the unknown type %q", p.Kind)
}

func (p Param) coerceNumber(v any) (any, error) {
	var f float64
	switch n := v.(type) {
	case int64:
		f = float64(n)
	case float64:
		f = n
	default:
		return nil, fmt.Errorf("must be a number")
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("must be a finite number")
	}
	if f < p.Min || f > p.Max {
		return nil, fmt.Errorf("is %v, but must be between %v and %v", f, p.Min, p.Max)
	}
	if p.Kind == Int {
		if f != math.Trunc(f) {
			return nil, fmt.Errorf("must be a whole number, not %v", f)
		}
		return int64(f), nil
	}
	if f == 0 {
		f = 0 // no negative zero
	}
	return f, nil
}

func (p Param) coerceSubset(v any) (any, error) {
	items, ok := v.([]string)
	if !ok {
		return nil, fmt.Errorf("must be a list")
	}
	seen := make(map[string]bool, len(items))
	items = slices.DeleteFunc(slices.Clone(items), func(it string) bool { return slices.Contains(p.Retired, it) })
	for _, it := range items {
		if !slices.Contains(p.Of, it) {
			return nil, fmt.Errorf("has %q, which is not one of %s", it, strings.Join(p.Of, ", "))
		}
		if seen[it] {
			return nil, fmt.Errorf("has %q twice", it)
		}
		seen[it] = true
	}
	maxItems := p.MaxItems
	if maxItems == 0 {
		maxItems = len(p.Of)
	}
	if len(items) < p.MinItems || len(items) > maxItems {
		return nil, fmt.Errorf("has %d items, but between %d and %d are allowed", len(items), p.MinItems, maxItems)
	}
	out := make([]string, 0, len(items))
	for _, it := range p.Of {
		if seen[it] {
			out = append(out, it)
		}
	}
	return out, nil
}

// Clamp returns the valid config that is nearest to c, and the changes that were made to c.
// It is for values that have already reached the runtime and can no longer be refused;
// people's files and models' proposals go through [Space.Parse].
func (s Space) Clamp(c Config) (Config, []Problem) {
	var changed []Problem
	out := make(Config, len(c))
	for _, p := range s.Params {
		v, ok := c[p.Name]
		if !ok {
			continue
		}
		good, err := p.Coerce(v)
		if err == nil {
			out[p.Name] = good
			continue
		}
		out[p.Name] = p.nearest(v)
		changed = append(changed, Problem{p.Name, err.Error() + "; clamped"})
	}
	return s.Canonical(out), changed
}

func (p Param) nearest(v any) any {
	if p.Numeric() {
		f := math.NaN()
		switch n := v.(type) {
		case int64:
			f = float64(n)
		case float64:
			f = n
		}
		if !math.IsNaN(f) {
			f = math.Min(p.Max, math.Max(p.Min, f))
			if p.Kind == Int {
				return int64(math.Round(f))
			}
			return f
		}
	}
	if s, ok := v.(string); ok && p.Kind == Text && p.Use == Instruction && utf8.ValidString(s) {
		return string([]rune(s)[:p.MaxChars])
	}
	return p.Default
}

// Check returns the faults of the declarations themselves: unknown kinds, empty ranges,
// invalid defaults, duplicate names, and conditions that are circular or name unknown
// parameters.
func (s Space) Check() []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, p := range s.Params {
		if p.Name == "" {
			problems = append(problems, Problem{Text: "a parameter has no name"})
			continue
		}
		if seen[p.Name] {
			problems = append(problems, Problem{p.Name, "is declared twice"})
		}
		seen[p.Name] = true
		for _, text := range p.check() {
			problems = append(problems, Problem{p.Name, text})
		}
	}
	return append(problems, s.checkConditions()...)
}

// check returns the faults in one declaration. The text of each fault completes a sentence
// that begins with "parameter X".
func (p Param) check() []string {
	var faults []string
	bad := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	switch p.Kind {
	case Float, Int:
		faults = p.checkRange()
	case Choice:
		if len(p.Values) == 0 {
			bad("needs values")
		}
		for i, v := range p.Values {
			if slices.ContainsFunc(p.Values[:i], func(w any) bool { return sameScalar(v, w) }) {
				bad("has the value %v twice", v)
			}
		}
	case Subset:
		for i, v := range p.Of {
			if slices.Contains(p.Of[:i], v) {
				bad("has the member %q twice", v)
			}
		}
		if p.MinItems < 0 || p.MinItems > len(p.Of) || (p.MaxItems != 0 && p.MaxItems < p.MinItems) {
			bad("has a min and max that no list can satisfy")
		}
	case Text:
		if p.MaxChars <= 0 {
			bad("needs max_chars above 0")
		}
		if p.Use != Instruction && p.Use != Demonstrations && p.Use != Code {
			bad("has the unknown use %q", p.Use)
		}
	case Bool:
	default:
		bad("has the unknown type %q", p.Kind)
		return faults
	}
	if _, err := p.Coerce(p.Default); err != nil {
		bad("has an invalid default, which %s", err)
	}
	return faults
}

// checkRange returns the faults in a number's range.
func (p Param) checkRange() []string {
	var faults []string
	if !(p.Min < p.Max) && !(p.Min == p.Max && p.Kind == Int) {
		faults = append(faults, "needs min below max")
	}
	if p.Log && p.Min <= 0 {
		faults = append(faults, "is on a log scale and needs min above 0")
	}
	if p.Kind == Int && (p.Min != math.Trunc(p.Min) || p.Max != math.Trunc(p.Max)) {
		faults = append(faults, "needs whole numbers as min and max")
	}
	return faults
}

func (s Space) checkConditions() []Problem {
	var problems []Problem
	for _, p := range s.Params {
		for other, values := range p.When {
			q, ok := s.Lookup(other)
			if !ok {
				problems = append(problems, Problem{p.Name, fmt.Sprintf("depends on %q, which is not declared", other)})
				continue
			}
			for _, v := range values {
				if _, err := q.Coerce(v); err != nil {
					problems = append(problems, Problem{p.Name, fmt.Sprintf("depends on %q with the value %v, which is invalid: it %s", other, v, err)})
				}
			}
		}
		if s.dependsOn(p.Name, p.Name, 0) {
			problems = append(problems, Problem{p.Name, "depends on itself"})
		}
	}
	return problems
}

func (s Space) dependsOn(from, target string, depth int) bool {
	if depth > len(s.Params) {
		return true
	}
	p, _ := s.Lookup(from)
	for other := range p.When {
		if other == target || s.dependsOn(other, target, depth+1) {
			return true
		}
	}
	return false
}

// sameScalar compares two scalars by value; 1 and 1.0 are the same number.
func sameScalar(a, b any) bool {
	na, erra := normalize(a)
	nb, errb := normalize(b)
	if erra != nil || errb != nil {
		return false
	}
	if fa, ok := number(na); ok {
		fb, ok := number(nb)
		return ok && fa == fb
	}
	switch na.(type) {
	case bool, string:
		return na == nb
	}
	return false
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func list(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}
