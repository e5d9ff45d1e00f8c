package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// twoVariants returns an archive in which a variant passes all 20 holdout tasks in both
// repeats, and the champion, at the same cost, passes none. On search tasks only the
// champion has evaluations.
func twoVariants(t *testing.T, plan archive.AgentPlan) (a *archive.Archive, one, two archive.Variant) {
	t.Helper()
	ctx := t.Context()
	a = archive.OpenMemory()
	t.Cleanup(func() { _ = a.Close() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.PutRun(ctx, archive.Run{ID: "1-a", Number: 1, State: archive.RunDone, Agents: []string{"aide"}}))
	plan.Run, plan.Agent = "1-a", "aide"
	must(a.PutPlan(ctx, plan))
	variants := make([]archive.Variant, 2)
	for arm := range variants {
		config := agent.Config{"x": float64(arm)}
		v, err := a.PutVariant(ctx, archive.Variant{ID: config.ID(), Agent: "aide", Config: config, Operator: "numeric", Run: "1-a"})
		must(err)
		variants[arm] = v
		for repeat := range 2 {
			for task := range 20 {
				must(a.Record(ctx, bench.Evaluation{
					Key: bench.Key(fmt.Sprint(arm, repeat, task)), Run: "1-a", Agent: "aide", Variant: v.ID, Task: fmt.Sprintf("t%02d", task), Domain: "operations",
					Split: bench.Holdout, Stage: bench.StageConfirm, Repeat: repeat, Seq: bench.ConfirmSeq + int64(100*arm+20*repeat+task), Outcome: agent.OK, Scored: true,
					Score: float64(arm), Usage: agent.Usage{CostUSD: .01}, Latency: time.Second,
				}, nil))
			}
		}
	}
	must(a.Record(ctx, bench.Evaluation{
		Key: "alone", Run: "1-a", Agent: "aide", Variant: variants[0].ID, Task: "s", Split: bench.Search, Stage: bench.StageSearch, Seq: 999, Scored: true,
	}, nil))
	must(a.Flush(ctx))
	return a, variants[0], variants[1]
}

// inClusters returns the tasks of twoVariants in clusters of the given size. The first task
// has weight 3.
func inClusters(size int) map[string]*bench.Task {
	tasks := map[string]*bench.Task{}
	for i := range 20 {
		id := fmt.Sprintf("t%02d", i)
		tasks[id] = &bench.Task{ID: id, Cluster: fmt.Sprint(i / size)}
	}
	tasks["t00"].Weight = 3
	return tasks
}

func TestCompareVariants(t *testing.T) {
	for _, c := range []struct {
		name     string
		plan     archive.AgentPlan
		tasks    map[string]*bench.Task
		units    string
		clusters int
		fixed    bool
		guards   []string
		claim    stats.Claim
	}{
		{"the suites are not known", archive.AgentPlan{UsesSeed: true}, nil, unitsOfTasks, 20, false, []string{"cost", "latency"}, stats.NewTasks},
		{"clusters of the suites", archive.AgentPlan{UsesSeed: true}, inClusters(2), unitsOfSuites, 10, false, []string{"cost", "latency"}, stats.NewTasks},
		{"latency of a deterministic agent says nothing", archive.AgentPlan{UsesSeed: true, Deterministic: true}, inClusters(1), unitsOfSuites, 20, false, []string{"cost"}, stats.NewTasks},
		{"repeats say nothing", archive.AgentPlan{Deterministic: true}, inClusters(1), unitsOfSuites, 20, true, []string{"cost"}, stats.NewTasks},
		{"all of one cluster", archive.AgentPlan{Deterministic: true}, inClusters(20), unitsOfSuites, 1, true, []string{"cost"}, stats.TheseTasks},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, one, two := twoVariants(t, c.plan)
			v, err := compareVariants(t.Context(), a, one, two, comparisonBasis{tasks: c.tasks, rule: stats.Rule{Alpha: stats.Monthly().Alpha(), Guards: stats.DefaultBounds()}})
			if err != nil {
				t.Fatal(err)
			}
			if v.Search != nil || v.Holdout == nil {
				t.Fatalf("search %v, holdout %v", v.Search, v.Holdout)
			}
			var guards []string
			for _, g := range v.Holdout.Guards {
				guards = append(guards, g.Name)
			}
			h := v.Holdout
			if v.Units != c.units || h.Clusters != c.clusters || h.Fixed != c.fixed || h.Claim != c.claim || !slices.Equal(guards, c.guards) || h.Wins != 20 || h.Pairs < 20 {
				t.Errorf("units %s, %d clusters, fixed %v, claim %q, guards %v, %d wins, %d pairs", v.Units, h.Clusters, h.Fixed, h.Claim, guards, h.Wins, h.Pairs)
			}
			var out bytes.Buffer
			printComparison((&shell{console: &console{stdout: &out}}).console, v, one, two)
			for _, want := range []string{"search   no task has evaluations of both variants", "holdout  .000 → 1.000   +100.0 points", verdictOn(*h), "operations"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not said\n%s", want, out.String())
				}
			}
			if words := lacking(out.String(), comparisonSections(v, one, two), "search", "holdout", "of", "aide"); len(words) > 0 {
				t.Errorf("the pages lack %q of\n%s", words, out.String())
			}
		})
	}
}

// TestOtherRepeats checks that evaluations of a task in other repeats and stages are
// compared for an agent that always gives the same answer, and that for other agents a
// lack of pairs is not reported as a lack of common tasks.
func TestOtherRepeats(t *testing.T) {
	for _, c := range []struct {
		plan  archive.AgentPlan
		tasks int
		words string
	}{
		{archive.AgentPlan{Deterministic: true}, 3, "3 tasks, once each"},
		{archive.AgentPlan{UsesSeed: true}, 0, "no task has evaluations of both variants with the same repeat and seed"},
	} {
		a, one, two := twoVariants(t, c.plan)
		for i, stage := range []bench.Stage{bench.StageSearch, bench.StageAblate, bench.StageAA} {
			for side, v := range []archive.Variant{one, two} {
				e := bench.Evaluation{
					Key: bench.Key(fmt.Sprint("other", i, side)), Run: "1-a", Agent: "aide", Variant: v.ID, Task: fmt.Sprint("s", i), Split: bench.Search,
					Stage: stage, Repeat: side, Seed: int64(side), Seq: int64(1000 + 10*i + side), Outcome: agent.OK, Scored: true, Score: float64(side),
				}
				if side == 1 {
					e.Stage = bench.StageSearch
				}
				if err := a.Record(t.Context(), e, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := a.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		v, err := compareVariants(t.Context(), a, one, two, comparisonBasis{rule: stats.Rule{Alpha: .05}})
		if err != nil {
			t.Fatal(err)
		}
		tasks := 0
		if v.Search != nil {
			tasks = v.Search.Tasks
		}
		var out bytes.Buffer
		printComparison(&console{stdout: &out}, v, one, two)
		if tasks != c.tasks || !strings.Contains(out.String(), c.words) {
			t.Errorf("%+v: %d tasks\n%s", c.plan, tasks, out.String())
		}
		if paired := strings.Contains(fmt.Sprint(comparisonSections(v, one, two)), onlyPaired); paired != (c.tasks == 0) {
			t.Errorf("%+v: the page says %v that only pairs count", c.plan, paired)
		}
	}
}

// TestConfirmations checks which candidates are open and how many entries are left in the
// month.
func TestConfirmations(t *testing.T) {
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	month := stats.Monthly()
	control := &archive.EntryLedger{Days: month.Days, Most: month.Entries, Level: month.Level}
	for _, c := range []struct {
		name    string
		control *archive.EntryLedger
		change  func(*archive.Candidate)
		age     time.Duration
		active  agent.ConfigID
		open    int
		left    int
	}{
		{"open", control, nil, time.Hour, "", 1, 11},
		{"of a month ago", control, nil, 31 * 24 * time.Hour, "", 1, 12},
		{"ended", control, func(c *archive.Candidate) { c.State = stats.Harmful }, time.Hour, "", 0, 11},
		{"parked", control, func(c *archive.Candidate) { c.State = stats.Parked }, time.Hour, "", 1, 11},
		{"void", control, func(c *archive.Candidate) { c.Void = "the suite changed" }, time.Hour, "", 0, 11},
		{"no run had a confirmation", nil, nil, time.Hour, "", 1, -1},
		{"the champion is the same", control, nil, time.Hour, agent.Config{"x": 0.0}.ID(), 1, 11},
		{"the champion changed since the last run", control, nil, time.Hour, agent.Config{"x": 7.0}.ID(), 0, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			a, one, two := twoVariants(t, archive.AgentPlan{Champion: agent.Config{"x": 0.0}.ID()})
			if err := a.PutResult(ctx, archive.AgentResult{Run: "1-a", Agent: "aide", Entries: c.control}); err != nil {
				t.Fatal(err)
			}
			entry, err := a.EnterCandidate(ctx, archive.Candidate{
				Agent: "aide", Variant: two.ID, Champion: one.ID, Run: "1-a", Time: now.Add(-c.age), Alpha: month.Alpha(), Holds: "h",
			})
			if err != nil {
				t.Fatal(err)
			}
			entry.Blocks, entry.LogE = 3, 2.75
			if c.change != nil {
				c.change(&entry)
			}
			if err := a.PutCandidate(ctx, entry, now); err != nil {
				t.Fatal(err)
			}
			runs := []archive.Run{{ID: "1-a", Agents: []string{"aide"}}}
			lines, left, err := confirmations(ctx, a, "aide", c.active, runs, now)
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) != c.open || c.open > 0 && (lines[0].share() != 50 || lines[0].Number != two.Number || lines[0].Blocks != 3) {
				t.Errorf("open are %+v, want %d", lines, c.open)
			}
			if (left == nil) != (c.left < 0) || left != nil && left.Left != c.left {
				t.Errorf("left is %+v, want %d", left, c.left)
			}
		})
	}
}
