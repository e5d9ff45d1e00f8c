package grade

import "evolve/bench"

// Partial reports whether a task's score may lie between 0 and 1: it has several graders,
// or one of a type with partial scores.
func Partial(t *bench.Task) bool {
	if len(t.Graders) != 1 {
		return len(t.Graders) > 1
	}
	switch t.Graders[0].Type {
	case "f1", "rouge_l", "set", "tool_order", "command", "reported", TypeJudge:
		return true
	}
	return false
}
