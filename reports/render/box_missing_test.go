package render

import (
	"strings"
	"testing"

	"evolve/reports/model"
)

// TestMissingRows checks that the box names missing evaluations and their most frequent
// cause if at least a tenth of all evaluations are missing.
func TestMissingRows(t *testing.T) {
	t.Parallel()
	lost := []model.Lost{{Cause: "the agent answered with status 429", Count: 90}, {Cause: "refused", Count: 5}}
	for _, c := range []struct {
		stages []model.Stage
		lost   []model.Lost
		want   string
	}{
		{[]model.Stage{{Stage: "search", Done: 97, Missing: 81}, {Stage: "baseline", Done: 20, Missing: 14}}, lost, "95 of 212 evaluations gave no score, most often because: the agent answered with status 429"},
		{[]model.Stage{{Stage: "search", Done: 9, Missing: 1}}, nil, "1 of 10 evaluations gave no score"},
		{[]model.Stage{{Stage: "search", Done: 10, Missing: 1}}, lost, ""},
		{[]model.Stage{{Stage: "search", Done: 10}}, nil, ""},
		{nil, nil, ""},
	} {
		var got []string
		for _, row := range missingRows(model.Health{Stages: c.stages, Lost: c.lost}) {
			var words strings.Builder
			for _, part := range row.Note {
				words.WriteString(part.Text)
			}
			got = append(got, words.String())
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}
