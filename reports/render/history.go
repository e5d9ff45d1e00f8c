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
	// Observed are the predicted and the observed gain.
	Change, Predicted, Observed string
	By                          spans
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
	for _, r := range runs {
		for _, a := range r.Agents {
			agent := text.Visible(a.Agent)
			if a.Fell != nil {
				out = append(out, historyRow{Date: dayOf(r.Started), Agent: agent, Kind: "none", What: "fell by " + number.Size(*a.Fell) + " points", Change: a.Champion.Name()})
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
