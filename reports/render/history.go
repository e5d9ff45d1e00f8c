package render

import (
	"time"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// maxHistory is the maximum number of champion events that the index lists.
const maxHistory = 60

// historyRow is one event in the history of a champion: an adoption, its rollback, or a fall.
type historyRow struct {
	Date, Agent, Kind, What string
	// Change contains the names of the configs before and after the event; Predicted and
	// Observed are the predicted and the observed gain. For a fall, Observed is the number
	// of nights that show it.
	Change, Predicted, Observed string
	By                          spans
}

// oneFall is a fall in the scores of a champion, which every night shows until the scores
// recover or the nights before the fall no longer count.
type oneFall struct {
	// Points is the size according to the latest night that shows the fall.
	Points string
	// Since is the start of the first night with the lower scores; it is zero if unknown.
	// Nights is the number of nights that show the fall.
	Since  time.Time
	Nights int
}

// agentNight identifies one agent's part of a run by the indexes of the run and of the
// agent in their lists.
type agentNight struct{ run, agent int }

// fallsOf returns the falls, keyed by the first night that shows each of them. runs must
// be given latest first. Two nights show the same fall if the scores had fallen by the
// earlier of the two.
func fallsOf(runs []model.Summary) map[agentNight]oneFall {
	out, last := map[agentNight]oneFall{}, map[string]agentNight{}
	for i, r := range runs {
		for j, a := range r.Agents {
			if a.Fell == nil {
				continue
			}
			at := agentNight{i, j}
			later, open := last[a.Agent]
			f := oneFall{Points: number.Size(*a.Fell) + " points", Since: a.FellSince}
			if open && !out[later].Since.After(r.Started) {
				f.Points = out[later].Points
				f.Nights = out[later].Nights
				delete(out, later)
			}
			f.Nights++
			out[at], last[a.Agent] = f, at
		}
	}
	return out
}

// historyOf lists the events, latest first, and returns the number of events left out.
func historyOf(runs []model.Summary) (out []historyRow, more int) {
	observed := map[string]model.Observed{} // the latest observation for each adoption
	for _, r := range runs {
		for _, a := range r.Agents {
			if o := a.Observed; o != nil {
				if _, later := observed[o.Proposal]; !later {
					observed[o.Proposal] = *o
				}
			}
		}
	}
	falls := fallsOf(runs)
	for i, r := range runs {
		for j, a := range r.Agents {
			agent := text.Visible(a.Agent)
			if f, ok := falls[agentNight{i, j}]; ok {
				row := historyRow{Date: dayOf(r.Started), Agent: agent, Kind: "none", What: "fell by " + f.Points, Change: a.Champion.Name()}
				if !f.Since.IsZero() {
					row.Date = dayOf(f.Since)
				}
				if f.Nights > 1 {
					row.Observed = "in " + number.Plural(f.Nights, "night")
				}
				out = append(out, row)
			}
			for _, p := range a.States {
				if p.State != model.Adopted && p.State != model.RolledBack || a.Variant == nil {
					continue
				}
				row := historyRow{Date: dayOf(r.Started), Agent: agent, Kind: "adopt", What: text.Visible(p.ID) + " adopted", Change: a.Champion.Name() + " → " + a.Variant.Name()}
				if p.State == model.RolledBack {
					row.Kind, row.What = "undecided", text.Visible(p.ID)+" adopted and rolled back"
				}
				if d := p.Decision; d != nil {
					row.By = say(clipped(d.By, 80))
					if !d.Time.IsZero() {
						row.Date = dayOf(d.Time)
					}
				}
				if e := a.Effect; e != nil {
					row.Predicted = number.Points(e.Difference) + " " + e.Bounds()
				}
				if o, known := observed[p.ID]; known {
					row.Observed = number.Points(o.Difference) + " " + number.Interval(o.Lo, o.Hi) + ", " + number.Plural(o.Nights, "night")
				}
				out = append(out, row)
			}
		}
	}
	more = max(0, len(out)-maxHistory)
	return model.First(out, maxHistory), more
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return number.Unknown
	}
	return number.Date(t)
}
