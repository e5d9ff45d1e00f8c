package render

import (
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// TestTheBoxIsAboutTheSentence checks that the box shows the finalist with which the
// verdict's sentence begins, even if another finalist has more evidence.
func TestTheBoxIsAboutTheSentence(t *testing.T) {
	open := func(variant string, difference, logE float64) stats.Ruling {
		return stats.Ruling{
			Variant: variant, State: stats.Open, LogE: logE, Threshold: 5.5, Blocks: 4, Pairs: 160, Within: .25,
			Comparison: stats.Comparison{Difference: difference, Level: .95, Tasks: 40, Clusters: 40}, New: stats.Interval{Lo: difference - .1, Hi: difference + .1},
		}
	}
	here := open("c", .02, 7)
	here.State, here.Claim = stats.HereOnly, stats.TheseTasks
	shown := open("d", .01, 9)
	shown.Claim = stats.TheseTasks
	harmful := open("e", -.2, 12)
	harmful.State = stats.Harmful
	for name, c := range map[string]struct {
		rulings []stats.Ruling
		want    int
	}{
		"the larger difference before more evidence": {[]stats.Ruling{open("a", .03, 3), open("b", .05, 1)}, 1},
		"what is at its end before what is open":     {[]stats.Ruling{shown, here}, 1},
		"what goes on before what is out":            {[]stats.Ruling{harmful, open("a", -.01, -1)}, 1},
	} {
		var result archive.AgentResult
		for _, r := range c.rulings {
			result.Finalist = append(result.Finalist, archive.Finalist{Variant: agent.ConfigID(r.Variant), Ruling: &r})
		}
		result.Causes = stats.Conclude(c.rulings, stats.Circumstances{Searched: true}).Causes
		if got := model.Leading(result); got != c.want || result.Causes[0].Subject != c.rulings[c.want].Variant {
			t.Errorf("%s: %d leads, and the sentence is about %s", name, got, result.Causes[0].Subject)
		}
	}
}
