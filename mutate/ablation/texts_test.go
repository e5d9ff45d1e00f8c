package ablation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// shownTask returns a demonstration of a task in a world.
func shownTask(j int) agent.Demonstration {
	return agent.Demonstration{Task: fmt.Sprintf("request %d", j), Answer: fmt.Sprintf("answer %d %s", j, strings.Repeat("long ", 40))}
}

// TestTextsAreReducedByTheirParts reduces a winner with eight demonstrations and four new
// lines. Only the demonstration and the line that matter must stay, unabridged. No task
// that the winner or the champion demonstrates may be evaluated.
func TestTextsAreReducedByTheirParts(t *testing.T) {
	w := switches(0, 40, func(c agent.Config) float64 {
		p := .3
		if strings.Contains(c.String("shown"), `"request 2"`) {
			p += .25
		}
		if strings.Contains(c.String("strategy"), "Label only.") {
			p += .25
		}
		return p
	})
	w.space.Params = append(w.space.Params,
		agent.Param{Name: "strategy", Kind: agent.Text, MaxChars: 500, Default: ""},
		agent.Param{Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 5000, Default: ""},
	)
	for j := range w.tasks {
		w.tasks[j].Request = fmt.Sprintf("request %d", j)
	}
	demonstrations := make([]agent.Demonstration, 8)
	for j := range demonstrations {
		demonstrations[j] = shownTask(j)
	}
	w.champion["strategy"], w.champion["shown"] = "Answer.", agent.FormatDemonstrations([]agent.Demonstration{shownTask(9)})
	w.winner["strategy"], w.winner["shown"] = "Answer.\nBe kind.\nLabel only.\nThink.\nNo preamble.", agent.FormatDemonstrations(demonstrations)
	small, kept := 0, 0
	for seed := range int64(4) {
		r, asked := run(t, w, w.options(900, 0, seed))
		for _, tr := range asked {
			var j int
			if _, err := fmt.Sscanf(tr.Task, "t%d", &j); err != nil {
				t.Fatal(err)
			}
			if j < 8 || j == 9 {
				t.Fatalf("task %s is evaluated, which a side demonstrates", tr.Task)
			}
		}
		list, ok := agent.ParseDemonstrations(r.Config.String("shown"))
		if !ok {
			t.Fatalf("%q is no list of demonstrations", r.Config.String("shown"))
		}
		lines := strings.Split(r.Config.String("strategy"), "\n")
		if slices.Contains(list, shownTask(2)) && slices.Contains(lines, "Label only.") {
			kept++
		}
		small += len(list) + len(lines)
		for _, name := range r.Reverted {
			if len(name) > shownPart+20 {
				t.Errorf("a name of %d bytes: %s", len(name), name)
			}
		}
	}
	if kept < 3 || small > 4*6 {
		t.Errorf("the parts that matter stayed in %d of 4, with %d lines and demonstrations of 52", kept, small)
	}
}

// TestMovedDemonstrations checks that a demonstration that moved is not shown twice.
func TestMovedDemonstrations(t *testing.T) {
	p := agent.Param{Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 5000, Default: ""}
	text := func(n ...int) string {
		var list []agent.Demonstration
		for _, j := range n {
			list = append(list, shownTask(j))
		}
		return agent.FormatDemonstrations(list)
	}
	c := newChange(agent.Space{Params: []agent.Param{p}}, agent.Config{"shown": text(1, 2, 3)}, agent.Config{"shown": text(2, 3, 1)}, false)
	for i := range c.units {
		if config, ok := c.setBack(set{i: true}); ok {
			list, _ := agent.ParseDemonstrations(config.String("shown"))
			for k, d := range list {
				if slices.Contains(list[:k], d) {
					t.Errorf("without %s a demonstration is there twice", c.name(i))
				}
			}
		}
	}
}

// TestEverythingIsDemonstrated checks that the winner is not reduced if it demonstrates
// every task, so that no task is left to compare it on.
func TestEverythingIsDemonstrated(t *testing.T) {
	p := agent.Param{Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 5000, Default: ""}
	a, err := New(Options{
		Space: agent.Space{Params: []agent.Param{p}}, Champion: agent.Config{"shown": ""}, Winner: agent.Config{"shown": agent.FormatDemonstrations([]agent.Demonstration{shownTask(0)})},
		Tasks: []mutate.Task{{ID: "t0", Request: "request 0"}}, Budget: 50,
	})
	if err != nil || a.Changes() != 0 {
		t.Errorf("%v, %d changes", err, a.Changes())
	}
}

// TestDemonstrationsStayTogether checks a short search whose evaluations do not show that
// any single demonstration matters, but show that all of them together do: they stay.
func TestDemonstrationsStayTogether(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 5000, Default: ""},
		{Name: "warmth", Kind: agent.Float, Max: 1, Default: .5},
	}}
	tasks := make([]mutate.Task, 24)
	for j := range tasks {
		tasks[j] = mutate.Task{ID: fmt.Sprintf("t%d", j), Request: fmt.Sprintf("request %d", j)}
	}
	config := func(warmth float64, first, n int) agent.Config {
		var list []agent.Demonstration
		for j := range n {
			list = append(list, shownTask((first+j)%len(tasks)))
		}
		return agent.Config{"warmth": warmth, "shown": agent.FormatDemonstrations(list)}
	}
	champion, winner := space.Default(), config(.7, 0, 4)
	var known []mutate.Observation
	add := func(c agent.Config, passes ...int) {
		for k, p := range passes {
			tr := mutate.Trial{Variant: c.ID(), Config: c, Task: fmt.Sprintf("t%d", 18+k%6), Repeat: k / 6}
			known = append(known, mutate.Observation{Trial: tr, Scored: true, Score: float64(p)})
		}
	}
	add(champion, 0, 0, 0, 0, 0, 0)
	add(winner, 1, 1, 0, 1, 1, 1, 1, 1)
	for k := range 8 {
		add(config(.3+.05*float64(k), 2*k, 3+k%3), 1, k%2, 1)
	}
	a, err := New(Options{Space: space, Champion: champion, Winner: winner, Tasks: tasks, Known: slices.Values(known)})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := a.Ask(); status == mutate.Ready; _, status = a.Ask() {
		t.Fatal("an evaluation without a budget")
	}
	if r := a.Result(); r.Config.String("shown") != winner.String("shown") {
		t.Errorf("reverted %v", r.Reverted)
	}
}
