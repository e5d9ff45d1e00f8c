package watch

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

var dusk = time.Date(2026, 11, 1, 22, 0, 0, 0, time.UTC)

// diary writes the nights of an agent into an archive.
type diary struct {
	t     *testing.T
	store *archive.Archive
	night int
	// fixed makes the agent deterministic.
	fixed bool
	// suite is the hash of the suites, and digests holds the digests of their tasks.
	suite   string
	digests map[string]string
	// models identifies the models that answer the tasks.
	models, learned string
	// replaced is the config that is measured alongside the config of a night, and beside
	// draws the scores of replaced.
	replaced agent.Config
	beside   func(task, repeat int) float64
}

func newDiary(t *testing.T) *diary {
	t.Helper()
	store, err := archive.Open(filepath.Join(t.TempDir(), "archive"), archive.Options{Owner: "test", Now: func() time.Time { return dusk }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &diary{t: t, store: store, suite: "suite"}
}

func (d *diary) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// at returns the start time of a night.
func at(night int) time.Time { return dusk.AddDate(0, 0, night) }

// sleep stores a night with a config and returns what the watch sees at the end of the
// night. score returns the score of a repeat of a task.
func (d *diary) sleep(config agent.Config, hash string, tasks int, score func(task, repeat int) float64) Seen {
	d.t.Helper()
	ctx := context.Background()
	d.night++
	run := archive.Run{ID: fmt.Sprintf("%d-%08x", d.night, d.night), Number: d.night, State: archive.RunDone, Agents: []string{"a"}, Started: at(d.night), Ended: at(d.night).Add(time.Hour)}
	plan := archive.AgentPlan{Run: run.ID, Agent: "a", Champion: config.ID(), AgentHash: hash, SuiteHash: d.suite, Deterministic: d.fixed, UsesSeed: !d.fixed, Commit: fmt.Sprintf("%040x", d.night)}
	if d.replaced != nil {
		plan.Replaced = d.replaced.ID()
	}
	d.must(d.store.PutRun(ctx, run))
	d.must(d.store.PutPlan(ctx, plan))
	_, err := d.store.PutVariant(ctx, archive.Variant{ID: config.ID(), Config: config, Agent: "a", Run: run.ID, Operator: "champion", Time: run.Started})
	d.must(err)
	for task := range tasks {
		for repeat := range 3 {
			variant, score := config.ID(), score
			if repeat == 2 {
				if d.replaced == nil {
					break
				}
				variant, score = plan.Replaced, d.beside
			}
			e := bench.Evaluation{
				Run: run.ID, Agent: "a", Seq: int64(3*task + repeat), Key: bench.Key(fmt.Sprintf("%064x", d.night<<20|task<<4|repeat)), Variant: variant, Task: fmt.Sprintf("t%02d", task),
				Split: bench.Search, Stage: bench.StageAA, Repeat: repeat, Outcome: agent.OK, Scored: true, Score: score(task, repeat), Attempts: 1, Time: run.Started,
			}
			d.must(d.store.Record(ctx, e, func(err error) { d.must(err) }))
		}
	}
	d.must(d.store.Flush(ctx))
	seen, err := Look(ctx, d.store, run, plan, d.digests, d.models, d.learned)
	d.must(err)
	d.must(d.store.PutResult(ctx, archive.AgentResult{Run: run.ID, Agent: "a", Verdict: archive.Keep, Finished: true, Watch: &seen.Watch}))
	return seen
}

// decide stores a proposal, and the decision on it, on the day before the next night.
func (d *diary) decide(p archive.ProposalRecord) archive.ProposalRecord {
	d.t.Helper()
	p.Agent, p.Kind, p.Base = "a", archive.KindConfig, map[string]string{}
	p.Decision = &archive.DecisionBrief{Action: "approve", By: "Kim", Time: at(d.night).Add(12 * time.Hour)}
	ctx := context.Background()
	if p.ID == "" {
		made, err := d.store.NewProposal(ctx, p)
		d.must(err)
		return made
	}
	d.must(d.store.PutProposal(ctx, p))
	return p
}

// passed returns the score of a repeat of a task for an agent that solves every task.
func passed(int, int) float64 { return 1 }

// coins draws random scores with this mean.
func coins(rng *rand.Rand, mean float64) func(int, int) float64 {
	return func(int, int) float64 {
		if rng.Float64() < mean {
			return 1
		}
		return 0
	}
}

func TestFallNamesItsNights(t *testing.T) {
	d := newDiary(t)
	rng := rand.New(rand.NewPCG(3, 4))
	good := agent.Config{"strategy": "careful", "k": int64(3)}
	bad := agent.Config{"strategy": "careless", "k": int64(3)}
	for range 5 {
		if seen := d.sleep(good, "h", 20, coins(rng, .9)); seen.Fall != nil || seen.Changed != nil {
			t.Fatalf("a quiet night shows %+v", seen.Watch)
		}
	}
	seen := d.sleep(bad, "h", 20, coins(rng, .2))
	if seen.Fall == nil || seen.Changed == nil {
		t.Fatalf("a fall of 70 points and its change are not shown: %+v", seen.Watch)
	}
	if got := seen.Fall.ActiveChange; got.AfterRun != "6-00000006" || len(got.Params) != 1 || got.Params[0] != "strategy" || got.Files || !got.Since.Equal(at(6)) {
		t.Errorf("the change is %+v", got)
	}
	if want := (Between{Workspace: [2]string{fmt.Sprintf("%040x", 5), fmt.Sprintf("%040x", 6)}}); seen.FellBetween != want {
		t.Errorf("it fell between %v, want %v", seen.FellBetween, want)
	}
	seen = d.sleep(bad, "h", 20, coins(rng, .2))
	if seen.Fall == nil || seen.Fall.AfterRun != "6-00000006" || seen.Changed != nil {
		t.Errorf("the next night has lost its date: %+v", seen.Watch)
	}
	if seen := d.sleep(good, "h", 20, coins(rng, .9)); seen.Fall != nil || seen.Changed == nil {
		t.Errorf("after the change is taken back there is %+v", seen.Watch)
	}
}

func TestFallWithoutAChange(t *testing.T) {
	d := newDiary(t)
	rng := rand.New(rand.NewPCG(5, 6))
	c := agent.Config{"k": int64(1)}
	for range 4 {
		d.sleep(c, "h", 20, coins(rng, .9))
	}
	for range 2 {
		if seen := d.sleep(c, "h", 20, coins(rng, .3)); seen.Fall == nil || seen.Fall.Any() || seen.Changed != nil {
			t.Fatalf("the fall is %+v", seen.Watch)
		}
	}
	// A tool in the agent's folder may also have changed without an effect that the nights
	// show.
	if seen := d.sleep(c, "h2", 20, coins(rng, .3)); seen.Changed == nil || !seen.Changed.Files || len(seen.Changed.Params) > 0 || seen.Fall == nil || seen.Fall.Any() {
		t.Errorf("another tool is %+v", seen.Watch)
	}
	// The provider recovers, and the headline disappears.
	last := Seen{}
	for range 3 {
		last = d.sleep(c, "h2", 20, coins(rng, .9))
	}
	if last.Fall != nil {
		t.Errorf("after three good nights there is still %+v", *last.Fall)
	}
}

func TestAdoption(t *testing.T) {
	old, adopted := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
	for _, c := range []struct {
		name              string
		before, after     float64
		predicted         stats.Interval
		disappoints, less bool
	}{
		{"as predicted", .4, .8, stats.Interval{Lo: .1, Hi: .6}, false, false},
		{"proposed again by hand", .4, .8, stats.Interval{Lo: .1, Hi: .6}, false, false},
		{"worse", .8, .3, stats.Interval{Lo: .1, Hi: .6}, true, true},
		{"below", .4, .42, stats.Interval{Lo: .5, Hi: .9}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDiary(t)
			rng := rand.New(rand.NewPCG(7, 8))
			for range 4 {
				d.sleep(old, "h", 30, coins(rng, c.before))
			}
			ruling := stats.Ruling{Claim: stats.NewTasks, New: c.predicted, Comparison: stats.Comparison{Difference: .3, Level: .95}}
			d.must(d.store.PutResult(context.Background(), archive.AgentResult{
				Run: "4-00000004", Agent: "a", Verdict: archive.Adopt, Watch: &archive.Watch{Scores: mustScores(d)}, Finalist: []archive.Finalist{{Variant: adopted.ID(), Ruling: &ruling}},
			}))
			p := archive.ProposalRecord{State: archive.Adopted, Run: "4-00000004", Variant: adopted.ID(), Champion: old.ID()}
			if c.name == "proposed again by hand" {
				p.Run, p.RuledBy = "", p.Run
			}
			p = d.decide(p)
			var seen Seen
			for range 6 {
				if seen = d.sleep(adopted, "h", 30, coins(rng, c.after)); seen.Changed != nil || seen.Fall != nil {
					t.Fatalf("an adoption is taken for a change by hand: %+v", seen.Watch)
				}
			}
			a := seen.Adopted
			if a == nil || a.Proposal != p.ID || a.Disappoints() != c.disappoints || a.Worse != c.less || a.AfterNights != 6 || a.BeforeNights != 4 {
				t.Fatalf("the adoption is %+v", a)
			}
			if a.Claim != stats.NewTasks || a.Predicted != .3 || a.PredictedLo != c.predicted.Lo {
				t.Errorf("the prediction is %q, %g from %g", a.Claim, a.Predicted, a.PredictedLo)
			}
			p.State = archive.RolledBack
			d.decide(p)
			if seen := d.sleep(old, "h", 30, coins(rng, c.before)); seen.Adopted != nil || seen.Fall != nil || seen.Changed != nil || seen.Nights != 5 {
				t.Errorf("after the rollback there is %+v", seen.Watch)
			}
		})
	}
}

// TestAdoptionAfterAFall checks that an adoption is compared with the last state of the
// config before it. A change of the provider made both configs fall, one before the
// adoption and one after it.
func TestAdoptionAfterAFall(t *testing.T) {
	d := newDiary(t)
	old, adopted := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, mean := range []float64{.95, .95, .95, .95, .35, .35} {
		d.sleep(old, "h", 30, coins(rng, mean))
	}
	d.decide(archive.ProposalRecord{State: archive.Adopted, Run: "6-00000006", Variant: adopted.ID(), Champion: old.ID()})
	for _, mean := range []float64{.95, .95, .1, .1} {
		d.sleep(adopted, "h", 30, coins(rng, mean))
	}
	seen := d.sleep(adopted, "h", 30, coins(rng, .1))
	if a := seen.Adopted; a == nil || !a.Worse || a.BeforeNights != 2 || a.AfterNights != 3 || seen.Fall == nil {
		t.Errorf("the adoption is %+v", a)
	}
}

// TestDriftIsNotTheAdoption tests that an adoption is not blamed for a later change of
// the provider, because the replaced config is measured in the same nights. An adoption
// that is worse than the replaced config is named.
func TestDriftIsNotTheAdoption(t *testing.T) {
	for _, c := range []struct {
		name               string
		old, adopted       float64 // after the change
		disappoints, falls bool
	}{
		{"both fall", 0, .15, false, true},
		{"the adopted one alone falls", .5, .15, true, true},
		{"the old one alone falls", .1, .95, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDiary(t)
			old, adopted := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
			rng := rand.New(rand.NewPCG(7, 8))
			for range 4 {
				d.sleep(old, "h", 30, coins(rng, .5))
			}
			d.decide(archive.ProposalRecord{State: archive.Adopted, Run: "4-00000004", Variant: adopted.ID(), Champion: old.ID()})
			d.replaced, d.beside = old, coins(rng, .5)
			d.sleep(adopted, "h", 30, coins(rng, .95))
			d.beside = coins(rng, c.old)
			var seen Seen
			for range 4 {
				seen = d.sleep(adopted, "h", 30, coins(rng, c.adopted))
			}
			if a := seen.Adopted; a == nil || a.Disappoints() != c.disappoints || (seen.Fall != nil) != c.falls {
				t.Errorf("the adoption is %+v, the fall %+v", a, seen.Fall)
			}
		})
	}
}

// TestEvidenceOnceReachedStays tests that chance in one later night does not make the
// advice on an adoption disappear: the night that reached the level is still named.
func TestEvidenceOnceReachedStays(t *testing.T) {
	d := newDiary(t)
	old, adopted := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 4 {
		d.sleep(old, "h", 30, coins(rng, .5))
	}
	d.decide(archive.ProposalRecord{State: archive.Adopted, Run: "4-00000004", Variant: adopted.ID(), Champion: old.ID()})
	d.replaced, d.beside = old, coins(rng, .6)
	first := d.sleep(adopted, "h", 30, coins(rng, .1))
	if a := first.Adopted; a == nil || !a.Worse || !a.Beside || a.Crossed != nil {
		t.Fatalf("the adoption is %+v", a)
	}
	d.beside = coins(rng, .5)
	for night := range 3 {
		seen := d.sleep(adopted, "h", 30, coins(rng, .55))
		a := seen.Adopted
		if !a.Disappoints() || a.Crossed == nil || a.Crossed.Run != "5-00000005" || !a.Crossed.Night.Equal(at(5)) || a.Crossed.Difference != first.Adopted.Difference {
			t.Errorf("night %d: worse %t, crossed %v", night, a.Worse, a.Crossed)
		}
		if night == 2 && a.Worse {
			t.Errorf("chance does not explain %g, and the test shows nothing", a.Difference)
		}
	}
}

// TestReplaced tests which config is measured alongside the champion.
func TestReplaced(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "k", Kind: agent.Int, Min: 0, Max: 9, Default: int64(1)}}}
	old, adopted := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
	d := newDiary(t)
	d.sleep(old, "h", 4, passed)
	plan := archive.AgentPlan{Agent: "a", Champion: adopted.ID(), UsesSeed: true}
	is := func(name string, want bool, plan archive.AgentPlan, space agent.Space) {
		t.Helper()
		got, err := Replaced(context.Background(), d.store, plan, d.night+1, space)
		if err != nil || (got != nil) != want || want && got.ID() != old.ID() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	is("no adoption", false, plan, space)
	p := d.decide(archive.ProposalRecord{State: archive.Adopted, Run: "1-00000001", Variant: adopted.ID(), Champion: old.ID()})
	is("adopted", true, plan, space)
	other, fixed := plan, plan
	other.Champion = agent.Config{"k": int64(3)}.ID()
	fixed.Deterministic, fixed.UsesSeed = true, false
	is("changed by hand since", false, other, space)
	is("without chance", false, fixed, space)
	narrow := agent.Space{Params: []agent.Param{{Name: "k", Kind: agent.Int, Min: 2, Max: 9, Default: int64(2)}}}
	is("no longer in the space", false, plan, narrow)
	p.State = archive.RolledBack
	d.decide(p)
	is("rolled back", false, plan, space)
	p.State = archive.Adopted
	d.decide(p)
	p.Decision.Time = at(0)
	d.must(d.store.PutProposal(context.Background(), p))
	for range stats.WatchNights {
		d.sleep(adopted, "h", 1, passed)
	}
	is("a month later", false, plan, space)
}

// mustScores returns the stored scores of the latest night.
func mustScores(d *diary) []archive.TaskScores {
	d.t.Helper()
	r, err := d.store.Result(context.Background(), fmt.Sprintf("%d-%08x", d.night, d.night), "a")
	d.must(err)
	return r.Watch.Scores
}

func TestFixedAgentIsExact(t *testing.T) {
	d := newDiary(t)
	d.fixed = true
	good, bad := agent.Config{"k": int64(1)}, agent.Config{"k": int64(2)}
	d.sleep(good, "h", 10, passed)
	d.sleep(good, "h", 4, passed) // has all ten scores
	tasks, err := Tasks(context.Background(), d.store, archive.AgentPlan{Agent: "a", Champion: bad.ID(), AgentHash: "h", SuiteHash: "suite", Deterministic: true}, d.night+1, d.digests, at(d.night+1))
	if err != nil || len(tasks) != 10 {
		t.Fatalf("a changed agent is measured again on %v, %v", tasks, err)
	}
	seen := d.sleep(bad, "h", 10, func(task, _ int) float64 { return float64(min(task, 1)) })
	if f := seen.Fall; f == nil || !f.Exact || f.Tasks != 10 || f.Difference > -.0999 || f.Difference < -.1001 || f.Lo != f.Hi {
		t.Fatalf("one of ten tasks fails: %+v", seen.Fall)
	}
	tasks, err = Tasks(context.Background(), d.store, archive.AgentPlan{Agent: "a", Champion: bad.ID(), AgentHash: "h", SuiteHash: "suite", Deterministic: true}, d.night+1, d.digests, at(d.night+1))
	if err != nil || len(tasks) != 0 {
		t.Errorf("an agent that did not change is measured again on %v, %v", tasks, err)
	}
}

// TestModelsChange tests that a change of models is not blamed on the provider.
func TestModelsChange(t *testing.T) {
	d := newDiary(t)
	config := agent.Config{"k": int64(1)}
	rng := rand.New(rand.NewPCG(5, 8))
	d.sleep(config, "h", 20, coins(rng, .9)) // an older version of evolve stored no models
	d.models = "big"
	for range 2 {
		if seen := d.sleep(config, "h", 20, coins(rng, .9)); seen.Changed != nil {
			t.Fatalf("without a change there is %+v", seen.Changed)
		}
	}
	d.models = "small"
	seen := d.sleep(config, "h", 20, coins(rng, .1))
	if f, c := seen.Fall, seen.Changed; f == nil || !f.Models || f.Files || c == nil || !c.Models {
		t.Errorf("after a change to the models there are %+v and %+v", f, c)
	}
}

// TestSuiteGrows tests that a new task leaves the history of the other tasks intact, and
// that a task with a changed question or answer begins a new history.
func TestSuiteGrows(t *testing.T) {
	config := agent.Config{"k": int64(1)}
	digests := map[string]string{}
	for task := range 20 {
		digests[fmt.Sprintf("t%02d", task)] = "as ever"
	}
	d := newDiary(t)
	d.digests = maps.Clone(digests)
	rng := rand.New(rand.NewPCG(5, 8))
	for range 4 {
		d.sleep(config, "h", 20, coins(rng, .9))
	}
	d.suite, d.digests["t20"] = "a task more", "new"
	d.digests["t19"] = "with another answer"
	seen := d.sleep(config, "h", 21, coins(rng, .9))
	if seen.Nights != 5 || seen.Fall != nil {
		t.Fatalf("a task more, and the watch has %d nights and %+v", seen.Nights, seen.Fall)
	}
	for range 4 {
		seen = d.sleep(config, "h", 21, coins(rng, .3))
	}
	if f := seen.Fall; f == nil || f.BeforeNights != 5 || f.Tasks < 20 || f.Tasks > 21 {
		t.Errorf("the fall is %+v", f)
	}
	only := func(task string) stats.NightScores { return stats.NightScores{task: {1}} }
	then := night{suite: "suite", digests: map[string]string{"t01": "as ever", "t19": "as ever", "old": ""}}
	for task, kept := range map[string]bool{"t01": true, "t19": false, "old": false, "gone": false} {
		then.scores = only(task)
		if got := comparable([]night{then, {suite: d.suite}}, d.digests)[0].scores; len(got) == 1 != kept {
			t.Errorf("%s: %v", task, got)
		}
		if got := comparable([]night{then, {suite: "suite"}}, d.digests)[0].scores; len(got) != 1 {
			t.Errorf("%s, with the same suites: %v", task, got)
		}
	}
}

// TestThirtyQuietNights runs months in which nothing changes, each with its own archive,
// and checks that at most the stated share of the months has a headline.
func TestThirtyQuietNights(t *testing.T) {
	const months = 12
	alarms := 0
	for month := range months {
		d := newDiary(t)
		rng := rand.New(rand.NewPCG(uint64(month), 9))
		for range stats.WatchNights {
			shared := stats.AssumedNight * rng.NormFloat64()
			if seen := d.sleep(agent.Config{"k": int64(1)}, "h", 10, coins(rng, .7+shared)); seen.Fall != nil {
				alarms++
				break
			}
		}
	}
	if share := float64(alarms) / months; share > stats.WatchLevel {
		t.Errorf("%d of %d quiet months have a headline, more than %.2f of them", alarms, months, stats.WatchLevel)
	}
}
