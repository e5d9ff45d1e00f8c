package batch

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/evidence"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/agent"
)

// cron simulates a workspace with a run every night, on a clock that advances by a day each
// time, and an operator who looks at the results in the morning.
type cron struct {
	t         *testing.T
	store     *archive.Archive
	space     *workspace.Workspace
	now       time.Time
	budget    int
	answers   inProcess
	results   []archive.AgentResult
	proposals int
	before    map[string]agent.Config // the champion before an adoption
}

// newCron returns a cron whose agent's true chance of success depends on two numbers and a
// choice.
func newCron(t *testing.T) *cron {
	t.Helper()
	c := &cron{
		t: t, store: diskArchive(t), space: toyWorkspace(t, 48), now: time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC), budget: 320,
		before: map[string]agent.Config{},
	}
	a := &c.space.Agents[0]
	a.UsesSeed = true
	a.Space = agent.Space{Params: []agent.Param{
		{Name: "reach", Kind: agent.Float, Min: 0, Max: 1, Default: .1},
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "tree"}, Default: "none"},
		{Name: "idle", Kind: agent.Float, Min: 0, Max: 1, Default: .5},
	}}
	a.Known, a.Champion = a.Space, a.Space.Default()
	c.answers = func(ctx context.Context, req agent.Request) agent.Result {
		config := req.Config.Clone()
		config["chance"] = skill(config)
		req.Config = config
		return coin(ctx, req)
	}
	return c
}

// skill is the true chance of success of a config: .3 for the default, and .9 at best.
func skill(c agent.Config) float64 {
	s := .9 - .6*math.Abs(c.Float("reach", 0)-.7)
	if c.String("planner") != "tree" {
		s -= .24
	}
	return max(.05, s)
}

// propose records a night's proposal and supersedes the waiting one, as package review
// does.
func (c *cron) propose(ctx context.Context, a *workspace.Agent, d review.Draft) (archive.ProposalRecord, error) {
	c.t.Helper()
	old := c.awaiting()
	p, err := c.store.NewProposal(ctx, archive.ProposalRecord{
		Kind: archive.KindConfig, State: archive.Awaiting, Agent: a.ID, Run: d.Run, Variant: d.Variant.ID, Champion: a.Champion.ID(),
		Title: "a variant", Base: workspace.BaseOf(a, c.space.Suites), Created: c.now,
	})
	for _, o := range old {
		o.State = archive.Superseded
		if err := c.store.PutProposal(ctx, o); err != nil {
			return p, err
		}
	}
	return p, err
}

func (c *cron) awaiting() []archive.ProposalRecord {
	c.t.Helper()
	return slices.DeleteFunc(listed(c.t, c.store.Proposals(c.t.Context())), func(p archive.ProposalRecord) bool { return !p.AwaitsConfig() })
}

// night runs one night and checks the beginning of its report.
func (c *cron) night() {
	c.t.Helper()
	waited := c.awaiting()
	o := toyOptions(c.space, c.store, c.answers, c.budget)
	o.Now, o.Propose = func() time.Time { return c.now }, c.propose
	if _, err := Run(c.t.Context(), o); err != nil {
		c.t.Fatal(err)
	}
	run, err := c.store.Run(c.t.Context(), "")
	if err != nil {
		c.t.Fatal(err)
	}
	result, err := c.store.Result(c.t.Context(), run.ID, "toy")
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := evidence.Check(c.t.Context(), c.store, result); err != nil {
		c.t.Errorf("computed again: %v", err)
	}
	c.results = append(c.results, result)
	c.report(waited, result)
	c.now = c.now.AddDate(0, 0, 1)
}

// report checks that the report begins with the proposals that waited before the night
// and still wait.
func (c *cron) report(waited []archive.ProposalRecord, result archive.AgentResult) {
	c.t.Helper()
	r, err := model.Build(c.t.Context(), c.store, result.Run)
	if err != nil {
		c.t.Fatal(err)
	}
	still := c.awaiting()
	for render, write := range map[string]func(*strings.Builder) error{
		"box": func(b *strings.Builder) error { return render.Box(b, r, render.TerminalOptions{Width: 120}) },
		"terminal": func(b *strings.Builder) error {
			return render.Terminal(b, r, render.TerminalOptions{Width: 120})
		},
		"markdown": func(b *strings.Builder) error { return render.Markdown(b, r) },
		"page":     func(b *strings.Builder) error { return render.HTML(b, r) },
		"json":     func(b *strings.Builder) error { return render.JSON(b, r) },
	} {
		if len(c.results)%10 != 1 && (render == "page" || render == "terminal") {
			continue // these are slow
		}
		var b strings.Builder
		if err := write(&b); err != nil {
			c.t.Fatal(err)
		}
		for _, p := range waited {
			waits := slices.ContainsFunc(still, func(s archive.ProposalRecord) bool { return s.ID == p.ID })
			days := int(c.now.Sub(p.Created).Hours() / 24)
			words := fmt.Sprintf("%s has waited %d day", p.ID, days)
			switch text := b.String(); {
			case render == "json":
				if waits != strings.Contains(text, `"days": `+fmt.Sprint(days)) {
					c.t.Fatalf("run %s as JSON does not tell whether %s waits", result.Run, p.ID)
				}
			case waits != strings.Contains(text, words):
				c.t.Fatalf("run %s as %s: %q is %v, and should be %v:\n%s", result.Run, render, words, !waits, waits, text[:min(len(text), 600)])
			case waits && (render == "box" || render == "terminal" || render == "markdown") && !strings.HasPrefix(strings.TrimLeft(text, "*_> "), words):
				c.t.Fatalf("run %s as %s begins with %q", result.Run, render, text[:min(len(text), 80)])
			case waits && !strings.Contains(text, "evolve approve "+p.ID):
				c.t.Fatalf("run %s as %s does not tell how to approve %s", result.Run, render, p.ID)
			}
		}
	}
	if len(still) > 0 && still[0].Run != result.Run && result.Verdict != archive.Waits {
		c.t.Errorf("run %s says %s while %s waits: %s", result.Run, result.Verdict, still[0].ID, result.Reason)
	}
}

// decide records a person's decision on a proposal.
func (c *cron) decide(p archive.ProposalRecord, action string, state archive.ProposalState) {
	c.t.Helper()
	d := archive.DecisionRecord{Proposal: p.ID, Action: action, By: "ada <ada@example.org>", Reason: "as the test wants it", Time: c.now}
	p.State, p.Decision = state, &archive.DecisionBrief{Action: action, By: d.By, Reason: d.Reason, Time: d.Time}
	if err := c.store.Decide(c.t.Context(), d, p); err != nil {
		c.t.Fatal(err)
	}
	a := &c.space.Agents[0]
	switch state {
	case archive.Adopted:
		v, err := c.store.Variant(c.t.Context(), "toy", p.Variant)
		if err != nil {
			c.t.Fatal(err)
		}
		c.before[p.ID], a.Champion = a.Champion, v.Config
	case archive.RolledBack:
		a.Champion = c.before[p.ID]
	}
}

// config returns the config of a proposal's variant.
func (c *cron) config(p archive.ProposalRecord) agent.Config {
	c.t.Helper()
	v, err := c.store.Variant(c.t.Context(), "toy", p.Variant)
	if err != nil {
		c.t.Fatal(err)
	}
	return v.Config
}

// noReturn checks that no near-twin of a config that a person refused was proposed or
// measured later.
func (c *cron) noReturn() {
	c.t.Helper()
	space := c.space.Agents[0].Space
	all := listed(c.t, c.store.Proposals(c.t.Context()))
	for _, p := range all {
		if p.State != archive.Rejected && p.State != archive.RolledBack {
			continue
		}
		for _, e := range c.entries() {
			v, err := c.store.Variant(c.t.Context(), "toy", e.Variant)
			if err != nil {
				c.t.Fatal(err)
			}
			if why, twins := space.Twins(c.config(p), v.Config, agent.TwinShare); twins && e.Time.After(p.Decision.Time) {
				c.t.Errorf("%s was refused on %s, and a variant entered on %s: %s", p.ID, p.Decision.Time, e.Time, why)
			}
		}
	}
}

// nights runs the given number of nights, with an operator who is shown the waiting
// proposals each morning.
func (c *cron) nights(days int, operator func(day int, waits []archive.ProposalRecord)) {
	c.t.Helper()
	for day := range days {
		c.night()
		operator(day, c.awaiting())
	}
	entries, most := c.entries(), 0
	for i, e := range entries {
		inMonth := 0
		for _, o := range entries[:i+1] {
			if e.Time.Sub(o.Time) < 30*24*time.Hour {
				inMonth++
			}
		}
		most = max(most, inMonth)
	}
	verdicts := map[archive.Verdict]int{}
	for _, r := range c.results {
		verdicts[r.Verdict]++
		if strings.Contains(r.Reason, "days are used") {
			c.t.Errorf("run %s: %s", r.Run, r.Reason)
		}
	}
	c.proposals = len(listed(c.t, c.store.Proposals(c.t.Context())))
	c.t.Logf("%d nights: %d proposals, %d entries, at most %d in a month, champion truly %.2f, verdicts %v",
		days, c.proposals, len(entries), most, skill(c.space.Agents[0].Champion), verdicts)
	c.noReturn()
}

// TestNoAnswers checks that without answers one proposal always waits, and that a proposal
// that supersedes it is better.
func TestNoAnswers(t *testing.T) {
	whole(t)
	t.Parallel()
	c := newCron(t)
	c.nights(40, func(int, []archive.ProposalRecord) {})
	all := listed(t, c.store.Proposals(t.Context()))
	if len(all) == 0 || len(all) > 2 {
		t.Errorf("%d proposals", len(all))
	}
	for i := 1; i < len(all); i++ {
		if was, is := skill(c.config(all[i-1])), skill(c.config(all[i])); is <= was {
			t.Errorf("%s is worth %.3f and took the place of %s, worth %.3f", all[i].ID, is, all[i-1].ID, was)
		}
	}
	if n := len(c.entries()); n > 8 {
		t.Errorf("%d entries were used while no person answered", n)
	}
}

// TestASlowOperator approves a proposal after ten days and checks that another proposal is
// offered only once it is better.
func TestASlowOperator(t *testing.T) {
	whole(t)
	t.Parallel()
	c := newCron(t)
	start := skill(c.space.Agents[0].Champion)
	c.nights(60, func(_ int, waits []archive.ProposalRecord) {
		for _, p := range waits {
			if c.now.Sub(p.Created) >= 10*24*time.Hour {
				c.decide(p, "approve", archive.Adopted)
			}
		}
	})
	if end := skill(c.space.Agents[0].Champion); end < start+.2 {
		t.Errorf("the champion is worth %.2f after %.2f", end, start)
	}
}

// TestOneWhoRejects checks that a rejected variant stays out, as do variants that differ
// from it only by changes without effect.
func TestOneWhoRejects(t *testing.T) {
	whole(t)
	t.Parallel()
	c := newCron(t)
	start := skill(c.space.Agents[0].Champion)
	c.nights(40, func(_ int, waits []archive.ProposalRecord) {
		for _, p := range waits {
			c.decide(p, "reject", archive.Rejected)
		}
	})
	if end := skill(c.space.Agents[0].Champion); end != start {
		t.Errorf("the champion is worth %.2f after %.2f", end, start)
	}
	if c.proposals == 0 || !slices.ContainsFunc(c.results, func(r archive.AgentResult) bool { return len(r.LeftOut) > 0 }) {
		t.Errorf("%d proposals, and nothing was left out", c.proposals)
	}
}

// TestOneWhoRollsBack checks that an adopted variant does not return after it was rolled
// back.
func TestOneWhoRollsBack(t *testing.T) {
	whole(t)
	t.Parallel()
	c := newCron(t)
	c.nights(30, func(_ int, waits []archive.ProposalRecord) {
		for _, p := range listed(t, c.store.Proposals(t.Context())) {
			if p.State == archive.Adopted && c.now.Sub(p.Created) >= 3*24*time.Hour {
				c.decide(p, "rollback", archive.RolledBack)
			}
		}
		for _, p := range waits {
			c.decide(p, "approve", archive.Adopted)
		}
	})
	if c.proposals == 0 {
		t.Error("nothing was ever proposed")
	}
}

// entries returns all candidates that entered the confirmation.
func (c *cron) entries() []archive.Candidate {
	c.t.Helper()
	return listed(c.t, c.store.Candidates(c.t.Context(), "toy"))
}

func listed[T any](t *testing.T, seq func(func(T, error) bool)) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// coin is an agent that succeeds with the chance given in its config, independently in
// every evaluation.
func coin(_ context.Context, req agent.Request) agent.Result {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, req.Seed, "t"+string(req.Task.Input), req.Config.ID())
	x := h.Sum64() // mix, so that the last bytes affect the first bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	answer := "no"
	if float64(x>>11)/(1<<53) < req.Config.Float("chance", 0) {
		answer = "yes"
	}
	return agent.Result{Answer: &answer, Outcome: agent.OK}
}
