package nights

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// difficulty is the standard deviation, in logits, of the tasks' difficulty. With it, the
// champion's success probability is between .06 and .94 for nine tasks in ten, and the mean
// variance of a run's score is .17.
const difficulty = 1.5

// World is a simulated environment for a policy. Every night the search proposes Variants
// variants; one of them is better than the champion by Gain, and all others are exactly as
// good as the champion. Search and holdout have Tasks tasks each, drawn anew in each
// repetition.
type World struct {
	Gain  float64 // in score units, the mean over all possible tasks
	Tasks int     // the number for each of holdout and search
	// Interaction is the standard deviation, in logits, of a variant's effect between
	// clusters of tasks.
	Interaction float64
	// Items is the number of independent points in a task's score; with 1, a task is passed
	// or failed.
	Items int
	// Cluster is the number of tasks in a cluster; they share difficulty and effect.
	Cluster int
	// Domains is the number of domains, to which the clusters are assigned in turn; 0 means
	// none. In the first of them the better variant is worse by Harm logits than in the
	// others, at the same overall gain.
	Domains int
	Harm    float64
	// Price is the mean cost of a variant's run relative to the champion's. Costs vary
	// equally between tasks and between runs. 0 means no costs and no guards.
	Price float64
	// Fixed reports whether an agent always gives the same answer.
	Fixed bool
	// Budget is the number of evaluations of one night.
	Budget           int
	Nights, Variants int
}

// String describes the world.
func (w World) String() string { return fmt.Sprintf("%+.0f points, %s", 100*w.Gain, w.kind()) }

func (w World) kind() string {
	s := fmt.Sprintf("%d tasks", w.Tasks)
	if w.Interaction > 0 {
		s += ", interaction"
	}
	if w.Items > 1 {
		s += ", graded"
	}
	if w.Cluster > 1 {
		s += fmt.Sprintf(", clusters of %d", w.Cluster)
	}
	if w.Fixed {
		s += ", fixed"
	}
	if w.Domains > 0 {
		s += fmt.Sprintf(", %d domains", w.Domains)
	}
	if w.Harm > 0 {
		s += fmt.Sprintf(", one harmed by %g logits", w.Harm)
	}
	if w.Price > 0 {
		s += fmt.Sprintf(", cost ×%g", w.Price)
	}
	return s
}

// side is the set of search tasks or of holdout tasks, with the champion's success
// probabilities and their logits.
type side struct {
	logits, chances []float64
}

// simulation is a world with its tasks drawn.
type simulation struct {
	World
	rng             *rand.Rand
	search, holdout side
	// shift is the effect, in logits, of the better variant, and level is the effect of a
	// variant that is no better but has an interaction.
	shift, level float64
	// searchAnswers and holdoutAnswers are the champion's answers if the world is fixed.
	searchAnswers, holdoutAnswers []int
}

func (w World) draw(rng *rand.Rand) *simulation {
	l := &simulation{World: w, rng: rng, search: w.side(rng), holdout: w.side(rng), shift: w.shift(), level: shift(0, w.Interaction)}
	if w.Fixed {
		l.searchAnswers, l.holdoutAnswers = l.answers(l.search.chances), l.answers(l.holdout.chances)
	}
	return l
}

func (w World) side(rng *rand.Rand) side {
	s := side{logits: make([]float64, w.Tasks), chances: make([]float64, w.Tasks)}
	for i := range s.logits {
		if i%w.Cluster == 0 {
			s.logits[i] = difficulty * rng.NormFloat64()
		} else {
			s.logits[i] = s.logits[i-1]
		}
		s.chances[i] = logistic(s.logits[i])
	}
	return s
}

// shifted returns the success probabilities on one side for a variant whose logits are
// shifted by the given amount.
func (l *simulation) shifted(s side, by float64) []float64 {
	if by == 0 && l.Interaction == 0 {
		return s.chances
	}
	out := make([]float64, len(s.logits))
	var effect float64
	for i, logit := range s.logits {
		if i%l.Cluster == 0 {
			effect = by + l.Interaction*l.rng.NormFloat64()
			if by == l.shift && l.domain(i) == 0 {
				effect -= l.Harm
			}
		}
		out[i] = logistic(logit + effect)
	}
	return out
}

// answers draws the points that an agent with fixed answers gets on each task.
func (l *simulation) answers(chances []float64) []int {
	out := make([]int, len(chances))
	for i, p := range chances {
		out[i] = l.points(p)
	}
	return out
}

// points draws the points of one run, at most Items.
func (l *simulation) points(chance float64) int {
	n := 0
	for range l.Items {
		if l.rng.Float64() < chance {
			n++
		}
	}
	return n
}

// variance returns the variance of one run's score, averaged over tasks.
func (l *simulation) variance(chances []float64) float64 {
	var sum float64
	for _, p := range chances {
		sum += p * (1 - p)
	}
	return sum / float64(len(chances)*l.Items)
}

// domain returns the domain of a task, or -1 if there is none.
func (w World) domain(task int) int {
	if w.Domains == 0 {
		return -1
	}
	return task / w.Cluster % w.Domains
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// shift returns the change in logits that raises the mean success probability over all
// tasks by the given gain. The effects on the tasks vary with the given standard
// deviation (interaction). It inverts the mean of a logistic function over a normal
// distribution by bisection.
func shift(gain, interaction float64) float64 {
	return World{Gain: gain, Interaction: interaction}.shift()
}

// shift returns the better variant's shift on tasks outside the domain that it harms.
func (w World) shift() float64 {
	mean := func(shift, sd float64) float64 {
		const half = 400
		var sum, weights float64
		for i := -half; i <= half; i++ {
			z := 6 * float64(i) / half
			w := distuv.UnitNormal.Prob(z)
			sum += w * logistic(shift+sd*z)
			weights += w
		}
		return sum / weights
	}
	want, harmed := mean(0, difficulty)+w.Gain, 0.0
	if w.Domains > 0 {
		harmed = 1 / float64(w.Domains)
	}
	lo, hi, sd := -5.0, 5.0, math.Hypot(difficulty, w.Interaction)
	for range 50 {
		if mid := (lo + hi) / 2; (1-harmed)*mean(mid, sd)+harmed*mean(mid-w.Harm, sd) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
