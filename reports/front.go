package reports

import (
	"strings"

	"evolve/archive"
)

// FrontPoint is a variant on the Pareto front of score, cost and time, as the search
// estimates them on its tasks.
type FrontPoint struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	// CostUSD and Seconds are means of an evaluation; 0 means unknown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Breaks names the guards that the variant is expected to break.
	Breaks []string `json:"breaks,omitempty"`
}

// front copies the search's Pareto front, unless it has a single point.
func (b *builder) front() {
	list := b.result.Search.Front
	if len(list) < 2 {
		return
	}
	for _, v := range list {
		b.out.Front = append(b.out.Front, frontPoint(b, v))
	}
}

func frontPoint(b *builder, v archive.ScoredVariant) FrontPoint {
	return FrontPoint{
		Variant: b.ref(v.Variant), Score: v.Score, Lo: v.Lo, Hi: v.Hi,
		CostUSD: v.CostUSD, Seconds: v.Seconds, Breaks: append([]string(nil), v.Breaks...),
	}
}

// frontKept is the maximum number of points that are shown; the JSON has all.
const frontKept = 12

// frontBlocks shows the choice between quality and cost.
func frontBlocks(s subject) []block {
	if len(s.agent.Front) == 0 {
		return nil
	}
	t := table{Caption: say("Quality against cost on the search tasks"), Columns: []column{
		{Title: "variant"},
		{Title: "score", Figures: true},
		{Title: "interval", Figures: true},
		{Title: "cost", Figures: true},
		{Title: "time", Figures: true},
		{Title: "", Wraps: true},
	}}
	for _, p := range first(s.agent.Front, frontKept) {
		name, cost, took, note := p.Variant.Name(), unknown, unknown, text(nil)
		if p.CostUSD > 0 {
			cost = money(p.CostUSD)
		}
		if p.Seconds > 0 {
			took = duration(p.Seconds)
		}
		if p.Variant == s.agent.Decision.Champion {
			note = say("champion")
		}
		if d := s.agent.Decision; d.Against != nil && p.Variant == *d.Against {
			note = say("waits for a decision")
		}
		if len(p.Breaks) > 0 {
			if len(note) > 0 {
				note = append(note, say("; ")...)
			}
			note = append(note, say("breaks the guard on ", foreign(strings.ReplaceAll(strings.Join(p.Breaks, ", "), "_", " ")))...)
		}
		t.Rows = append(t.Rows, row{Cells: []text{say(name), say(score(p.Score)), say(score(p.Lo) + "–" + score(p.Hi)), say(cost), say(took), note}})
	}
	words := "No variant that was tried is expected to beat one of these in score, cost and time together. Estimates of the search, on the tasks that it saw; only the holdout decides."
	if more := len(s.agent.Front) - frontKept; more > 0 {
		words += " " + some(more, "more variant") + " in the JSON."
	}
	return []block{t, para{Text: say(words), Note: true}}
}
