package coding

import (
	"strings"
	"testing"

	"evolve/mutate/ablation"
)

// TestHunks checks that what a hunk adds by itself is given relative to the unchanged
// code, and that what the removal of the hunk costs is given relative to the version. A
// version without values does not run, and a version without evaluations was not tried.
func TestHunks(t *testing.T) {
	parts := []Part{
		{Part: ablation.Part{Name: "f + a\u202e", Alone: "only a", Without: "no a"}},
		{Part: ablation.Part{Name: "f + b", Alone: "only b", Without: "no b"}},
		{Part: ablation.Part{Name: "f + c", Alone: "elsewhere", Without: "never"}},
		{Part: ablation.Part{Name: "f + d"}},
	}
	if ids := HunkVersions(parts); len(ids) != 6 || ids[3] != "no b" {
		t.Errorf("the versions are %v", ids)
	}
	values := Values{
		"base": {"x": 10, "y": 20, "z": 99}, "small": {"x": 4, "y": 6, "z": 1}, "only a": {"x": 9, "y": 17}, "no a": {"x": 5, "y": 8}, "only b": {},
		"no b": {"z": 2}, "elsewhere": {"w": 1},
	}
	var got []string
	for _, h := range Hunks(parts, "base", "small", values) {
		got = append(got, h.Describe("%"))
	}
	want := "alone −2 percentage points on 2 cases, reverting it +1.5 percentage points on 2 cases|with only this hunk, the code does not run, reverting it +1 percentage point on 1 case|not tried|not tried"
	if strings.Join(got, "|") != want {
		t.Errorf("the hunks are described as\n%s", strings.Join(got, "\n"))
	}
	if list := Hunks(parts[2:], "base", "small", values); list != nil {
		t.Errorf("hunks that were not tried: %v", list)
	}
}
