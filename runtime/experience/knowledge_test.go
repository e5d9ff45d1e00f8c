package experience

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestKnowledgeText(t *testing.T) {
	e := &Experience{}
	if text, ok := e.KnowledgeText("ops"); ok || text != "" {
		t.Errorf("%q without history", text)
	}
	e.Domains = []Competence{{Domain: "ops", Score: .47, Turns: 12, Successes: 7, Corrected: 2}, {Domain: "research", Score: .52, Turns: 1, Successes: 1}}
	e.Capsules = []Capsule{
		{Tool: "curl", Domain: Global, Calls: 4, Outcomes: map[agent.Outcome]int{agent.OK: 4}},
		{Tool: "curl", Domain: "ops", Calls: 2, Outcomes: map[agent.Outcome]int{agent.OK: 2}},
		{Tool: "git", Method: "log", Domain: "ops", Calls: 10, Outcomes: map[agent.Outcome]int{agent.OK: 9}},
		{Tool: "grep", Domain: "ops", Calls: 4, Corrected: 2, Outcomes: map[agent.Outcome]int{agent.OK: 3, agent.Timeout: 1}, Failures: []Failure{{Outcome: agent.Timeout, Cause: "no answer\nafter 5s"}}},
		{Tool: "jq", Domain: "ops", Calls: 2, Outcomes: map[agent.Outcome]int{agent.OK: 1}},
	}
	for _, d := range []string{"crypto", "research"} {
		e.Capsules = append(e.Capsules, Capsule{Tool: "curl", Domain: d, Calls: 1, Outcomes: map[agent.Outcome]int{agent.Denied: 1}})
	}
	for domain, want := range map[string]string{
		"ops": `Competence in ops: 0.47 (from .1 to 1; .5 without history), after 12 turns, 7 of them successful and 2 corrected by people.
Tools that work here:
  git log: 9 of 10 calls succeeded, confidence 1.00
  curl: 2 of 2 calls succeeded, confidence 0.40
Tools that fail here:
  grep: 1 of 4 calls succeeded, confidence 0.80, 2 corrected by people; last failure timeout, no answer after 5s
`,
		"research": `Competence in research: 0.52 (from .1 to 1; .5 without history), after 1 turn, 1 of them successful and 0 corrected by people.
Tools that work (over all domains, because no call here was judged):
  curl: 4 of 4 calls succeeded, confidence 0.80
`,
		"": `Competence in ops: 0.47 (from .1 to 1; .5 without history), after 12 turns, 7 of them successful and 2 corrected by people.
Competence in research: 0.52 (from .1 to 1; .5 without history), after 1 turn, 1 of them successful and 0 corrected by people.
` + "Tools that work (over all domains):\n  curl: 4 of 4 calls succeeded, confidence 0.80\n",
	} {
		got, ok := e.KnowledgeText(domain)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Error(domain, diff)
		}
	}
	if _, ok := e.KnowledgeText("crypto"); ok {
		t.Error("a domain without turns and judged calls has a text")
	}
}

// TestKnowledgeNamesTheLimitOfADay tests that the text on a competence mentions the daily
// limit if the limit held the competence back.
func TestKnowledgeNamesTheLimitOfADay(t *testing.T) {
	var u use
	u.now = lessonDay.Add(-10 * time.Hour)
	u.turn("a", "ops", "when?", agent.OK)
	for i := range 8 {
		if text, _ := u.e.KnowledgeText("ops"); strings.Contains(text, "at most 0.2 from") != (i > 5) {
			t.Errorf("after %d corrections: %s", i, text)
		}
		u.turn("a", "ops", "No, that is wrong", agent.OK)
	}
	if text, _ := u.e.KnowledgeText("ops"); !strings.Contains(text, "corrected by people. On 2026-11-20 it can change by at most 0.2 from 0.50.\n") {
		t.Error(text)
	}
}
