package night

import (
	"context"
	"errors"
	"fmt"
	"math"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/mutate"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// confirm runs the confirmation of candidates ([confirm.Confirmation]) with the archive
// and the harness, and sets the night's verdict.
func (n *night) confirm(ctx context.Context, rec *mutate.Recommendation) error {
	setup, err := n.setup(ctx, rec)
	if err != nil {
		return err
	}
	c, err := confirm.Open(ctx, n.world(func(evaluations int) bool { return n.Budget.Fits(evaluations, n.paced()) }), setup)
	if err != nil {
		return err
	}
	for {
		ended := c.Work(ctx)
		if err := n.count(ctx); err != nil {
			return err
		}
		if n.unfixed() {
			ledger := entryLedger(c.Control, c.Spent(), n.Now())
			n.result.Entries = &ledger
			return ended
		}
		n.conclude(c)
		if open, err := n.propose(ctx, c); err != nil || !open || ended != nil {
			return errors.Join(err, ended)
		}
		// If the relatives of refused versions were not left out, they would use up the
		// month's entries, one after another.
		if err := n.findLeftOut(ctx, ""); err != nil {
			return err
		}
		if c.Out, err = n.excluded(ctx, rec); err != nil {
			return err
		}
	}
}

// world returns the environment of a confirmation; fits reports whether the given number of
// further evaluations can be paid for.
func (n *night) world(fits func(evaluations int) bool) confirm.World {
	return confirm.World{
		Store: &records{n}, Ledger: &records{n}, Runner: &holdout{n}, Now: n.Now, Fits: fits,
		Stop: func() error {
			if n.Drain.Err() != nil {
				return ErrInterrupted
			}
			return nil
		},
	}
}

// setup returns the settings of tonight's confirmation, after a search with the
// recommendation rec.
//
// While a proposal waits, candidates are measured against the variant that it proposes
// and must be better than that variant. This is the confirmation that would follow an
// approval, with the same error control, so nothing in it is lost if the proposal is
// approved. The alternative would be to compare two figures: a candidate's bound against
// the champion, and the estimate of the waiting variant. That would combine the noise of
// two comparisons, and a new champion would void its evidence. Half of the entries stay
// free for the time after the decision.
func (n *night) setup(ctx context.Context, rec *mutate.Recommendation) (confirm.Setup, error) {
	control := n.Settings.Confirm.Control()
	s := confirm.Setup{
		Run: n.Run.ID, Champion: n.Plan.Reference(), Reference: n.result.Reference, Score: rec.Champion.Score + n.bar.gain, Holds: n.conditions(),
		Tasks: len(n.sample.Holdout), SearchTasks: len(n.sample.Search), Fixed: n.Agent.Fixed(), Metric: n.Agent.Metric, Evaluations: n.Plan.Confirm, Most: n.Plan.Finalists,
		Room: float64(control.Days) * float64((n.Plan.Confirm+n.Plan.Lent)/2), Control: control,
	}
	if n.Plan.Against != "" {
		s.Resting, s.Keep = []agent.ConfigID{n.Plan.Champion}, control.Entries/2
	}
	for _, f := range rec.Finalists {
		s.Finalists = append(s.Finalists, confirm.Finalist{
			Variant: f.Variant, Gain: f.Gain - n.bar.gain, SD: math.Hypot(f.SD, n.bar.sd), Luck: n.luck(f), Dear: len(f.Breaks) > 0,
			Measured: f.Measured, Common: f.Common,
		})
	}
	s.LeftOut, s.Spends = n.refusedCause(), n.Agent.Spends
	var err error
	if s.Others, err = spentByOthers(ctx, n.Archive, n.Agent.ID, n.Agent.Spends); err != nil {
		return s, err
	}
	s.Out, err = n.excluded(ctx, rec)
	return s, err
}

// luck returns the gain over the night's bar that a finalist could show by chance alone. It
// combines the gain that the luckiest variant would show with the bar's standard deviation.
// It returns 0 if the luckiest variant's gain is unknown.
func (n *night) luck(f mutate.Estimate) float64 {
	if f.Luck == 0 {
		return 0
	}
	return math.Hypot(f.Luck, n.bar.sd)
}

// conditions returns a hash of everything, apart from the two configs, on which tonight's
// evidence depends.
func (n *night) conditions() string {
	return conditions(n.sample, n.opened.Identity, n.Plan.PricesHash)
}

// holdout runs blocks on the holdout tasks with the night's harness.
type holdout struct{ *night }

// Run evaluates a block in an order that batch draws over the whole block. A resumed block
// has the same order.
func (h *holdout) Run(ctx context.Context, b confirm.Block) error {
	v, err := h.Archive.Variant(ctx, h.Agent.ID, b.Variant)
	if err != nil {
		return fmt.Errorf("%w: reading a candidate: %w", bench.ErrRecorder, err)
	}
	type arm struct {
		id     agent.ConfigID
		config agent.Config
	}
	reference := h.Agent.Champion
	if b.Champion != h.Plan.Champion {
		waits, err := h.Archive.Variant(ctx, h.Agent.ID, b.Champion)
		if err != nil {
			return fmt.Errorf("%w: reading the variant of the waiting proposal: %w", bench.ErrRecorder, err)
		}
		reference = waits.Config
	}
	arms := []arm{{v.ID, v.Config}, {b.Champion, reference}}
	if b.Alone {
		arms = arms[:1]
	}
	first := seqConfirm + int64(b.Place)
	jobs := make([]bench.Job, 0, len(arms)*len(h.sample.Holdout))
	for _, t := range h.sample.Holdout {
		for _, a := range arms {
			jobs = append(jobs, bench.Job{
				Variant: a.id, Config: a.config, Task: t, Repeat: b.Repeat,
				Stage: bench.StageConfirm, Seq: first + int64(len(jobs)),
			})
		}
	}
	_, err = h.batch(ctx, "confirm", jobs, b.Place, h.Plan.Confirm)
	return err
}

// Evidence reads the evidence for an entry from the evaluations of its runs.
func (h *holdout) Evidence(ctx context.Context, e confirm.Entry) (confirm.Evidence, error) {
	if err := h.Archive.Flush(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	of := evidence.Of{Agent: h.Agent.ID, Variant: e.Variant, Against: e.Champion, Runs: e.Runs}
	out, err := evidence.Assemble(ctx, h.Archive, of, h.grounds(), h.night.Run.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	return out, nil
}
