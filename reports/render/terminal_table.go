package render

import (
	"strings"

	"evolve/runtime/text"
)

const (
	columnGap = 2
	// narrowest is the minimum width, in cells, of a column that wraps.
	narrowest = 12
)

// table writes the columns of a table side by side, and narrows the columns that wrap as
// needed. If the columns still do not fit, it stacks the cells of each row.
func (t *terminal) table(indent int, tb table) {
	widths, ok := t.columns(indent, tb)
	if !ok {
		t.stack(indent, tb)
		return
	}
	var head []spans
	for _, c := range tb.Columns {
		head = append(head, say(styled(c.Title, dim)))
	}
	t.tableRow(indent, tb, widths, head)
	for _, r := range tb.Rows {
		t.tableRow(indent, tb, widths, r.Cells)
	}
}

func (t *terminal) columns(indent int, tb table) (widths []int, ok bool) {
	widths = make([]int, len(tb.Columns))
	total := indent + columnGap*(len(widths)-1)
	squeezable := 0
	for i, c := range tb.Columns {
		widths[i] = text.Width(c.Title)
		for _, r := range tb.Rows {
			widths[i] = max(widths[i], r.Cells[i].width())
		}
		total += widths[i]
		if c.Wraps {
			squeezable++
		}
	}
	for total > t.width && squeezable > 0 {
		widest := -1
		for i, c := range tb.Columns {
			if c.Wraps && widths[i] > max(narrowest, text.Width(c.Title)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	return widths, total <= t.width
}

func (t *terminal) tableRow(indent int, tb table, widths []int, row []spans) {
	broken := make([][]spans, len(row))
	height := 1
	for i, c := range row {
		broken[i] = wrap(c, widths[i])
		height = max(height, len(broken[i]))
	}
	for n := range height {
		var line spans
		for i := range row {
			if i > 0 {
				line = append(line, say(strings.Repeat(" ", columnGap))...)
			}
			var cell spans
			if n < len(broken[i]) {
				cell = broken[i][n]
			}
			space := say(strings.Repeat(" ", max(0, widths[i]-cell.width())))
			if tb.Columns[i].Figures {
				line = append(append(line, space...), cell...)
			} else {
				line = append(append(line, cell...), space...)
			}
		}
		t.line(indent, line)
	}
}

// stack writes the first cell of each row, with the other cells and the titles of their
// columns below it.
func (t *terminal) stack(indent int, tb table) {
	for _, r := range tb.Rows {
		head := 0
		if tb.Columns[0].Title == "#" {
			head = -1 // a sequence number does not identify the row
		}
		if head == 0 {
			t.flow(indent, indent+2, spans{{Text: r.Cells[0].raw(), Style: strong, Foreign: true}})
		}
		for i, c := range r.Cells {
			if i == head || len(c) == 0 {
				continue
			}
			line := c
			if title := tb.Columns[i].Title; title != "" {
				line = append(say(styled(title+" ", dim)), c...)
			}
			t.flow(indent+2, indent+4, line)
		}
	}
}
