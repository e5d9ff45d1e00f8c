package render

import (
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

func forest(s subject) block {
	var f plot.Forest
	add := func(label string, e model.Effect, total bool) {
		f = append(f, plot.ForestRow{
			Label: label, Value: number.Points(e.Difference) + " " + number.Interval(e.Lo, e.Hi),
			Difference: 100 * e.Difference, Lo: 100 * e.Lo, Hi: 100 * e.Hi, Total: total,
		})
	}
	for _, d := range s.agent.Domains {
		add(domainName(d.Domain, 60).Text, d.Effect, false)
	}
	if h := s.agent.Headline; h != nil {
		add("all tasks", h.Effect, true)
	}
	return picture{f.Draw()}
}

func curve(s subject) block {
	c := plot.Curve{Champion: s.agent.Honesty.Champion}
	for _, p := range s.agent.Curve {
		c.Search = append(c.Search, plot.XY{X: float64(p.Evaluations), Y: p.Best})
		if n := len(c.Random); p.RandomEvals > 0 && (n == 0 || c.Random[n-1].X < float64(p.RandomEvals)) {
			c.Random = append(c.Random, plot.XY{X: float64(p.RandomEvals), Y: p.Random})
		}
	}
	return picture{c.Draw()}
}

func slope(s subject) block {
	p := plot.Slope{Left: "champion", Right: "variant"}
	if h := s.agent.Headline; h != nil {
		p.Left, p.Right = "champion "+s.agent.Decision.Champion.Name(), "variant "+h.Variant.Name()
		if !s.agent.Decision.Verdict.Proposes() {
			p.Right = "finalist " + h.Variant.Name()
		}
	}
	for _, t := range s.agent.Tasks {
		p.Tasks = append(p.Tasks, plot.SlopeTask{Name: clipped(t.Task, 60).Text, Before: t.Champion, After: t.Score})
	}
	return picture{p.Draw()}
}
