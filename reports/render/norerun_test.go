package render

import (
	"testing"

	"evolve/reports/model"
)

// TestNoRerunHasAReason checks that a report states why the champion was not compared with
// itself.
func TestNoRerunHasAReason(t *testing.T) {
	t.Parallel()
	planned := model.Health{Stages: []model.Stage{{Stage: "aa", Planned: 20}}}
	for _, c := range []struct {
		agent model.Agent
		want  string
	}{
		{model.Agent{Provenance: model.Provenance{Deterministic: true}, Health: planned}, "not run  a repeat would give the same answers"},
		{model.Agent{Provenance: model.Provenance{Deterministic: true, UsesSeed: true}, Health: planned}, "not run  the run ended before both reruns were complete"},
		{model.Agent{}, "not run  no evaluations were planned for it"},
	} {
		if got := noiseFact(subject{agent: c.agent}).Value.raw(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
