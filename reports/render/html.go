package render

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
	"evolve/runtime/text"
)

//go:embed page/page.css
var css string

//go:embed page/page.tmpl
var pageTemplate string

// Frame holds what a server adds around a report. The zero Frame is used for a page that is
// written to disk.
type Frame struct {
	// Sheet is the address of a style sheet that begins with [Style], and Icon is the
	// address of an icon. If they are set, the page contains neither a style sheet nor a
	// content policy of its own.
	Sheet, Icon string
	// Links lead to other pages of the server.
	Links []Link
	// Decide returns the links to the decisions on a proposal, which are shown instead of
	// the commands; it is nil for a page on which no decisions are made.
	Decide func(model.Proposal) []Link
}

// Link is a link with its text.
type Link struct{ To, Text string }

// Style returns the style sheet that report pages use.
func Style() string { return css }

// HTML writes the whole report as one self-contained page that contains no scripts and
// makes no requests. Its content policy allows the page's style sheet, by its hash, and
// embedded pictures, and forbids everything else.
func HTML(w io.Writer, r model.Report) error { return HTMLIn(w, r, Frame{}) }

// HTMLIn writes the report as [HTML] does, with the additions of a server's frame.
func HTMLIn(w io.Writer, r model.Report, f Frame) error {
	p := page{Style: template.CSS(css), Policy: contentPolicy(), Frame: f, Run: r.Run, Volatile: r.Volatile, Patches: patchLine(r.Volatile.Patches), Waiting: waitingLines(r.Volatile)}
	if at := r.Volatile.Started; !at.IsZero() {
		p.Night = number.Date(at)
	}
	for i, s := range subjects(r) {
		a, err := pageAgent(i, s)
		if err != nil {
			return err
		}
		if f.Decide != nil {
			for _, one := range s.agent.Decision.Proposals {
				if one.Awaits() && one.Branch == "" {
					a.Acts = append(a.Acts, f.Decide(one)...)
				}
			}
		}
		p.Agents = append(p.Agents, a)
	}
	for _, sec := range closing(r) {
		out := sectionPage{ID: sec.ID, Title: sec.Title}
		var err error
		if out.Blocks, err = pageBlocks(out.ID, sec.Title, sec.Title, sec.Blocks); err != nil {
			return err
		}
		for i := range out.Blocks { // the blocks are directly below the heading of their section
			if out.Blocks[i].Kind == "subhead" {
				out.Blocks[i].Kind = "head"
			}
		}
		p.Closing = append(p.Closing, out)
	}
	p.Title = pageTitle(p)
	return execute(w, "report", p)
}

func execute(w io.Writer, name string, data any) error {
	t, err := template.New("page").Funcs(template.FuncMap{"visible": text.Visible, "breaks": breaks}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// contentPolicy returns a policy that forbids everything except the page's own style sheet
// and embedded pictures.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(css))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
}

// page is the data for the template of a report's page.
type page struct {
	Title    string
	Style    template.CSS
	Policy   string
	Frame    Frame
	Night    string
	Run      model.Run
	Volatile model.Volatile
	Agents   []agentPage
	// Closing holds the sections that do not belong to a single agent, and Patches is the
	// line that links to the sections about patches.
	Closing []sectionPage
	Patches spans
	// Waiting holds the first lines of the page, which name what waits for a person.
	Waiting []spans
}

type agentPage struct {
	ID, Name string
	Box      box
	// Lead is the difference on which the verdict rests; it is nil if there is no
	// comparison.
	Lead *lead
	Rows []labelled
	// Acts are the links to the decisions on the night's proposals.
	Acts     []Link
	Sections []sectionPage
	// Unprinted lists the sections that a printed page leaves out.
	Unprinted string
}

// labelled contains consecutive rows of the box that share a label.
type labelled struct {
	Label string
	Lines []boxRow
}

// labelledRows joins consecutive rows that share a label.
func labelledRows(rows []boxRow) []labelled {
	var out []labelled
	for _, r := range rows {
		if last := len(out) - 1; last >= 0 && out[last].Label == r.Label {
			out[last].Lines = append(out[last].Lines, r)
			continue
		}
		out = append(out, labelled{r.Label, []boxRow{r}})
	}
	return out
}

// lead is the difference shown in large type, with its interval. For searched code, the
// difference is in the metric; otherwise it is in points.
type lead struct {
	Label, Sample, Scores string
	Points                spans
	Unit                  string
	Interval, Level       string
	Picture               template.HTML
	// Score is the difference in points, shown next to the difference in the metric; it
	// is nil if the lead itself is in points.
	Score *leadScore
}

// leadScore is the score difference in points, shown next to a lead that is in a metric.
type leadScore struct {
	Metric   string
	Scores   string
	Points   spans
	Interval string
}

type sectionPage struct {
	ID, Title string
	Blocks    []blockPage
	// Printed reports whether a printed page includes the section.
	Printed bool
}

// blockPage is a block with the ids, labels and pictures that only the HTML page needs.
type blockPage struct {
	Kind   string
	ID     string
	Label  string
	Block  block
	Blocks []blockPage
	SVG    template.HTML
}

func pageTitle(p page) string {
	var parts []string
	for _, a := range p.Agents {
		parts = append(parts, a.Box.Verdict+" "+a.Name)
	}
	if p.Night != "" {
		parts = append(parts, p.Night)
	}
	return strings.Join(append(parts, "run "+strconv.Itoa(p.Run.Number)), " · ")
}

func pageAgent(i int, s subject) (agentPage, error) {
	a := agentPage{ID: "agent-" + strconv.Itoa(i+1), Name: text.Visible(s.agent.Agent), Box: decisionBox(s)}
	rows := a.Box.Rows
	if h := s.agent.Headline; h != nil && len(rows) > 0 {
		row := rows[0]
		rows = rows[1:]
		l, drawn := leadOf(*h, row.Label)
		if h.Metric != nil {
			rows = rows[1:] // the score
		}
		if s.agent.Decision.Variant == nil {
			l.Label += ", " + h.Variant.Name()
		}
		if drawn != nil {
			var err error
			if l.Picture, err = drawn.Draw().SVG(a.ID + "-lead"); err != nil {
				return a, err
			}
		}
		a.Lead = &l
	}
	a.Rows = labelledRows(rows)
	var unprinted []string
	for _, sec := range sections(s) {
		out := sectionPage{ID: a.ID + "-" + sec.ID, Title: sec.Title, Printed: slices.Contains(printed, sec.ID)}
		if !out.Printed {
			unprinted = append(unprinted, strings.ToLower(sec.Title[:1])+sec.Title[1:])
		}
		var err error
		if out.Blocks, err = pageBlocks(out.ID, a.Name, sec.Title, sec.Blocks); err != nil {
			return a, err
		}
		a.Sections = append(a.Sections, out)
	}
	a.Unprinted = strings.Join(unprinted, "; ")
	return a, nil
}

// printed lists the sections that a printed page includes, because a person needs them for
// a decision.
var printed = []string{"decision", "headline", "honesty", "usage", "domains", "tasks", "changes"}

// leadOf returns the difference to show in large type, and its picture; the picture is nil
// if the difference has no interval.
func leadOf(h model.Headline, label string) (lead, *plot.Interval) {
	l := lead{
		Label: label, Sample: sample(h), Points: judged(h.Effect, number.Points(h.Difference)), Unit: "points",
		Interval: h.Bounds(), Level: h.About(), Scores: number.Score(h.Champion) + " → " + number.Score(h.Score),
	}
	g := h.Metric
	if g == nil {
		return l, &plot.Interval{
			Words:      number.Points(h.Difference) + " points, " + h.About() + " " + l.Interval,
			Difference: h.Difference, Lo: h.Lo, Hi: h.Hi,
		}
	}
	interval := l.Interval
	if h.Of == stats.TheseTasks {
		interval += " for these cases only,"
	}
	out := lead{
		Label: label, Sample: strings.Replace(l.Sample, number.Plural(h.Tasks, "task"), g.Size(), 1),
		Points: judgedGain(g, foreign(g.Figure())), Unit: text.Visible(metrics.ChangeUnit(g.Unit)), Interval: g.Bounds(), Level: metricShort(g), Scores: text.Visible(g.Values()),
		Score: &leadScore{
			Metric: text.Visible(g.Title()) + ", " + string(g.Better) + " is better",
			Scores: l.Scores, Points: judged(h.Effect, number.Points(h.Difference)+" points"), Interval: interval,
		},
	}
	if g.Interval == nil {
		return out, nil
	}
	return out, &plot.Interval{
		Words:      text.Visible(g.Change()) + " " + g.Bounds(),
		Difference: g.Difference, Lo: g.Interval.Lo, Hi: g.Interval.Hi, Less: g.Better == metrics.Lower,
	}
}

// pageBlocks gives blocks the ids and the labels for screen readers that the page needs.
// A table or listing without a caption is labelled with the summary of its fold, or with
// the title of its section.
func pageBlocks(prefix, agent, title string, blocks []block) ([]blockPage, error) {
	out := make([]blockPage, len(blocks))
	for i, b := range blocks {
		p := blockPage{Kind: b.kind(), Block: b, ID: prefix + "-" + strconv.Itoa(i+1)}
		var err error
		switch b := b.(type) {
		case table:
			p.Label = cmp.Or(b.Caption.raw(), title) + ", " + agent
		case listing:
			p.Label = cmp.Or(b.Label.raw(), title) + ", " + agent
		case picture:
			p.SVG, err = b.SVG(p.ID)
		case fold:
			p.Blocks, err = pageBlocks(p.ID, agent, b.Summary.raw(), b.Blocks)
		}
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// Class returns the CSS class of a span's style.
func (s span) Class() string {
	switch s.Style {
	case good:
		return "good"
	case bad:
		return "bad"
	case dim, aside:
		return "dim"
	}
	return ""
}

// Strong and Command report whether a span has the style of that name; they select the
// span's HTML element.
func (s span) Strong() bool  { return s.Style == strong }
func (s span) Command() bool { return s.Style == command }

// Class returns the CSS class of a column's kind.
func (c column) Class() string {
	switch {
	case c.Figures:
		return "fig"
	case c.Wraps:
		return "wrap"
	}
	return ""
}

// Class returns the CSS class of column i, for the cells of a row.
func (t table) Class(i int) string { return t.Columns[i].Class() }
