package ablation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// codeWorld is an agent of one block of code, with the parts of changes by tokens.
func codeWorld(t *testing.T, tasks int, base, text string, value func(text string, task int) float64) (*world, func(param, base, text string) []Piece) {
	t.Helper()
	r, err := tokens.New("f.py", base)
	if err != nil {
		t.Fatal(err)
	}
	w := hunkWorld(tasks)
	w.champion, w.winner = agent.Config{"block": base}, agent.Config{"block": text}
	w.space.Params[0].Default = base
	w.chance = func(c agent.Config, task int) float64 { return value(c.String("block"), task) }
	return w, func(_, base, text string) []Piece {
		var out []Piece
		for _, p := range r.Smaller(base, text) {
			out = append(out, Piece(p))
		}
		return out
	}
}

const (
	refinedBase = "x = n\nif n == 0:\n    return 0\nreturn f(x) + 2\n"
	refinedText = "y = n * 7\ndead = 4 * 4\nz = n\nreturn g(n) + 2 + 0 * n\n"
)

// TestPartsOfAHunkGo: in one hunk, what does nothing goes, and a guard that was removed comes
// back, while the part that matters stays. Without the finer parts all of it stays.
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
	// A single hunk has no parts, and what it adds is what the change adds.
	if own := Parts(w.space, w.champion, r.Config); len(r.Parts) != 0 || len(own) != 0 {
		t.Errorf("the parts are %v and %v", r.Parts, own)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// TestAPartThatOneTaskNeedsStays: a part that only the last task shows goes by the first
// ones, and stays at last, where the others still go.
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

// TestFinerPartsKeepToTheirEvaluations: with any number of evaluations no more are asked for,
// and what is left was tried on all tasks and scores no less.
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
		if strings.Contains(r.Reason, "before every part was tried") {
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

// TestPartsAreOfWhatIsLeft: where hunks are left that were refined, the parts that are tried
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
