package contest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// TestMoneyBuysEvaluations checks that the desk of a priced problem sells evaluations until
// the default's mean cost times the budget is spent, sells more of a cheap config than of
// an expensive one, and forecasts their number.
func TestMoneyBuysEvaluations(t *testing.T) {
	p := family(t, "priced")
	cheap, dear := p.Default(), p.Default()
	look := rand.New(rand.NewPCG(3, 3))
	c := newChart(p.Space)
	for range 300 {
		x := c.decode(c.random(look))
		if p.Cost(x) < p.Cost(cheap) {
			cheap = x
		}
		if p.Cost(x) > p.Cost(dear) {
			dear = x
		}
	}
	const budget = 400
	for _, config := range []agent.Config{cheap, p.Default(), dear} {
		d := NewDesk(p, budget, 1)
		money, dearest := budget*p.Cost(p.Default()), 0.0
		d.sold = func(_ agent.Config, _ int, r problem.Result) { dearest = math.Max(dearest, r.CostUSD) }
		forecast := 0
		for {
			if d.bought == 40 {
				forecast = d.forecast()
			}
			if _, ok := d.buy(config, d.dealt(d.bought), -1); !ok {
				break
			}
		}
		if d.usd < money || d.usd > money+dearest || d.left() > 0 {
			t.Errorf("spent $%.4f of $%.4f, %d left", d.usd, money, d.left())
		}
		want := money / p.Cost(config)
		if n := float64(d.bought); math.Abs(n/want-1) > 0.1 {
			t.Errorf("%v evaluations instead of about %.0f", n, want)
		}
		if d.bought > 40 && math.Abs(float64(forecast)/want-1) > 0.3 {
			t.Errorf("forecast %d, about %.0f came", forecast, want)
		}
	}
	if ratio := p.Cost(dear) / p.Cost(cheap); ratio < 5 {
		t.Errorf("the dearest config costs only %.1f times as much", ratio)
	}
}

// TestEarlierNightIsRemembered checks that the results of an earlier night come from the
// problem as it was then, and that their number equals the budget.
func TestEarlierNightIsRemembered(t *testing.T) {
	p := family(t, "nights")
	d := NewDesk(p, 120, 1)
	list := changed(d)
	if n := len(list); n < 100 || n > 120 || d.bought > 0 {
		t.Errorf("%d results, %d of them tonight's", n, d.bought)
	}
	index := map[string]int{}
	for j, of := range p.Tasks {
		index[of.ID] = j
	}
	said, then, now := 0.0, 0.0, 0.0
	for _, r := range list {
		said += r.Score / float64(len(list))
		then += p.Earlier.Expected(r.Config, index[r.Task]) / float64(len(list))
		now += p.Expected(r.Config, index[r.Task]) / float64(len(list))
	}
	if math.Abs(said-then) > 0.15 {
		t.Errorf("scores of %.3f on average where %.3f are expected (tonight %.3f)", said, then, now)
	}
}

// TestHistories checks what each contestant with a history receives, and that an earlier
// night on the same problem has noise that differs from tonight's.
func TestHistories(t *testing.T) {
	p := family(t, "nights")
	for name, want := range map[string]struct {
		nights, declared int // masks of the nights, and of those with a declared change
		trust            float64
	}{
		"none":             {},
		"same":             {nights: 1, trust: 1},
		"same-declared":    {nights: 1, declared: 1, trust: 0.5},
		"changed":          {nights: 1, trust: 1},
		"changed-declared": {nights: 1, declared: 1, trust: 0.5},
		"older-changed":    {nights: 3, trust: 0.9},
	} {
		nights, declared, trust := 0, 0, math.Inf(1)
		for _, r := range histories()[name](NewDesk(p, 60, 1)) {
			nights |= 1 << (r.Night - 1)
			if r.Changed {
				declared |= 1 << (r.Night - 1)
			}
			trust = min(trust, r.Trust)
		}
		if nights == 0 {
			trust = 0
		}
		if nights != want.nights || declared != want.declared || trust != want.trust {
			t.Errorf("%s: nights %b, declared %b, trust %v, want %+v", name, nights, declared, trust, want)
		}
	}
	d := NewDesk(p, 60, 1)
	index := map[string]int{}
	for j, of := range p.Tasks {
		index[of.ID] = j
	}
	alike := 0
	list := histories()["same"](d)
	for _, r := range list {
		if p.Score(r.Config, index[r.Task], 0, d.Seed, 0).Score == r.Score {
			alike++
		}
	}
	if alike == len(list) {
		t.Errorf("all %d results of the earlier night are tonight's", alike)
	}
	if _, err := Lookup(t.Context(), "history:tonight"); err == nil || !strings.Contains(err.Error(), "older-changed") {
		t.Errorf("%v does not name the histories", err)
	}
}
