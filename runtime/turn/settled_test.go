package turn

import (
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestARetractionHoldsInASession checks a conversation that learnt something that a
// person has since retracted. The conversation must not recall it, either by id or by
// text.
func TestARetractionHoldsInASession(t *testing.T) {
	fact := agent.Memory{ID: "d-1", Text: "The depot in Oslo opens at 7.", Source: "distilled"}
	for name, c := range map[string]struct {
		memories []agent.Memory
		want     int
	}{
		"learnt here alone":    {nil, 1},
		"retracted by its id":  {[]agent.Memory{{ID: "d-1", Text: "another wording", Retracted: "no"}}, 0},
		"retracted elsewhere":  {[]agent.Memory{{ID: "m1", Text: "the depot in Oslo  opens at 7.", Retracted: "no"}}, 0},
		"adopted":              {[]agent.Memory{{ID: "d-1", Text: fact.Text, Source: "distilled; session talk; turn T1"}}, 1},
		"another is retracted": {[]agent.Memory{{ID: "m1", Text: "The depot in Riga opens at 7.", Retracted: "no"}}, 1},
	} {
		var seen []model.Request
		a := speaking(t, &seen, Options{Memories: c.memories}, model.Reply{Answer: "7"})
		r := a.Run(t.Context(), agent.Request{
			Live: true, Config: a.Space().Default(), Task: agent.Task{Goal: "When does the depot in Oslo open?"},
			Session: agent.Session{Facts: []agent.Memory{fact}},
		})
		recalled := 0
		for _, h := range seen[0].Memories {
			if strings.Contains(h.Memory.Text, "Oslo") {
				recalled++
			}
		}
		if recalled != c.want || len(r.Session.Facts) != 1 {
			t.Errorf("%s: recalled %d times, want %d; the session has %v", name, recalled, c.want, r.Session.Facts)
		}
	}
}
