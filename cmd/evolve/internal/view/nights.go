package view

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render"
	"evolve/reports/render/plot"
	"evolve/runtime/text"
)

// nightRow is the row of a table for one agent of one night.
type nightRow struct {
	Day, Run, Agent, Kind, State, Variant, Points, Interval, Evaluations, Cost string
	Proposals                                                                  []nightProposal
}

// nightProposal is a proposal from a night. State is empty if the proposal is not in the
// archive.
type nightProposal struct {
	ID    string
	State archive.ProposalState
	// Stale reports whether the proposal cannot be approved because it is stale.
	Stale bool
}

// proposalsOf returns the proposals of an agent's night with their states.
func proposalsOf(a model.AgentSummary) (list []nightProposal) {
	for _, id := range a.Proposals {
		p := nightProposal{ID: id}
		for _, now := range a.States {
			if now.ID == id {
				p.State, p.Stale = now.State, len(now.Stale) > 0
			}
		}
		list = append(list, p)
	}
	return list
}

// drawn is a picture with its caption.
type drawn struct {
	SVG     template.HTML
	Caption string
}

// plotted is the maximum number of nights that a picture shows.
const plotted = 20

func (s *Server) nights(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Source.Nights(r.Context())
	if err != nil {
		return err
	}
	live, err := s.Source.Progress(r.Context())
	if err != nil {
		return err
	}
	d := struct {
		Nights   []nightRow
		Live     Progress
		Pictures []drawn
	}{Live: live}
	forests := map[string]plot.Forest{}
	var agents []string
	for _, n := range list {
		rows := rowsOf(n)
		d.Nights = append(d.Nights, rows...)
		for _, a := range n.Agents {
			if a.Effect == nil || len(forests[a.Agent]) >= plotted {
				continue
			}
			if forests[a.Agent] == nil {
				agents = append(agents, a.Agent)
			}
			forests[a.Agent] = append(forests[a.Agent], plot.ForestRow{
				Label: "night " + number.Count(n.Number), Value: number.Points(a.Effect.Difference) + " " + number.Interval(a.Effect.Lo, a.Effect.Hi),
				Difference: 100 * a.Effect.Difference, Lo: 100 * a.Effect.Lo, Hi: 100 * a.Effect.Hi,
			})
		}
	}
	for i, id := range agents {
		picture := forests[id].Draw()
		picture.Title = "Difference on the holdout by night"
		svg, err := picture.SVG("nights-" + strconv.Itoa(i+1))
		if err != nil {
			return err
		}
		d.Pictures = append(d.Pictures, drawn{svg, "Gains of the finalists of " + text.Visible(id) + " on the holdout, in points, latest night first"})
	}
	s.show(w, r, http.StatusOK, "nights", frame{Title: "All nights", Wide: true}, d)
	return nil
}

// rowsOf returns the rows of a night, one for each agent.
func rowsOf(n Night) (rows []nightRow) {
	base := nightRow{Day: number.Unknown, Run: n.Run, Kind: "none", State: strings.ToUpper(string(n.State)), Variant: number.Unknown, Points: number.Unknown, Interval: number.Unknown}
	if !n.Started.IsZero() {
		base.Day = number.Date(n.Started)
	}
	for _, a := range n.Agents {
		row := base
		row.Agent, row.Proposals = a.Agent, proposalsOf(a)
		if a.Verdict != "" {
			row.Kind, row.State = string(a.Verdict), strings.ToUpper(string(a.Verdict))
		}
		if a.Variant != nil && a.Effect != nil {
			row.Variant, row.Points, row.Interval = a.Variant.Name(), number.Points(a.Effect.Difference), number.Interval(a.Effect.Lo, a.Effect.Hi)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		rows = append(rows, base)
	}
	rows[0].Evaluations, rows[0].Cost = number.Count(n.Evaluations), number.Dollars(n.USD)
	return rows
}

// night shows the report of one night as written by `evolve report --html`, with links to
// the pages.
func (s *Server) night(w http.ResponseWriter, r *http.Request) error {
	report, err := s.Source.Report(r.Context(), r.FormValue("run"))
	if err != nil {
		return err
	}
	f := render.Frame{Sheet: "/style.css", Icon: "/icon.svg"}
	for _, l := range sites("") {
		f.Links = append(f.Links, render.Link{To: l.To, Text: l.Text})
	}
	for _, a := range report.Agents {
		f.Links = append(f.Links, render.Link{To: link("/matrix", "agent", a.Agent), Text: "Variants of " + text.Visible(a.Agent)})
	}
	if s.Decider != nil {
		f.Decide = decisionLinks
	}
	var b bytes.Buffer
	if err := render.HTMLIn(&b, report, f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Method != http.MethodHead {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// decisionLinks returns the links from a night to the decisions on one of its proposals
// and to the proposal itself. A stale proposal cannot be approved, so there is no link
// for approving it.
func decisionLinks(p model.Proposal) []render.Link {
	id := text.Visible(p.ID)
	list := []render.Link{{To: link("/decide", "do", "approve", "id", p.ID), Text: "Approve " + id + " …"}, {To: link("/decide", "do", "reject", "id", p.ID), Text: "Reject " + id + " …"}, {To: link("/proposal", "id", p.ID), Text: "Look at " + id}}
	if len(p.Stale) > 0 {
		return list[1:]
	}
	return list
}

func (s *Server) progress(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Source.Progress(r.Context())
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "progress", frame{Title: "Progress"}, p)
	return nil
}

// liveProgress holds the data with which the script shows progress.
type liveProgress struct {
	Run    string      `json:"run"`
	Limits string      `json:"limits"`
	Agents []liveAgent `json:"agents"`
}

type liveAgent struct {
	Agent string `json:"agent"`
	Done  int    `json:"done"`
	Most  int    `json:"most"`
	Words string `json:"words"`
}

func (s *Server) progressData(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Source.Progress(r.Context())
	if err != nil {
		return err
	}
	out := liveProgress{Run: p.Run, Limits: p.Limits, Agents: []liveAgent{}}
	for _, a := range p.Agents {
		out.Agents = append(out.Agents, liveAgent{a.Agent, a.Done, max(a.Planned, a.Done, 1), a.words()})
	}
	return answer(w, r, out)
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, r *http.Request, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodHead {
		_, err = w.Write(data)
	}
	return err
}
