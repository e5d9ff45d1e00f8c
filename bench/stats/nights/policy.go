package nights

import (
	"math"
	"time"

	"evolve/bench/stats"
	"evolve/bench/stats/yardstick"
)

// share of a night's budget that is kept for the confirmation (spec 9.2).
const share = 0.65

// policy is what decides night by night about adoptions.
type policy interface {
	live(l *land) Outcome
}

// sequential is the policy of this project: promotion, blocks on the holdout that go on
// for as many nights as they must, and the judge.
type sequential struct {
	// online puts e-LOND in the place of the ledger of entries.
	online bool
	// here adopts on the claim about these tasks alone.
	here bool
}

// life is a sequential policy in one world.
type life struct {
	sequential
	*land
	archive  *archive
	out      Outcome
	control  stats.Control
	entered  []time.Time
	now      time.Time
	night    int
	entries  int // ever
	adopted  int // ever
	variance float64
}

func (s sequential) live(l *land) Outcome {
	c := &life{sequential: s, land: l, archive: newArchive(l.Tasks), control: stats.Monthly(), variance: l.variance(l.search.chances)}
	for c.night = 1; c.night <= l.Nights && c.out.Adopted == 0; c.night++ {
		c.now = time.Unix(0, 0).Add(time.Duration(c.night) * 24 * time.Hour)
		c.out.Nights++
		spent := l.searchNight(c.archive, int((1-share)*float64(l.Budget)))
		c.out.Evaluations += spent
		c.confirmNight(l.Budget - spent)
	}
	for _, v := range c.archive.variants {
		if v.trial != nil && !v.ended {
			c.close(v, c.judge(v.trial))
		}
	}
	return c.out
}

// confirmNight spends what is left of the night on blocks, whoever they go to.
func (c *life) confirmNight(left int) {
	for left >= 2*c.Tasks && c.out.Adopted == 0 {
		v := c.promote()
		if v == nil {
			return
		}
		for left >= 2*c.Tasks {
			c.block(v)
			left -= 2 * c.Tasks
			c.out.Evaluations += 2 * c.Tasks
			if !v.trial.due(c.Fixed) {
				continue
			}
			if r := c.judge(v.trial); r.State != stats.Open || c.here && r.Claim != stats.NoClaim {
				c.conclude(v, r)
				break
			}
		}
	}
}

// alpha is the level of the next entry, and whether there is one.
func (c *life) alpha() (float64, bool) {
	if c.online {
		return math.Exp(-yardstick.LogThreshold(c.control.Level, c.entries+1, c.adopted)), true
	}
	return c.control.Alpha(), c.control.Left(c.entered, c.now) > 0
}

// promote says whose blocks are next, and enters the variant in the ledger when it is new.
func (c *life) promote() *variant {
	alpha, free := c.alpha()
	var prospects []stats.Prospect
	var who []*variant
	for _, v := range c.archive.variants {
		if v.ended || v.trial == nil && !free || v.trial != nil && v.trial.parked == c.night {
			continue
		}
		p := stats.Prospect{}
		p.Mean, p.SD = v.posterior(c.variance)
		if v.trial != nil {
			p.LogE, p.Pairs = v.trial.sample.LogSuperior(0), float64(v.trial.sample.N())
		}
		prospects, who = append(prospects, p), append(who, v)
	}
	room := 30 * share * float64(c.Budget) / 2
	i, projected, _ := stats.Promote(prospects, alpha, 2*c.variance, room)
	if i < 0 {
		return nil
	}
	v := who[i]
	if v.trial == nil {
		v.trial = newTrial(c.Tasks, c.Items)
		v.trial.alpha, v.trial.cap = alpha, projected
		c.entered, c.entries = append(c.entered, c.now), c.entries+1
		if v.gain > 0 {
			c.out.Entered++
		}
	} else if v.trial.parked > 0 {
		v.trial.parked, v.trial.cap = 0, stats.ResumedCap(float64(v.trial.sample.N()), projected)
	}
	return v
}

// conclude acts on a ruling that is not open.
func (c *life) conclude(v *variant, r stats.Ruling) {
	adopt := r.State == stats.Proven || c.here && r.Claim != stats.NoClaim
	if r.State == stats.Parked && !adopt {
		v.trial.parked = c.night
		return
	}
	c.close(v, r)
	if r.Claim != stats.NoClaim && v.here(c.land) <= 0 {
		c.out.FalseHere++
	}
	if !adopt {
		return
	}
	c.adopted++
	c.out.adopt(c.night, v.gain, r.Difference, r.Shrunken, stats.Shrink(r.Difference, v.trial.sample.Variance(), r.Pairs))
	c.out.AdoptedHere.add(r.Lo <= v.here(c.land) && v.here(c.land) <= r.Hi)
	c.out.AdoptedNew.add(r.New.Lo <= v.gain && v.gain <= r.New.Hi)
	if c.out.Adopted == 0 {
		// The mistake is undone; all evidence against the champion is void.
		c.archive.void()
	}
}

// close counts how far the intervals of a candidate are true when it leaves.
func (c *life) close(v *variant, r stats.Ruling) {
	v.ended = true
	here := v.here(c.land)
	c.out.Here.add(r.Lo <= here && here <= r.Hi)
	c.out.New.add(r.New.Lo <= v.gain && v.gain <= r.New.Hi)
}
