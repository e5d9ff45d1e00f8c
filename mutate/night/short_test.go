package night

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

var shortNights = flag.Int("short-nights", 0, "nights of each world in BenchmarkShortNights")

// shortWorld is an agent that labels texts with a small language model, which gives no usable
// answers without examples. A night has 140 evaluations, 24 search and 24 holdout tasks.
type shortWorld struct {
	*nights
	seed uint64
	// base is the champion's chance on any task, skill what examples add at most, and vain
	// the share of sets of examples that hardly help. If helps is false, none do.
	base, skill, vain float64
	helps             bool
}

const (
	shortTasks = 24
	shortEvals = 140
)

func newShortWorld(t testing.TB, seed uint64, base, vain float64, helps bool) *shortWorld {
	t.Helper()
	w := &shortWorld{nights: newNights(t, 2*shortTasks), seed: seed, base: base, vain: vain, helps: helps}
	rng := rand.New(rand.NewPCG(seed, 0x5407))
	w.skill = .8 + .15*rng.Float64()
	tasks := w.suite().Tasks
	for k := range tasks {
		label := []string{"good", "bad"}[rng.IntN(2)]
		goal := "good or bad:"
		for range 6 {
			goal += fmt.Sprintf(" %s%d", label, rng.IntN(60))
		}
		tasks[k] = bench.Task{ID: fmt.Sprintf("t%d", k), Goal: goal, Answer: &label, Split: []bench.Split{bench.Search, bench.Holdout}[k%2]}
	}
	w.Agent.Space = agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 2000, Default: ""},
		{Name: "demonstrations", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 4000, Default: ""},
		{Name: "form", Kind: agent.Choice, Values: []any{"free", "line", "json", "reasoned"}, Default: "free"},
		{Name: "retries", Kind: agent.Int, Max: 3, Default: int64(1), When: map[string][]any{"form": {"line", "json", "reasoned"}}},
		{Name: "temperature", Kind: agent.Float, Max: 1, Default: 0.2},
	}}
	w.Agent.Known, w.Agent.Champion = w.Agent.Space, w.Agent.Space.Default()
	w.Agent.UsesSeed, w.Agent.Guards = true, nil
	w.Settings.Confirm.Finalists = 1
	w.Answer, w.Evaluations, w.Concurrency = w.answer, shortEvals, 4
	return w
}

// draw is a number in [0, 1) that depends on its arguments only.
func (w *shortWorld) draw(of ...any) float64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, w.seed, of)
	return rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
}

// chance returns the probability that a config passes a task with this text.
func (w *shortWorld) chance(c agent.Config, text string) float64 {
	shown, _ := agent.ParseDemonstrations(c.String("demonstrations"))
	form := c.String("form")
	formed := 1.
	if form != "free" {
		formed = 1 - .6*w.draw("form", form)
	}
	if !w.helps {
		return w.base * formed
	}
	labels := map[string]int{}
	for _, d := range shown {
		labels[d.Answer]++
	}
	// Examples of one label alone teach the model to repeat it.
	useful := (1 - math.Exp(-.9*float64(len(shown)))) * math.Min(1, .4+.3*float64(min(labels["good"], labels["bad"])))
	if w.draw("set", c.String("demonstrations")) < w.vain {
		useful *= .2
	}
	ease := .6 + .8*w.draw("task", text)
	return w.base + (1-w.base)*formed*math.Min(.98, w.skill*useful*math.Min(1, ease+.1))*(1-.2*c.Float("temperature", 0))
}

func (w *shortWorld) answer(_ context.Context, req agent.Request) agent.Result {
	answer := "nothing"
	if w.draw("run", req.Seed, req.Task.Goal, req.Config.ID()) < w.chance(req.Config, req.Task.Goal) {
		for _, t := range w.suite().Tasks {
			if t.Goal == req.Task.Goal {
				answer = *t.Answer
			}
		}
	}
	return agent.Result{Answer: &answer, Outcome: agent.OK}
}

// truth returns a config's expected score on the holdout tasks.
func (w *shortWorld) truth(c agent.Config) float64 {
	sum := 0.
	for _, t := range w.suite().Tasks {
		if t.Split == bench.Holdout {
			sum += w.chance(c, t.Goal) / shortTasks
		}
	}
	return sum
}

// night runs the next night, with four evaluations at once.
func (w *shortWorld) night(t testing.TB) archive.AgentResult {
	t.Helper()
	s := w.begin(t)
	s.Run.Lookahead, s.Run.Seed = 4, int64(100*w.seed)+int64(s.Run.Number)
	out, err := Run(w.Drain, s)
	if err != nil {
		t.Fatal(err)
	}
	w.finish(t, *s.Run, err)
	return out.Result
}

// shortTally sums up series of nights.
type shortTally struct {
	nights, entered, series, adopted, false int
	// found and gain are the true gains of what the searches recommend and of what is adopted.
	found, gain float64
}

// add runs nights until something is adopted, at most so many.
func (a *shortTally) add(t testing.TB, w *shortWorld, most int) {
	t.Helper()
	a.series++
	champion := w.truth(w.Agent.Champion)
	for range most {
		r := w.night(t)
		a.nights++
		a.found += w.truth(r.Search.Recommended.Config) - champion
		if len(r.Finalist) > 0 {
			a.entered++
		}
		if r.Verdict != archive.Adopt {
			continue
		}
		v, err := w.Archive.Variant(t.Context(), w.Agent.ID, r.Winner)
		if err != nil {
			t.Fatal(err)
		}
		gain := w.truth(v.Config) - champion
		a.adopted++
		a.gain += gain
		if gain <= 0 {
			a.false++
		}
		return
	}
}

func (a shortTally) String() string {
	nights, series := float64(a.nights), float64(a.series)
	return fmt.Sprintf("blocks on the holdout in %.3f of %d nights, true gain of what their searches recommend %+.3f; adopted in %.3f of %d series, falsely in %d, true gain %+.3f",
		float64(a.entered)/nights, a.nights, a.found/nights, float64(a.adopted)/series, a.series, a.false, a.gain/max(1, float64(a.adopted)))
}

// shortWorlds are the worlds of short nights.
var shortWorlds = []struct {
	name       string
	base, vain float64
	helps      bool
}{
	{"champion at 0, half of the sets of examples help", .01, .5, true},
	{"champion at 0, a quarter help", .01, .75, true},
	{"champion at .3, half help", .3, .5, true},
	{"champion at .5, half help", .5, .5, true},
	{"champion at .5, nothing helps", .5, 0, false},
	{"champion at .05, nothing helps", .05, 0, false},
}

// BenchmarkShortNights prints how single nights and series of twelve end.
func BenchmarkShortNights(b *testing.B) {
	if *shortNights == 0 {
		b.Skip("say -short-nights")
	}
	for _, most := range []int{1, 12} {
		for _, c := range shortWorlds {
			var a shortTally
			for seed := range uint64(*shortNights / most) {
				a.add(b, newShortWorld(b, 1+seed, c.base, c.vain, c.helps), most)
			}
			fmt.Printf("\n%s, up to %d nights: %s\n", c.name, most, a)
		}
	}
}

// TestShortNightsConfirmHugeGains: the search of a short night knows the champion and its best
// rival well enough for a confirmation of a huge gain, and seldom asks for one of none.
func TestShortNightsConfirmHugeGains(t *testing.T) {
	whole(t)
	var huge, none shortTally
	for seed := range uint64(40) {
		huge.add(t, newShortWorld(t, 1+seed, .01, .75, true), 1)
		none.add(t, newShortWorld(t, 1+seed, .5, 0, false), 1)
	}
	if huge.entered < 33 || none.entered > 3 {
		t.Errorf("with a huge gain: %s; with none: %s", huge, none)
	}
}
