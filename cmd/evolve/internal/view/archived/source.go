package archived

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/view"
	"evolve/reports/model"
)

// Options holds the functions with which a Source reads. All except Words are required.
type Options struct {
	// Look calls a function with the archive opened for reading, and then closes the
	// archive. If there is no archive yet, it returns nil without calling the function.
	Look func(func(*archive.Archive) error) error
	// AsTheyAre returns the records of an archive, with the runs of killed processes shown
	// as interrupted.
	AsTheyAre func(context.Context, *archive.Archive) (model.Source, error)
	Words     Words
	Now       func() time.Time
}

// Words provides the descriptions that the command line prints.
type Words interface {
	// Comparison returns the statements that `evolve compare` makes about two variants.
	Comparison(ctx context.Context, a *archive.Archive, one, two archive.Variant) ([]view.Section, error)
	// Proposal returns what `evolve show` prints about a proposal and, as facts, the
	// proposal's gain and what gets worse or more expensive with it.
	Proposal(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (parts []view.Section, facts []view.Fact, err error)
	// Limits describes the limits of a run and how much of each is spent.
	Limits(ctx context.Context, a *archive.Archive, r archive.Run) (string, error)
	// Question returns what a search task asks and expects, according to the suites of the
	// workspace, because a run does not store the questions of search tasks. It returns nil
	// if the workspace lacks the agent or the task. changed reports whether the agent's
	// suites differ from those with the given hash.
	Question(agentID, suiteHash, task string) (q *archive.Question, changed bool)
	// Weights returns the weights of an agent's tasks for a mean over the tasks, keyed by
	// task. The weights come from the suites of the workspace; a task that is not in the
	// map has weight 1. It returns nil if the suites cannot be read.
	Weights(agentID string) map[string]float64
	// Undecided reports whether a person may decide on a proposal.
	Undecided(p archive.ProposalRecord) bool
	// Reversible reports whether a person may roll back the adoption of a proposal.
	Reversible(p archive.ProposalRecord) bool
}

// Source is the [view.Source] for an archive. Close ends the reading that the Source does
// in the background.
type Source struct {
	Options
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu      sync.Mutex
	indexes map[string]*index
}

var _ view.Source = (*Source)(nil)

// New returns a source.
func New(o Options) *Source {
	s := &Source{Options: o, indexes: map[string]*index{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close stops the reading in the background and waits for it to end.
func (s *Source) Close() {
	s.cancel()
	s.wait.Wait()
}

// look reads from the archive. If there is no archive yet, it returns view.ErrNotFound.
func (s *Source) look(work func(*archive.Archive) error) error {
	called := false
	err := s.Look(func(a *archive.Archive) error {
		called = true
		return work(a)
	})
	if err == nil && !called {
		return view.ErrNotFound
	}
	if errors.Is(err, archive.ErrNotFound) {
		return fmt.Errorf("%w: %w", view.ErrNotFound, err)
	}
	return err
}

// Nights is [view.Source.Nights].
func (s *Source) Nights(ctx context.Context) (nights []view.Night, err error) {
	err = s.Look(func(a *archive.Archive) error {
		src, err := s.AsTheyAre(ctx, a)
		if err != nil {
			return err
		}
		list, err := model.Summaries(ctx, src)
		if err != nil {
			return err
		}
		for _, summary := range list {
			n := view.Night{Summary: summary}
			run, err := src.Run(ctx, summary.Run)
			if err != nil {
				return err
			}
			n.Ended = run.Ended
			for _, agentID := range run.Agents {
				t, err := a.Tally(ctx, run.ID, agentID)
				if err != nil {
					return err
				}
				n.Evaluations += t.Used()
				n.USD += t.USD
			}
			nights = append(nights, n)
		}
		return nil
	})
	return nights, err
}

// Report is [view.Source.Report].
func (s *Source) Report(ctx context.Context, run string) (r model.Report, err error) {
	err = s.look(func(a *archive.Archive) error {
		src, err := s.AsTheyAre(ctx, a)
		if err != nil {
			return err
		}
		r, err = model.Build(ctx, src, run)
		return err
	})
	return r, err
}

// Agents is [view.Source.Agents].
func (s *Source) Agents(ctx context.Context) (list []string, err error) {
	err = s.Look(func(a *archive.Archive) error {
		for r, err := range a.Runs(ctx) {
			if err != nil {
				return err
			}
			list = append(list, r.Agents...)
		}
		return nil
	})
	slices.Sort(list)
	return slices.Compact(list), err
}

// Progress is [view.Source.Progress].
func (s *Source) Progress(ctx context.Context) (p view.Progress, err error) {
	err = s.Look(func(a *archive.Archive) error {
		src, err := s.AsTheyAre(ctx, a)
		if err != nil {
			return err
		}
		for r, err := range src.Runs(ctx) {
			if err != nil || r.State != archive.RunRunning {
				return err // only the latest run can be in progress
			}
			p, err = s.progressOf(ctx, a, r)
			return err
		}
		return nil
	})
	return p, err
}

func (s *Source) progressOf(ctx context.Context, a *archive.Archive, r archive.Run) (p view.Progress, err error) {
	p = view.Progress{Run: r.ID, Number: r.Number, Started: r.Started, Agents: []view.AgentProgress{}}
	if p.Limits, err = s.Words.Limits(ctx, a, r); err != nil {
		return p, err
	}
	for _, id := range r.Agents {
		t, err := a.Tally(ctx, r.ID, id)
		if err != nil {
			return p, err
		}
		one := view.AgentProgress{Agent: id, Done: t.Evaluations, USD: t.USD, Last: t.Last}
		plan, err := a.Plan(ctx, r.ID, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return p, err
		}
		one.Planned = plan.Search + plan.Baseline + plan.AA + plan.Ablate + plan.Confirm
		result, err := a.Result(ctx, r.ID, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return p, err
		}
		if result.Finished {
			one.Verdict = result.Verdict
		}
		p.Agents = append(p.Agents, one)
	}
	return p, nil
}

// Proposals is [view.Source.Proposals].
func (s *Source) Proposals(ctx context.Context) (list []view.Proposal, err error) {
	err = s.Look(func(a *archive.Archive) error {
		src, err := s.AsTheyAre(ctx, a)
		if err != nil {
			return err
		}
		for p, err := range a.Proposals(ctx) {
			if err != nil {
				return err
			}
			moved, _, err := model.MovedSince(ctx, src, p.ID)
			if err != nil {
				return err
			}
			list = append(list, view.Proposal{ProposalRecord: p, Undecided: s.Words.Undecided(p), Stale: moved})
		}
		return nil
	})
	slices.Reverse(list) // the latest first
	slices.SortStableFunc(list, func(a, b view.Proposal) int {
		switch {
		case a.Undecided == b.Undecided:
			return 0
		case a.Undecided:
			return -1
		}
		return 1
	})
	return list, err
}

// Proposal is [view.Source.Proposal].
func (s *Source) Proposal(ctx context.Context, id string) (p view.Proposal, err error) {
	err = s.look(func(a *archive.Archive) error {
		if p.ProposalRecord, err = a.Proposal(ctx, id); err != nil {
			return err
		}
		src, err := s.AsTheyAre(ctx, a)
		if err != nil {
			return err
		}
		if p.Stale, _, err = model.MovedSince(ctx, src, id); err != nil {
			return err
		}
		p.Undecided, p.Reversible = s.Words.Undecided(p.ProposalRecord), s.Words.Reversible(p.ProposalRecord)
		p.Sections, p.Facts, err = s.Words.Proposal(ctx, a, p.ProposalRecord)
		return err
	})
	return p, err
}
