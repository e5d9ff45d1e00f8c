package experience

import (
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestSnapshotOfEvaluations tests that whatever an evaluation does not depend on leaves the
// snapshot's digest unchanged, and that everything else changes it.
func TestSnapshotOfEvaluations(t *testing.T) {
	day := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	var none *Experience
	for _, e := range []*Experience{none, {}, {Turns: 3, Updated: day}, (&Experience{Recent: []Recent{{Session: "talk"}}}).ForEvaluations()} {
		if d := e.Digest(); d != "" {
			t.Errorf("%+v has the digest %s", e, d)
		}
	}
	e := &Experience{Capsules: []Capsule{{Tool: "grep", Domain: Global, Calls: 1, Outcomes: map[agent.Outcome]int{agent.OK: 1}}}}
	same := e.ForEvaluations().Digest()
	e.Turns, e.Updated, e.Recent = 4, day, []Recent{{Session: "talk"}}
	e.Signatures = []Signature{{Tool: "grep", Domain: "ops", Outcome: agent.Timeout, Count: 3}}
	e.Feedback = []Feedback{{ID: "F1", Session: "talk"}, {ID: "F2", Until: day}}
	if d := e.ForEvaluations().Digest(); d != same || len(d) != 16 || len(e.Feedback) != 2 {
		t.Errorf("the digest %s became %s", same, d)
	}
	e.Feedback = append(e.Feedback, Feedback{ID: "F3"})
	if f := e.ForEvaluations(); f.Digest() == same || len(f.Feedback) != 1 {
		t.Errorf("lasting feedback does not count: %+v", f.Feedback)
	}
}
