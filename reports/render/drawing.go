package render

import (
	"html/template"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

// drawing is a picture with a text description.
type drawing interface {
	Title() string
	Describe() string
	SVG(id string) (template.HTML, error)
}

func forest(s subject) drawing {
	f := plot.Forest{Heading: "Difference by domain", Unit: "points"}
	add := func(label string, e model.Effect, total bool) {
		f.Rows = append(f.Rows, plot.ForestRow{
			Label: label, Value: number.Points(e.Difference) + " " + number.Interval(e.Lo, e.Hi),
			Difference: 100 * e.Difference, Lo: 100 * e.Lo, Hi: 100 * e.Hi, Total: total,
		})
	}
	for _, d := range s.agent.Domains {
		add(clipped(d.Domain, 60).Text, d.Effect, false)
	}
	if h := s.agent.Headline; h != nil {
		add("all tasks", h.Effect, true)
	}
	return f
}

// curve is nil if nothing was searched.
func curve(s subject) drawing {
	if len(s.agent.Curve) < 2 {
		return nil
	}
	c := plot.Curve{Heading: "What the search recommended, by evaluations spent", Champion: s.agent.Honesty.Champion, Score: number.Score}
	for _, p := range s.agent.Curve {
		c.Search = append(c.Search, plot.XY{X: float64(p.Evaluations), Y: p.Best})
		if n := len(c.Random); p.RandomEvals > 0 && (n == 0 || c.Random[n-1].X < float64(p.RandomEvals)) {
			c.Random = append(c.Random, plot.XY{X: float64(p.RandomEvals), Y: p.Random})
		}
	}
	return c
}

func slope(s subject) drawing {
	p := plot.Slope{Heading: "Every holdout task, before and after", Left: "champion", Right: "variant", Score: number.Score}
	if h := s.agent.Headline; h != nil {
		p.Left, p.Right = "champion "+s.agent.Decision.Champion.Name(), "variant "+h.Variant.Name()
		if !s.agent.Decision.Verdict.Proposes() {
			p.Right = "finalist " + h.Variant.Name()
		}
	}
	for _, t := range s.agent.Tasks {
		p.Tasks = append(p.Tasks, plot.SlopeTask{Name: clipped(t.Task, 60).Text, Before: t.Champion, After: t.Score})
	}
	return p
}
