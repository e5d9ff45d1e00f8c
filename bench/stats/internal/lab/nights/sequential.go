package nights

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/bench/stats/internal/lab/reference"
	"evolve/runtime/agent"
)

// sequential is the policy of this project: the nights of [confirm.Confirmation] in a
// simulated world.
type sequential struct {
	// online makes the policy use e-LOND instead of the ledger of entries.
	online bool
	// If here is set, the policy adopts on the claim about these tasks only. If first is
	// set, the policy adopts at the first proof of the mean, ignoring open guards and
	// domains.
	here, first bool
}

const (
	// finalists is the number of variants that may enter in one night, by default.
	finalists = 3
	// recommended is the number of variants that a search recommends. It exceeds the number
	// of finalists because some of them may have been judged earlier in the month.
	recommended = finalists + 12
)

// life runs a sequential policy in one world. It implements the [confirm.Store], the
// [confirm.Ledger] and the [confirm.Runner] of its nights.
type life struct {
	sequential
	*simulation
	archive  *archive
	out      Outcome
	control  stats.Control
	variance float64
	now      time.Time
	night    int
	adopted  int // number so far

	entries   []confirm.Entry
	exposures []confirm.Exposure
}

func (s sequential) live(l *simulation) Outcome {
	c := &life{sequential: s, simulation: l, archive: newArchive(l.Tasks), control: stats.Monthly(), variance: l.variance(l.search.chances)}
	if s.online {
		c.control.Entries = math.MaxInt32 // e-LOND bounds the levels of entries, not their number
	}
	for c.night = 1; c.night <= l.Nights && c.out.Adopted == 0; c.night++ {
		c.now = time.Unix(0, 0).Add(time.Duration(c.night) * 24 * time.Hour)
		c.out.Nights++
		spent := l.searchNight(c.archive, int((1-share)*float64(l.Budget)))
		c.out.Evaluations += spent
		c.confirmNight(l.Budget - spent)
	}
	for _, e := range c.entries {
		if e.Void == "" && !e.State.Ended() {
			v := c.archive.variant(e.Variant)
			c.close(v, c.judge(v.holdoutEvidence, stats.Rule{Alpha: e.Alpha, Fixed: c.Fixed, Cap: e.Projected}))
		}
	}
	return c.out
}

// champion returns the id of the champion, which changes with each adoption.
func (c *life) champion() agent.ConfigID {
	return agent.ConfigID(fmt.Sprintf("champion %d", c.adopted))
}

// confirmNight runs the confirmation of a night with the given number of evaluations.
func (c *life) confirmNight(evaluations int) {
	ctx := context.Background()
	evaluations -= evaluations % (2 * c.Tasks) // whole blocks
	night, err := confirm.Open(ctx, confirm.World{
		Store: c, Ledger: c, Runner: c, Now: func() time.Time { return c.now },
		Fits: func(int) bool { return true }, Stop: func() error { return nil },
	}, confirm.Setup{
		Run: fmt.Sprint(c.night), Champion: c.champion(), Score: c.archive.score(c.Items), Tasks: c.Tasks, SearchTasks: c.Tasks, Fixed: c.Fixed,
		Evaluations: evaluations, Most: finalists, Room: float64(c.control.Days) * float64(evaluations/2),
		Control: c.control, Level: c.level, Finalists: c.archive.finalists(recommended, c.variance, c.Fixed),
	})
	if err == nil {
		err = night.Work(ctx)
	}
	if err != nil {
		panic(err) // cannot happen in memory
	}
	for _, turn := range night.Turns() {
		if turn.Entry.State.Ended() {
			c.conclude(turn)
		}
	}
}

// level returns the level of the next entry.
func (c *life) level() float64 {
	if c.online {
		return math.Exp(-reference.LogThreshold(c.control.Level, len(c.entries)+1, c.adopted))
	}
	return c.control.Alpha()
}

// Entries returns all entries of the world.
func (c *life) Entries(context.Context) ([]confirm.Entry, error) { return slices.Clone(c.entries), nil }

// Enter adds an entry.
func (c *life) Enter(_ context.Context, e confirm.Entry) (confirm.Entry, error) {
	v := c.archive.variant(e.Variant)
	v.holdoutEvidence = newHoldoutEvidence(c.Tasks, c.Items)
	if v.gain > 0 {
		c.out.Entered++
	}
	e.Number = len(c.entries) + 1
	c.entries = append(c.entries, e)
	return e, nil
}

// Put updates an entry.
func (c *life) Put(_ context.Context, e confirm.Entry) error {
	c.entries[e.Number-1] = e
	return nil
}

// Exposures returns the uses of the holdout.
func (c *life) Exposures(context.Context) ([]confirm.Exposure, error) { return c.exposures, nil }

// Expose records a use of the holdout. It drops the uses of earlier nights, because
// simulated evaluations never repeat.
func (c *life) Expose(_ context.Context, e confirm.Exposure) error {
	if len(c.exposures) > 0 && c.exposures[0].Run != e.Run {
		c.exposures = nil
	}
	c.exposures = append(c.exposures, e)
	return nil
}

// Run evaluates a block.
func (c *life) Run(_ context.Context, b confirm.Block) error {
	t := c.archive.variant(b.Variant).holdoutEvidence
	c.block(c.archive.variant(b.Variant), c.night)
	if t.night != c.night {
		t.night, t.tonight = c.night, 0
	}
	t.tonight++
	c.out.Evaluations += c.Tasks
	if !b.Alone {
		c.out.Evaluations += c.Tasks
	}
	return nil
}

// Evidence returns the evidence of an entry.
func (c *life) Evidence(_ context.Context, e confirm.Entry) (confirm.Evidence, error) {
	return evidence{c, c.archive.variant(e.Variant).holdoutEvidence}, nil
}

type evidence struct {
	*life
	*holdoutEvidence
}

// Blocks returns the number of complete blocks in all nights and in this night.
func (e evidence) Blocks() (all, tonight int) {
	if e.holdoutEvidence.night == e.life.night {
		tonight = e.tonight
	}
	return e.blocks, tonight
}

// Differences returns the differences of the pairs.
func (e evidence) Differences(variance float64) stats.Differences {
	n := float64(e.sample.N())
	return stats.Differences{N: n, Sum: n * e.sample.Mean(), Variance: variance}
}

// Judge rules on the pairs. To save time, it does not run the judge while the ruling can
// only be "open"; the results of the loop are the same.
func (e evidence) Judge(_ string, rule stats.Rule) stats.Ruling {
	if !e.due(rule) {
		return stats.Ruling{State: stats.Open, Blocks: e.blocks, Pairs: e.sample.N(), LogE: e.sample.LogSuperior(0), Threshold: -math.Log(rule.Alpha)}
	}
	r := e.judge(e.holdoutEvidence, rule)
	if e.first {
		r.Parts, r.Guards = nil, nil
	}
	if e.here && r.Claim != stats.NoClaim {
		r.State = stats.Proven
	}
	return r
}

// conclude records the outcome of an entry that has ended, and the adoption if its
// candidate was proven.
func (c *life) conclude(turn confirm.Turn) {
	v, r := c.archive.variant(turn.Entry.Variant), turn.Ruling
	c.close(v, r)
	if r.Claim != stats.NoClaim && v.here(c.simulation) <= 0 {
		c.out.FalseHere++
	}
	if turn.Entry.State != stats.Proven {
		return
	}
	c.adopted++
	c.out.adopt(c.night, v.gain, r.Difference)
	c.out.AdoptedHere.add(r.Lo <= v.here(c.simulation) && v.here(c.simulation) <= r.Hi)
	c.out.AdoptedNew.add(r.New.Lo <= v.gain && v.gain <= r.New.Hi)
	if c.out.Adopted == 0 {
		// A mistaken adoption is undone, which voids all evidence against the champion.
		c.archive.void()
	}
}

// close marks a candidate as ended, and records whether its intervals contain the truth at
// that time.
func (c *life) close(v *variant, r stats.Ruling) {
	v.ended = true
	here := v.here(c.simulation)
	c.out.Here.add(r.Lo <= here && here <= r.Hi)
	c.out.New.add(r.New.Lo <= v.gain && v.gain <= r.New.Hi)
}
