package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night"
)

// nights runs the nights of the agents, and returns their results in the order of the
// agents, with the error that ended the run. Agents run side by side; see [runner.seats].
// Each agent has an equal share of the run's limits and makes its proposals after those of
// the agents before it, so neither the agent's findings nor the proposals' numbers depend
// on which agent is faster. The agents share the evaluation slots, so some agents can use
// slots that are idle while others wait for a model or for their last evaluations. Once an
// error of one agent ends the run, the nights under way continue to their end, and no other
// night begins.
func (r *runner) nights(ctx context.Context) ([]archive.AgentResult, error) {
	results := make([]archive.AgentResult, len(r.agents))
	var todo []int
	for i := range r.agents {
		earlier, err := r.finished(ctx, i)
		if err != nil {
			return made(results), err
		}
		if earlier != nil {
			results[i] = *earlier
			continue
		}
		todo = append(todo, i)
	}
	if len(todo) > 0 && r.o.Began != nil {
		r.o.Began(r.run.ID)
	}
	money, err := r.money(ctx, todo)
	if err != nil {
		return made(results), err
	}
	outs, errs := make([]night.Outcome, len(r.agents)), make([]error, len(r.agents))
	var ended atomic.Bool
	var began []seat
	over := make([]chan struct{}, len(r.agents)) // each channel is closed at the end of its agent's night
	workers := pool.New().WithMaxGoroutines(r.most(todo))
	for _, s := range r.seats(todo) {
		if r.alone(s.agent) {
			workers.Wait()
			workers = pool.New().WithMaxGoroutines(1)
		}
		before, done := slices.Clone(began), make(chan struct{})
		began, over[s.agent] = append(began, s), done
		turn := func() error {
			for _, b := range before {
				if <-over[b.agent]; errors.Is(errs[b.agent], night.ErrInterrupted) {
					return night.ErrInterrupted
				}
			}
			return nil
		}
		workers.Go(func() {
			defer close(done)
			if ended.Load() {
				return
			}
			i := s.agent
			outs[i], errs[i] = r.work(ctx, s, money[i], turn)
			errs[i] = cut(ctx, errs[i])
			if errs[i] != nil && !errors.As(errs[i], new(*bench.SpentError)) { // other agents may not need the limit that was used up
				ended.Store(true)
			}
		})
	}
	workers.Wait()
	slices.SortFunc(r.run.Limits, func(a, b archive.AgentLimit) int {
		return slices.Index(r.run.Agents, a.Agent) - slices.Index(r.run.Agents, b.Agent)
	})
	return r.conclude(ctx, todo, results, outs, errs)
}

// conclude compares the agents worked on in this run with their earlier nights. It returns
// the results of all agents and the error that ended the run; an interrupt takes precedence
// over other errors.
func (r *runner) conclude(ctx context.Context, todo []int, results []archive.AgentResult, outs []night.Outcome, errs []error) ([]archive.AgentResult, error) {
	var first error
	var spent *bench.SpentError
	for _, i := range todo {
		results[i] = outs[i].Result
		if r.blocking == "" {
			r.blocking = outs[i].Blocking
		}
		err := errs[i]
		if results[i].Agent != "" {
			err = errors.Join(err, cut(ctx, r.watch(ctx, i, &results[i])))
		}
		switch {
		case errors.As(err, &spent):
			if results[i].Verdict == archive.Undecided && r.run.Spent == "" {
				r.run.Spent = spent.Policy
			}
		case err != nil && (first == nil || errors.Is(err, night.ErrInterrupted)):
			first = err
		}
	}
	return made(results), first
}

// cut returns [night.ErrInterrupted] for an error caused by the end of ctx, whatever work
// was under way. Such an error may name a record that the archive could not write, but the
// archive is not broken.
func cut(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return night.ErrInterrupted
	}
	return err
}

// made returns list without the entries of agents that have no result yet.
func made(list []archive.AgentResult) []archive.AgentResult {
	return slices.DeleteFunc(list, func(r archive.AgentResult) bool { return r.Agent == "" })
}

// work runs the night of an agent. usd is the amount of money that the night may spend; 0
// means no limit. Before making a proposal it calls turn, which waits for the nights of
// the agents before this one. turn fails once one of those nights was interrupted,
// because the resumed run then makes the proposals, in the same order.
func (r *runner) work(ctx context.Context, at seat, usd float64, turn func() error) (night.Outcome, error) {
	a, s := r.agents[at.agent], r.specs[at.agent]
	r.plans[at.agent].Searched = r.unrecorded[at.agent] // not part of the run's identity
	s.Share, s.Slots, s.Beside = r.share(at, usd), r.slots, at.beside
	s.Run, s.Running, s.Budget, s.Scratch = &r.run, &r.recording, r.budget.Part(s.Share.USD, s.Share.Till), filepath.Join(r.scratch(), a.ID)
	s.Open = func(ctx context.Context, scratch string) (night.Opened, error) {
		r.opening.Lock()
		defer r.opening.Unlock()
		opened, err := r.open(ctx, a, scratch)
		if done := opened.Close; err == nil {
			opened.Close = func() error {
				r.opening.Lock()
				defer r.opening.Unlock()
				return done()
			}
		}
		return opened, err
	}
	s.Propose = func(ctx context.Context, d night.Draft) (night.Proposed, error) {
		if err := turn(); err != nil {
			return night.Proposed{}, err
		}
		return r.propose(ctx, a, d)
	}
	if p := r.o.Code.Found[a.ID]; p != nil {
		s.NewSearch = p.Search
	}
	return night.Run(ctx, s)
}

// share returns an agent's share at the beginning of its night: the planned evaluations,
// usd in money, and its part of the remaining time.
func (r *runner) share(at seat, usd float64) night.Share {
	s := night.Share{USD: usd}
	if total := r.run.BudgetEval; total > 0 {
		s.Evaluations = shareOf(total, len(r.agents), at.agent)
	}
	if !r.stop.IsZero() {
		now := r.o.Now()
		s.Till, s.Due = now.Add(r.stop.Sub(now)/time.Duration(at.rounds)), r.byDeadline
	}
	return s
}

// money returns the money that each agent in todo may spend, by agent index: an equal part
// of the run's money, minus the cost of the agent's evaluations before the run was resumed.
// The sum does not exceed the remaining money.
func (r *runner) money(ctx context.Context, todo []int) (map[int]float64, error) {
	out := map[int]float64{}
	if r.o.Budget.USD <= 0 {
		return out, nil
	}
	total, all := r.o.Budget.USD*(1-r.sharedAfter()), 0.
	for _, i := range todo {
		out[i] = total / float64(len(r.agents))
		if r.run.Resumed > 0 {
			for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, r.agents[i].ID) {
				if err != nil {
					return nil, fmt.Errorf("adding up the spending of the run: %w", err)
				}
				if !e.Cached {
					out[i] -= e.Paid()
				}
			}
		}
		out[i] = max(0, out[i])
		all += out[i]
	}
	left := max(0, total-r.budget.Spent())
	for i := range out {
		if all > left {
			out[i] *= left / all
		}
		out[i] = max(math.SmallestNonzeroFloat64, out[i]) // 0 is no limit
	}
	return out, nil
}
