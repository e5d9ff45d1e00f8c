package view

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"evolve/bench"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render"
	"evolve/runtime/text"
)

//go:embed page
var files embed.FS

// pages holds the templates and the files that the pages need.
type pages struct {
	templates           *template.Template
	style, script, icon []byte
}

func newPages() (*pages, error) {
	p := &pages{}
	var err error
	for name, at := range map[string]*[]byte{"view.css": &p.style, "view.js": &p.script, "icon.svg": &p.icon} {
		if *at, err = fs.ReadFile(files, "page/"+name); err != nil {
			return nil, fmt.Errorf("reading a file for the pages: %w", err)
		}
	}
	p.style = append([]byte(render.Style()), p.style...)
	if p.templates, err = template.New("view").Funcs(functions()).ParseFS(files, "page/view.tmpl"); err != nil {
		return nil, fmt.Errorf("reading the templates for the pages: %w", err)
	}
	return p, nil
}

// frame holds the data that every page shows around its content.
type frame struct {
	Title, Place string
	Wide         bool
	Decides      bool
	Links        []siteLink
}

type siteLink struct {
	To, Text string
	Here     bool
}

type refusedPage struct {
	Title, Words string
	Retry        bool
}

type failedPage struct{ Words string }

// sites returns the navigation links that are on every page.
func sites(path string) []siteLink {
	list := []siteLink{{To: "/", Text: "Nights"}, {To: "/matrix", Text: "Variants × tasks"}, {To: "/proposals", Text: "Proposals"}, {To: "/progress", Text: "Progress"}}
	for i := range list {
		list[i].Here = list[i].To == path
	}
	return list
}

// show writes a page in its frame.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame, data any) {
	f.Place, f.Decides, f.Links = text.Visible(s.Name), s.Decider != nil, sites(r.URL.Path)
	s.pages.write(w, r, status, name, struct {
		F frame
		D any
	}{f, data})
}

func (p *pages) write(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page could not be rendered: "+text.Visible(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes())
	}
}

// link returns an address with its parameters, given as alternating names and values.
func link(path string, parameters ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		v.Set(parameters[i], parameters[i+1])
	}
	return path + "?" + v.Encode()
}

func functions() template.FuncMap {
	return template.FuncMap{
		"visible": text.Visible,
		"lines":   text.VisibleLines,
		// readable writes each answer or step that is a JSON document as a list of its
		// values, one per line.
		"readable": render.Readable,
		"clip":     clip,
		"link":     link,
		"stage":    func(s bench.Stage) string { return text.Visible(model.StageName(string(s))) },
		"name":     func(n int) string { return "v" + strconv.Itoa(n) },
		"whole":    func(n int64) string { return strconv.FormatInt(n, 10) },
		"times":    times,
		"repeat":   repeat,
		"plural":   func(n int, noun string) string { return number.Plural(n, noun) },
		"score":    number.Score,
		"points":   number.Points,
		"mean":     mean,
		"money":    func(e bench.Evaluation) string { return number.Dollars(e.Paid()) },
		"seconds":  func(d time.Duration) string { return number.Duration(d.Seconds()) },
		"when":     when,
		"diff":     linesOf,
		"has":      func(c Cell) bool { return c.Runs+c.Missing > 0 },
		"tint":     tint, "figure": figure,
		"sign":  sign,
		"most":  func(a, b int) int { return max(a, b, 1) },
		"words": AgentProgress.words,
		"stale": model.StaleWords,
	}
}

func clip(s string, n int) string { return text.Clip(s, n, text.Mark) }

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return number.Time(t)
}

func mean(m *float64) string {
	if m == nil {
		return number.Unknown
	}
	return number.Score(*m)
}

// tints is the number of colour steps for scores.
const tints = 10

// tint returns the CSS class of a cell.
func tint(c Cell) string {
	switch {
	case c.Runs > 0:
		return "s" + strconv.Itoa(int(c.Score*tints+.5))
	case c.Missing > 0:
		return "gone"
	}
	return ""
}

// figure returns the score of a cell, a mark if its runs have no score, or "" if there is
// no result.
func figure(c Cell) string {
	switch {
	case c.Runs > 0:
		return number.Score(c.Score)
	case c.Missing > 0:
		return "×"
	}
	return ""
}

// times returns the number of runs over which a mean was taken, as text to be placed
// after the mean; it returns "" for one run.
func times(runs int) string {
	if runs == 1 {
		return ""
	}
	return " × " + number.Count(runs)
}

// repeat names a run of a task; the first run has number 0.
func repeat(n int) string {
	if n == 0 {
		return "first run"
	}
	return "run " + number.Count(n+1)
}

func sign(difference float64) string {
	switch {
	case difference > 0:
		return " good"
	case difference < 0:
		return " bad"
	}
	return ""
}

// words describes the progress of an agent.
func (p AgentProgress) words() string {
	out := number.Plural(p.Done, "evaluation")
	if p.Planned > 0 {
		out = number.Count(p.Done) + " of about " + number.Plural(p.Planned, "evaluation")
	}
	if p.USD > 0 {
		out += ", " + number.Dollars(p.USD)
	}
	if p.Verdict != "" {
		out += "; done: " + string(p.Verdict)
	}
	return out
}
