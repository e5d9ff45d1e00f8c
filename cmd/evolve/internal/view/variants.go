package view

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
	"evolve/runtime/text"
)

// parameter is one value of a config.
type parameter struct{ Name, Value string }

func (s *Server) variant(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Source.Variant(r.Context(), r.FormValue("agent"), r.FormValue("v"))
	if err != nil {
		return err
	}
	name := "v" + strconv.Itoa(v.Number)
	d := struct {
		V         Variant
		Name      string
		Addressed []string
		Against   []Section
		Config    []parameter
	}{V: v, Name: name, Addressed: model.AddressedIn("the reason for "+name, v.Rationale)}
	for _, p := range slices.Sorted(maps.Keys(v.Config)) {
		value, ok := v.Config[p].(string)
		if !ok {
			data, err := text.Marshal(v.Config[p])
			if err != nil {
				return err
			}
			value = string(data)
		}
		d.Config = append(d.Config, parameter{p, value})
	}
	if v.Champion != "" && v.Champion != name {
		c, err := s.Source.Comparison(r.Context(), v.Agent, v.Champion, name)
		if err != nil {
			return err
		}
		d.Against = c.Statement
	}
	s.show(w, r, http.StatusOK, "variant", frame{Title: "Variant " + name}, d)
	return nil
}

// pageTasks is the maximum number of tasks, evaluations or proposals on one page.
const pageTasks = 200

// pager returns the links to the parts of a list before and after the part that is shown.
func pager(to func(offset int) string, at, shown, all int) []pageLink {
	if shown == all {
		return nil
	}
	list := []pageLink{{Text: "← before"}, {Text: "after →"}}
	if at > 0 {
		list[0].To = to(max(0, at-pageTasks))
	}
	if at+shown < all {
		list[1].To = to(at + pageTasks)
	}
	return list
}

// cut returns the part of a list that starts at an offset, and the offset adjusted to lie
// within the list.
func cut[T any](list []T, offset int) ([]T, int) {
	offset = min(offset, len(list))
	return list[offset:min(len(list), offset+pageTasks)], offset
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	id := r.FormValue("agent")
	offset, err := wholeOf(r, "offset")
	if err != nil {
		return err
	}
	c, err := s.Source.Comparison(r.Context(), id, r.FormValue("a"), r.FormValue("b"))
	if err != nil {
		return err
	}
	d := struct {
		Agent, A, B, Caption string
		Same                 bool
		C                    Comparison
		Shown                []Pair
		Picture              *drawn
		Pager                []pageLink
	}{Agent: id, A: fmt.Sprintf("v%d", c.A.Number), B: fmt.Sprintf("v%d", c.B.Number), C: c, Same: c.A.ID == c.B.ID}
	d.Shown, offset = cut(c.Tasks, offset)
	d.Pager = pager(func(at int) string {
		return link("/compare", "agent", id, "a", d.A, "b", d.B, "offset", strconv.Itoa(at))
	}, offset, len(d.Shown), len(c.Tasks))
	d.Caption = number.Plural(len(c.Tasks), "task") + " with scores for both, the largest loss first; each score is the mean over all evaluations of the task"
	if len(c.Tasks) > 0 && !d.Same {
		slope := plot.Slope{Left: d.A, Right: d.B}
		for _, t := range c.Tasks {
			slope.Tasks = append(slope.Tasks, plot.SlopeTask{Name: text.Visible(t.ID), Before: t.A.Score, After: t.B.Score})
		}
		picture := slope.Draw()
		picture.Title = "Scores on every shared task, with " + d.A + " and with " + d.B
		svg, err := picture.SVG("tasks")
		if err != nil {
			return err
		}
		d.Picture = &drawn{svg, "Each task's mean score over all its evaluations, with " + d.A + " and with " + d.B}
	}
	s.show(w, r, http.StatusOK, "compare", frame{Title: d.A + " → " + d.B}, d)
	return nil
}
