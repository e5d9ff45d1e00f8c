package render

import (
	"slices"
	"strings"

	"evolve/runtime/text"
)

// box writes the decision box: the verdict, aligned figures, and the commands to type.
func (t *terminal) box(b box) {
	t.flow(0, 2, b.Title)
	t.b.WriteByte('\n')
	for _, a := range b.Alarms {
		t.flow(2, 4, say(styled("! ", bad), a.Text))
		if a.Command != "" {
			t.flow(4, 6, say(theirs(a.Command, command)))
		}
		t.b.WriteByte('\n')
	}
	t.verdict(b)
	if len(b.Rows) > 0 {
		t.b.WriteByte('\n')
		t.boxRows(b.Rows)
	}
	t.b.WriteByte('\n')
	t.commands(b.Commands)
}

var verdictStyles = map[string]style{"adopt": good, "trade": strong, "keep": strong, "undecided": strong, "waits": strong, "refused": bad, "none": bad}

func (t *terminal) verdict(b box) {
	head := say(styled(b.Verdict, verdictStyles[b.Kind]))
	if len(b.Subject) > 0 {
		head = append(append(head, say("  ")...), b.Subject...)
	}
	if b.Claim != "" {
		head = t.toTheRight(head, b.Claim)
	}
	if len(b.Sentence) == 0 {
		t.flow(2, 2, head)
		return
	}
	hang := 2 + head.width() + 3
	if t.width-hang < 40 {
		t.flow(2, 2, head)
		t.flow(4, 4, b.Sentence)
		return
	}
	t.flowAfter(append(head, say("   ")...), 2, hang, t.width-hang, b.Sentence)
}

// toTheRight appends words to head, aligned with the right edge of at most 80 columns if
// they fit.
func (t *terminal) toTheRight(head spans, words string) spans {
	room := max(3, min(t.width, 80)-2-head.width()-text.Width(words))
	return append(append(spans{}, head...), say(strings.Repeat(" ", room), styled(words, dim))...)
}

// underOneAnother aligns the figures that all rows have in a column, so that their first
// words, which are the numbers, end at the same position.
func underOneAnother(rows []boxRow, column int) []boxRow {
	first := func(r boxRow) int {
		if len(r.Figures) <= column {
			return 0
		}
		word, _, _ := strings.Cut(r.Figures[column].raw(), " ")
		return text.Width(word)
	}
	widest := 0
	for _, r := range rows {
		widest = max(widest, first(r))
	}
	out := slices.Clone(rows)
	for i, r := range rows {
		if room := widest - first(r); len(r.Figures) > column && room > 0 {
			out[i].Figures = slices.Clone(r.Figures)
			out[i].Figures[column] = append(say(strings.Repeat(" ", room)), r.Figures[column]...)
		}
	}
	return out
}

// boxRows writes the rows. If a row has the same label as the previous row, the label is
// left out.
func (t *terminal) boxRows(rows []boxRow) {
	rows = underOneAnother(rows, 1)
	label := 0
	var widths []int
	for _, r := range rows {
		label = max(label, text.Width(r.Label))
		for i, f := range r.Figures {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], f.width())
		}
	}
	previous := ""
	for _, r := range rows {
		shown := r.Label
		if shown == previous {
			shown = ""
		}
		previous = r.Label
		units := make([]spans, 0, len(r.Figures)+1)
		for i, f := range r.Figures {
			units = append(units, append(f, say(strings.Repeat(" ", widths[i]-f.width()))...))
		}
		if len(r.Note) > 0 {
			units = append(units, r.Note)
		}
		hang := 2 + label + 2
		if t.width < 60 {
			if shown != "" {
				t.line(2, say(styled(shown, dim)))
			}
			t.units(nil, 4, units)
			continue
		}
		t.units(say(styled(pad(shown, label), dim), "  "), hang, units)
	}
}

// units writes texts that must not be broken, one after another, with as many on each line
// as fit.
func (t *terminal) units(lead spans, indent int, units []spans) {
	const between = "   "
	room := t.width - indent
	var line spans
	emit := func(l spans) {
		t.line(indent-lead.width(), slices.Concat(lead, l))
		lead = nil
	}
	for _, u := range units {
		if len(line) > 0 && line.width()+len(between)+strippedWidth(u) > room {
			emit(line)
			line = nil
		}
		if len(line) > 0 {
			line = append(line, say(between)...)
		}
		line = append(line, u...)
		if strippedWidth(line) > room {
			for _, l := range wrap(line, room) {
				emit(l)
			}
			line = nil
		}
	}
	if len(line) > 0 {
		emit(line)
	}
}

func strippedWidth(t spans) int { return text.Width(strings.TrimRight(t.raw(), " ")) }

// commands writes the command that a person should type first, and below it the other
// commands, on one line if they fit.
func (t *terminal) commands(commands []string) {
	if len(commands) == 0 {
		return
	}
	t.flow(2, 4, say(theirs(commands[0], command)))
	lead := styled("or  ", dim)
	items := make([]spans, len(commands)-1)
	for i, c := range commands[1:] {
		items[i] = say(theirs(c, dim))
	}
	if line := append(say(lead), list(items, "   ")...); len(items) > 0 && line.width()+2 <= t.width {
		t.line(2, line)
		return
	}
	for _, c := range items {
		t.flowAfter(say(lead), 2, 8, t.width-8, c)
		lead = span{Text: "    "}
	}
}
