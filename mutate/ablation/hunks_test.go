package ablation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// hunkWorld is an agent with one block of code. Some lines add to its score, and no line
// that uses "open" runs without the line "open".
func hunkWorld(tasks int) *world {
	w := &world{champion: agent.Config{"block": "a\nkeep\nb\nkeep2\nc\nkeep3\nd\n"}, winner: agent.Config{"block": "A1\nA2\nkeep\nB\nkeep2\nuse\nkeep3\nopen\n"}}
	w.space.Params = []agent.Param{{Name: "block", Kind: agent.Text, MaxChars: 500, Default: w.champion.String("block")}}
	for j := range tasks {
		w.tasks = append(w.tasks, mutate.Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
	}
	return w
}

// value is the exact score of a text on a task: hunk A adds a little on the last task only,
// B adds nothing, and use needs open.
func (w *world) value(c agent.Config, task int) float64 {
	text := c.String("block")
	has := func(line string) bool { return strings.Contains(text, line+"\n") }
	if w.chance != nil {
		return w.chance(c, task)
	}
	score := .5
	if has("use") {
		if !has("open") {
			return 0
		}
		score += .2
	}
	if has("A1") && task == len(w.tasks)-1 {
		score += .01
	}
	return score
}

func (w *world) reduce(t *testing.T, budget int) (Result, []mutate.Trial) {
	t.Helper()
	o := Options{Space: w.space, Champion: w.champion, Winner: w.winner, Tasks: w.tasks, Budget: budget, MaxRepeats: 1, Hunks: true, Smaller: w.smaller}
	observe := func(tr mutate.Trial) mutate.Observation {
		var task int
		if _, err := fmt.Sscanf(tr.Task, "t%d", &task); err != nil {
			t.Fatal(err)
		}
		return mutate.Observation{Trial: tr, Scored: true, Score: w.value(tr.Config, task)}
	}
	for _, task := range w.tasks {
		for _, c := range []agent.Config{w.champion, w.winner} {
			o.Known = with(o.known(), observe(mutate.Trial{Variant: c.ID(), Config: c, Task: task.ID}))
		}
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var asked []mutate.Trial
	for {
		trial, status := a.Ask()
		if status != mutate.Ready {
			return a.Result(), asked
		}
		asked = append(asked, trial)
		a.Tell(observe(trial))
	}
}

// TestHunksThatDoNothingGo checks that of four hunks in one block, only the hunk that
// changes no task's score is removed, even if another hunk changes only a single task by
// a point. Each of the others is tried alone, and the text is tried without it: on all
// tasks if the code then runs, otherwise on one.
func TestHunksThatDoNothingGo(t *testing.T) {
	w := hunkWorld(20)
	r, asked := w.reduce(t, 400)
	if got, want := r.Config.String("block"), "A1\nA2\nkeep\nb\nkeep2\nuse\nkeep3\nopen\n"; got != want || !r.Done {
		t.Errorf("the small text is %q, want %q: %s", got, want, r.Reason)
	}
	if strings.Join(r.Reverted, "|") != "block − b + B" {
		t.Errorf("reverted: %q", r.Reverted)
	}
	var names []string
	for _, p := range r.Parts {
		names = append(names, fmt.Sprintf("%s@%s:%d %v %v", p.Name, p.Param, p.Line, p.Alone != "", p.Without != ""))
	}
	want := "block − a + A1; A2@block:1 true true|block − c + use@block:5 true true|block − d + open@block:7 true true"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("the parts are %s", got)
	}
	// No second task is tried for the configs that fail: the hunk "use" alone, and the
	// text without the hunk "open".
	tries := map[agent.ConfigID]int{}
	for _, tr := range asked {
		tries[tr.Variant]++
	}
	if tries[r.Parts[1].Alone] != 1 || tries[r.Parts[2].Without] != 1 || tries[r.Parts[0].Alone] != 20 || tries[r.Parts[0].Without] != 20 {
		t.Errorf("the trials by config: %v", tries)
	}
	if len(asked) > 130 {
		t.Errorf("%d trials", len(asked))
	}
	if !strings.Contains(r.Reason, "scores no less than the variant found by the search on each of 20 search tasks") {
		t.Error(r.Reason)
	}
}

// TestHunksWithoutEvaluations checks that a hunk that was not tried everywhere stays.
func TestHunksWithoutEvaluations(t *testing.T) {
	for _, budget := range []int{0, 5, 21, 40} {
		r, asked := hunkWorld(20).reduce(t, budget)
		if len(asked) > budget || budget < 20 && r.Small != r.Winner {
			t.Errorf("with %d evaluations %d were asked, and %q is left", budget, len(asked), r.Config.String("block"))
		}
		if !strings.Contains(r.Reason, "before every part had been tried") {
			t.Errorf("with %d evaluations: %s", budget, r.Reason)
		}
	}
}

// TestManyHunks checks that if there are more hunks than can be tried, hunks are joined,
// and each line stays in one of them.
func TestManyHunks(t *testing.T) {
	var old, now strings.Builder
	for i := range 40 {
		fmt.Fprintf(&old, "keep %d\nold %d\n", i, i)
		fmt.Fprintf(&now, "keep %d\nnew %d\n", i, i)
	}
	space := agent.Space{Params: []agent.Param{{Name: "block", Kind: agent.Text, MaxChars: 2000, Default: ""}}}
	c := newChange(space, agent.Config{"block": old.String()}, agent.Config{"block": now.String()}, true)
	if len(c.units) > mostHunks || len(c.units) < mostHunks/2 {
		t.Errorf("there are %d hunks", len(c.units))
	}
	all := set{}
	for i := range c.units {
		all[i] = true
	}
	if back, ok := c.setBack(all); !ok || back.String("block") != old.String() {
		t.Errorf("all hunks reverted: %q", back.String("block"))
	}
}

// TestPartsAreOfTheSmallChange checks that two winners that shrink to the same text have
// the same parts, which are the parts of that text's own change from the champion, and
// that the evaluations of the first winner serve the second.
func TestPartsAreOfTheSmallChange(t *testing.T) {
	first, second := hunkWorld(20), hunkWorld(20)
	second.winner = agent.Config{"block": "A1\nA2\nkeep\nb\nidle\nkeep2\nuse\nkeep3\nopen\n"}
	one, _ := first.reduce(t, 400)
	two, _ := second.reduce(t, 400)
	if one.Small != two.Small || one.Winner == two.Winner {
		t.Fatalf("the small texts are %q and %q", one.Config.String("block"), two.Config.String("block"))
	}
	own := Parts(first.space, first.champion, one.Config)
	if len(own) != 3 || !slices.Equal(one.Parts, own) || !slices.Equal(two.Parts, own) {
		t.Errorf("the parts are\n%v\n%v, want\n%v", one.Parts, two.Parts, own)
	}
}

// TestPartsOfJoinedHunks checks that joining hunks leaves the winner with so few hunks
// that each can be a part, and that these parts are tried.
func TestPartsOfJoinedHunks(t *testing.T) {
	lines := func(changed int) string {
		var b strings.Builder
		for i := range mostHunks + 2 {
			line := fmt.Sprintf("old %d\n", i)
			if i < changed {
				line = fmt.Sprintf("new %d\n", i)
			}
			fmt.Fprintf(&b, "keep %d\n%s", i, line)
		}
		return b.String()
	}
	w := hunkWorld(2)
	w.champion, w.winner = agent.Config{"block": lines(0)}, agent.Config{"block": lines(mostHunks + 2)}
	w.space.Params[0].MaxChars = 2000
	w.chance = func(c agent.Config, _ int) float64 {
		score := .1
		for i := range mostHunks {
			if strings.Contains(c.String("block"), fmt.Sprintf("new %d\n", i)) {
				score += .05
			}
		}
		return score
	}
	r, asked := w.reduce(t, 400)
	if got := r.Config.String("block"); got != lines(mostHunks) {
		t.Fatalf("the small text is %q", got)
	}
	if len(r.Parts) != mostHunks {
		t.Fatalf("%d parts: %v", len(r.Parts), r.Parts)
	}
	tried := map[agent.ConfigID]bool{}
	for _, tr := range asked {
		tried[tr.Variant] = true
	}
	for i, p := range r.Parts {
		if p.Name != fmt.Sprintf("block − old %d + new %d", i, i) || !tried[p.Alone] || !tried[p.Without] {
			t.Errorf("part %d is %+v, tried %v %v", i, p, tried[p.Alone], tried[p.Without])
		}
	}
}

// TestPartsOfASingleChange checks that a winner that changes one thing has no parts.
func TestPartsOfASingleChange(t *testing.T) {
	w := hunkWorld(1)
	if parts := Parts(w.space, w.champion, agent.Config{"block": "a\nkeep\nb\nkeep2\nuse\nkeep3\nd\n"}); parts != nil {
		t.Errorf("the parts are %v", parts)
	}
	if parts := Parts(w.space, w.champion, agent.Config{"gone": "x"}); parts != nil {
		t.Errorf("the parts of a version of other blocks are %v", parts)
	}
}
