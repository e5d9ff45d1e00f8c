package grade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// maxReference limits the length of a grader's reference text, in bytes, and maxReferences
// limits the number of such texts.
const (
	maxReference  = 1 << 20
	maxReferences = 10_000
)

// builder reads the fields of one grader and collects its problems.
type builder struct {
	task   *bench.Task
	fields map[string]json.RawMessage
	means
	expects  []agent.Outcome
	problems []bench.GraderProblem
}

func newBuilder(t *bench.Task, spec bench.GraderSpec, own []string) *builder {
	b := &builder{task: t}
	if len(spec.Raw) == 0 {
		return b
	}
	if err := json.Unmarshal(spec.Raw, &b.fields); err != nil {
		b.problem("", "is not an object")
		return b
	}
	for name := range b.fields {
		if !slices.Contains(own, name) && !slices.Contains([]string{"type", "weight", "threshold", "not"}, name) {
			b.problem(name, "has the unknown key %q", name)
		}
	}
	slices.SortFunc(b.problems, func(p, q bench.GraderProblem) int { return strings.Compare(p.Field, q.Field) })
	return b
}

func (b *builder) problem(field, format string, args ...any) {
	b.problems = append(b.problems, bench.GraderProblem{Field: field, Text: fmt.Sprintf(format, args...)})
}

// has reports whether a field is present; null counts as absent.
func (b *builder) has(field string) bool {
	raw, ok := b.fields[field]
	return ok && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// text reads a required field that must not be empty.
func (b *builder) text(field string) string {
	var s string
	switch {
	case !b.has(field):
		b.problem("", "needs %q", field)
	case json.Unmarshal(b.fields[field], &s) != nil:
		b.problem(field, "%q must be text", field)
	case s == "":
		b.problem(field, "%q is empty", field)
	}
	return s
}

// texts reads a text or a list of texts. It returns nil if the field is absent.
func (b *builder) texts(field string) []string {
	if !b.has(field) {
		return nil
	}
	var one string
	if json.Unmarshal(b.fields[field], &one) == nil {
		return b.bounded(field, []string{one})
	}
	var list []*string
	if json.Unmarshal(b.fields[field], &list) != nil || slices.Contains(list, nil) {
		b.problem(field, "%q must be a string or a list of strings", field)
		return nil
	}
	if len(list) == 0 {
		b.problem(field, "%q is an empty list", field)
		return nil
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = *s
	}
	return b.bounded(field, texts)
}

func (b *builder) bounded(field string, texts []string) []string {
	if len(texts) > maxReferences {
		b.problem(field, "%q has more than %d strings", field, maxReferences)
		return nil
	}
	for _, s := range texts {
		if len(s) > maxReference {
			b.problem(field, "%q has a string longer than 1 MB", field)
			return nil
		}
	}
	return texts
}

// answers returns the accepted answers: those of the grader or else those of the task.
func (b *builder) answers() []string {
	if b.has("answer") {
		return b.texts("answer")
	}
	if b.task.Answer == nil {
		b.problem("", "%v", errNoAnswer)
		return nil
	}
	return b.bounded("answer", []string{*b.task.Answer})
}

// number reads a number within [lo, hi]. It returns def if the field is absent.
func (b *builder) number(field string, def, lo, hi float64) float64 {
	if !b.has(field) {
		return def
	}
	var f float64
	if json.Unmarshal(b.fields[field], &f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		b.problem(field, "%q must be a number", field)
		return def
	}
	if f < lo || f > hi {
		b.problem(field, "%q is %v, which is not between %v and %v", field, f, lo, hi)
		return def
	}
	return f
}

// flag reads true or false. It returns false if the field is absent.
func (b *builder) flag(field string) bool {
	var on bool
	if b.has(field) && json.Unmarshal(b.fields[field], &on) != nil {
		b.problem(field, "%q must be true or false", field)
	}
	return on
}
