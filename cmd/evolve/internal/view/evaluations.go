package view

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

func (s *Server) cell(w http.ResponseWriter, r *http.Request) error {
	d := struct {
		Agent, Name, Task string
		List              []Evaluation
	}{Agent: r.FormValue("agent"), Name: r.FormValue("v"), Task: r.FormValue("task")}
	var err error
	if d.List, err = s.Source.Evaluations(r.Context(), d.Agent, d.Name, d.Task); err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "cell", frame{Title: text.Visible(text.Clip(d.Name, 20)) + " on " + text.Visible(text.Clip(d.Task, 80))}, d)
	return nil
}

func (s *Server) evaluation(w http.ResponseWriter, r *http.Request) error {
	id, run := r.FormValue("agent"), r.FormValue("run")
	seq, err := strconv.ParseInt(r.FormValue("seq"), 10, 64)
	if err != nil || seq < 0 {
		return &badRequest{"seq must be the number of an evaluation"}
	}
	offset, err := wholeOf(r, "offset")
	if err != nil {
		return err
	}
	e, err := s.Source.Evaluation(r.Context(), id, run, seq)
	if err != nil {
		return err
	}
	d := struct {
		Agent, Caption string
		E              Evaluation
		Start          int
		Events         []agent.Event
		Pager          []pageLink
	}{Agent: id, E: e}
	if t := e.Transcript; t != nil {
		events := model.Unfolded(t.Events)
		d.Events, offset = cut(events, offset)
		d.Start = offset + 1
		d.Caption = number.Plural(len(events), "event")
		if t.Dropped > 0 {
			d.Caption += fmt.Sprintf("; %d more were not stored", t.Dropped)
		}
		d.Pager = pager(func(at int) string {
			return link("/evaluation", "agent", id, "run", run, "seq", strconv.FormatInt(seq, 10), "offset", strconv.Itoa(at))
		}, offset, len(d.Events), len(events))
	}
	s.show(w, r, http.StatusOK, "evaluation", frame{Title: fmt.Sprintf("%s in night %d", cmp.Or(e.Variant, "A variant"), e.Number)}, d)
	return nil
}
