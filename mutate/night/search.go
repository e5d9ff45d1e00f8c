package night

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/mutate/night/limits"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
)

// curvePoints is the approximate number of points of the best-so-far curve.
const curvePoints = 60

// search runs the search stage and stores its results. If it fails, it returns the error
// together with the recommendation, if there is one.
func (n *night) search(ctx context.Context) (*mutate.Recommendation, error) {
	s, err := n.newSearchStage(ctx)
	if err != nil {
		return nil, err
	}
	err = s.drive(ctx)
	if s.author != nil && s.author.spent() > 0 {
		n.took(archive.DraftPhase, s.author.spent())
	}
	if last := len(s.moments) - 1; s.driver.count > 0 && (last < 0 || s.moments[last].Evaluations != s.made()) {
		s.checkpoint(s.made())
	}
	rec := s.searcher.Recommend()
	n.summarise(rec)
	n.result.Search.Drafts = s.author.summary(rec.Drafts)
	if drafts, rival := n.result.Search.Drafts, rec.Rival; drafts != nil && rival != nil {
		drafts.Rival = &archive.DraftRival{Evaluations: rival.Evaluations, Models: rival.Models, Operators: rival.Operators}
	}
	n.addHindsight(s.searcher, s.moments)
	n.result.SearchDone = err == nil
	if uncounted := n.count(ctx); uncounted != nil {
		return &rec, uncounted
	}
	return &rec, err
}

// searchStage is the state of the search stage.
type searchStage struct {
	*night
	searcher mutate.Searcher
	driver   *driver
	author   *author // nil: there is none
	// recorded is the number of evaluations from before the run was resumed that were
	// passed to the searcher.
	recorded int
	// moments are the recommendations made in the course of the search.
	moments []mutate.Moment
}

// newSearchStage prepares the search. If the search is resumed but is not replayed in
// order, newSearchStage passes the recorded evaluations to the searcher.
func (n *night) newSearchStage(ctx context.Context) (*searchStage, error) {
	s := &searchStage{night: n}
	author, err := n.newAuthor(ctx)
	if err != nil {
		return nil, err
	}
	s.author = author
	if s.searcher, err = n.newSearcher(ctx, author); err != nil {
		return nil, err
	}
	seq := seqSearch
	if !n.replay && n.Run.Resumed > 0 {
		if seq, s.recorded, err = n.recall(ctx, s.searcher, author); err != nil {
			return nil, err
		}
	}
	follow := n.follow(ctx, s.searcher, s.recorded)
	s.driver = &driver{
		searcher: s.searcher, concurrency: n.parallel(), lookahead: max(1, n.Run.Lookahead), ordered: n.Agent.Deterministic, bounded: n.Share.adaptive(),
		begin:    func(t mutate.Trial) error { return n.begin(ctx, t) },
		evaluate: func(t mutate.Trial) (bench.Evaluation, error) { return n.trial(ctx, t, seq) },
		progress: func(told int) {
			follow(told)
			if told += s.recorded; told%max(1, n.Plan.Search/curvePoints) == 0 {
				s.checkpoint(told)
			}
		},
	}
	if author != nil {
		s.driver.draft = func(t mutate.Trial) func() (reflection.Reply, error) { return author.ask(ctx, t) }
		s.driver.record = func(t mutate.Trial, r reflection.Reply) error { return author.keep(ctx, t, r) }
		s.driver.learn, s.driver.abandon = author.learn, author.abandon
	}
	return s, nil
}

// made returns the number of evaluations of the search in this run.
func (s *searchStage) made() int { return s.driver.count + s.recorded }

// checkpoint records the current recommendation and reports it.
func (s *searchStage) checkpoint(told int) {
	rec := s.searcher.Recommend()
	m := rec.Moment()
	m.Evaluations = told
	s.moments = append(s.moments, m)
	s.report(Progress{
		Stage: "search", Done: told, Planned: max(told, s.Plan.Search),
		Known: rec.Best.Evaluations > 0, Best: rec.Best.Score, Lo: rec.Best.Lo, Hi: rec.Best.Hi,
	})
}

// drive runs the search, and continues it if the confirmation releases evaluations.
func (s *searchStage) drive(ctx context.Context) error {
	for {
		before := s.made()
		if err := s.shareSpent(s.drained(s.driver.run(s.Drain))); err != nil {
			return err
		}
		if made := s.made(); s.Share.adaptive() && before < made && made < s.Plan.Search {
			continue // the plan has grown since the searcher got the last results
		}
		more, err := s.release(ctx, s.searcher.Recommend(), s.made())
		if err != nil || !more {
			return err
		}
		s.searcher.Resize(s.Plan.Search)
	}
}

// shareSpent interprets an error that ended the search. The search ends when its share of
// money or time is used up. Such an end counts as planned if the search has made at least
// as many evaluations as there are tasks.
func (s *searchStage) shareSpent(err error) error {
	made := s.made()
	if !s.Share.adaptive() || !errors.Is(err, bench.ErrBudget) || errors.As(err, new(*bench.SpentError)) || made == 0 {
		return err
	}
	s.searcher.Resize(made)
	switch {
	case made >= len(s.sample.Search):
		return nil
	case s.blocking != "":
		return &bench.WaitedError{Policy: s.blocking}
	}
	return err
}

// drained returns the error of a driver; if a person stopped the driver, the error is
// [ErrInterrupted].
func (n *night) drained(err error) error {
	if errors.Is(err, context.Canceled) && n.Drain.Err() != nil {
		return ErrInterrupted
	}
	return err
}

// summarise stores the result of the search.
func (n *night) summarise(rec mutate.Recommendation) {
	n.result.Search = archive.SearchResult{
		Champion: scored(rec.Champion), Recommended: scored(rec.Best),
		Variants: rec.Variants, Exhausted: rec.Exhausted,
	}
	if len(rec.Operators.Arms) > 0 {
		o := archive.Operators{Top: rec.Operators.Top, Arms: map[string]archive.OperatorArm{}}
		for name, a := range rec.Operators.Arms {
			o.Arms[name] = archive.OperatorArm(a)
		}
		n.result.Search.Operators = &o
	}
	for _, e := range rec.Front {
		n.result.Search.Front = append(n.result.Search.Front, scored(e))
	}
	for _, e := range rec.Compared {
		v := scored(e)
		v.Config = nil // the archive has the variant
		n.result.Search.Compared = append(n.result.Search.Compared, v)
	}
	if rec.Random.Evaluations > 0 {
		baseline := scored(rec.Random)
		n.result.Search.Baseline = &baseline
	}
}

// follow returns a function that is called with the number of evaluations that the searcher
// has received so far. The function plans the night again as the pace becomes known: first
// after one round of evaluations, and then each time a twentieth of the remaining
// evaluations has been made.
func (n *night) follow(ctx context.Context, s mutate.Searcher, recorded int) func(told int) {
	if !n.Share.adaptive() {
		return func(int) {}
	}
	next, made, since := n.parallel(), n.Budget.Made().Evaluations, n.Now()
	return func(told int) {
		if told < next {
			return
		}
		now, m := n.Now(), n.Budget.Made().Evaluations
		n.meter.Elapse(m-made, now.Sub(since))
		made, since = m, now
		was := n.Plan.Search
		n.replan()
		next = told + max(n.parallel(), (n.Plan.Search-recorded-told)/20)
		if change := n.Plan.Search - was; change == 0 || n.forecast.Limit != limits.Evaluations && 50*max(change, -change) < was && n.Plan.Replanned {
			n.Plan.Search = was
			return
		}
		s.Resize(n.Plan.Search)
		if !n.Plan.Replanned {
			n.Plan.Replanned = true
			if err := n.Archive.PutPlan(ctx, *n.Plan); err != nil {
				n.Log.Warn("the updated plan of the run was not stored", "error", err)
			}
		}
	}
}

// begin stores the variant of a trial if it is new, so that variants are numbered in the
// order in which the search made them.
func (n *night) begin(ctx context.Context, t mutate.Trial) error {
	if n.names[t.Variant] {
		return nil
	}
	var m *archive.Mutation
	if len(t.Parents) > 0 {
		m = &archive.Mutation{Agent: n.Agent.ID, Parent: t.Parents[0], Child: t.Variant, Operator: t.Operator, Run: n.Run.ID}
	}
	return n.putVariant(ctx, archive.Variant{
		ID: t.Variant, Config: t.Config, Parents: t.Parents, Operator: t.Operator, Generation: t.Generation, Rationale: t.Rationale,
	}, m)
}

// newSearcher sets up the search with the results of earlier nights.
func (n *night) newSearcher(ctx context.Context, a *author) (mutate.Searcher, error) {
	history, err := n.history(ctx)
	if err != nil {
		return nil, err
	}
	operators, err := n.operators(ctx)
	if err != nil {
		return nil, err
	}
	baseline := n.Settings.Baseline
	if n.Plan.Baseline == 0 {
		baseline = -1
	}
	start := n.NewSearch
	if start == nil {
		start = mutate.New
	}
	return start(mutate.Options{
		Space: n.Agent.Space, Champion: n.Agent.Champion, Tasks: n.searchTasks(), Budget: n.Plan.Search, Seed: n.Run.Seed,
		MaxRepeats: n.maxRepeats(), Selection: n.Run.Selection, BaselineShare: baseline, Finalists: n.finalists(),
		View: n.view(), History: history, LeftOut: n.unsearched, Operators: operators, Guards: n.Agent.Guards,
		Author: a.options(),
	})
}

// finalists returns the number of finalists that the search recommends. It is larger than
// the number that may enter, because some finalists, up to the number of entries in a
// month, may have been judged before.
func (n *night) finalists() int { return n.Plan.Finalists + stats.Monthly().Entries }

// trial makes an evaluation that the searcher asked for, and loads its transcript.
func (n *night) trial(ctx context.Context, t mutate.Trial, first int64) (bench.Evaluation, error) {
	e, err := n.evaluate(ctx, bench.Job{
		Variant: t.Variant, Config: t.Config, Task: n.tasks[t.Task], Repeat: t.Repeat, Stage: t.Stage, Seq: first + t.N,
	})
	if err == nil {
		err = n.withTranscript(ctx, &e)
	}
	return e, err
}

// withTranscript loads the transcript of an evaluation that was found rather than made,
// because the search must get the same data in both cases. It does nothing if the
// transcript was not stored.
func (n *night) withTranscript(ctx context.Context, e *bench.Evaluation) error {
	if e.Transcript != nil || e.Key == "" {
		return nil
	}
	switch t, err := n.Archive.Transcript(ctx, e.Key); {
	case err == nil:
		e.Transcript = &t
	case !errors.Is(err, archive.ErrNotFound):
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	return nil
}

// recall passes the searcher the evaluations of this run that are in the archive. It
// returns the first free sequence number and the number of evaluations passed.
func (n *night) recall(ctx context.Context, s mutate.Searcher, a *author) (next int64, told int, err error) {
	next = seqSearch
	configs := map[agent.ConfigID]archive.Variant{}
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return 0, 0, fmt.Errorf("resuming the search: %w", err)
		}
		if e.Stage != bench.StageSearch && e.Stage != bench.StageBaseline {
			continue
		}
		v, ok := configs[e.Variant]
		if !ok {
			if v, err = n.Archive.Variant(ctx, n.Agent.ID, e.Variant); err != nil {
				return 0, 0, fmt.Errorf("resuming the search: %w", err)
			}
			configs[e.Variant] = v
		}
		if err := n.withTranscript(ctx, &e); err != nil {
			return 0, 0, err
		}
		t := mutate.Trial{
			N: e.Seq - seqSearch, Variant: v.ID, Config: v.Config, Parents: v.Parents, Operator: v.Operator,
			Generation: v.Generation, Rationale: v.Rationale, Task: e.Task, Repeat: e.Repeat, Stage: e.Stage,
		}
		if a != nil {
			a.learn(t, e)
		}
		s.Tell(observation(t, e, false))
		next = max(next, e.Seq+1)
		told++
	}
	return next, told, nil
}

// count recounts the search's evaluations from the archive.
func (n *night) count(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := n.Archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	n.result.Search.Evaluations, n.result.Infrastructure = 0, 0
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return fmt.Errorf("counting the evaluations: %w", err)
		}
		if e.Stage == bench.StageSearch || e.Stage == bench.StageBaseline {
			n.result.Search.Evaluations++
		}
		if !e.Scored {
			n.result.Infrastructure++
		}
	}
	return nil
}
