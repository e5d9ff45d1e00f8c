package night

import (
	"testing"

	"evolve/archive"
	"evolve/mutate/ablation"
)

// TestUntriedBy checks the reason why a change was not tried alone.
func TestUntriedBy(t *testing.T) {
	open := ablation.Result{Effects: []ablation.Effect{{Param: "a"}, {Param: "b", Untried: true}}}
	short := open
	short.Short = true
	for name, c := range map[string]struct {
		r             ablation.Result
		made, planned int
		want          archive.Untried
	}{
		"all were tried":       {ablation.Result{Effects: []ablation.Effect{{Param: "a"}}}, 8, 80, ""},
		"no ablation planned":  {short, 0, 0, archive.UntriedUnplanned},
		"six of eighty left":   {short, 0, 80, archive.UntriedShort},
		"the last one ended":   {open, 40, 80, archive.UntriedEnded},
		"nothing left to show": {open, 0, 80, archive.UntriedEnough},
	} {
		if got := untriedBy(c.r, c.made, c.planned); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
