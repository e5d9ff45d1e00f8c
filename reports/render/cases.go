package render

import (
	"regexp"
	"slices"
)

// ofTasks matches the noun for the items on which an agent is scored.
var ofTasks = regexp.MustCompile(`\b([Tt])(ask)(s?)\b`)

// cases replaces the noun for tasks with the noun for cases in the report's own words. It
// is meant for subjects that a command scores. Foreign text is not changed.
func (t spans) cases() spans {
	out := slices.Clone(t)
	for i, part := range out {
		if !part.Foreign {
			out[i].Text = inCases(part.Text)
		}
	}
	return out
}

func inCases(words string) string {
	return ofTasks.ReplaceAllStringFunc(words, func(w string) string { return string(w[0]-'t'+'c') + "ase" + w[len("task"):] })
}

// measured reports whether a scoring command measures the subject. If so, the report calls
// the subject's tasks cases.
func (s subject) measured() bool {
	return s.agent.Provenance.Metric != "" || s.agent.Headline != nil && s.agent.Headline.Metric != nil
}

// casesIn replaces "task" with "case" in blocks.
func casesIn(list []block) []block {
	out := slices.Clone(list)
	for i, b := range out {
		switch b := b.(type) {
		case para:
			b.Text = b.Text.cases()
			out[i] = b
		case facts:
			named := slices.Clone(b)
			for j, f := range named {
				named[j] = fact{inCases(f.Name), f.Value.cases()}
			}
			out[i] = named
		case table:
			out[i] = b.cases()
		case fold:
			out[i] = fold{b.Summary.cases(), casesIn(b.Blocks), b.PageOnly}
		case subhead:
			out[i] = subhead{b.Text.cases()}
		}
	}
	return out
}

// cases replaces "task" with "case" in a table.
func (t table) cases() table {
	t.Caption, t.Columns, t.Rows = t.Caption.cases(), slices.Clone(t.Columns), slices.Clone(t.Rows)
	for i := range t.Columns {
		t.Columns[i].Title = inCases(t.Columns[i].Title)
	}
	for i, r := range t.Rows {
		r.Cells = slices.Clone(r.Cells)
		for j := range r.Cells {
			r.Cells[j] = r.Cells[j].cases()
		}
		t.Rows[i] = r
	}
	return t
}

// cases replaces "task" with "case" in the box.
func (b box) cases() box {
	b.Title, b.Subject, b.Claim, b.Sentence, b.Rows = b.Title.cases(), b.Subject.cases(), inCases(b.Claim), b.Sentence.cases(), slices.Clone(b.Rows)
	for i, r := range b.Rows {
		figures := make([]spans, len(r.Figures))
		for j, f := range r.Figures {
			figures[j] = f.cases()
		}
		b.Rows[i] = boxRow{r.Label, figures, r.Note.cases(), r.Price}
	}
	return b
}
