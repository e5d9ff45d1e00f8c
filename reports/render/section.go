package render

import (
	"slices"

	"evolve/reports/model"
	"evolve/reports/render/plot"
)

// section is one part of the page, independent of its rendering.
type section struct {
	// ID is unique among an agent's sections; Title is the section's heading.
	ID, Title string
	Blocks    []block
}

// block is one element of a section; the types below are the only implementations.
type block interface{ kind() string }

// para is a paragraph; if Note is set, renderings set it apart as a remark.
type para struct {
	Text spans
	Note bool
	// Drawn reports whether the paragraph belongs to a picture; renderings without pictures
	// leave it out.
	Drawn bool
}

// facts is a list of name–value pairs; the names are the report's own words.
type facts []fact

type fact struct {
	Name  string
	Value spans
}

// add appends a fact, unless its value is empty. parts are joined into the value as [say]
// joins them.
func (f *facts) add(name string, parts ...any) {
	if value := say(parts...); len(value) > 0 {
		*f = append(*f, fact{name, value})
	}
}

// table is a table with one header row.
type table struct {
	Caption spans
	Columns []column
	Rows    []row
}

// newTable returns a table without rows.
func newTable(caption spans, columns ...[]column) table {
	return table{Caption: caption, Columns: slices.Concat(columns...)}
}

// plain, wraps and figures return columns with the given titles, all of one kind: plain
// columns, columns whose cells may be broken into lines, and right-aligned columns.
func plain(titles ...string) []column   { return titled(column{}, titles) }
func wraps(titles ...string) []column   { return titled(column{Wraps: true}, titles) }
func figures(titles ...string) []column { return titled(column{Figures: true}, titles) }

func titled(c column, titles []string) []column {
	out := make([]column, len(titles))
	for i, title := range titles {
		c.Title = title
		out[i] = c
	}
	return out
}

// add appends a row. Each cell is converted to text in the way [say] converts its parts.
func (t *table) add(mark string, cells ...any) {
	r := row{Mark: mark, Cells: make([]spans, len(cells))}
	for i, c := range cells {
		r.Cells[i] = say(c)
	}
	t.Rows = append(t.Rows, r)
}

type column struct {
	Title string
	// Figures reports whether the column is right-aligned.
	Figures bool
	// Wraps reports whether long cells may be broken into lines.
	Wraps bool
}

type row struct {
	Cells []spans
	// Mark is "better", "worse", "diverge" or "".
	Mark string
}

// picture is a drawing with a description: HTML shows the drawing, and the other renderings
// show the description.
type picture struct{ plot.Picture }

// fold holds details that are shown only on demand, if the rendering supports this.
type fold struct {
	Summary spans
	Blocks  []block
	// PageOnly reports whether only the HTML page includes the fold, because other
	// renderings cannot hide its contents.
	PageOnly bool
}

// listing is preformatted text in which each line is preceded by a mark ("+", "-", " ").
type listing struct {
	Label spans
	Lines []mark
}

type mark struct {
	Op   string
	Text spans
}

// subhead is a heading inside a section.
type subhead struct{ Text spans }

func (para) kind() string    { return "para" }
func (facts) kind() string   { return "facts" }
func (table) kind() string   { return "table" }
func (picture) kind() string { return "picture" }
func (fold) kind() string    { return "fold" }
func (listing) kind() string { return "listing" }
func (subhead) kind() string { return "subhead" }

// subject is the input from which the blocks of a section are made: a report and one of its
// agents.
type subject struct {
	report   model.Report
	agent    model.Agent
	volatile model.VolatileAgent
}

// contents lists the sections in the order of the page. Each entry makes the blocks of one
// section for one agent; a section without blocks is left out. Any further section that
// concerns one agent belongs in this list.
var contents = []struct {
	id, title string
	blocks    func(subject) []block
}{
	{"decision", "Decision", decisionBlocks},
	{"watch", "The active config over the nights", watchBlocks},
	{"headline", "On the holdout", headlineBlocks},
	{"honesty", "What was tried", honestyBlocks},
	{"usage", "Cost and latency", usageBlocks},
	{"front", "Quality against cost", frontBlocks},
	{"domains", "Domains", domainBlocks},
	{"tasks", "Regressions, then gains", taskBlocks},
	{"failures", "Failures before and after", failureBlocks},
	{"changes", "What changes", changeBlocks},
	{"lineage", "Lineage", originBlocks},
	{"influence", "Which parameters matter", influenceBlocks},
	{"drafts", "Changes that language models proposed", draftBlocks},
	{"rejected", "Open and rejected, and why", rejectedBlocks},
	{"tools", "Tools in use", toolBlocks},
	{"health", "Run health", healthBlocks},
	{"provenance", "Provenance", provenanceBlocks},
}

// subjects returns every agent together with its volatile part.
func subjects(r model.Report) []subject {
	out := make([]subject, len(r.Agents))
	for i, a := range r.Agents {
		out[i] = subject{report: r, agent: a}
		if i < len(r.Volatile.Agents) {
			out[i].volatile = r.Volatile.Agents[i]
		}
	}
	return out
}

// sections returns the sections of an agent, without those that are empty.
func sections(s subject) []section {
	var out []section
	for _, c := range contents {
		if blocks := c.blocks(s); len(blocks) > 0 {
			if s.measured() {
				blocks = casesIn(blocks)
			}
			out = append(out, section{ID: c.id, Title: c.title, Blocks: blocks})
		}
	}
	return out
}
