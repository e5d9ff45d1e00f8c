package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// TestSimilarTextsAreCorrelated checks that the model's prior correlation is highest for
// equal instructions, lower for reworded and lowest for different ones, and that it falls
// as more demonstrations differ.
func TestSimilarTextsAreCorrelated(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 500, Default: ""},
		{Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 500, Default: ""},
		{Name: "x", Kind: agent.Float, Max: 1, Default: 0.5},
	}}
	c := newCodec(space, space.Default())
	model := irt.New(c.dims, 1)
	demo := func(n ...int) string {
		var list []agent.Demonstration
		for _, i := range n {
			list = append(list, agent.Demonstration{Task: fmt.Sprintf("ask%d about%d", i, i), Answer: fmt.Sprintf("a%d", i)})
		}
		return agent.FormatDemonstrations(list)
	}
	correlation := func(name, a, b string) float64 {
		one, two := space.Default(), space.Default()
		one[name], two[name] = a, b
		return model.Correlation(c.encode(one), c.encode(two))
	}
	const rule = "Think before you answer. Give the label only."
	for _, list := range [][]float64{
		{
			correlation("strategy", rule, rule),
			correlation("strategy", rule, "Think before you answer. Give only the label."),
			correlation("strategy", rule, rule+"\nNever guess. Quote no source. Use short words."),
			correlation("strategy", rule, "Translate to French first.\nNever guess.\nQuote no source. Use short words."),
		},
		{
			correlation("shown", demo(1, 2, 3), demo(1, 2, 3)),
			correlation("shown", demo(1, 2, 3), demo(1, 3, 2)),
			correlation("shown", demo(1, 2, 3), demo(1, 4, 3)),
			correlation("shown", demo(1, 2, 3), demo(4, 5, 3)),
			correlation("shown", demo(1, 2, 3), demo(4, 5, 6)),
		},
	} {
		for i := range list[1:] {
			if list[i] <= list[i+1]+1e-3 {
				t.Errorf("correlations do not fall: %.3f", list)
			}
		}
	}
}

// TestTextKernelIsACovariance checks that the covariance of points with random texts has a
// Cholesky factor when the model's nugget is added.
func TestTextKernelIsACovariance(t *testing.T) {
	w := newTextWorld(1)
	c := newCodec(w.space, w.space.Default())
	rng := rand.New(rand.NewPCG(5, 6))
	var points []irt.Point
	for range 120 {
		config := w.space.Default()
		for range rng.IntN(6) {
			config["strategy"] = w.edited(config.String("strategy"), rng)
		}
		var list []agent.Demonstration
		for _, j := range rng.Perm(worldTasks)[:rng.IntN(8)] {
			list = append(list, agent.Demonstration{Task: w.tasks[j].request, Answer: w.tasks[j].answer})
		}
		config["demonstrations"] = agent.FormatDemonstrations(list)
		points = append(points, c.encode(config))
	}
	prior := irt.New(c.dims, 1).Prior(points)
	for i := range points {
		prior.SetSym(i, i, prior.At(i, i)+0.03)
	}
	var chol mat.Cholesky
	if !chol.Factorize(prior) {
		t.Error("not positive definite")
	}
}

// TestForgottenTexts checks that the texts of points that did not become variants leave no
// trace.
func TestForgottenTexts(t *testing.T) {
	x := newTexts(false)
	x.keep("one")
	x.add("two")
	x.forget()
	if at := x.keep("three"); at != 1 || len(x.list) != 2 || x.apart.Len() != 2 {
		t.Errorf("text %d of %v, %d distances", at, x.list, x.apart.Len())
	}
	if at := x.keep("one"); at != 0 {
		t.Errorf("a kept text is number %d", at)
	}
}

// TestTextsAreSearchedJointly checks that without an author, variants combine
// demonstrations from the pool with other numbers, and that with an author they also
// combine its lines. No variant is evaluated on a task that it demonstrates.
func TestTextsAreSearchedJointly(t *testing.T) {
	w := newTextWorld(7)
	_, trials := w.run(t, Options{Budget: 300})
	request := map[string]string{}
	for _, task := range w.search {
		request[task.ID] = task.Request
	}
	joint, shown, lines := 0, 0, map[agent.ConfigID]bool{}
	for _, tr := range trials {
		text := tr.Config.String("demonstrations")
		list, ok := agent.ParseDemonstrations(text)
		if !ok || len(list) > 8 {
			t.Fatalf("demonstrations %q", text)
		}
		for _, d := range list {
			if d.Task == request[tr.Task] {
				t.Fatalf("task %s is evaluated by a config that demonstrates it", tr.Task)
			}
		}
		if len(list) == 0 {
			continue
		}
		shown++
		if tr.Operator == modelOperator && strings.Contains(tr.Config.String("strategy"), "Rule") && tr.Config.Float("warmth", 0) != 0.9 {
			joint++
			lines[tr.Variant] = true
		}
	}
	if shown < 100 || joint < 30 || len(lines) < 5 {
		t.Errorf("of %d evaluations %d show demonstrations, %d of the model's with a draft's line and another number, %d variants", len(trials), shown, joint, len(lines))
	}
}

// TestSolvedTasksAreDemonstrated checks that without labelled answers only the agent's own
// answers that passed are demonstrated.
func TestSolvedTasksAreDemonstrated(t *testing.T) {
	w := newTextWorld(3)
	tasks := w.search
	for j := range tasks {
		tasks[j].Answer = ""
	}
	s := newSearch(t, Options{Space: w.space, Champion: w.space.Default(), Tasks: tasks, Budget: 200, Seed: 3})
	solved := map[string]bool{}
	shown := 0
	for n := 0; ; n++ {
		tr, status := s.Ask()
		if status != Ready {
			break
		}
		list, _ := agent.ParseDemonstrations(tr.Config.String("demonstrations"))
		for _, d := range list {
			if shown++; !solved[d.Task] || d.Answer != "own "+d.Task {
				t.Fatalf("%v is demonstrated and was never solved", d)
			}
		}
		o := Observation{Trial: tr, Scored: true}
		if n%3 == 0 {
			task := tasks[s.taskIndex[tr.Task]].Request
			o.Score, o.Answer = 1, "own "+task
			solved[task] = true
		}
		s.Tell(o)
	}
	if shown == 0 {
		t.Error("nothing was demonstrated")
	}
}

// TestDemonstratedTasksAreNoEvidence checks that results on tasks that a config
// demonstrates do not count, whether they are from tonight or from earlier nights.
func TestDemonstratedTasksAreNoEvidence(t *testing.T) {
	w := newTextWorld(4)
	c := w.space.Default()
	c["demonstrations"] = agent.FormatDemonstrations([]agent.Demonstration{{Task: w.search[0].Request, Answer: "x"}})
	s := newSearch(t, Options{
		Space: w.space, Champion: w.space.Default(), Tasks: w.search, Budget: 100,
		History: []Remembered{{Variant: c.ID(), Config: c, Task: "t0", Score: 1, Trust: 1}, {Variant: c.ID(), Config: c, Task: "t1", Score: 1, Trust: 1}},
	})
	if h := s.history[0]; len(h.cells) != 1 || h.cells[0].Task != 1 {
		t.Errorf("the history has %v", h.cells)
	}
	for _, task := range []string{"t0", "t1"} {
		s.Tell(Observation{Trial: Trial{Variant: c.ID(), Config: c, Task: task}, Scored: true, Score: 1})
	}
	if a := s.byID[c.ID()]; a.scored != 1 || a.cells[0].Task != 1 {
		t.Errorf("the variant has %v", a.cells)
	}
	if left := Undemonstrated(w.space, w.search, w.space.Default(), c); len(left) != len(w.search)-1 || left[0].ID != "t1" {
		t.Errorf("%d tasks are left", len(left))
	}
}
