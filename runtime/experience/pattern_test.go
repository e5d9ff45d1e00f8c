package experience

import (
	"fmt"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestPatternsOfCorrections tests that corrections form a pattern because of their subject,
// not because of words that are common to all corrections.
func TestPatternsOfCorrections(t *testing.T) {
	for name, c := range map[string]struct {
		texts []string
		want  []int // corrections of each pattern
	}{
		"the same denial": {[]string{"No, that is wrong. The correct answer is Oslo.", "No, that is wrong. The correct answer is the Nile.", "No, that is wrong. The correct answer is Everest."}, []int{1, 1, 1}},
		"the same matter": {[]string{"No, prices are in euro.", "That is wrong, the prices must be in euro.", "No, that is wrong. The correct answer is Oslo."}, []int{2, 1}},
		"the same words":  {[]string{"No, wrong.", "No, wrong."}, []int{2}},
	} {
		var e Experience
		var turns []Turn
		for i, text := range c.texts {
			id := fmt.Sprint("T", i+1)
			e.Corrections = append(e.Corrections, Correction{Turn: id, Text: text})
			turns = append(turns, Turn{ID: id, Outcome: agent.OK, Time: time.Date(2026, 3, 1, 0, i, 0, 0, time.UTC)})
		}
		var got []int
		for _, p := range e.period(turns).Patterns {
			got = append(got, p.Corrected.Count)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
