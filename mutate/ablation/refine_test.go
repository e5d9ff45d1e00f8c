package ablation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// codeWorld returns an agent with one block of code, and a function that divides a change
// of the block into parts made of tokens.
func codeWorld(t *testing.T, tasks int, base, text string, value func(text string, task int) float64) (*world, func(param, base, text string) []tokens.Attempt) {
	t.Helper()
	r, err := tokens.New("f.py", base)
	if err != nil {
		t.Fatal(err)
	}
	w := hunkWorld(tasks)
	w.champion, w.winner = agent.Config{"block": base}, agent.Config{"block": text}
	w.space.Params[0].Default = base
	w.chance = func(c agent.Config, task int) float64 { return value(c.String("block"), task) }
	return w, func(_, base, text string) []tokens.Attempt { return r.Smaller(base, text) }
}

const (
	refinedBase = "x = n\nif n == 0:\n    return 0\nreturn f(x) + 2\n"
	refinedText = "y = n * 7\ndead = 4 * 4\nz = n\nreturn g(n) + 2 + 0 * n\n"
)

// TestPartsOfAHunkGo checks a single hunk: a part that does nothing is removed, a guard
// that the hunk had removed comes back, and the part that matters stays. Without the
// finer parts, the whole hunk stays.
func TestPartsOfAHunkGo(t *testing.T) {
	w, smaller := codeWorld(t, 20, refinedBase, refinedText, func(text string, _ int) float64 {
		switch {
		case !strings.Contains(text, "g(n)"):
			return .5
		case strings.Count(text, "x =") == 0 && strings.Contains(text, "(x)"):
			return 0 // does not run
		}
		return .8
	})
	if r, _ := w.reduce(t, 400); r.Config.String("block") != refinedText || len(r.Reverted) > 0 {
		t.Fatalf("by hunks alone %q is left", r.Config.String("block"))
	}
	w.smaller = smaller
	r, asked := w.reduce(t, 400)
	want := "x = n\nif n == 0:\n    return 0\nreturn g(n) + 2\n"
	if got := r.Config.String("block"); got != want || !r.Done {
		t.Errorf("%q is left, want %q: %s", got, want, r.Reason)
	}
	if len(asked) > 120 {
		t.Errorf("%d trials", len(asked))
	}
	if names := strings.Join(r.Reverted, "|"); !strings.Contains(names, "block − if n == 0:; return 0") {
		t.Errorf("reverted: %s", names)
	}
	if r.Seen != 20 || len(r.Effects) != 1 || r.Effects[0].Untried || !near(r.Effects[0].Difference, .3) {
		t.Errorf("%d evaluations, effects %+v", r.Seen, r.Effects)
	}
	// A single hunk has no parts: what it adds is what the whole change adds.
	if own := Parts(w.space, w.champion, r.Config); len(r.Parts) != 0 || len(own) != 0 {
		t.Errorf("the parts are %v and %v", r.Parts, own)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// TestAPartThatOneTaskNeedsStays checks that a part that only one task needs is retained,
// even if the first tasks that are tried suggest removing it, and that the other parts
// are removed.
func TestAPartThatOneTaskNeedsStays(t *testing.T) {
	for needs := range 30 {
		w, smaller := codeWorld(t, 30, "a = 1\nb = 1\nreturn f(a)\n", "q = n\nb = 1\nif n < 9:\n    n = 9\nw = 3\nreturn g(n)\n", func(text string, task int) float64 {
			score := .5
			if strings.Contains(text, "g(n)") {
				score += .2
			}
			if task == needs && strings.Contains(text, "if n < 9:\n    n = 9\n") {
				score += .01
			}
			return score
		})
		w.smaller = smaller
		r, asked := w.reduce(t, 600)
		got := r.Config.String("block")
		if strings.Contains(got, "w = 3") || strings.Contains(got, "q = n") || !strings.Contains(got, "if n < 9:\n    n = 9\nreturn g(n)") {
			t.Errorf("task %d: %q is left after %d trials: %s", needs, got, len(asked), r.Reason)
		}
	}
}

// TestFinerPartsKeepToTheirEvaluations checks that with any number of evaluations no more
// are asked for, and that the resulting text was tried on all tasks and scores no less.
func TestFinerPartsKeepToTheirEvaluations(t *testing.T) {
	base := "a = 1\nkeep = 2\nreturn f(a)\n"
	text := "a = h(2)\nkeep = 2\nif n == 0:\n    a = 4\ndead = 1\nreturn g(n) + 0 * a\n"
	value := func(text string, task int) float64 {
		score := .3
		if strings.Contains(text, "g(n)") {
			score += .3
		}
		if strings.Contains(text, "h(2)") && task%7 == 6 {
			score += .1
		}
		return score
	}
	cut, runs := 0, 0
	for budget := 0; budget < 600; budget += 1 + budget/12 {
		w, smaller := codeWorld(t, 20, base, text, value)
		w.smaller = smaller
		runs++
		r, asked := w.reduce(t, budget)
		if len(asked) > budget {
			t.Fatalf("%d of %d evaluations", len(asked), budget)
		}
		for task := range 20 {
			if value(r.Config.String("block"), task) < value(text, task) {
				t.Fatalf("with %d evaluations %q is left", budget, r.Config.String("block"))
			}
		}
		if r.Small != r.Winner && r.Seen != 20 {
			t.Fatalf("with %d evaluations what is left was tried on %d tasks", budget, r.Seen)
		}
		if strings.Contains(r.Reason, "before every part had been tried") {
			cut++
		}
		seen := map[string]bool{}
		for _, tr := range asked {
			key := fmt.Sprint(tr.Variant, tr.Task)
			if seen[key] {
				t.Fatalf("with %d evaluations a trial is asked for twice", budget)
			}
			seen[key] = true
		}
	}
	if cut == 0 || cut == runs {
		t.Errorf("%d of %d were cut", cut, runs)
	}
}

// TestPartsAreOfWhatIsLeft checks that if refined hunks remain, the parts that are tried
// alone are those of the refined change.
func TestPartsAreOfWhatIsLeft(t *testing.T) {
	w, smaller := codeWorld(t, 8, "a = f(n)\nkeep = 1\nreturn a\n", "dead = 3\na = g(n)\nkeep = 1\nreturn a * h(n) + 0 * n\n", func(text string, _ int) float64 {
		score := .1
		for _, word := range []string{"g(n)", "h(n)"} {
			if strings.Contains(text, word) {
				score += .2
			}
		}
		return score
	})
	w.smaller = smaller
	r, asked := w.reduce(t, 300)
	if got := r.Config.String("block"); got != "a = g(n)\nkeep = 1\nreturn a * h(n)\n" {
		t.Fatalf("%q is left", got)
	}
	if !slices.Equal(r.Parts, Parts(w.space, w.champion, r.Config)) || len(r.Parts) != 2 {
		t.Fatalf("the parts are %v", r.Parts)
	}
	tried := map[agent.ConfigID]int{}
	for _, tr := range asked {
		tried[tr.Variant]++
	}
	for _, p := range r.Parts {
		if tried[p.Alone] != 8 && tried[p.Without] != 8 {
			t.Errorf("%s was tried %d and %d times", p.Name, tried[p.Alone], tried[p.Without])
		}
	}
}

// TestReplacedConditionsComeBack checks a hunk that changed as a whole: a condition of
// the base comes back beside the condition that replaced it, and duplicates and operands
// that add nothing are removed.
func TestReplacedConditionsComeBack(t *testing.T) {
	base := "if n < 0 and m:\n    return 0\nreturn f(n)\n"
	text := "k = g(n) * 1 + 0\nif q > 3 or False:\n    k = 9\nif q > 3 or False:\n    k = 9\nreturn k + 0 * n\n"
	w, smaller := codeWorld(t, 12, base, text, func(text string, task int) float64 {
		score := .1
		if strings.Contains(text, "k = g(n)") && strings.Contains(text, "return k") {
			score += .4
		}
		if q := strings.Index(text, "if q > 3"); q >= 0 && strings.Contains(text[q:], "    k = 9\n") && task%2 == 0 {
			score += .2
		}
		return score
	})
	w.smaller = smaller
	r, asked := w.reduce(t, 300)
	want := "if n < 0 and m:\n    return 0\nk = g(n)\nif q > 3:\n    k = 9\nreturn k\n"
	if got := r.Config.String("block"); got != want || strings.Contains(r.Reason, "before every part") {
		t.Errorf("%q is left after %d trials, want %q: %s", got, len(asked), want, r.Reason)
	}
}

// TestWholeStatementsGoFirst checks a guard that was replaced by a statement without
// effect: the guard is restored, and this takes little more than one check on all tasks.
func TestWholeStatementsGoFirst(t *testing.T) {
	base := "def predict(x):\n    if x < 0:\n        return 0\n    return 2 * x\n"
	text := "def predict(x):\n    seen = x * 31\n    if seen < -4:\n        seen = 12\n    return 7 * x + 0 * seen\n"
	w, smaller := codeWorld(t, 30, base, text, func(text string, _ int) float64 {
		_, last, _ := strings.Cut(text, "\n    return ")
		switch {
		case strings.Contains(text, "seen\n") && !strings.Contains(text, "seen ="), strings.Contains(text, "seen <") && !strings.Contains(text, "seen = x * 31"):
			return 0 // does not run
		case strings.Contains(last, "7 * x\n"), strings.Contains(last, "7 * x +"):
			return .8
		}
		return .5
	})
	w.smaller = smaller
	r, asked := w.reduce(t, 45)
	if got := r.Config.String("block"); got != "def predict(x):\n    if x < 0:\n        return 0\n    return 7 * x\n" {
		t.Errorf("%q is left after %d trials: %s", got, len(asked), r.Reason)
	}
}

// TestPartsUseTheirEvaluations checks that parts are tried as long as evaluations are
// left, however many parts there are, and that the result reports whether the evaluations
// ran out first.
func TestPartsUseTheirEvaluations(t *testing.T) {
	const lines, tasks = 70, 6
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "v%d = g(n, %d)\n", i, i)
	}
	text.WriteString("dead = 1\nreturn h(n)\n")
	world := func() *world {
		w, smaller := codeWorld(t, tasks, "return f(n)\n", text.String(), func(text string, _ int) float64 {
			if !strings.Contains(text, "return h(n)") {
				return 0
			}
			return .1 + .01*float64(strings.Count(text, "= g(n,"))
		})
		w.space.Params[0].MaxChars = 5000
		w.smaller = smaller
		return w
	}
	r, asked := world().reduce(t, 1000)
	if strings.Contains(r.Config.String("block"), "dead") || strings.Contains(r.Reason, "before every part") {
		t.Errorf("after %d trials: %s, and %q is left", len(asked), r.Reason, r.Config.String("block"))
	}
	if len(asked) < 100 {
		t.Errorf("%d trials for more parts", len(asked))
	}
	for _, budget := range []int{40, 70, 100} {
		r, asked := world().reduce(t, budget)
		if len(asked) > budget || len(asked) < budget-tasks {
			t.Errorf("%d of %d evaluations", len(asked), budget)
		}
		if !strings.Contains(r.Reason, "the evaluations ran out before every part had been tried") {
			t.Errorf("with %d evaluations: %s", budget, r.Reason)
		}
	}
}

// TestPartsGoThoughTheLastCheckFails checks that a config is tried on all tasks while
// there are evaluations for a second check, so that a part without effect is removed even
// if a neighbouring part is needed on a single task.
func TestPartsGoThoughTheLastCheckFails(t *testing.T) {
	const tasks = 20
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "v%d = g(n, %d)\n", i, i)
	}
	text.WriteString("return h(n) * 1 + 0 * needed\n")
	for needs := range tasks {
		w, smaller := codeWorld(t, tasks, "return f(n)\n", text.String(), func(text string, task int) float64 {
			if !strings.Contains(text, "return h(n)") {
				return 0
			}
			score := .1 + .01*float64(strings.Count(text, "= g(n,"))
			if strings.Contains(text, "needed") && task == needs {
				score += .1
			}
			return score
		})
		w.space.Params[0].MaxChars = 5000
		w.smaller = smaller
		r, asked := w.reduce(t, 84)
		if got := r.Config.String("block"); strings.Contains(got, "h(n) * 1") || !strings.Contains(got, "needed") {
			t.Errorf("task %d: %q is left after %d trials: %s", needs, got[len(got)-40:], len(asked), r.Reason)
		}
	}
}

// TestEqualPartsOfAHunk checks that of two parts with the same tokens, the second is tried
// if the first stays, and that parts of a lower order are tried first.
func TestEqualPartsOfAHunk(t *testing.T) {
	const text = "x = g(n) * k\ny = h(n) * k\nreturn x + y\n"
	w, _ := codeWorld(t, 8, "return f(n)\n", text, func(text string, _ int) float64 {
		return .1 + .1*float64(strings.Count(text, "x = g(n) * k")+strings.Count(text, "y = h(n)"))
	})
	w.smaller = func(_, _, text string) []tokens.Attempt {
		attempt := func(order int, old, now string) tokens.Attempt {
			return tokens.Attempt{Order: order, Make: func() (tokens.Piece, bool) {
				piece := tokens.Piece{Text: strings.Replace(text, old, now, 1), Takes: "+ * k"}
				return piece, piece.Text != text
			}}
		}
		return []tokens.Attempt{attempt(2, "h(n) * k", "h(n)"), attempt(1, "g(n) * k", "g(n)")}
	}
	r, asked := w.reduce(t, 300)
	if got := r.Config.String("block"); got != "x = g(n) * k\ny = h(n)\nreturn x + y\n" {
		t.Errorf("%q is left: %s", got, r.Reason)
	}
	if first := asked[0].Config.String("block"); !strings.Contains(first, "x = g(n)\n") {
		t.Errorf("%q is tried first", first)
	}
}
