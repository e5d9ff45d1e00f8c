package doctor

import (
	"evolve/cmd/evolve/internal/workspace"
	rtext "evolve/runtime/text"
)

// mostMarks is the maximum number of marks in one target that are named; the others are
// only counted.
const mostMarks = 10

// checkMarks checks those constants in a target that a night would tune. A single invalid
// mark prevents the tuning of the whole target.
func checkMarks(p Probes, t workspace.PatchTarget) []Check {
	if t.Benchmark == nil || t.Benchmark.Tune == 0 {
		return nil
	}
	name := "patches " + t.Name
	found, problems, err := p.Marks(t.Name)
	if err != nil {
		return nil // the target's own check reports why the target cannot be read
	}
	if len(problems) == 0 && found == 0 {
		c := ok(name, "nothing is tuned at night: no constant is marked in a committed Go file that patches may change")
		c.Hint = "mark a constant, such as const size = 64 //evolve:param min=8 max=4096, or set benchmark.tune: 0"
		return []Check{c}
	}
	var checks []Check
	for i, bad := range problems {
		if i == mostMarks {
			checks = append(checks, warn(name, "correct the marks above first", "%s cannot be used", rtext.Count(len(problems)-i, "further mark")))
			break
		}
		hint := bad.Hint
		if hint == "" {
			hint = "correct or remove the mark, and commit: until then, nothing in the target is tuned"
		}
		bad.Hint = ""
		checks = append(checks, warn(name, hint, "%s", bad))
	}
	if len(problems) == 0 {
		checks = append(checks, ok(name, "%s tuned at night", rtext.Count(found, "marked constant")))
	}
	return checks
}
