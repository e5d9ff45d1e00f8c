package batch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
)

// TestSentencesDoNotIdentifyARun checks that a reworded text in a plan leaves the run's
// id as it is, whereas any other change to the plan changes it.
func TestSentencesDoNotIdentifyARun(t *testing.T) {
	plan := archive.AgentPlan{Agent: "toy", Search: 80}
	reworded := plan
	reworded.Power, reworded.Warnings, reworded.Alike = "tonight can show 5 points", []string{"few tasks"}, []string{"2 groups"}
	reworded.Judges, reworded.JudgeNoise = []string{"a judge"}, "; the draws contribute 1 point"
	given := []archive.AgentPlan{reworded}
	if diff := cmp.Diff([]archive.AgentPlan{plan}, withoutSentences(given)); diff != "" {
		t.Error(diff)
	}
	if given[0].Power == "" {
		t.Error("the given plan was changed")
	}
}
