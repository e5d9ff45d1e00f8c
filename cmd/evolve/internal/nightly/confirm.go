package nightly

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// confirmation is the stage in which candidates meet the champion on the holdout tasks, in
// complete blocks: a fresh pair of the two on every task. It judges after complete blocks
// alone and on everything an entry has, earlier nights' blocks included, stops a
// candidate as soon as it is decided, and goes on with the next. What is still open
// when the budget ends goes on another night.
type confirmation struct {
	*night
	control stats.Control
	// fixed says that a repeat is no new evidence: a block for each candidate, and the
	// champion's part of it made once for all.
	fixed bool
	holds string
	// entries are all that the agent ever had, in order.
	entries []*archive.Candidate
	// tried are the variants that had their turn in this run, in order.
	tried []agent.ConfigID
	// left is the number of evaluations left, place that of the next in the run.
	left  int
	place int64
	// blocked says why a variant that is ahead was not taken up.
	blocked string
	// behind says how far the best variant is from being taken up.
	behind  string
	rulings []stats.Ruling
}

// confirm takes candidates through the confirmation and draws the night's verdict. A
// resumed run first finishes with those that it was at.
func (n *night) confirm(ctx context.Context, rec *mutate.Recommendation) error {
	s := &confirmation{
		night: n, control: n.o.Workspace.Settings.Confirm.Control(), fixed: n.fixed(), left: n.plan.Confirm, place: seqConfirm,
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	ended := s.turns(ctx, rec)
	if ended != nil && s.blocked == "" {
		s.blocked = "the run ended before it was decided"
	}
	if err := s.count(ctx); err != nil {
		return err
	}
	s.conclude(rec)
	if s.result.Verdict != archive.Adopt {
		return ended
	}
	if err := s.propose(ctx); err != nil {
		return err
	}
	return ended
}

// fixed reports whether a repeat of an evaluation is no new evidence.
func (n *night) fixed() bool { return n.agent.Deterministic && !n.agent.UsesSeed }

// turns gives one candidate after another its turn. A proven one ends the stage: once it
// is adopted, all that others had against this champion would be void.
func (s *confirmation) turns(ctx context.Context, rec *mutate.Recommendation) error {
	underWay, err := s.underWay(ctx)
	if err != nil {
		return err
	}
	for _, c := range s.entries {
		if c.Void != "" && slices.Contains(c.Runs, s.run.ID) {
			s.blocked = "what the evidence is about changed while the run was interrupted"
			return nil
		}
	}
	for {
		var c *archive.Candidate
		switch {
		case len(underWay) > 0:
			c, underWay = underWay[0], underWay[1:]
		case s.o.Drain.Err() != nil:
			return ErrInterrupted // and nobody enters
		default:
			if c, err = s.promote(ctx, rec); err != nil || c == nil {
				return err
			}
		}
		if err := s.turn(ctx, c); err != nil || c.State == stats.Proven {
			return err
		}
	}
}

// turn runs blocks for a candidate until it is decided or the budget has no room for
// another. The error is what ended the run in the middle of a block.
func (s *confirmation) turn(ctx context.Context, c *archive.Candidate) error {
	s.tried = append(s.tried, c.Variant)
	v, err := s.o.Archive.Variant(ctx, s.agent.ID, c.Variant)
	if err != nil {
		return fmt.Errorf("%w: reading a candidate: %w", bench.ErrRecorder, err)
	}
	first, err := s.expose(ctx, c.Variant)
	if err != nil {
		return err
	}
	has, err := s.assemble(ctx, *c)
	if err != nil {
		return err
	}
	size := s.blockSize()
	s.spend(has.tonight * size)
	var ruling stats.Ruling
	var ended error
	for {
		if has.blocks > 0 {
			if ruling, err = s.judge(context.WithoutCancel(ctx), c, has); err != nil {
				return err
			}
		}
		if ended != nil || c.State != stats.Open || s.left < size || s.fixed && has.blocks > 0 {
			break
		}
		if has.tonight > 0 && !s.budget.Fits(size, s.parallel()) {
			ended = bench.ErrBudget
			break
		}
		ended = s.block(ctx, v, first+has.tonight, size)
		ctx := context.WithoutCancel(ctx) // what was paid for is judged
		if err := s.o.Archive.Flush(ctx); err != nil {
			return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
		}
		before := has.tonight
		if has, err = s.assemble(ctx, *c); err != nil {
			return err
		}
		if has.tonight == before && ended == nil {
			return fmt.Errorf("%w: a block that was run is not in the archive", bench.ErrRecorder)
		}
		s.spend((has.tonight - before) * size)
	}
	s.result.Blocks += has.tonight
	if has.blocks > 0 {
		s.report(ruling, c)
	} else if s.blocked == "" {
		s.blocked = "not one block of its confirmation was complete"
	}
	return ended
}

// blockSize is the number of evaluations of the next candidate's block.
func (s *confirmation) blockSize() int {
	if s.fixed && s.result.Blocks > 0 {
		return len(s.sides.holdout) // the champion's are there
	}
	return 2 * len(s.sides.holdout)
}

func (s *confirmation) spend(evaluations int) {
	s.left -= evaluations
	s.place += int64(evaluations)
}

// block evaluates a candidate and the champion, unless its part is there, once on every
// holdout task. Which of the two goes first is random for each task, so that drift
// during the night favours nobody; a block that was interrupted is the same again.
func (s *confirmation) block(ctx context.Context, v archive.Variant, repeat, size int) error {
	type arm struct {
		id     agent.ConfigID
		config agent.Config
	}
	arms := []arm{{v.ID, v.Config}, {s.plan.Champion, s.agent.Champion}}[:size/len(s.sides.holdout)]
	rng := rand.New(rand.NewPCG(uint64(s.run.Seed), uint64(s.place)))
	jobs := make([]bench.Job, 0, size)
	for _, t := range s.sides.holdout {
		for _, a := range rng.Perm(len(arms)) {
			jobs = append(jobs, bench.Job{
				Variant: arms[a].id, Config: arms[a].config, Task: t, Repeat: repeat,
				Stage: bench.StageConfirm, Seq: s.place + int64(len(jobs)),
			})
		}
	}
	_, err := s.batch(ctx, "confirm", jobs, int(s.place-seqConfirm), s.plan.Confirm)
	return err
}

// judge rules on everything that a candidate has, and stores where it stands.
func (s *confirmation) judge(ctx context.Context, c *archive.Candidate, has *evidence) (stats.Ruling, error) {
	r := s.rule(*c, has)
	c.State, c.Blocks, c.LogE, c.Reason = r.State, has.blocks, r.LogE, r.Reason
	if err := s.o.Archive.PutCandidate(ctx, *c, s.o.Now()); err != nil {
		return r, fmt.Errorf("%w: storing a candidate: %w", bench.ErrRecorder, err)
	}
	return r, nil
}

func (s *confirmation) rule(c archive.Candidate, has *evidence) stats.Ruling {
	return stats.Judge(string(c.Variant), has.pairs(), stats.Rule{
		Alpha: c.Alpha, Fixed: s.fixed, Cap: c.Projected, Cost: has.costs, Latency: !s.agent.Deterministic,
	})
}

// expose enters the opening of the holdout for a variant in its ledger, before it
// happens, and returns the first repeat number that is free for it: one that no
// earlier opening may have used. Repeats that are no new evidence share one in a run.
func (s *confirmation) expose(ctx context.Context, variant agent.ConfigID) (first int, err error) {
	shared := -1
	for e, err := range s.o.Archive.Exposures(ctx, s.agent.ID) {
		if err != nil {
			return 0, fmt.Errorf("reading the holdout's ledger: %w", err)
		}
		if e.Run == s.run.ID {
			if slices.Contains(e.Variants, variant) {
				return e.FirstRepeat, nil // a resumed run goes on with its own
			}
			shared = e.FirstRepeat
		}
		first = max(first, e.FirstRepeat+e.Repeats)
	}
	if s.fixed && shared >= 0 {
		first = shared
	}
	exposure := archive.Exposure{
		Agent: s.agent.ID, Run: s.run.ID, SuiteHash: s.plan.SuiteHash, Variants: []agent.ConfigID{variant}, Tasks: len(s.sides.holdout),
		FirstRepeat: first, Repeats: s.left / s.blockSize(), Time: s.o.Now(),
	}
	if s.fixed {
		exposure.Repeats = 1
	}
	if err := s.o.Archive.Expose(ctx, exposure); err != nil {
		return 0, fmt.Errorf("%w: entering the holdout's ledger: %w", bench.ErrRecorder, err)
	}
	return first, nil
}

// underWay are the entries that this run had taken up before it was interrupted, in
// the order in which it did.
func (s *confirmation) underWay(ctx context.Context) ([]*archive.Candidate, error) {
	var order []agent.ConfigID
	for e, err := range s.o.Archive.Exposures(ctx, s.agent.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the holdout's ledger: %w", err)
		}
		if e.Run == s.run.ID {
			order = append(order, e.Variants...)
		}
	}
	var out []*archive.Candidate
	for _, c := range s.entries {
		if c.Void == "" && slices.Contains(c.Runs, s.run.ID) {
			out = append(out, c)
		}
	}
	// One that was taken up without its opening being noted comes last.
	at := func(c *archive.Candidate) int {
		if i := slices.Index(order, c.Variant); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(out, func(a, b *archive.Candidate) int { return at(a) - at(b) })
	return out, nil
}
