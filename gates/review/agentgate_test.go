package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/runtime/agent"
	"evolve/runtime/command"
)

// solver is an agent in the shell that answers correctly for goals below its limit.
const solver = `while read -r request; do
	id=${request#'{"id":"'} id=${id%%'"'*}
	goal=${request#*'"goal":"'} goal=${goal%%'"'*}
	limit=20
	if [ "$goal" -lt "$limit" ]; then answer=yes; else answer=no; fi
	printf '{"id":"%s","answer":"%s"}\n' "$id" "$answer"
done
`

// limited returns a diff that changes, in the program solver, the line that sets the
// limit.
func limited(to string) string {
	return "--- a/cache/solve\n+++ b/cache/solve\n@@ -4 +4 @@\n-\tlimit=20\n+\t" + to + "\n"
}

// trying gives a bureau the agent named solver, with 40 search tasks whose answer is
// "yes", and counts the calls of Trial.
func trying(b *bureau, asked *int) {
	b.t.Helper()
	b.write("cache/solve", solver)
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=solver")
	b.Targets[0].Agent, b.Targets[0].Tasks = "solver", 40
	b.Unsandboxed = true
	b.Trial = func(_ context.Context, ask TrialSpec) (*AgentTrial, error) {
		*asked++
		t := &AgentTrial{Config: agent.Config{}, Patched: agent.Config{}, Parallel: 2, Folder: "cache", Close: func() error { return nil }}
		for i := range 40 {
			t.Tasks = append(t.Tasks, &bench.Task{ID: fmt.Sprintf("t%d", i), Goal: fmt.Sprint(i), Split: bench.Search})
		}
		budget := ask.Budget
		if budget == nil {
			budget = bench.NewBudget(0, time.Time{}, time.Now)
		}
		side := func(tree string) *bench.Harness {
			program, err := command.New(command.Options{
				Argv: []string{"sh", "solve"}, Dir: filepath.Join(tree, "cache"), Protocol: command.JSONL, Pool: 2,
				Sandbox: b.Reviewer.Sandbox(), Scrub: func(s string) string { return s }, Timeout: 20 * time.Second,
			})
			if err != nil {
				b.t.Fatal(err)
			}
			before := t.Close
			t.Close = func() error { return errors.Join(before(), program.Close()) }
			return bench.NewHarness(bench.Settings{Agent: "solver", Scratch: ask.Scratch}, program, saysYes, archive.OpenMemory(), budget,
				bench.NewBreaker(bench.Patience{}, "", func(context.Context, time.Duration) error { return nil }), time.Now)
		}
		t.Base, t.Candidate = side(ask.Base), side(ask.Candidate)
		return t, nil
	}
}

func saysYes(_ context.Context, in bench.GradeInput) (bench.Grading, error) {
	if in.Result.Outcome.Gradable() && in.Result.Answer != nil && *in.Result.Answer == "yes" {
		return bench.Grading{Score: 1, Pass: true}, nil
	}
	return bench.Grading{}, nil
}

func TestAgentIsTried(t *testing.T) {
	for name, c := range map[string]struct {
		diff    string
		verdict gates.Verdict
		says    string
	}{
		"better":               {limited("limit=40"), gates.Passed, "better on search tasks: 40 of 40 search tasks, each run once before and once after the patch: .500 → 1.000, +50.0 points"},
		"worse":                {limited("limit=5"), gates.Failed, "shown to be worse: 40 of 40 search tasks, each run once before and once after the patch: .500 → .125, −37.5 points"},
		"the same":             {limited("limit=$((10 + 10))"), gates.Passed, "a loss of 10 points is ruled out: 40 of 40 search tasks, each run once before and once after the patch: .500 → .500, 0.0 points"},
		"neither":              {limited("limit=18"), gates.Flagged, "not shown to be worse, but a loss of 10 points is not ruled out"},
		"breaks its protocol":  {limited("limit=20; echo noise"), gates.Failed, "the patched program ends unexpectedly or breaks its protocol, but the base does not"},
		"ends on some tasks":   {limited("limit=20; [ $goal != 7 ] || exit 3"), gates.Failed, "0 times before and 1 times after the patch"},
		"is somewhere else":    {strings.ReplaceAll(turned("64", "128"), "cache/cache.go", "other/cache.go"), gates.Flagged, "not evaluated: the patch changes nothing in cache"},
		"knows the wrong half": {limited("limit=20; goal=$((39 - goal))"), gates.Flagged, "20 better, 20 worse, 0 equal"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			asked := 0
			trying(b, &asked)
			b.write("other/cache.go", source)
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=other")
			b.Targets[0].Policy.Allow = []string{"."}
			p := b.must(b.submit(OriginPerson, "Robin", c.diff))
			got := gateOf(t, p, gateAgent)
			if got.Verdict != string(c.verdict) || !strings.Contains(got.Evidence, c.says) || asked != 1 {
				t.Errorf("%s, tried %d times: %s\nwant %s: %s", got.Verdict, asked, got.Evidence, c.verdict, c.says)
			}
			if left, _ := filepath.Glob(filepath.Join(b.Scratch, "trees", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// priced is the usage field that is added to each of the solver's answers here.
const priced = ",\"usage\":{\"cost_usd\":0.01}}\\n"

// TestTrialIsCharged checks that a trial is paid for from the desk's budget, ends when the
// budget is used up, and is charged in the record and the ledger, even if the gates are
// interrupted.
func TestTrialIsCharged(t *testing.T) {
	for name, c := range map[string]struct {
		usd     float64
		verdict gates.Verdict
		says    string
	}{
		"enough":     {10, gates.Passed, "$0.80"},
		"not enough": {.2, gates.NotRun, "the budget was used up before the comparison was complete"},
		"none left":  {1e-9, gates.NotRun, "the budget was used up"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			asked := 0
			trying(b, &asked)
			b.write("cache/solve", strings.ReplaceAll(solver, `}\n`, priced))
			b.git("commit", "--quiet", "--all", "--message=priced")
			b.Run, b.Budget = "7-night", bench.NewBudget(c.usd, time.Time{}, time.Now)
			p := b.must(b.submit(OriginPerson, "Robin", limited("limit=40")))
			got := gateOf(t, p, gateAgent)
			if got.Verdict != string(c.verdict) || !strings.Contains(got.Evidence, c.says) {
				t.Errorf("%s: %s", got.Verdict, got.Evidence)
			}
			if (p.State == archive.GateFailed) != (c.verdict == gates.NotRun) {
				t.Error(p.State)
			}
			told := costsOf(b)
			if spent := b.Budget.Spent(); math.Abs(p.Patch.CostUSD-spent) > 1e-9 || math.Abs(told-spent) > 1e-9 || spent > c.usd+.04 {
				t.Errorf("spent %g, the record says %g and the ledger %g", spent, p.Patch.CostUSD, told)
			}
		})
	}
	t.Run("stopped", func(t *testing.T) {
		b := newBureau(t)
		asked := 0
		trying(b, &asked)
		b.write("cache/solve", strings.ReplaceAll(solver, `}\n`, priced))
		b.git("commit", "--quiet", "--all", "--message=priced")
		b.Run, b.Budget = "7-night", bench.NewBudget(10, time.Time{}, time.Now)
		ctx, stop := context.WithCancel(t.Context())
		made := b.Trial
		b.Trial = func(c context.Context, ask TrialSpec) (*AgentTrial, error) {
			trial, err := made(c, ask)
			trial.Tasks = trial.Tasks[:20]
			go func() {
				for b.Budget.Spent() == 0 && c.Err() == nil {
					runtime.Gosched()
				}
				stop()
			}()
			return trial, err
		}
		_, err := b.ProposePatch(ctx, Submission{Target: "code", Author: "Robin", Origin: OriginPerson, Diff: limited("limit=40")})
		p := b.must(b.Find(t.Context(), "P1"))
		if err == nil { // the gates ended before they could be stopped
			return
		}
		var left *LeftError
		if !errors.As(err, &left) || p.State != archive.Drafted || p.Patch.CostUSD <= 0 || math.Abs(costsOf(b)-p.Patch.CostUSD) > 1e-9 {
			t.Errorf("%v, %s, the record says %g, the ledger %g", err, p.State, p.Patch.CostUSD, costsOf(b))
		}
	})
}

// costsOf returns the sum of the patch costs that the ledger records for the nightly run.
func costsOf(b *bureau) float64 {
	b.t.Helper()
	told := 0.
	for e, err := range b.store.Ledger(b.t.Context(), 1) {
		var c Cost
		if err != nil {
			b.t.Fatal(err)
		}
		if e.Kind == CostKind && json.Unmarshal(e.Data, &c) == nil && c.Run == "7-night" {
			told += c.USD
		}
	}
	return told
}

// TestAgentIsNotTried checks that a program is not started when an earlier gate failed,
// when the required sandbox is missing, or when Trial is nil.
func TestAgentIsNotTried(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*bureau)
		says  string
	}{
		"a gate before it failed": {func(b *bureau) { b.says[gotest.All] = gates.Failed }, `needs the gate "all" to pass`},
		"no walls":                {func(b *bureau) { b.Unsandboxed = false }, "not run without a sandbox"},
		"no agent can be run":     {func(b *bureau) { b.Trial = nil }, "nothing is configured to run the agent solver"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			asked := 0
			trying(b, &asked)
			c.spoil(b)
			p := b.must(b.submit(OriginPerson, "Robin", limited("limit=40")))
			if got := gateOf(t, p, gateAgent); got.Verdict != string(gates.NotRun) || !strings.Contains(got.Evidence, c.says) || asked != 0 || p.State != archive.GateFailed {
				t.Errorf("%s, tried %d times: %s", got.Verdict, asked, got.Evidence)
			}
		})
	}
}

func gateOf(t *testing.T, p archive.ProposalRecord, name string) archive.GateVerdict {
	t.Helper()
	for _, g := range p.Gates {
		if g.Gate == name {
			return g
		}
	}
	t.Fatalf("there is no gate %q in %+v", name, p.Gates)
	return archive.GateVerdict{}
}

// scored returns an evaluation with a score and an outcome.
func scored(score float64, o agent.Outcome) bench.Evaluation {
	return bench.Evaluation{Scored: !o.Missing(), Score: score, Outcome: o, Error: string(o)}
}

func TestJudgeTrial(t *testing.T) {
	both := func(a, b bench.Evaluation) [2]bench.Evaluation { return [2]bench.Evaluation{a, b} }
	ok := scored(1, agent.OK)
	for name, c := range map[string]struct {
		tasks   int
		each    [2]bench.Evaluation
		short   bool
		verdict gates.Verdict
		says    string
	}{
		"no task":                            {0, both(ok, ok), false, gates.Flagged, "nothing was compared"},
		"nothing came back":                  {40, both(ok, scored(0, agent.Infrastructure)), false, gates.Flagged, "nothing was compared: 0 of 40"},
		"nothing can get worse":              {40, both(scored(0, agent.OK), scored(0, agent.OK)), false, gates.Flagged, "no loss could be seen"},
		"the base breaks as well":            {40, both(scored(0, agent.Execution), scored(0, agent.Execution)), false, gates.Flagged, "40 times before and 40 times after"},
		"the patch mends it":                 {40, both(scored(0, agent.Execution), ok), false, gates.Passed, "better on search tasks"},
		"slow":                               {40, both(ok, scored(0, agent.Timeout)), false, gates.Failed, "shown to be worse"},
		"35 tasks are too few to be as good": {35, both(ok, ok), false, gates.Flagged, "is not ruled out"},
		"36 are enough":                      {36, both(ok, ok), false, gates.Passed, "ruled out"},
		"five tasks show no loss":            {5, both(ok, scored(0, agent.OK)), false, gates.Flagged, "at least 6"},
		"six do":                             {6, both(ok, scored(0, agent.OK)), false, gates.Failed, "shown to be worse"},
		"the budget ended":                   {40, both(ok, ok), true, gates.NotRun, "the budget was used up before the comparison was complete: 40 of 40"},
	} {
		found := tried{planned: c.tasks, short: c.short}
		for i := range c.tasks {
			found.take(&bench.Task{ID: fmt.Sprint(i)}, c.each)
		}
		if verdict, evidence := found.judge(); verdict != c.verdict || !strings.Contains(evidence, c.says) {
			t.Errorf("%s: %s: %s\nwant %s: %s", name, verdict, evidence, c.verdict, c.says)
		}
	}
}

// TestDrawn checks that the number of tasks is bounded and that the tree determines the
// draw.
func TestDrawn(t *testing.T) {
	var tasks []*bench.Task
	for i := range 30 {
		tasks = append(tasks, &bench.Task{ID: fmt.Sprint(i)})
	}
	names := func(tree string, n int) string {
		var out []string
		for _, t := range drawn(tasks, n, tree) {
			out = append(out, t.ID)
		}
		return strings.Join(out, " ")
	}
	first, again := names("a", 8), names("a", 8)
	if first != again || first == names("b", 8) || len(drawn(tasks, 8, "a")) != 8 || len(drawn(tasks, 99, "a")) != 30 {
		t.Errorf("drew %s, then %s, and %s of another", first, again, names("b", 8))
	}
	if tasks[0].ID != "0" || tasks[29].ID != "29" {
		t.Error("the tasks of the agent were put in another order")
	}
}
