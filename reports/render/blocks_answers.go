package render

import (
	"cmp"
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
)

// maxFields is the maximum number of fields of an answer that a table shows.
const maxFields = 24

// answers holds the fields of two answers that are JSON documents.
type answers struct {
	fields []answerField
	// expects reports whether the reference answer is also a JSON document; graded
	// describes what the graders examine in addition to the reference.
	expects bool
	graded  string
}

// answerField is one field of the answers; a value is "" on any side that lacks the field.
type answerField struct{ path, expected, before, after string }

func (f answerField) same() bool { return f.before == f.after }

// answersOf returns the fields of two answers; it returns none unless both answers are JSON
// documents.
func answersOf(d model.Detail) answers {
	before, restA, ok := outline(d.Before.Answer)
	if !ok || strings.TrimSpace(restA) != "" {
		return answers{}
	}
	after, restB, ok := outline(d.After.Answer)
	if !ok || strings.TrimSpace(restB) != "" {
		return answers{}
	}
	var a answers
	expected, graded, ok := outline(d.Expected)
	if ok {
		a.expects, a.graded = true, strings.TrimSpace(strings.TrimPrefix(graded, ";"))
		if a.graded == "" {
			a.graded = "the expected answer as a whole"
		}
	} else {
		expected = nil
	}
	put := func(path string) *answerField {
		i := slices.IndexFunc(a.fields, func(f answerField) bool { return f.path == path })
		if i < 0 {
			i = len(a.fields)
			a.fields = append(a.fields, answerField{path: path})
		}
		return &a.fields[i]
	}
	for _, f := range expected {
		put(f.Path).expected = f.Value
	}
	for _, f := range before {
		put(f.Path).before = f.Value
	}
	for _, f := range after {
		put(f.Path).after = f.Value
	}
	return a
}

// table shows the fields side by side and marks those that differ between the answers. If
// there are many fields, it shows the differing ones first.
func (a answers) table(d model.Detail, against string) table {
	shown := a.fields
	if len(shown) > maxFields {
		shown = slices.Clone(shown)
		slices.SortStableFunc(shown, func(x, y answerField) int {
			switch {
			case x.same() == y.same():
				return 0
			case x.same():
				return 1
			}
			return -1
		})
	}
	names := []string{against, "variant"}
	if a.expects {
		names = append([]string{"expected"}, names...)
	}
	t := newTable(say("Answers to ", clipped(d.Task, 80), ", field by field"), wraps("field"), wraps(names...))
	cell := func(s string) spans {
		if s == "" {
			return say(styled(number.Unknown, dim))
		}
		return say(lined(s, maxShown/2))
	}
	for _, f := range model.First(shown, maxFields) {
		mark, name := "", say(clipped(cmp.Or(f.path, "value"), 60))
		if !f.same() {
			mark, name = "diverge", append(name, say(styled(" ◂ differs", strong))...)
		}
		cells := []any{name}
		if a.expects {
			cells = append(cells, cell(f.expected))
		}
		t.add(mark, append(cells, cell(f.before), cell(f.after))...)
	}
	if n := len(shown) - maxFields; n > 0 {
		cells := []any{styled(number.Plural(n, "more field"), dim)}
		for range t.Columns[1:] {
			cells = append(cells, "")
		}
		t.add("", cells...)
	}
	return t
}
