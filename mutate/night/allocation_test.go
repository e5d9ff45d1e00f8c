package night

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/bench/confirm"
	"evolve/bench/stats"
)

func want(budget, tasks int, fixed bool) input {
	return input{
		Budget: budget, SearchTasks: tasks, HoldoutTasks: tasks, HoldoutUnits: tasks, Fixed: fixed,
		Confirm: confirm.DefaultSettings(), Baseline: .1, Reruns: 2,
	}
}

// TestAllocateSpendsTheBudget checks that the stages share the whole budget, and that the
// confirmation has whole blocks and never more than its share.
func TestAllocateSpendsTheBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := want(rapid.IntRange(1, 20_000).Draw(t, "budget"), rapid.IntRange(0, 300).Draw(t, "tasks"), rapid.Bool().Draw(t, "fixed"))
		w.Confirm.Finalists = rapid.IntRange(1, 9).Draw(t, "finalists")
		w.Confirm.Share = rapid.Float64Range(.05, .95).Draw(t, "share")
		w.HoldoutUnits = min(w.HoldoutUnits, 12) // computing the power of larger holdouts is slow
		w.SearchOnly = rapid.IntRange(0, 9).Draw(t, "search only") == 0
		a := allocate(w)
		if sum := a.Search + a.AA + a.Ablate + a.Confirm; sum != w.Budget || min(a.Search, a.AA, a.Ablate, a.Confirm, a.Finalists) < 0 {
			t.Fatalf("%+v of %d makes %d", a, w.Budget, sum)
		}
		if a.Confirm > int(float64(w.Budget)*w.Confirm.Share) || a.Baseline > a.Search || w.SearchOnly && a.Confirm+a.AA > 0 {
			t.Fatalf("%+v of %+v", a, w)
		}
		if a.Confirm == 0 {
			return
		}
		if whole := a.Blocks * 2 * w.HoldoutTasks; !w.Fixed && a.Confirm != whole ||
			w.Fixed && (a.Blocks != 1 || a.Confirm != (a.Finalists+1)*w.HoldoutTasks || a.Finalists < 1 || a.AA > 0) {
			t.Fatalf("%+v is not in whole blocks of %d tasks", a, w.HoldoutTasks)
		}
	})
}

func TestAllocateSaysWhatItCanShow(t *testing.T) {
	for _, c := range []struct {
		name string
		want input
		// says contains the texts that must occur in the warnings; nil means that there
		// must be no warnings.
		says           []string
		tonight, month bool
	}{
		{"forty tasks", want(2000, 40, false), nil, true, true},
		{"forty tasks of a fixed agent", want(2000, 40, true), nil, true, true},
		{"a night of one block", want(260, 80, false), []string{"one night cannot show", "few variants"}, false, true},
		{"few tasks", want(2000, 7, false), []string{"7 independent holdout tasks are too few", "needs at least 8"}, false, false},
		{"as many as it needs", want(2000, 8, false), nil, true, true},
		{"three tasks", want(2000, 3, false), []string{"3 independent holdout tasks are too few"}, false, false},
		{"no room", want(100, 40, false), []string{"are too few to run each of 40 holdout tasks once with each of the two variants", "124 are needed", "few variants"}, false, false},
		{"one evaluation", want(1, 40, false), []string{"1 evaluation is too few to run each of 40 holdout tasks", "the search has 1 evaluation for "}, false, false},
		{"no holdout", want(1000, 0, false), []string{"no holdout tasks"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := allocate(c.want)
			text := strings.Join(a.Warnings, "\n")
			for _, part := range c.says {
				if !strings.Contains(text, part) {
					t.Errorf("%q is not said: %s", part, text)
				}
			}
			if c.says == nil && text != "" {
				t.Errorf("warned of %s", text)
			}
			if (a.Detectable > 0) != c.tonight || (a.Month > 0) != c.month || a.Month > 0 && a.Detectable > 0 && a.Month > a.Detectable {
				t.Errorf("tonight %.3f, within the month %.3f", a.Detectable, a.Month)
			}
			if (a.Power == "") != (a.Confirm == 0) {
				t.Errorf("%d evaluations for the confirmation: %q", a.Confirm, a.Power)
			}
		})
	}
}

// TestAStricterLevelNeedsMoreTasks checks that ten tasks are too few for a month at a
// level of .001.
func TestAStricterLevelNeedsMoreTasks(t *testing.T) {
	w := want(64, 10, true)
	w.Confirm.Level = .001
	a := allocate(w)
	if text := strings.Join(a.Warnings, "\n"); a.Month != 0 || !strings.Contains(text, "needs at least 14") || !strings.Contains(text, "independent holdout tasks are needed") {
		t.Errorf("%+v", a)
	}
	if n := w.Confirm.Sized(1, 10, 10, true).Needed(stats.Practical); n <= 10 {
		t.Errorf("%d tasks would be enough", n)
	}
}

// TestPlanWarnsWithoutABudget checks that, even before the number of evaluations is
// known, a plan names what its holdout lacks, unless nothing is confirmed.
func TestPlanWarnsWithoutABudget(t *testing.T) {
	for tasks, want := range map[int]string{2: "1 independent holdout task is too few", 40: ""} {
		n := newNights(t, tasks)
		s := Spec{Agent: n.Agent, Settings: n.Settings, Cautions: []string{"a caution"}}
		p := s.NewPlan(nil)
		if got := strings.Join(p.Warnings, "; "); !strings.Contains(got, want) || !strings.HasSuffix(got, "a caution") || want == "" && got != "a caution" {
			t.Errorf("%d tasks: %s", tasks, got)
		}
		s.Settings.SearchOnly = true
		if p = s.NewPlan(nil); len(p.Warnings) != 1 {
			t.Errorf("%d tasks of a search: %q", tasks, p.Warnings)
		}
	}
}

// TestFewVariants checks that a later plan replaces the warning of an earlier one, and drops
// it if the search has enough evaluations.
func TestFewVariants(t *testing.T) {
	t.Parallel()
	first := withFewVariants([]string{"another warning"}, 10, 40)
	if want := []string{"another warning", "the search has 10 evaluations for 40 tasks: few variants can be tried"}; !slices.Equal(first, want) {
		t.Errorf("%q, want %q", first, want)
	}
	if got, want := withFewVariants(first, 159, 40), []string{"another warning", "the search has 159 evaluations for 40 tasks: few variants can be tried"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := withFewVariants(first, 160, 40); !slices.Equal(got, []string{"another warning"}) {
		t.Errorf("%q", got)
	}
}
