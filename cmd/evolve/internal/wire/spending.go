package wire

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// consumption is the usage of one agent.
type consumption struct {
	// calls is the number of calls to models, and tasks is the number of evaluations and
	// turns.
	calls, tokens, tasks int64
	usd                  float64
	tools                map[string]int64
}

// spending holds the usage of the agents, by id. lost is the usage of work that was cut off
// when a process was killed; the only record of it is the money that its run spent.
type spending struct {
	agents map[string]*consumption
	lost   consumption
}

func newSpending() *spending { return &spending{agents: map[string]*consumption{}} }

func (s *spending) of(agentID string) *consumption {
	c := s.agents[agentID]
	if c == nil {
		c = &consumption{}
		s.agents[agentID] = c
	}
	return c
}

// plus adds another consumption.
func (c *consumption) plus(o consumption) {
	c.calls += o.calls
	c.tokens += o.tokens
	c.tasks += o.tasks
	c.usd += o.usd
	for name, n := range o.tools {
		if c.tools == nil {
			c.tools = map[string]int64{}
		}
		c.tools[name] += n
	}
}

// share returns the consumption multiplied by factor, with each count rounded up.
func (c consumption) share(factor float64) consumption {
	of := func(n int64) int64 { return int64(math.Ceil(float64(n)*factor - 1e-9)) }
	out := consumption{calls: of(c.calls), tokens: of(c.tokens), tasks: of(c.tasks), usd: c.usd * factor, tools: map[string]int64{}}
	for name, n := range c.tools {
		out.tools[name] = of(n)
	}
	return out
}

// used returns the consumption of the given number of tasks. If their transcript has more
// conversation turns than that number, each turn counts as one task, because it is a
// separate call.
func used(u agent.Usage, t agent.Transcript, tasks int64) consumption {
	turns := int64(0)
	for _, e := range t.Events {
		if e.Kind == agent.EventAnswer {
			turns++
		}
	}
	tasks = max(tasks, turns)
	c := consumption{calls: int64(u.Iterations), tokens: u.InputTokens + u.OutputTokens, tasks: tasks, usd: u.CostUSD, tools: map[string]int64{}}
	for _, name := range t.Tools() {
		c.tools[name]++
	}
	return c
}

// usage returns the part of the consumption that counts towards the budgets of a tool, a
// provider or an agent's role. Every provider is charged with the money and tokens of all
// models.
func (c consumption) usage(kind policy.Kind, name string) policy.Usage {
	switch kind {
	case policy.Tool:
		return policy.Usage{Calls: c.tools[name]}
	case policy.Agent:
		return policy.Usage{Calls: c.tasks, Tokens: c.tokens, USD: c.usd}
	}
	return policy.Usage{Calls: c.calls, Tokens: c.tokens, USD: c.usd}
}

// total returns the consumption of all agents, including the work that was cut off.
func (s *spending) total() consumption {
	var all consumption
	for _, c := range s.agents {
		all.plus(*c)
	}
	all.plus(s.lost)
	return all
}

// by returns the consumption of an agent. It includes the work that was cut off, because
// this work may have been the agent's.
func (s *spending) by(agentID string) consumption {
	var c consumption
	if own := s.agents[agentID]; own != nil {
		c.plus(*own)
	}
	c.plus(s.lost)
	return c
}

// usage returns the amount that counts towards the budgets of a tool, a provider or an
// agent's role.
func (s *spending) usage(kind policy.Kind, name string) policy.Usage {
	if kind == policy.Agent {
		return s.by(name).usage(kind, name)
	}
	return s.total().usage(kind, name)
}

// cutOff adds that part of a run's work that was cut off when a process was killed, and
// of which there is no record. paid is the money in the run's account, and whole is the
// sum of the run's records; the difference is the money that the lost work cost. The
// calls and tokens of that work are unknown, and are assumed to be in proportion to the
// money.
func (s *spending) cutOff(paid float64, whole *spending) {
	all := whole.total()
	rest := paid - all.usd
	switch {
	case rest <= 1e-9*paid: // a rounding error
	case all.usd > 0:
		s.lost.plus(all.share(rest / all.usd))
	default:
		s.lost.plus(consumption{calls: 1, tasks: 1, usd: rest})
	}
}

// spentToday returns a function that reports the usage since midnight UTC, for the daily
// budgets of the policies. It returns nil if no policy has a daily budget. It reads the
// archive once. Usage is recorded for each evaluation and turn, not for each provider, so
// every provider is charged with all of the day's money and tokens. Therefore a budget is
// never overrun, but it may be used up too early if there are several providers.
func (h *Host) spentToday(w *workspace.Workspace) func(policy.Kind, string) policy.Usage {
	if !budgeted(w.Settings.Policies, func(s policy.Settings) bool { return s.PerDay != (policy.Budget{}) }) {
		return nil
	}
	read := sync.OnceValue(func() *spending { return h.spending(w.Root) })
	return func(kind policy.Kind, name string) policy.Usage { return read().usage(kind, name) }
}

// spentByRun reads the spending of the latest run in an archive, and returns a function
// that reports this spending, for the run budgets of a run that resumes the latest run.
// Call spentByRun before the resuming run begins, when this process has not reserved any
// money in the account yet. It returns nil if no policy has a run budget.
func (f *AgentFactory) spentByRun(store *archive.Archive) func(policy.Kind, string) (policy.Usage, map[string]policy.Usage) {
	bounded := func(s policy.Settings) bool {
		return s.PerRun != (policy.Budget{}) || s.PerAgent != (policy.Budget{})
	}
	ctx := f.host.Ctx
	latest, err := store.Run(ctx, "")
	if err != nil || latest.State == archive.RunDone || !budgeted(f.workspace.Settings.Policies, bounded) {
		return nil
	}
	s := runSpending(ctx, store, latest, notesOf(ctx, store), time.Time{})
	return func(kind policy.Kind, name string) (policy.Usage, map[string]policy.Usage) {
		if now, err := store.Run(ctx, ""); err != nil || now.ID != latest.ID || now.Resumed == 0 {
			return policy.Usage{}, nil // another run
		}
		agents := map[string]policy.Usage{}
		for _, id := range latest.Agents {
			agents[id] = s.by(id).usage(kind, name)
		}
		return s.usage(kind, name), agents
	}
}

// budgeted reports whether any layer of the policies has a budget, according to the
// function has.
func budgeted(b policy.Book, has func(policy.Settings) bool) bool {
	if has(b.Environment) {
		return true
	}
	for _, layers := range []map[string]policy.Settings{b.Origins, b.Roles, b.Tools, b.Providers} {
		for _, l := range layers {
			if has(l) {
				return true
			}
		}
	}
	return false
}

// spending sums up the evaluations, drafts and turns since midnight UTC. It includes the
// work that was cut off by a kill in runs that continued after midnight. It ignores errors
// from the archive, which the run itself reports.
func (h *Host) spending(root string) *spending {
	s := newSpending()
	store, err := archive.OpenRead(ArchiveDir(root))
	if err != nil {
		return s
	}
	defer func() { _ = store.Close() }()
	ctx, since := h.Ctx, h.Now().UTC().Truncate(24*time.Hour)
	notes := notesOf(ctx, store)
	known := map[string]bool{}
	for run, err := range store.Runs(ctx) {
		if err != nil {
			break
		}
		if !run.Ended.IsZero() && run.Ended.Before(since) {
			continue
		}
		known[run.ID] = true
		of := runSpending(ctx, store, run, notes, since)
		for id, c := range of.agents {
			s.of(id).plus(*c)
		}
		s.lost.plus(of.lost)
	}
	for _, n := range notes {
		if !known[n.run] && !n.at.Before(since) {
			s.of(n.agent).plus(n.used)
		}
	}
	for t, err := range store.Turns(ctx) {
		if err != nil {
			break
		}
		if t.Created.Before(since) {
			continue
		}
		if whole, err := store.Turn(ctx, t.ID); err == nil {
			t = whole
		}
		s.of(t.Agent).plus(used(t.Usage, t.Transcript, 1))
	}
	return s
}

// runSpending sums up the evaluations and notes of a run from a given time on. If the run
// continued after that time, runSpending also adds the work that a kill cut off.
func runSpending(ctx context.Context, store *archive.Archive, run archive.Run, notes []paidNote, since time.Time) *spending {
	s, whole := newSpending(), newSpending()
	last := run.Since
	add := func(agentID string, at time.Time, c consumption) {
		if at.After(last) {
			last = at
		}
		whole.of(agentID).plus(c)
		if !at.Before(since) {
			s.of(agentID).plus(c)
		}
	}
	dearest := 0.
	for _, id := range run.Agents {
		for e, err := range store.Evaluations(ctx, run.ID, id) {
			if err != nil {
				return s
			}
			if e.Cached {
				continue
			}
			t, err := store.Transcript(ctx, e.Key)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				t = agent.Transcript{}
			}
			dearest = max(dearest, e.Paid())
			add(id, e.Time, used(e.Usage.Plus(e.Judge), t, 1))
		}
	}
	for _, n := range notes {
		if n.run == run.ID {
			add(n.agent, n.at, n.used)
		}
	}
	paid, known, err := store.Paid(ctx, run)
	if err != nil || !known || run.Removed != nil || run.Ended.IsZero() && last.Before(since) {
		return s
	}
	if a, err := store.Account(ctx, run.ID); err == nil && run.Ended.IsZero() {
		paid += float64(a.Unknown) * dearest
	}
	s.cutOff(paid, whole)
	return s
}
