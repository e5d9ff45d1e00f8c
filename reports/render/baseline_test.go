package render

import (
	"strings"
	"testing"

	"evolve/reports/model"
)

// TestEqualTasks checks what the page states about search and random search on the same
// tasks.
func TestEqualTasks(t *testing.T) {
	a, b := model.Ref{ID: "a", Number: 1}, model.Ref{ID: "b", Number: 2}
	of := func(random model.Ref, paired *model.Estimated, tasks int) string {
		m := &model.Match{Search: model.Side{Scored: model.Scored{Variant: a}}, Random: model.Side{Scored: model.Scored{Variant: random}}, Paired: paired, PairedTasks: tasks}
		return baselineFacts(&model.Baseline{Equal: m})[1].Value.raw()
	}
	for want, got := range map[string]string{
		"; +8.0 [−10.0, +25.9] on the 44 tasks that both ran":          of(b, &model.Estimated{Difference: .08, Lo: -.1, Hi: .259}, 44),
		"; 0.0 on each of the 13 tasks that both ran":                  of(b, &model.Estimated{}, 13),
		"; too few tasks were run by both for a paired comparison (4)": of(b, nil, 4),
		"; both recommend the same variant":                            of(a, nil, 9),
	} {
		if !strings.HasSuffix(got, want) {
			t.Errorf("%q does not end with %q", got, want)
		}
	}
}
