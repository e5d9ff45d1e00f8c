package render

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// world records a run the way a night does.
type world struct {
	t   testing.TB
	ctx context.Context
	a   *archive.Archive
	rng *rand.Rand
	run archive.Run
	seq map[string]int64
	// older selects a night that judges each finalist once, without entries or rulings.
	older bool
	// past holds the evidence from the nights so far, keyed by candidate.
	past map[agent.ConfigID]*past
	// salt is added to everything volatile: times, host, latencies, retries.
	salt int
}

var night = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, salt int) *world {
	a := archive.OpenMemory()
	t.Cleanup(func() { a.Close() })
	return &world{t: t, ctx: context.Background(), a: a, rng: rand.New(rand.NewPCG(7, 11)), seq: map[string]int64{}, past: map[agent.ConfigID]*past{}, salt: salt}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// open records a run that is still in progress.
func (w *world) open(number int, agents ...string) {
	started := night.Add(time.Duration(24*(number-3))*time.Hour + time.Duration(w.salt)*time.Minute)
	w.run = archive.Run{
		ID: fmt.Sprintf("%d-5f3a9c1e", number), Number: number, State: archive.RunRunning, Started: started, Agents: agents,
		Stages: []string{"search", "confirm"}, Selection: "dgm", Seed: 42, Lookahead: 32, Concurrency: 8 + w.salt, BudgetEval: 2000,
		Host: fmt.Sprintf("night-%d", w.salt), Binary: "evolve 0.1.0 sha256:9a0b",
	}
	w.must(w.a.PutRun(w.ctx, w.run))
	_, err := w.a.Append(w.ctx, archive.LedgerEntry{Time: started, Kind: "run.start", Actor: "evolve", Subject: w.run.ID})
	w.must(err)
}

func (w *world) end() {
	w.run.State, w.run.Ended, w.run.Reached = archive.RunDone, w.run.Started.Add(47*time.Minute+13*time.Second), 8+w.salt
	w.run.Phases = map[string]time.Duration{"search": 31 * time.Minute, "confirm": 15 * time.Minute, "aa": 50 * time.Second}
	w.run.Resumed = w.salt
	w.must(w.a.PutRun(w.ctx, w.run))
	w.must(w.a.Flush(w.ctx))
}

func (w *world) variant(agentID, operator string, c agent.Config) agent.ConfigID {
	v, err := w.a.PutVariant(w.ctx, archive.Variant{ID: c.ID(), Agent: agentID, Config: c, Operator: operator, Run: w.run.ID, Time: night})
	w.must(err)
	return v.ID
}

// trial describes one evaluation to record.
type trial struct {
	variant agent.ConfigID
	task    task
	repeat  int
	stage   bench.Stage
	chance  float64
	tools   []string
	answer  string
	cost    float64 // USD; 0: the usual
}

type task struct{ id, domain string }

func tasks(side string, n int, domains ...string) []task {
	out := make([]task, n)
	for i := range out {
		d := domains[i%len(domains)]
		out[i] = task{fmt.Sprintf("%s-%s-%03d", side, d[:min(3, len(d))], i), d}
	}
	return out
}

func (w *world) evaluate(agentID string, t trial) bench.Evaluation {
	pass := w.rng.Float64() < t.chance
	e := bench.Evaluation{
		Key: bench.Key(fmt.Sprintf("%s/%s/%s/%s/%d", w.run.ID, t.stage, t.variant, t.task.id, t.repeat)),
		Run: w.run.ID, Agent: agentID, Variant: t.variant, Task: t.task.id, Domain: t.task.domain, Split: bench.Search, Stage: t.stage,
		Repeat: t.repeat, Seed: int64(t.repeat), Seq: w.seq[agentID], Outcome: agent.OK, Scored: true, Attempts: 1,
		Usage:   agent.Usage{Iterations: 2 + len(t.tools), ToolCalls: len(t.tools), InputTokens: 900, OutputTokens: 120, CostUSD: .0041},
		Latency: time.Duration(1500+100*w.salt+w.rng.IntN(900)) * time.Millisecond, Time: w.run.Started, Answer: "the answer is " + t.answer,
	}
	if t.cost > 0 {
		e.Usage.CostUSD = t.cost
	}
	w.seq[agentID]++
	grade := bench.Grade{Type: "exact", Weight: 1}
	if pass {
		e.Score, e.Pass, grade.Score, grade.Pass, grade.Reason = 1, true, 1, true, "equal"
	} else {
		e.Answer = "the answer is route Z"
		grade.Reason = fmt.Sprintf("expected %q, got %q", t.answer, "route Z")
	}
	e.Grades = []bench.Grade{grade}
	if t.stage == bench.StageConfirm {
		e.Seq += bench.ConfirmSeq
		e.Split = bench.Holdout
		tr := agent.Transcript{Events: []agent.Event{{Kind: agent.EventDomain, Name: t.task.domain}, {Kind: agent.EventRecall, Text: "3 memories"}}}
		for _, tool := range t.tools {
			tr.Events = append(tr.Events, agent.Event{Kind: agent.EventTool, Name: tool, Text: tool + " of the ticket", Outcome: agent.OK})
		}
		tr.Events = append(tr.Events, agent.Event{Kind: agent.EventModel, Text: e.Answer})
		e.Transcript = &tr
	}
	w.must(w.a.Record(w.ctx, e, nil))
	return e
}

// search records a search over the given variants, with its random baseline and its
// curve.
func (w *world) search(agentID string, champion agent.ConfigID, variants, random []agent.ConfigID, seen []task, chance func(i int) float64) archive.SearchResult {
	var out archive.SearchResult
	n, drawn := 0, 0
	for i, t := range seen {
		w.evaluate(agentID, trial{variant: champion, task: t, stage: bench.StageSearch, chance: chance(-1)})
		n++
		for v, id := range variants {
			if i >= len(seen)*(v+3)/(len(variants)+2) {
				continue
			}
			w.evaluate(agentID, trial{variant: id, task: t, stage: bench.StageSearch, chance: chance(v)})
			n++
		}
		if i%2 == 0 && len(random) > 0 {
			w.evaluate(agentID, trial{variant: random[i/2%len(random)], task: t, stage: bench.StageBaseline, chance: .55})
			n++
			drawn++
		}
		best := .6 + .14*float64(i)/float64(len(seen))
		if i < 4 {
			best = .6
		}
		point := archive.CurvePoint{Evaluations: n, Variant: champion, Best: best, RandomEvals: min(n, drawn)}
		if best > .6 && len(variants) > 0 {
			point.Variant = variants[0]
		}
		if len(random) > 0 {
			point.RandomVariant, point.Random = random[0], .58+.04*float64(i)/float64(len(seen))
		}
		if w.older { // the variant of an estimate was not recorded
			point.Variant, point.RandomVariant = "", ""
		}
		out.Curve = append(out.Curve, point)
	}
	out.Evaluations, out.Variants = n, len(variants)+len(random)
	out.Champion = archive.ScoredVariant{Variant: champion, Score: .618, Lo: .55, Hi: .68, Evaluations: len(seen)}
	if len(random) > 0 {
		out.Baseline = &archive.ScoredVariant{Variant: random[0], Score: .62, Lo: .49, Hi: .74, Evaluations: 9}
	}
	if len(random) > 0 && !w.older {
		out.Equal = &archive.Match{Search: out.Champion, Random: *out.Baseline, SearchSpent: drawn, RandomSpent: drawn, Difference: -.002, Lo: -.11, Hi: .11, Common: 9}
		if len(variants) > 0 {
			out.End = &archive.Match{
				Search: archive.ScoredVariant{Variant: variants[0], Score: .74, Lo: .66, Hi: .81, Evaluations: 60}, Random: *out.Baseline,
				SearchSpent: n - drawn, RandomSpent: drawn, Difference: .12, Lo: .01, Hi: .23, Common: 9,
			}
		}
	}
	return out
}

func config(recall float64, tools []string, strategy string) agent.Config {
	return agent.Config{"recall.min_score": recall, "tools": tools, "strategy": strategy, "planner": "tree"}
}

const strategy = "Read the ticket twice.\nAnswer with the route alone.\nSay when you do not know.\n"

func (w *world) plan(agentID string, champion agent.ConfigID, p archive.AgentPlan) archive.AgentPlan {
	p.Run, p.Agent, p.Champion, p.Default = w.run.ID, agentID, champion, champion
	p.Suites, p.SuiteHash, p.SplitHash, p.AgentHash, p.SpaceHash = []string{"tickets"}, "5d41402abc4b2a76", "7d793037a0760186", "b1d5781111d84f7b", "356a192b7913b04c"
	p.Adapter, p.UsesSeed, p.Sandbox = "builtin", true, "in process"
	w.must(w.a.PutPlan(w.ctx, p))
	return p
}

// ask records the questions of tasks. Every fourth question is longer than what is shown at
// once.
func (w *world) ask(plan archive.AgentPlan, list []task) {
	var all []archive.Question
	for i, t := range list {
		q := archive.Question{SuiteHash: plan.SuiteHash, Task: t.id, Goal: "Which route does the ticket of customer " + t.id + " take?", Expected: "route A"}
		if i%4 == 1 {
			q.Goal += strings.Repeat("\nThe customer writes again and asks for the region, the floor and the name of the person in charge.", 5)
			q.Expected = `contains: any ["route A","route B"]`
		}
		all = append(all, q)
	}
	w.must(w.a.PutQuestions(w.ctx, all))
}

// adoptWorld is a night with a clear winner, some regressions and a proposal.
func adoptWorld(t testing.TB, salt int) *world {
	return adoptNight(newWorld(t, salt))
}

func adoptNight(w *world) *world {
	w.open(3, "helpdesk")
	var ids []agent.ConfigID
	for i := range 11 {
		ids = append(ids, w.variant("helpdesk", "numeric", config(.3+.01*float64(i), []string{"recall"}, strategy)))
	}
	champion := w.variant("helpdesk", "default", config(.75, []string{"recall", "search"}, strategy))
	for i := range 24 {
		ids = append(ids, w.variant("helpdesk", []string{"crossover", "numeric", "directive"}[i%3], config(.5+.005*float64(i), []string{"recall", "search"}, strategy)))
	}
	winner := w.variant("helpdesk", "directive", config(.62, []string{"grep", "recall", "search"}, strategy+"Ask for the region first.\n"))
	wide := config(.62, []string{"grep", "recall", "search"}, strategy+"Ask for the region first.\n")
	wide["planner"] = "list"
	found := w.variant("helpdesk", "directive", wide)
	second := w.variant("helpdesk", "crossover", config(.66, []string{"recall", "search"}, strategy))
	plan := w.plan("helpdesk", champion, archive.AgentPlan{Search: 900, Baseline: 90, AA: 40, Confirm: 720, Finalists: 2, Repeats: 4, SearchTasks: 60, HoldoutTasks: 60, Detectable: .095})
	seen := tasks("s", 60, "engineering", "operations", "research")
	if !w.older {
		w.ask(plan, tasks("h", 60, "engineering", "operations", "research"))
	}
	res := w.confirm(contest{
		plan: plan, champion: champion, finalists: []agent.ConfigID{winner, second}, claimed: []float64{.121, .060},
		holdout: tasks("h", 60, "engineering", "operations", "research"), blocks: 4, costs: []float64{.0041, .0039, .0041},
		chance: func(arm int, t task, i int) float64 {
			base := []float64{.95, .6, .4, .35, .8}[i%5]
			switch {
			case arm == 1 && i%11 == 0:
				return base - .4
			case arm == 1 && i%5 > 0:
				return base + .35
			}
			return base
		},
	})
	ablation := archive.Ablation{
		Winner: found, Small: winner, Reverted: []string{"planner"}, Evaluations: 96, Reason: "the reduced variant scored -1.0 points [-8.0, +6.0] relative to the variant found by the search, with 19 evaluations each",
		Effects: []archive.ParamEffect{
			{Param: "recall.min_score", Difference: .021, Lo: -.034, Hi: .077, Evaluations: 32},
			{Param: "strategy", Difference: .094, Lo: .021, Hi: .168, Evaluations: 32, Shown: true},
			{Param: "tools", Difference: .053, Lo: -.002, Hi: .11, Evaluations: 32},
		},
	}
	if !w.older {
		res.Ablations = []archive.Ablation{
			{
				Winner: second, Small: second, Reverted: []string{"recall.min_score"}, Evaluations: 40,
				Effects: []archive.ParamEffect{{Param: "strategy", Difference: .061, Lo: .012, Hi: .11, Evaluations: 20, Shown: true}},
			},
			ablation,
		}
	}
	res.Search = w.search("helpdesk", champion, append(ids[11:29:29], winner, second), ids[:6], seen, func(i int) float64 { return .6 + .005*float64(i) })
	var aa []stats.Pair
	for _, s := range seen[:20] {
		a := w.evaluate("helpdesk", trial{variant: champion, task: s, repeat: 90, stage: bench.StageAA, chance: .6})
		b := w.evaluate("helpdesk", trial{variant: champion, task: s, repeat: 91, stage: bench.StageAA, chance: .6})
		aa = append(aa, stats.Pair{Task: s.id, A: []float64{a.Score}, B: []float64{b.Score}})
	}
	noise := stats.NoiseFloor(aa, .95)
	res.AA = &noise
	p, err := w.a.NewProposal(w.ctx, archive.ProposalRecord{
		Kind: archive.KindConfig, State: archive.Awaiting, Agent: "helpdesk", Run: w.run.ID, Variant: winner,
		Champion: champion, Title: "helpdesk: v37 instead of v12", Commit: fmt.Sprintf("%040d", 7+w.salt), Ref: "refs/evolve/proposals/P1",
		Evidence: "sha256:0b1c", Created: w.run.Started, Gates: []archive.GateVerdict{{Gate: "rollback rehearsed", Verdict: "passed", Evidence: "the reverse change restores every file"}},
	})
	w.must(err)
	res.Proposals = []string{p.ID}
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	return w
}

// keepWorld is a night that keeps the champion: no variant is better.
func keepWorld(t testing.TB, salt int) *world {
	w := newWorld(t, salt)
	w.open(4, "helpdesk")
	champion := w.variant("helpdesk", "default", config(.62, []string{"recall"}, strategy))
	var ids []agent.ConfigID
	for i := range 9 {
		ids = append(ids, w.variant("helpdesk", "numeric", config(.3+.05*float64(i), []string{"recall"}, strategy)))
	}
	plan := w.plan("helpdesk", champion, archive.AgentPlan{Search: 300, Baseline: 30, Confirm: 480, Finalists: 1, Repeats: 2, SearchTasks: 40, HoldoutTasks: 120, Detectable: .06})
	res := w.confirm(contest{
		plan: plan, champion: champion, finalists: ids[8:], claimed: []float64{.034}, holdout: tasks("h", 120, "engineering", "operations"), blocks: 8,
		chance: func(arm int, t task, i int) float64 {
			if i%12 == 0 {
				return []float64{.6, .4}[arm]
			}
			return float64(i % 2)
		},
	})
	res.Search = w.search("helpdesk", champion, ids, nil, tasks("s", 40, "engineering", "operations"), func(i int) float64 { return .6 })
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	return w
}

// undecidedWorld has an agent with one candidate in its second night and one candidate that
// has just begun, and an agent that the night did not reach.
func undecidedWorld(t testing.TB, salt int) *world {
	w := newWorld(t, salt)
	w.open(5, "solver")
	champion := w.variant("solver", "default", config(.75, []string{"recall"}, strategy))
	tried := w.variant("solver", "numeric", config(.5, []string{"recall"}, strategy))
	plan := archive.AgentPlan{
		Search: 100, Confirm: 72, Finalists: 1, Repeats: 3, SearchTasks: 12, HoldoutTasks: 12, Detectable: .33,
		Warnings: []string{"12 independent holdout tasks see only large differences"}, Sandbox: "none: user namespaces are switched off",
	}
	night := contest{
		plan: w.plan("solver", champion, plan), champion: champion, finalists: []agent.ConfigID{tried}, claimed: []float64{.2},
		holdout: tasks("h", 12, "_global"), blocks: 3, chance: func(arm int, t task, i int) float64 { return []float64{.5, .65, .6}[arm] },
	}
	w.must(w.a.PutResult(w.ctx, w.confirm(night)))
	w.end()
	w.open(6, "solver", "writer")
	fresh := w.variant("solver", "crossover", config(.42, []string{"recall"}, strategy))
	night.plan, night.finalists, night.claimed, night.blocks = w.plan("solver", champion, plan), []agent.ConfigID{tried, fresh}, []float64{.2, .11}, 2
	res := w.confirm(night)
	res.Search = w.search("solver", champion, []agent.ConfigID{tried, fresh}, nil, tasks("s", 12, "_global"), func(i int) float64 { return .5 })
	res.Incomplete = "the search was cut short by the budget or the deadline"
	w.must(w.a.PutResult(w.ctx, res))
	w.plan("writer", champion, archive.AgentPlan{Search: 100, HoldoutTasks: 3})
	w.end()
	return w
}

// olderWorld is the night of adoptWorld as recorded before rulings were sequential.
func olderWorld(t testing.TB, salt int) *world {
	w := newWorld(t, salt)
	w.older = true
	return adoptNight(w)
}

func (w *world) report() model.Report {
	w.t.Helper()
	r, err := model.Build(w.ctx, w.a, "")
	w.must(err)
	return r
}
