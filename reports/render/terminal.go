package render

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// TerminalOptions describes the terminal; the zero value stands for 80 columns without
// colour.
type TerminalOptions struct {
	// Width is the width in columns; 0 means 80. Everything is legible if the width is at
	// least 40.
	Width int
	// Color allows escape sequences for colour and weight.
	Color bool
}

// maxFolds is the maximum number of folds of one kind that a terminal shows.
const maxFolds = 3

// Terminal writes the whole report as text for a terminal.
func Terminal(w io.Writer, r model.Report, o TerminalOptions) error {
	t := newTerminal(o)
	t.waiting(r.Volatile)
	for i, s := range subjects(r) {
		if i > 0 {
			t.b.WriteString("\n\n")
		}
		t.box(decisionBox(s))
		if i == 0 {
			t.patchLine(r)
		}
		for _, sec := range sections(s) {
			t.heading(sec.Title)
			t.blocks(sec.Blocks)
		}
	}
	for _, sec := range closing(r) {
		t.heading(sec.Title)
		t.blocks(sec.Blocks)
	}
	_, err := w.Write(t.b.Bytes())
	return err
}

// Box writes only the decision boxes, one for each agent, and the line about patches.
func Box(w io.Writer, r model.Report, o TerminalOptions) error {
	t := newTerminal(o)
	t.waiting(r.Volatile)
	for i, s := range subjects(r) {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.box(decisionBox(s))
	}
	t.patchLine(r)
	_, err := w.Write(t.b.Bytes())
	return err
}

// waiting writes the lines about proposals that wait for a person.
func (t *terminal) waiting(v model.Volatile) {
	list := waitingLines(v)
	for _, line := range list {
		t.flow(0, 2, line)
	}
	if len(list) > 0 {
		t.b.WriteByte('\n')
	}
}

// patchLine writes the line about patches after the decisions. The line is set apart,
// because it does not belong to any of the decisions.
func (t *terminal) patchLine(r model.Report) {
	if line := patchLine(r.Volatile.Patches); len(line) > 0 {
		t.b.WriteByte('\n')
		t.flow(2, 4, append(say(styled("patches  ", dim)), line...))
	}
}

type terminal struct {
	b     bytes.Buffer
	width int
	color bool
}

func newTerminal(o TerminalOptions) *terminal {
	if o.Width <= 0 {
		o.Width = 80
	}
	return &terminal{width: max(o.Width, 24), color: o.Color}
}

// ansi maps each style to its escape sequence.
var ansi = map[style]string{strong: "\x1b[1m", good: "\x1b[32m", bad: "\x1b[31m", dim: "\x1b[2m", aside: "\x1b[2m", command: "\x1b[36m"}

func (t *terminal) paint(line spans) string {
	var b strings.Builder
	for _, s := range line {
		if code := ansi[s.Style]; t.color && code != "" {
			b.WriteString(code + s.Text + "\x1b[0m")
			continue
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// line writes one line with the given indent, without trailing spaces.
func (t *terminal) line(indent int, line spans) {
	s := strings.TrimRight(strings.Repeat(" ", indent)+t.paint(line), " ")
	t.b.WriteString(s)
	t.b.WriteByte('\n')
}

// flow writes a paragraph. Its first line is indented by indent cells, and its other lines
// by hang cells.
func (t *terminal) flow(indent, hang int, para spans) {
	t.flowAfter(nil, indent, hang, t.width-max(indent, hang), para)
}

// flowAfter writes a paragraph in lines of at most width cells. The first line begins
// with the text in lead.
func (t *terminal) flowAfter(lead spans, indent, hang, width int, para spans) {
	for _, l := range wrap(para, width) {
		t.line(indent, slices.Concat(lead, l))
		lead, indent = nil, hang
	}
}

func (t *terminal) heading(title string) {
	rule := max(0, min(t.width, 80)-text.Width(title)-4)
	t.b.WriteByte('\n')
	t.line(0, say(styled("── ", dim), styled(title, strong), styled(" "+strings.Repeat("─", rule), dim)))
	t.b.WriteByte('\n')
}

func (t *terminal) blocks(blocks []block) {
	folds, begun := 0, false
	for i, b := range blocks {
		if p, ok := b.(para); ok && p.Drawn {
			continue
		}
		switch b := b.(type) {
		case picture: // the figures next to the picture show the same
			continue
		case fold:
			if b.PageOnly {
				continue
			}
		default:
			if begun {
				t.b.WriteByte('\n')
			}
		}
		begun = true
		switch b := b.(type) {
		case para:
			words := b.Text
			if b.Note {
				words = dimmed(words)
			}
			t.flow(2, 2, words)
		case facts:
			t.facts(2, b)
		case table:
			t.table(2, b)
		case listing:
			t.listing(2, b)
		case subhead:
			folds = 0
			t.line(2, spans{{Text: b.Text.raw(), Style: strong}})
		case fold:
			folds++
			if folds <= maxFolds {
				t.b.WriteByte('\n')
				t.fold(b)
			}
			if last := i+1 == len(blocks) || !isFold(blocks[i+1]); last && folds > maxFolds {
				t.b.WriteByte('\n')
				t.flow(2, 2, say(styled("… "+number.Count(folds-maxFolds)+" more in the HTML report, with transcripts", dim)))
			}
		}
	}
}

func isFold(b block) bool {
	_, ok := b.(fold)
	return ok
}

func dimmed(t spans) spans {
	return t.changed(func(s *span) {
		if s.Style == plainStyle {
			s.Style = dim
		}
	})
}

// fold writes the summary of a fold and the facts and tables in it, but no transcripts.
func (t *terminal) fold(f fold) {
	t.flow(2, 4, append(say("▸ "), f.Summary...))
	for _, b := range f.Blocks {
		switch b := b.(type) {
		case facts:
			t.facts(4, b)
		case table:
			t.table(4, b)
		}
	}
}

// facts writes name–value pairs. It aligns the values, or writes them below their names if
// there is not enough room.
func (t *terminal) facts(indent int, list facts) {
	widest := 0
	for _, f := range list {
		widest = max(widest, text.Width(f.Name))
	}
	hang := indent + widest + 2
	for _, f := range list {
		if t.width-hang < 24 {
			t.line(indent, say(styled(f.Name, dim)))
			t.flow(indent+2, indent+2, f.Value)
			continue
		}
		t.flowAfter(say(styled(pad(f.Name, widest), dim), "  "), indent, hang, t.width-hang, f.Value)
	}
}

func (t *terminal) listing(indent int, l listing) {
	t.flow(indent, indent, dimmed(l.Label))
	for _, m := range l.Lines {
		line := m.Text
		if st := map[string]style{"+": good, "-": bad}[m.Op]; st != plainStyle {
			line = line.changed(func(s *span) { s.Style = st })
		}
		for i, l := range chop(line, t.width-indent-4) {
			op := m.Op
			if i > 0 {
				op = " "
			}
			t.line(indent, append(spans{{Text: op + " "}}, l...))
		}
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-text.Width(s)))
}
