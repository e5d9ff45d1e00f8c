package population

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"evolve/mutate"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// TestElitesDifferInSize checks that MAP-Elites keeps variants of different sizes apart,
// and that it does not add islands to the population's own.
func TestElitesDifferInSize(t *testing.T) {
	t.Parallel()
	w := newWorld(60, 5)
	o := w.options(2000, 3)
	o.Selection = selection.MapElites
	o.Size = func(c agent.Config) int { // counts the numbers that are not 0
		n := 1
		for _, v := range read(c) {
			if v != 0 {
				n++
			}
		}
		return n
	}
	cells, islands := map[string]bool{}, regexp.MustCompile(`island`)
	cell := regexp.MustCompile(`in cell \(size ([0-9]), time –, cases (–|[0-9])\)`)
	for _, tr := range drive(t, start(t, o), 4, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }) {
		if tr.Operator == "champion" {
			continue
		}
		found := cell.FindString(tr.Rationale)
		if found == "" || islands.MatchString(tr.Rationale) {
			t.Fatalf("a parent was chosen by %q", tr.Rationale)
		}
		cells[found] = true
	}
	if len(cells) < 3 {
		t.Errorf("parents are of the cells %v", cells)
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(7, 5)
	o := w.options(100, 3)
	o.Stages = []int{7}
	s := start(t, o)
	m := s.members[0]
	for at, task := range s.order[:6] {
		m.scores[task] = float64(at % groups)
	}
	if got := fmt.Sprint(s.profile(m)); got != "[0 1 2]" {
		t.Errorf("the profile is %s", got)
	}
	for _, task := range s.order {
		m.scores[task] = math.NaN()
	}
	if got := fmt.Sprint(s.profile(m)); got != "[NaN NaN NaN]" {
		t.Errorf("the profile without scores is %s", got)
	}
}
