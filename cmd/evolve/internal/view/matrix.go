package view

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// The numbers of rows and columns of the matrix on a page without the script.
const (
	pageRows    = 50
	pageColumns = 12
)

// queryOf returns the query that a request specifies.
func queryOf(r *http.Request) (q Query, err error) {
	q = Query{Sort: r.FormValue("sort"), Descending: r.FormValue("desc") != "", Text: r.FormValue("q"), Tasks: r.FormValue("tasks"), Split: r.FormValue("split")}
	for name, at := range map[string]*int{"offset": &q.Offset, "limit": &q.Limit, "column": &q.Column, "columns": &q.Columns} {
		if *at, err = wholeOf(r, name); err != nil {
			return q, err
		}
	}
	return q, nil
}

// wholeOf returns the value of a request's parameter, which must be a whole number of at
// least 0. It returns 0 if the parameter is not set.
func wholeOf(r *http.Request, name string) (int, error) {
	v := r.FormValue(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0, &badRequest{fmt.Sprintf("%s must be a number, not %s", name, text.Quote(v))}
	}
	return int(n), nil
}

// window answers the script's request for a part of the matrix.
func (s *Server) window(w http.ResponseWriter, r *http.Request) error {
	q, err := queryOf(r)
	if err != nil {
		return err
	}
	part, err := s.Source.Window(r.Context(), r.FormValue("agent"), q)
	if err != nil {
		return err
	}
	for i := range part.Variants {
		part.Variants[i].Operator = text.Visible(part.Variants[i].Operator)
	}
	out := struct {
		Window
		// Names holds the ids of the tasks, shortened for the column headers. Titles holds
		// the full ids with the tasks' domains.
		Names  []string `json:"names"`
		Titles []string `json:"titles"`
	}{Window: part, Names: headers(part.Tasks), Titles: []string{}}
	for _, t := range part.Tasks {
		title := text.Visible(t.ID)
		if t.Domain != "" {
			title += ", " + text.Visible(model.DomainName(t.Domain))
		}
		out.Titles = append(out.Titles, title)
	}
	return answer(w, r, out)
}

// headers returns the ids of tasks, shortened to fit in column headers.
func headers(tasks []Task) []string {
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = text.Visible(t.ID)
	}
	return shorten(names)
}

// option is one choice in a form.
type option struct {
	Value, Text string
	Selected    bool
}

// matrixPage is the data for the page with the matrix.
type matrixPage struct {
	Agent                   string
	Agents                  []string
	Query                   Query
	Raw                     string
	Window                  Window
	Splits, Sorts           []option
	Count, Caption, Reading string
	Unread                  int
	Headers                 []string
	Pager                   []pageLink

	values url.Values
}

// pageLink is a link to another part of a table or list. If To is empty, there is no such
// part.
type pageLink struct{ To, Text string }

// Cell returns the address of the page for a cell.
func (p matrixPage) Cell(v Row, column int) string {
	return link("/cell", "agent", p.Agent, "v", "v"+strconv.Itoa(v.Number), "task", p.Window.Tasks[column].ID)
}

// ByTask returns the address of the matrix sorted by a task. The highest score comes first
// or, if the matrix is already sorted that way, the lowest.
func (p matrixPage) ByTask(id string) string {
	descending := "1"
	if p.Query.Sort == SortTask+id && p.Query.Descending {
		descending = ""
	}
	return p.with("sort", SortTask+id, "desc", descending, "offset", "")
}

// with returns the address of the matrix with changed parameters, which are given as
// alternating names and values. An empty value removes a parameter.
func (p matrixPage) with(parameters ...string) string {
	v := url.Values{}
	for name, values := range p.values {
		v[name] = values
	}
	for i := 0; i+1 < len(parameters); i += 2 {
		if v.Del(parameters[i]); parameters[i+1] != "" {
			v.Set(parameters[i], parameters[i+1])
		}
	}
	return "/matrix?" + v.Encode()
}

func (s *Server) matrix(w http.ResponseWriter, r *http.Request) error {
	q, err := queryOf(r)
	if err != nil {
		return err
	}
	q.Limit, q.Columns = pageRows, pageColumns
	p := matrixPage{Agent: r.FormValue("agent"), Query: q}
	if p.Agents, err = s.Source.Agents(r.Context()); err != nil {
		return err
	}
	if p.Agent == "" && len(p.Agents) > 0 {
		p.Agent = p.Agents[0]
	}
	title := "Variants × tasks"
	if p.Agent == "" {
		s.show(w, r, http.StatusOK, "matrix", frame{Title: title}, p)
		return nil
	}
	if p.Window, err = s.Source.Window(r.Context(), p.Agent, q); err != nil {
		return err
	}
	p.fill()
	s.show(w, r, http.StatusOK, "matrix", frame{Title: title + " of " + text.Visible(text.Clip(p.Agent, 80)), Wide: true}, p)
	return nil
}

// fill sets the fields that are derived from the agent, the query and the window.
func (p *matrixPage) fill() {
	q, win := p.Query, p.Window
	p.values = url.Values{"agent": {p.Agent}}
	for name, value := range map[string]string{"q": q.Text, "tasks": q.Tasks, "split": q.Split, "sort": q.Sort} {
		if value != "" {
			p.values.Set(name, value)
		}
	}
	if q.Descending {
		p.values.Set("desc", "1")
	}
	p.Raw, p.Headers = p.values.Encode(), headers(win.Tasks)
	for name, value := range map[string]int{"offset": win.Offset, "column": win.Column} {
		if value > 0 {
			p.values.Set(name, strconv.Itoa(value))
		}
	}
	p.Splits = options(q.Split, "", "both", string(bench.Search), "search tasks", string(bench.Holdout), "holdout")
	sorts := []string{SortNumber, "number", SortSearch, "mean on search tasks", SortHoldout, "mean on the holdout", SortEvaluations, "evaluations"}
	if id, ok := strings.CutPrefix(q.Sort, SortTask); ok {
		sorts = append(sorts, q.Sort, "task "+text.Clip(id, 60))
	}
	p.Sorts = options(q.Sort, sorts...)
	p.Count = number.Plural(win.Rows, "variant") + " × " + number.Plural(win.Columns, "task")
	p.Caption = fmt.Sprintf("Variants %d to %d, tasks %d to %d", min(win.Offset+1, win.Rows), win.Offset+len(win.Variants), min(win.Column+1, win.Columns), win.Column+len(win.Tasks))
	if p.Unread = win.Total - win.Read; p.Unread > 0 {
		p.Reading = fmt.Sprintf("%s of %s evaluations were read; the figures cover only these.", number.Count(win.Read), number.Count(win.Total))
	}
	p.Pager = append(p.parts("offset", "variants", win.Offset, len(win.Variants), win.Rows, pageRows),
		p.parts("column", "tasks", win.Column, len(win.Tasks), win.Columns, pageColumns)...)
}

// parts returns the links to the parts of the matrix before and after the part that is
// shown.
func (p *matrixPage) parts(name, noun string, at, shown, all, step int) []pageLink {
	list := []pageLink{{Text: "← " + noun}, {Text: noun + " →"}}
	if at > 0 {
		list[0].To = p.with(name, strconv.Itoa(max(0, at-step)))
	}
	if at+shown < all {
		list[1].To = p.with(name, strconv.Itoa(at+step))
	}
	return list
}

// options returns the choices of a form from a list of alternating values and texts. The
// choice with the given value (selected) is marked as selected.
func options(selected string, list ...string) (out []option) {
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, option{list[i], list[i+1], list[i] == selected})
	}
	return out
}
