package contest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

func family(t testing.TB, name string) *problem.Problem {
	t.Helper()
	for _, f := range slices.Concat(problem.Families(), problem.Yardstick()) {
		if f.Name == name {
			return f.Make(1)
		}
	}
	t.Fatalf("no family %s", name)
	return nil
}

// TestEveryContestantKeepsTheRules checks that each contestant spends at most the budget
// and nearly all of it, returns a config in the space, and returns the same config for the
// same seed.
func TestEveryContestantKeepsTheRules(t *testing.T) {
	names := []string{"ours", "ours:8", "random:1", "genetic:1", "tpe:10r", "nsga2:5", "irace"}
	t.Run("text", func(t *testing.T) {
		keepRules(t, family(t, "text"), append(names, "ours:top_k", "random:all", "halving:1")...)
	})
	t.Run("priced", func(t *testing.T) { keepRules(t, family(t, "priced"), names...) })
	t.Run("nights", func(t *testing.T) { keepRules(t, family(t, "nights"), names...) })
}

func keepRules(t *testing.T, p *problem.Problem, names ...string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c, err := Lookup(t.Context(), name)
			if errors.Is(err, ErrMissing) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			const budget = 240
			var ids []agent.ConfigID
			for range 2 {
				d := NewDesk(p, budget, 3)
				out, err := c.Play(d)
				if err != nil {
					t.Fatal(err)
				}
				// The last purchase in a priced problem may cost more than the remaining
				// budget.
				if d.spent > budget && !p.Priced || d.spent > budget*21/20 || float64(d.spent) < 0.75*budget {
					t.Errorf("spent %d of %d", d.spent, budget)
				}
				parsed, problems := p.Space.Parse(out.Config)
				if len(problems) > 0 || parsed.ID() != out.Config.ID() {
					t.Fatalf("%s is no config: %v", out.Config.Canonical(), problems)
				}
				ids = append(ids, out.Config.ID())
				if name == "irace" || name == "nsga2:5" {
					return // they take a long time to start
				}
			}
			if ids[0] != ids[1] {
				t.Error("another recommendation from the same seed")
			}
		})
	}
}

// TestPeersCanWin checks that on scores without noise and with a large budget, a working
// search is far better than the default.
func TestPeersCanWin(t *testing.T) {
	p := family(t, "smooth")
	_, best := p.Best()
	standard := p.True(p.Default())
	for name, share := range map[string]float64{"random:3": 0.1, "halving:1": 0.2, "genetic:1": 0.6} {
		c, err := Lookup(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Play(NewDesk(p, 8000, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := (p.True(out.Config) - standard) / (best - standard); got < share {
			t.Errorf("%s went %.2f of the way from default to best, below %.2f", name, got, share)
		}
	}
}

// TestNoContestantBeatsTheBest checks that searches do not recommend a config that exceeds
// the best config of a family in the yardstick by more than .01.
func TestNoContestantBeatsTheBest(t *testing.T) {
	for _, f := range problem.Yardstick() {
		p := family(t, f.Name)
		_, best := p.Best()
		for name, budget := range map[string]int{"ours": 400, "genetic:1": 6000} {
			c, err := Lookup(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.Play(NewDesk(p, budget, 2))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.True(out.Config); got > best+0.01 {
				t.Errorf("%s: %s found %.4f, the best is said to be %.4f", f.Name, name, got, best)
			}
		}
	}
}

func TestUnknownContestants(t *testing.T) {
	for name, want := range map[string]string{
		"tpe":       `contestant "tpe": a number of tasks or "all" is to follow the colon`,
		"random:-1": `contestant "random:-1": a number of tasks or "all" is to follow the colon`,
		"ours:0":    `contestant "ours:0": at least one evaluation is in flight`,
		"smac:3":    `there is no contestant "smac"`,
	} {
		if _, err := Lookup(t.Context(), name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestGenomesAreConfigs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range slices.Concat(problem.Families(), problem.Yardstick()) {
		p := f.Make(2)
		c := newChart(p.Space)
		if got := c.decode(c.encode(p.Default())); p.True(got) != p.True(p.Default()) {
			t.Errorf("%s: the default comes back as %s", f.Name, got.Canonical())
		}
		a, b := c.random(rng), c.random(rng)
		for range 50 {
			child := c.cross(a, b, rng)
			config := c.decode(child)
			parsed, problems := p.Space.Parse(config)
			if len(problems) > 0 || !parsed.Equal(config) {
				t.Fatalf("%s: %s: %v", f.Name, config.Canonical(), problems)
			}
			again := c.decode(c.encode(config))
			if !again.Equal(config) {
				t.Fatalf("%s: %s came back as %s", f.Name, config.Canonical(), again.Canonical())
			}
			a, b = b, child
		}
	}
}

func TestDeckIsWeighted(t *testing.T) {
	p := family(t, "domains")
	d := NewDesk(p, 10, 1)
	sum := 0.0
	for place := range d.deck {
		sum += p.Expected(p.Default(), d.dealt(place)) / float64(len(d.deck))
	}
	if want := p.True(p.Default()); math.Abs(sum-want) > 1e-9 {
		t.Errorf("the deck's mean is %v, the true score %v", sum, want)
	}
}

func TestDeskCountsAndRefuses(t *testing.T) {
	p := family(t, "drift")
	d := NewDesk(p, 3, 9)
	var got []problem.Result
	for range 3 {
		r, ok := d.buy(p.Default(), 4, -1)
		if !ok {
			t.Fatal("refused within the budget")
		}
		got = append(got, r)
	}
	for repeat, r := range got {
		if want := p.Score(p.Default(), 4, repeat, 9, float64(repeat)/3); r != want {
			t.Errorf("purchase %d gave %+v, want %+v", repeat, r, want)
		}
	}
	if _, ok := d.buy(p.Default(), 4, -1); ok || d.left() != 0 {
		t.Error("sold beyond the budget")
	}
}

func TestKeptRunsAreReadOnlyForTheSameProblem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	play := func(budget int, names ...string) []Run {
		kept, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		runs, missing, err := Plan{
			Families: []string{"text"}, Rounds: []Round{{Budget: budget, Seeds: 2, Contestants: names}}, Workers: 2, Kept: kept,
		}.Run(context.Background())
		if err != nil || len(missing) > 0 {
			t.Fatal(err, missing)
		}
		return runs
	}
	first, again := play(60, "random:1", "ours"), play(60, "random:1", "ours")
	for i := range first {
		if again[i].Read != (again[i].Contestant == "random:1") {
			t.Errorf("%s read: %v", again[i].Contestant, again[i].Read)
		}
		if again[i].True != first[i].True {
			t.Errorf("%s: another result", first[i].Contestant)
		}
	}
	if other := play(61, "random:1"); other[0].Read || other[1].Read {
		t.Error("a run with another budget was read")
	}
	if p, q := family(t, "text"), family(t, "drift"); fingerprint(p) == fingerprint(q) || fingerprint(p) != fingerprint(family(t, "text")) {
		t.Error("the fingerprint does not tell problems apart")
	}
}

// TestRoundsBeginAtTheirFirstSeed checks that the seeds of a round continue from its first
// seed.
func TestRoundsBeginAtTheirFirstSeed(t *testing.T) {
	kept, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	runs, _, err := Plan{
		Families: []string{"priced"}, Rounds: []Round{{Budget: 30, Seeds: 2, First: 70, Contestants: []string{"random:1"}}}, Kept: kept,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Seed != 70 || runs[1].Seed != 71 {
		t.Errorf("runs %+v, want seeds 70 and 71", runs)
	}
}

func TestTable(t *testing.T) {
	run := func(name, family string, seed int64, truth float64, read bool) Run {
		return Run{Family: family, Seed: seed, Budget: 500, Contestant: name, True: truth, Best: 1, Default: 0.5, Milliseconds: 2, Read: read}
	}
	runs := []Run{
		run("ours", "a", 0, 0.9, false), run("ours", "a", 1, 0.7, false), run("ours", "a", 2, 0.4, false),
		run("ours", "b", 0, 0.9, false), run("ours", "b", 1, 0.9, false), run("ours", "b", 2, 0.9, false),
		run("x", "a", 0, 0.6, true), run("x", "a", 1, 0.4, true), run("x", "b", 0, 0.5, false),
		run("y", "a", 0, 0.1, true),
		{Family: "a", Budget: 2000, Contestant: "x", True: 1},
	}
	var b strings.Builder
	if err := Table(&b, Round{Budget: 500, Contestants: []string{"ours", "x", "y"}}, []string{"a", "b"}, runs); err != nil {
		t.Fatal(err)
	}
	want := `500 evaluations, 3 seeds of each family

median regret
   family   ours          x          y
        a  0.300  0.500 (2)  0.900 (1)
        b  0.100  0.500 (1)          –
  average  0.200      0.500          –

share worse than the default
   family  ours         x         y
        a  0.33  0.50 (2)  1.00 (1)
        b  0.00  0.00 (1)         –
  average  0.17      0.25         –

milliseconds of processor time of the search, by evaluation
   family  ours         x         y
        a  2.00  2.00 (2)  2.00 (1)
        b  2.00  2.00 (1)         –
  average  2.00      2.00         –

ours / best other (x): 0.200 / 0.500 = 0.40 (goal: at most 0.65)
ours / each: x 0.40
runs measured now: ours 6, x 1
runs read from the file: x 2, y 1
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
