package stats

import (
	"fmt"
	"math"
	"strings"
)

// Verdict of a run for an agent.
type Verdict string

// Adopt: a candidate is proven better on new tasks like these. Keep: an improvement of
// practical size is ruled out for everything that was confirmed, or a finished
// search found nothing to confirm. Undecided: it is neither shown nor ruled out.
const (
	Adopt     Verdict = "adopt"
	Keep      Verdict = "keep"
	Undecided Verdict = "undecided"
)

// Practical is the improvement, in score units, below which nobody would change
// an agent; a run that cannot rule it out has not decided.
const Practical = 0.05

// MinClusters is the fewest clusters on which a comparison by Student's t alone may be
// believed: with six, 2^−6 ≤ .025, an exact test over the signs could reach the usual
// level; with five none could, and the interval would rest on the shape of the
// distribution alone.
const MinClusters = 6

// Circumstances are what a night's verdict depends on besides the evidence.
type Circumstances struct {
	// Searched says that the search stage came to its planned end.
	Searched bool
	// Blocked says why a variant that was ahead was not confirmed: no entry left in the
	// window, no budget for a block, more pairs needed than a window can pay. Empty when
	// nobody was held back.
	Blocked string
	// Behind says how far the best variant is from being taken up; empty when there is none.
	Behind string
	// Design is what the confirmation had to spend; it tells what the night could see
	// when nothing was confirmed, and how many tasks would show more.
	Design Design
}

// Conclusion is the machine's judgement of a night for one agent; a person decides.
type Conclusion struct {
	Verdict Verdict `json:"verdict"`
	// Winner is the index of the recommended ruling, -1 for none.
	Winner int `json:"winner"`
	// Detectable is the smallest true improvement, in score units, that all the evidence on every
	// candidate would have shown for new tasks with 80 % power; without candidates, what the
	// design could show tonight. 1 when none.
	Detectable float64 `json:"detectable"`
	// Sentence is the verdict in plain words: the claim, and what comes next.
	Sentence string `json:"sentence"`
}

// Conclude draws the verdict of a night from the rulings on all that was confirmed in it.
// Any proven: adopt, the winner being the one whose bound for new tasks is highest. Otherwise, when for
// every ruling an improvement of [Practical] size on new tasks is ruled out or the ruling
// ended against the candidate, or there is none after a complete search that held nobody
// back: keep. Else: undecided.
func Conclude(rulings []Ruling, c Circumstances) Conclusion {
	out := Conclusion{Winner: -1, Detectable: math.Min(1, c.Design.Detectable(c.Design.Tonight))}
	if len(rulings) > 0 {
		out.Detectable = 0
	}
	undecided := -1 // the ruling that says most about what comes next
	for i := range rulings {
		r := &rulings[i]
		out.Detectable = math.Max(out.Detectable, math.Min(1, c.Design.learned(r).Detectable(float64(r.Pairs))))
		switch {
		case r.State == Proven:
			if out.Winner < 0 || r.NewLower > rulings[out.Winner].NewLower {
				out.Winner = i
			}
		case r.settled():
		case undecided < 0 || r.State.hope() > rulings[undecided].State.hope() ||
			r.State == rulings[undecided].State && r.Difference > rulings[undecided].Difference:
			undecided = i
		}
	}
	switch {
	case out.Winner >= 0:
		out.Verdict, out.Sentence = Adopt, rulings[out.Winner].proven()
	case undecided >= 0:
		out.Verdict, out.Sentence = Undecided, rulings[undecided].undecided(c.Design)
	case c.Blocked != "":
		out.Verdict, out.Sentence = Undecided, "a variant looked better on the search tasks and was not confirmed: "+c.Blocked
	case !c.Searched:
		out.Verdict, out.Sentence = Undecided, "the search was cut short before anything looked better than the champion; it goes on with the next run"
	case len(rulings) == 0 && c.Behind != "":
		out.Verdict, out.Sentence = Keep, "nothing was confirmed: on the search tasks "+c.Behind
	case len(rulings) == 0:
		out.Verdict, out.Sentence = Keep, "nothing tried so far looks better than the champion on the search tasks, so nothing was confirmed"
	default:
		out.Verdict, out.Sentence = Keep, kept(rulings, out.Detectable)
	}
	return out
}

// settled reports whether a ruling leaves no hope of a practical improvement on new tasks.
func (r *Ruling) settled() bool {
	return r.State == Harmful || r.State == Vetoed || r.New.Hi < Practical
}

// hope orders the states that leave a night undecided by how near they are to a proof.
func (s State) hope() int {
	switch s {
	case HereOnly:
		return 2
	case Open:
		return 1
	}
	return 0
}

func (r *Ruling) proven() string {
	return fmt.Sprintf("variant %s is better than the champion on new tasks like these: about %s points (measured %s on %s it was never tuned on, %g %% interval for new tasks %s to %s)",
		short(r.Variant), signed(r.Shrunken), signed(r.Difference), plural(r.Tasks, "task"), 100*r.Level, signed(r.New.Lo), signed(r.New.Hi))
}

func (r *Ruling) undecided(d Design) string {
	interval := fmt.Sprintf("%s points, %g %% interval for new tasks %s to %s", signed(r.Difference), 100*r.Level, signed(r.New.Lo), signed(r.New.Hi))
	name := short(r.Variant)
	switch r.State {
	case HereOnly:
		more := ""
		gain := math.Max(r.Shrunken, Practical)
		if n := d.learned(r).Needed(gain); n > 0 {
			more = fmt.Sprintf("; about %d independent tasks would be needed to show %s points", n, points(gain))
		}
		return fmt.Sprintf("variant %s is proven better on these tasks only (%s): %s cannot show that it is on new tasks like these%s",
			name, interval, plural(r.Clusters, "independent task"), more)
	case Parked:
		if r.Claim == NewTasks {
			return fmt.Sprintf("variant %s is proven better on new tasks like these (%s), but after twice the pairs it was projected to need %s: it is parked with its evidence",
				name, interval, strings.Join(r.unproven(), "; "))
		}
		return fmt.Sprintf("variant %s is neither shown better nor ruled out (%s) after twice the pairs it was projected to need: it is parked with its evidence", name, interval)
	}
	next := "it goes on tomorrow"
	if r.LogE < r.Threshold {
		pairs := float64(r.Pairs)
		mean, _ := Posterior(Differences{}, Differences{N: pairs, Sum: pairs * r.Difference, Variance: r.Within})
		if n := ProjectedPairs(mean, r.LogE, math.Exp(-r.Threshold), r.Within); !math.IsInf(n, 1) {
			next += ": about " + morePairs(n)
		}
		return fmt.Sprintf("variant %s is neither shown better nor ruled out to be better by %s points (%s); %s", name, points(Practical), interval, next)
	}
	if r.Claim == NewTasks {
		return fmt.Sprintf("variant %s is proven better on new tasks like these (%s), but %s; %s", name, interval, strings.Join(r.unproven(), "; "), next)
	}
	return fmt.Sprintf("variant %s is proven better on these tasks, and not yet on new tasks like these (%s); %s", name, interval, next)
}

func kept(rulings []Ruling, detectable float64) string {
	if len(rulings) == 1 {
		r := &rulings[0]
		switch {
		case r.State == Harmful && r.Fixed:
			return fmt.Sprintf("the candidate %s is no better than the champion on these tasks (%s points), and asking again would say the same", short(r.Variant), signed(r.Difference))
		case r.State == Harmful:
			return fmt.Sprintf("the candidate %s is proven worse than the champion on these tasks (%s points)", short(r.Variant), signed(r.Difference))
		case r.State == Vetoed:
			return fmt.Sprintf("the candidate %s may not replace the champion: %s", short(r.Variant), r.Reason)
		}
	}
	visible := fmt.Sprintf("%s points at 80 %% power", points(detectable))
	if detectable >= 1 {
		visible = "no difference, however large"
	}
	return fmt.Sprintf("nothing confirmed is better on new tasks like these by %s points or more, by a margin this run could see (%s)", points(Practical), visible)
}
