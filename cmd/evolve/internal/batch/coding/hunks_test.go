package coding

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/runtime/agent"
)

// TestHunks: what a hunk adds alone is beside the code as it is, what its loss takes beside
// the version; a version without values does not run.
func TestHunks(t *testing.T) {
	a := &archive.Ablation{Small: "small", Parts: []archive.AblationPart{
		{Name: "f + a\u202e", Alone: "only a", Without: "no a"},
		{Name: "f + b", Alone: "only b", Without: "no b"},
		{Name: "f + idle", Reverted: true},
		{Name: "f + late"},
	}}
	if ids := HunkVersions(a); len(ids) != 4 || ids[3] != "no b" {
		t.Errorf("the versions are %v", ids)
	}
	values := map[agent.ConfigID]map[string]float64{
		"base": {"x": 10, "y": 20, "z": 99}, "small": {"x": 4, "y": 6, "z": 1}, "only a": {"x": 9, "y": 17}, "no a": {"x": 5, "y": 8}, "no b": {"z": 2},
	}
	var got []string
	for _, h := range Hunks(a, "base", values) {
		got = append(got, h.Describe("%"))
	}
	want := "alone −2 % on 2 cases, taking it back +1.5 % on 2 cases|alone it does not run, taking it back +1 % on 1 case|" +
		"taken back, as no value changed without it|not tried: the evaluations ended"
	if strings.Join(got, "|") != want {
		t.Errorf("the hunks are described as\n%s", strings.Join(got, "\n"))
	}
}
