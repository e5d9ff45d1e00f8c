package archived

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/view"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// find returns a variant by the name that a person types.
func find(ctx context.Context, a *archive.Archive, agentID, name string) (archive.Variant, error) {
	v, err := a.FindVariant(ctx, agentID, name)
	if errors.Is(err, archive.ErrNotFound) || errors.Is(err, archive.ErrAmbiguous) {
		return v, fmt.Errorf("variant %s of agent %s: %w", text.Quote(name), text.Quote(agentID), view.ErrNotFound)
	}
	return v, err
}

// Variant is [view.Source.Variant].
func (s *Source) Variant(ctx context.Context, agentID, name string) (out view.Variant, err error) {
	err = s.look(func(a *archive.Archive) error {
		if out.Variant, err = find(ctx, a, agentID, name); err != nil {
			return err
		}
		for _, id := range out.Parents {
			if parent, err := a.Variant(ctx, agentID, id); err == nil {
				out.Origins = append(out.Origins, fmt.Sprintf("v%d", parent.Number))
			}
		}
		return s.estimates(ctx, a, &out)
	})
	if err != nil {
		return out, err
	}
	x, err := s.indexOf(ctx, agentID)
	if err != nil {
		return out, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	out.Unweighted = x.unweighted
	if i, ok := x.variantAt[out.ID]; ok {
		total := x.sumOf(x.cells(i))
		out.Row, out.SearchTasks, out.HoldoutTasks = x.rowOf(i, total, nil), total.searchTasks, total.holdoutTasks
	}
	return out, nil
}

// estimates adds the estimates that the agent's nights made for a variant, the latest
// first, and the name of the latest champion.
func (s *Source) estimates(ctx context.Context, a *archive.Archive, out *view.Variant) error {
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return err
		}
		if !slices.Contains(r.Agents, out.Agent) {
			continue
		}
		if plan, err := a.Plan(ctx, r.ID, out.Agent); err == nil && out.Champion == "" {
			if v, err := a.Variant(ctx, out.Agent, plan.Champion); err == nil {
				out.Champion = fmt.Sprintf("v%d", v.Number)
			}
		}
		result, err := a.Result(ctx, r.ID, out.Agent)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if e := estimateIn(result.Search, out.ID); e != nil {
			out.Estimates = append(out.Estimates, view.Estimate{Run: r.ID, Number: r.Number, Score: e.Score, Lo: e.Lo, Hi: e.Hi, Evaluations: e.Evaluations})
		}
	}
	return nil
}

// estimateIn finds the estimate of a variant among those that a search recorded; it returns
// nil if there is none.
func estimateIn(r archive.SearchResult, id agent.ConfigID) *archive.ScoredVariant {
	list := append([]archive.ScoredVariant{r.Champion, r.Recommended}, r.Front...)
	if r.Baseline != nil {
		list = append(list, *r.Baseline)
	}
	if i := slices.IndexFunc(list, func(v archive.ScoredVariant) bool { return v.Variant == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Comparison is [view.Source.Comparison].
func (s *Source) Comparison(ctx context.Context, agentID, one, two string) (out view.Comparison, err error) {
	err = s.look(func(a *archive.Archive) error {
		if out.A, err = find(ctx, a, agentID, one); err != nil {
			return err
		}
		if out.B, err = find(ctx, a, agentID, two); err != nil {
			return err
		}
		if out.A.ID != out.B.ID {
			out.Statement, err = s.Words.Comparison(ctx, a, out.A, out.B)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	x, err := s.indexOf(ctx, agentID)
	if err != nil {
		return out, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	ia, ok := x.variantAt[out.A.ID]
	ib, both := x.variantAt[out.B.ID]
	if !ok || !both {
		return out, nil
	}
	a := x.cells(ia)
	for _, b := range x.cells(ib) {
		if c := at(a, b.task); c.runs > 0 && b.runs > 0 {
			out.Tasks = append(out.Tasks, view.Pair{Task: x.tasks[b.task], A: c.shown(), B: b.shown()})
		}
	}
	slices.SortFunc(out.Tasks, func(p, q view.Pair) int {
		return cmp.Or(cmp.Compare(p.Difference(), q.Difference()), cmp.Compare(p.ID, q.ID))
	})
	return out, nil
}

// place is the location of the evaluations of a cell: their run, and their lowest and
// highest sequence numbers.
type place struct {
	run         string
	first, last int64
}

// Evaluations is [view.Source.Evaluations].
func (s *Source) Evaluations(ctx context.Context, agentID, name, task string) (list []view.Evaluation, err error) {
	x, err := s.indexOf(ctx, agentID)
	if err != nil {
		return nil, err
	}
	err = s.look(func(a *archive.Archive) error {
		v, err := find(ctx, a, agentID, name)
		if err != nil {
			return err
		}
		for _, p := range x.places(v.ID, task) {
			run, err := a.Run(ctx, p.run)
			if err != nil {
				return err
			}
			for e, err := range a.EvaluationsFrom(ctx, p.run, agentID, p.first) {
				if err != nil {
					return err
				}
				if e.Seq > p.last {
					break
				}
				if e.Variant == v.ID && e.Task == task && !e.Cached && e.Stage != bench.StageAA {
					list = append(list, view.Evaluation{Number: run.Number, Variant: fmt.Sprintf("v%d", v.Number), Record: e})
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b view.Evaluation) int { return cmp.Compare(b.Number, a.Number) })
	return list[:min(len(list), view.MaxRows)], err
}

// places returns the locations of a variant's evaluations on a task.
func (x *index) places(id agent.ConfigID, task string) (list []place) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, known := x.variantAt[id]
	t, there := x.taskAt[task]
	if !known || !there {
		return nil
	}
	for _, p := range x.parts {
		if int(i) >= len(p.rows) {
			continue
		}
		if c := at(p.rows[i].sorted(), t); c.runs+c.missing > 0 {
			list = append(list, place{p.run, c.first, c.last})
		}
	}
	return list
}

// Evaluation is [view.Source.Evaluation].
func (s *Source) Evaluation(ctx context.Context, agentID, run string, seq int64) (out view.Evaluation, err error) {
	err = s.look(func(a *archive.Archive) error {
		r, err := a.Run(ctx, run)
		if err != nil {
			return err
		}
		out.Number = r.Number
		found := false
		for e, err := range a.EvaluationsFrom(ctx, r.ID, agentID, seq) {
			if err != nil {
				return err
			}
			out.Record, found = e, e.Seq == seq
			break
		}
		if !found {
			return fmt.Errorf("evaluation %d of run %s: %w", seq, text.Quote(run), view.ErrNotFound)
		}
		if v, err := a.Variant(ctx, agentID, out.Record.Variant); err == nil {
			out.Variant = fmt.Sprintf("v%d", v.Number)
		}
		if err := s.question(ctx, a, r.ID, &out); err != nil {
			return err
		}
		t, err := a.Transcript(ctx, out.Record.Key)
		if errors.Is(err, archive.ErrNotFound) {
			return nil
		}
		out.Transcript = &t
		return err
	})
	return out, err
}

// question adds the question and the expected answer of an evaluation's task. For a
// holdout task, the run has stored the question and the answer. For a search task, they
// are taken from the suites, provided that the suites are still those of the run.
func (s *Source) question(ctx context.Context, a *archive.Archive, run string, e *view.Evaluation) error {
	plan, err := a.Plan(ctx, run, e.Record.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	q, err := a.Question(ctx, plan.SuiteHash, e.Record.Task)
	if errors.Is(err, archive.ErrNotFound) {
		e.Question, e.Changed = s.Words.Question(e.Record.Agent, plan.SuiteHash, e.Record.Task)
		return nil
	}
	e.Question = &q
	return err
}
