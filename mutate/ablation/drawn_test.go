package ablation

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// kind is the way in which the useful changes of a drawn world interact.
type kind string

const (
	additive kind = "additive"
	// together: two changes have an effect only together.
	together kind = "together"
	// either: each of two changes has the whole effect, with or without the other.
	either kind = "either"
	// bySort: each change affects only the tasks of one sort, which it turns from failing
	// to passing.
	bySort kind = "by sort"
)

var kinds = []kind{additive, together, either, bySort}

// drawn is a world with randomness and a winner selected by a search. The winner has all
// useful changes and, of many idle changes, those that seemed best in the search's
// evaluations.
type drawn struct {
	*world
	kind  kind
	known []mutate.Observation
}

// draw returns a world of the given kind from a seed: 2 to 20 changed parameters, of which
// 1 to 4 are useful and worth 3 to 50 points, on 25 to 100 tasks.
func draw(k kind, seed int64) *drawn {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xd4a3))
	d := &drawn{world: &world{noise: uint64(seed)}, kind: k}
	useful := 1 + rng.IntN(4)
	if d.kind == together || d.kind == either {
		useful = max(2, useful)
	}
	changed := max(2, useful+rng.IntN(20-useful+1))
	pool := 2*(changed-useful) + 1
	d.champion, d.winner = agent.Config{}, agent.Config{}
	var names []string
	for i := range useful + pool {
		name := fmt.Sprintf("p%d", i)
		names = append(names, name)
		d.space.Params = append(d.space.Params, agent.Param{Name: name, Kind: agent.Bool, Default: false})
		d.champion[name], d.winner[name] = false, i < useful
	}
	effects := make([]float64, useful)
	for i, left := 0, .6; i < useful; i++ {
		sizes := []float64{.03, .05, .08, .12, .2, .3, .5}
		effects[i] = sizes[rng.IntN(len(sizes))]
		if effects[i] > left {
			effects[i] = .03
		}
		left -= effects[i]
	}
	spread := .05 + .3*rng.Float64()
	sort := make([]int, 25+rng.IntN(76))
	for j := range sort {
		d.tasks = append(d.tasks, mutate.Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
		d.ease = append(d.ease, .3+spread*(2*rng.Float64()-1))
		sort[j] = -1
		at := rng.Float64()
		for i, e := range effects {
			if at -= e / .9; at < 0 {
				sort[j] = i
				break
			}
		}
	}
	d.chance = func(c agent.Config, task int) float64 {
		p := d.ease[task]
		if d.kind == bySort && sort[task] >= 0 {
			if on(c, names[sort[task]]) {
				return .95
			}
			return .05
		}
		for i, e := range effects {
			switch {
			case d.kind == bySort:
			case i > 1 || d.kind == additive:
				if on(c, names[i]) {
					p += e
				}
			case i == 1:
				first, second := on(c, names[0]), on(c, names[1])
				if d.kind == together && first && second || d.kind == either && (first || second) {
					p += effects[0] + e
				}
			}
		}
		return math.Max(.02, math.Min(.98, p))
	}
	d.search(rng, names, changed, useful)
	return d
}

// search evaluates random configs and adds to the winner the idle changes that seem best.
func (d *drawn) search(rng *rand.Rand, names []string, changed, useful int) {
	repeats := map[string]int{}
	try := func(c agent.Config, n int) (sum float64) {
		for range n {
			task := rng.IntN(len(d.tasks))
			key := fmt.Sprint(c.ID(), task)
			o := d.observe(mutate.Trial{Variant: c.ID(), Config: c, Task: d.tasks[task].ID, Repeat: repeats[key], Stage: bench.StageSearch})
			repeats[key]++
			sum += o.Score
			d.known = append(d.known, o)
		}
		return sum
	}
	const each = 8
	budget := []int{200, 500, 1000}[rng.IntN(3)]
	with, without := make([]float64, len(names)), make([]float64, len(names))
	n := make([]float64, len(names))
	for range budget * 2 / 3 / each {
		c := d.champion.Clone()
		for _, name := range names {
			c[name] = rng.IntN(2) == 0
		}
		sum := try(c, each)
		for i, name := range names {
			if on(c, name) {
				with[i] += sum
				n[i] += each
			} else {
				without[i] += sum
			}
		}
	}
	all := float64(len(d.known))
	idle := make([]int, 0, len(names))
	seems := func(i int) float64 { return with[i]/max(1, n[i]) - without[i]/max(1, all-n[i]) }
	for i := useful; i < len(names); i++ {
		idle = append(idle, i)
	}
	slices.SortStableFunc(idle, func(a, b int) int { return cmp.Compare(seems(b), seems(a)) })
	for _, i := range idle[:changed-useful] {
		d.winner[names[i]] = true
	}
	try(d.winner, budget/6)
	try(d.champion, budget/6)
}

// sizes holds the lower bounds of the effect size classes.
var sizes = []float64{.025, .065, .15, .25}

// tally sums the results of ablations in drawn worlds.
type tally struct {
	worlds, idle, gone    float64
	true, kept            [4]float64
	lost, gain, spent     float64
	shown, covered, width float64
	untried, beyond, bias float64
}

func (y *tally) add(t testing.TB, d *drawn, budget int, seed int64) {
	t.Helper()
	r, asked := run(t, d.world, Options{
		Space: d.space, Champion: d.champion, Winner: d.winner, Tasks: d.tasks, Budget: budget, Seed: seed, Known: slices.Values(d.known),
	})
	y.worlds++
	y.spent += float64(len(asked))
	best, small := d.truth(d.winner), d.truth(r.Config)
	y.lost += best - small
	gain := best - d.truth(d.champion)
	y.gain += gain
	if best-small > math.Max(leastLoss, slight*gain)+1e-9 {
		y.beyond++
	}
	for _, p := range d.space.Params {
		if d.winner[p.Name] == d.champion[p.Name] {
			continue
		}
		without := d.winner.Clone()
		without[p.Name] = false
		alone := d.champion.Clone()
		alone[p.Name] = true
		e := best - d.truth(without)
		here := on(r.Config, p.Name)
		switch {
		case e >= sizes[0]:
			class := 0
			for class < len(sizes)-1 && e >= sizes[class+1] {
				class++
			}
			y.true[class]++
			if here {
				y.kept[class]++
			}
		case math.Abs(e) < 1e-9 && math.Abs(d.truth(alone)-d.truth(d.champion)) < 1e-9:
			y.idle++
			if !here {
				y.gone++
			}
		}
	}
	for _, e := range r.Effects {
		if e.Untried {
			y.untried++
			continue
		}
		without := r.Config.Clone()
		without[e.Param] = false
		truth := small - d.truth(without)
		y.shown++
		y.width += e.Hi - e.Lo
		y.bias += e.Difference - truth
		if e.Lo-1e-9 <= truth && truth <= e.Hi+1e-9 {
			y.covered++
		}
	}
}

func (y tally) String() string {
	out := fmt.Sprintf("idle gone %.2f; kept", y.gone/max(1, y.idle))
	for i := range sizes {
		out += fmt.Sprintf(" %.2f (%.0f)", y.kept[i]/max(1, y.true[i]), y.true[i])
	}
	return out + fmt.Sprintf("; lost %.3f of %.3f, more than tolerated %.2f; shown %.1f covered %.3f width %.2f bias %+.3f; untried %.1f; spent %.0f",
		y.lost/y.worlds, y.gain/y.worlds, y.beyond/y.worlds, y.shown/y.worlds, y.covered/max(1, y.shown), y.width/max(1, y.shown), y.bias/max(1, y.shown), y.untried/y.worlds, y.spent/y.worlds)
}

var drawnWorlds = flag.Int("worlds", 20, "worlds of each kind in BenchmarkDrawn")

// BenchmarkDrawn prints the results in drawn worlds: the shares of idle changes that are
// reverted and of useful changes that stay (for effects of about 3 to 5, 8 to 12, 20 and at
// least 30 points), the score that is lost, how often that loss exceeds a fifth of the
// gain, and the coverage of the intervals.
func BenchmarkDrawn(b *testing.B) {
	for _, budget := range []int{46, 200, 500, 1500} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			for range b.N {
				for _, k := range kinds {
					y := tally{}
					for seed := range int64(*drawnWorlds) {
						y.add(b, draw(k, seed), budget, seed)
					}
					fmt.Printf("%4d %-9s %s\n", budget, k, y)
				}
			}
		})
	}
}

// TestEffectsByThemselvesAreCovered is the short version of the benchmark.
func TestEffectsByThemselvesAreCovered(t *testing.T) {
	all := tally{}
	for _, k := range kinds {
		all.add(t, draw(k, 0), 300, 0)
	}
	t.Log(all)
	if all.shown < 3 || all.covered < .9*all.shown {
		t.Errorf("of %.0f intervals %.0f hold the truth", all.shown, all.covered)
	}
	if all.gone < .85*all.idle || all.kept[3] < all.true[3] || all.spent < 299*all.worlds {
		t.Errorf("%s", all)
	}
}
