package reports

// section is one part of the page: what is said, before how it is drawn.
type section struct {
	// ID is unique among an agent's sections, Title is the heading.
	ID, Title string
	Blocks    []block
}

// block is one thing in a section; the types that follow are all there are.
type block interface{ isBlock() }

// para is a paragraph; note sets it apart as a remark.
type para struct {
	Text text
	Note bool
}

// facts are names (the report's own words) with values.
type facts []fact

type fact struct {
	Name  string
	Value text
}

// table has one header row; figures stand to the right.
type table struct {
	Caption text
	Columns []column
	Rows    []row
}

type column struct {
	Title string
	// Figures are set right-aligned.
	Figures bool
	// Wraps reports whether long cells may be broken into lines.
	Wraps bool
}

type row struct {
	Cells []text
	// Mark is "better", "worse", "diverge" or "".
	Mark string
}

// picture is a drawing with its words: HTML draws it, the others say it.
type picture struct {
	Drawing drawing
}

// fold is detail that is shown on demand, where a rendering can.
type fold struct {
	Summary text
	Blocks  []block
}

// listing is preformatted text, each line with a mark before it ("+", "-", " ").
type listing struct {
	Label text
	Lines []mark
}

type mark struct {
	Op   string
	Text text
}

// subhead is a heading inside a section.
type subhead struct{ Text text }

func (para) isBlock()    {}
func (facts) isBlock()   {}
func (table) isBlock()   {}
func (picture) isBlock() {}
func (fold) isBlock()    {}
func (listing) isBlock() {}
func (subhead) isBlock() {}

// subject is what a section is made from.
type subject struct {
	report   Report
	agent    Agent
	volatile VolatileAgent
}

// contents is the order of the page. Each entry makes the blocks of one section
// for one agent, or none when there is nothing to say; later parts of the report
// (lineage, failures, patches, earlier adoptions) take their places here.
var contents = []struct {
	id, title string
	blocks    func(subject) []block
}{
	{"decision", "Decision", decisionBlocks},
	{"headline", "On the holdout", headlineBlocks},
	{"honesty", "What was tried", honestyBlocks},
	{"usage", "Cost and latency", usageBlocks},
	{"front", "Quality against cost", frontBlocks},
	{"domains", "Domains", domainBlocks},
	{"tasks", "Regressions, then gains", taskBlocks},
	{"changes", "What changes", changeBlocks},
	{"rejected", "Open and rejected, and why", rejectedBlocks},
	{"health", "Run health", healthBlocks},
	{"provenance", "Provenance", provenanceBlocks},
}

// subjects pairs every agent with its volatile part.
func subjects(r Report) []subject {
	out := make([]subject, len(r.Agents))
	for i, a := range r.Agents {
		out[i] = subject{report: r, agent: a}
		if i < len(r.Volatile.Agents) {
			out[i].volatile = r.Volatile.Agents[i]
		}
	}
	return out
}

// sections lays out one agent's part of the page.
func sections(s subject) []section {
	var out []section
	for _, c := range contents {
		if blocks := c.blocks(s); len(blocks) > 0 {
			out = append(out, section{ID: c.id, Title: c.title, Blocks: blocks})
		}
	}
	return out
}
