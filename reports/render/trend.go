package render

import (
	"html/template"
	"math"
	"slices"
	"strconv"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
	"evolve/runtime/text"
)

// maxTrends is the maximum number of agents whose trend the index shows.
const maxTrends = 12

// trendPage holds the trend of one agent for the index page.
type trendPage struct {
	Agent string
	SVG   template.HTML
}

// trendsOf returns the trend of the champion's score over the nights, for each agent whose
// champion was measured in at least two nights. runs must be given latest first. trendsOf
// also returns the number of agents that were left out for lack of room.
func trendsOf(runs []model.Summary) (out []trendPage, more int, err error) {
	nights, measured := map[string][]plot.TrendNight{}, map[string]int{}
	var agents []string
	falls := fallsOf(runs)
	for i, r := range slices.Backward(runs) {
		for j, a := range r.Agents {
			fell := falls[agentNight{i, j}].Points
			n := trendNight(r, a, fell)
			if n.Measured() {
				measured[a.Agent]++
			} else if fell == "" {
				continue
			}
			if !slices.Contains(agents, a.Agent) {
				agents = append(agents, a.Agent)
			}
			nights[a.Agent] = append(nights[a.Agent], n)
		}
	}
	for i, name := range agents {
		if measured[name] < 2 {
			continue
		}
		if len(out) == maxTrends {
			more++
			continue
		}
		svg, err := plot.Trend{Nights: nights[name]}.Draw().SVG("trend-" + strconv.Itoa(i+1))
		if err != nil {
			return nil, 0, err
		}
		out = append(out, trendPage{text.Visible(name), svg})
	}
	return out, more, nil
}

func trendNight(r model.Summary, a model.AgentSummary, fell string) plot.TrendNight {
	n := plot.TrendNight{Date: "run " + strconv.Itoa(r.Number), Score: math.NaN(), Champion: a.Champion.Name(), Fell: fell}
	if a.Effect != nil && a.Against == nil { // the champion was measured
		n.Score = a.Effect.Champion
	}
	if !r.Started.IsZero() {
		n.Date, n.Time = number.Date(r.Started), r.Started
	}
	for _, p := range a.States {
		switch p.State {
		case model.Adopted:
			n.Adopted = text.Visible(p.ID)
		case model.RolledBack:
			n.Adopted = text.Visible(p.ID) + ", rolled back since,"
		}
	}
	return n
}
