package watch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Store holds the records of nights.
type Store interface {
	Runs(ctx context.Context) iter.Seq2[archive.Run, error]
	Plan(ctx context.Context, run, agentID string) (archive.AgentPlan, error)
	Result(ctx context.Context, run, agentID string) (archive.AgentResult, error)
	Evaluations(ctx context.Context, run, agentID string) iter.Seq2[bench.Evaluation, error]
	Proposals(ctx context.Context) iter.Seq2[archive.ProposalRecord, error]
	Variant(ctx context.Context, agentID string, id agent.ConfigID) (archive.Variant, error)
	Ledger(ctx context.Context, from int64) iter.Seq2[archive.LedgerEntry, error]
}

// mostNights is the maximum number of nights in a history: those in which a fall is
// searched for, and some from before an adoption.
const mostNights = stats.WatchNights + 10

// night is one night with the config that was active in it.
type night struct {
	run, binary string
	started     time.Time
	identity
	suite string
	// commit is the commit of the workspace, and code is the commit of the target whose
	// code is searched.
	commit, code string
	// models identifies everything outside the agent's folder that affects its answers; it
	// is empty if an older version of evolve recorded the night.
	models string
	// learned identifies the experience from the agent's live turns, without people's
	// feedback; it is empty if the agent reads no such experience or if an older version of
	// evolve recorded the night.
	learned string
	scores  stats.NightScores
	// beside holds the scores that the replaced config got in the same night.
	replaced agent.ConfigID
	beside   stats.NightScores
	// digests holds the digests of the tasks, keyed by task id; it is empty if an older
	// version of evolve recorded the night.
	digests map[string]string
	// adopted is the night's comparison for the latest adoption; it is nil if there is
	// none.
	adopted *archive.AdoptedWatch
}

// identity holds everything on which an agent's answers depend and that a person can
// change.
type identity struct {
	config agent.ConfigID
	hash   string
	// given identifies the other input from people, such as feedback; see [given].
	given string
}

// changed reports whether the agent in a night differs from the agent in an earlier night.
func (n night) changed(earlier night) bool {
	return n.identity != earlier.identity || n.otherModels(earlier)
}

// otherModels reports whether models, tool servers or policies differ from those of an
// earlier night.
func (n night) otherModels(earlier night) bool {
	return n.models != "" && earlier.models != "" && n.models != earlier.models
}

// history returns the agent's latest nights before the run with the given number
// (before), earliest first and no more than the given limit (most). Each night includes
// the effects of people's actions (deeds) that were in force at the time.
func history(ctx context.Context, store Store, agentID string, before, most int, all []deed) ([]night, error) {
	var out []night
	for r, err := range store.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading earlier nights: %w", err)
		}
		if r.Number >= before || !slices.Contains(r.Agents, agentID) {
			continue
		}
		p, err := store.Plan(ctx, r.ID, agentID)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading earlier nights: %w", err)
		}
		n, err := nightOf(ctx, store, r, p)
		if err != nil {
			return nil, err
		}
		n.given = given(all, n.started)
		if out = append(out, n); len(out) == most {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// nightOf returns the night of a run, with its stored scores or, if an older version of
// evolve ran the night, the scores from its evaluations.
func nightOf(ctx context.Context, store Store, r archive.Run, p archive.AgentPlan) (night, error) {
	n := night{run: r.ID, binary: r.Binary, started: r.Started, identity: identity{config: p.Champion, hash: p.AgentHash}, suite: p.SuiteHash, commit: p.Commit, code: p.CodeCommit, replaced: p.Replaced, scores: stats.NightScores{}, beside: stats.NightScores{}, digests: map[string]string{}}
	res, err := store.Result(ctx, r.ID, p.Agent)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return n, fmt.Errorf("reading earlier nights: %w", err)
	}
	if res.Watch != nil {
		n.models, n.learned, n.adopted = res.Watch.Models, res.Watch.Learned, res.Watch.Adopted
		for _, t := range res.Watch.Replaced {
			n.beside[t.Task], n.digests[t.Task] = t.Scores, t.Digest
		}
		for _, t := range res.Watch.Scores {
			n.scores[t.Task], n.digests[t.Task] = t.Scores, t.Digest
		}
		return n, nil
	}
	fixed := p.Fixed()
	for e, err := range store.Evaluations(ctx, r.ID, p.Agent) {
		if err != nil {
			return n, fmt.Errorf("reading earlier nights: %w", err)
		}
		if e.Split != bench.Search || !e.Scored {
			continue
		}
		switch {
		case e.Variant != p.Champion:
			if e.Variant == p.Replaced && e.Stage == bench.StageAA {
				n.beside[e.Task] = append(n.beside[e.Task], e.Score)
			}
		case fixed:
			n.scores[e.Task] = []float64{e.Score}
		case e.Stage == bench.StageAA:
			n.scores[e.Task] = append(n.scores[e.Task], e.Score)
		}
	}
	return n, nil
}

// stored returns scores in the form that the archive stores, in the order of their tasks.
func stored(scores stats.NightScores, digests map[string]string) []archive.TaskScores {
	var out []archive.TaskScores
	for _, task := range slices.Sorted(maps.Keys(scores)) {
		out = append(out, archive.TaskScores{Task: task, Digest: digests[task], Scores: scores[task]})
	}
	return out
}

// share gives each night of an agent without randomness all scores that are known for the
// agent's identity in that night.
func share(nights []night) {
	known := map[identity]stats.NightScores{}
	for _, n := range nights {
		if known[n.identity] == nil {
			known[n.identity] = stats.NightScores{}
		}
		maps.Copy(known[n.identity], n.scores)
	}
	for i := range nights {
		nights[i].scores = known[nights[i].identity]
	}
}

// settled leaves out the nights with a change that was later reverted. If a later night has
// the same agent and config as an earlier night, the nights between them are left out, and
// no effect can be attributed to the later night.
func settled(nights []night) []night {
	var out []night
	for _, n := range nights {
		if last := len(out) - 1; last >= 0 && out[last].identity != n.identity {
			for i := last - 1; i >= 0; i-- {
				if out[i].identity == n.identity {
					out = out[:i+1]
					break
				}
			}
		}
		out = append(out, n)
	}
	return out
}

// comparable returns the nights without the scores on tasks that have changed since. A
// night keeps all its scores if its suites are those of the last night, and otherwise the
// scores on tasks whose digest is the same as now.
func comparable(nights []night, digests map[string]string) []night {
	suite := nights[len(nights)-1].suite
	out := slices.Clone(nights)
	for i, n := range out {
		if n.suite != suite {
			other := func(task string, _ []float64) bool { return !n.same(task, digests) }
			out[i].scores, out[i].beside = maps.Clone(n.scores), maps.Clone(n.beside)
			maps.DeleteFunc(out[i].scores, other)
			maps.DeleteFunc(out[i].beside, other)
		}
	}
	return out
}

// same reports whether a task was the same in a night as it is now.
func (n night) same(task string, digests map[string]string) bool {
	return n.digests[task] != "" && n.digests[task] == digests[task]
}

// measured returns the nights that have scores.
func measured(nights []night) []night {
	return slices.DeleteFunc(slices.Clone(nights), func(n night) bool { return len(n.scores) == 0 })
}

func scoresOf(nights []night) []stats.NightScores {
	out := make([]stats.NightScores, len(nights))
	for i, n := range nights {
		out[i] = n.scores
	}
	return out
}

// Tasks returns the search tasks, sorted, on which an agent without randomness is to be
// measured again before the run with the given number. These are the tasks that have a
// score for a previously active config or agent, but none for the present one. The result
// is empty if nothing has changed since the night before. It is also empty for other
// agents, because their champion is rerun every night. digests holds the digests of the
// present search tasks, and began is the time at which the run began or begins.
func Tasks(ctx context.Context, store Store, plan archive.AgentPlan, number int, digests map[string]string, began time.Time) ([]string, error) {
	if !plan.Deterministic || plan.UsesSeed {
		return nil, nil
	}
	all, err := deeds(ctx, store, plan.Agent, nil)
	if err != nil {
		return nil, err
	}
	active := identity{plan.Champion, plan.AgentHash, given(all, began)}
	last, err := history(ctx, store, plan.Agent, number, 1, all)
	if err != nil || len(last) == 0 || last[0].identity == active {
		return nil, err
	}
	nights, err := history(ctx, store, plan.Agent, number, mostNights, all)
	if err != nil {
		return nil, err
	}
	known, missing := map[string]bool{}, map[string]bool{}
	for _, n := range nights {
		for task := range n.scores {
			switch {
			case n.suite != plan.SuiteHash && !n.same(task, digests):
			case n.identity == active:
				known[task] = true
			default:
				missing[task] = true
			}
		}
	}
	maps.DeleteFunc(missing, func(task string, _ bool) bool { return known[task] })
	return slices.Sorted(maps.Keys(missing)), nil
}

// Panel returns how many earlier nights have scores of the active config on each search
// task in its present form. With these numbers, the run can measure the same tasks.
// Earlier nights are those before the run with the given number. The result is empty for
// agents without randomness; see [Tasks].
func Panel(ctx context.Context, store Store, plan archive.AgentPlan, number int, digests map[string]string) (map[string]int, error) {
	if plan.Fixed() {
		return nil, nil
	}
	nights, err := history(ctx, store, plan.Agent, number, mostNights, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, n := range comparable(append(nights, night{suite: plan.SuiteHash}), digests) {
		for task := range n.scores {
			out[task]++
		}
	}
	return out, nil
}
