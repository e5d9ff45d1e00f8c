package mutate

import (
	"gonum.org/v1/gonum/mat"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// Surrogate is the model that a search uses, made available without a search. It is fitted
// to evaluations of any configs and predicts differences in score between any configs,
// including configs without evaluations. It is not safe for concurrent use.
type Surrogate struct {
	codec   *codec
	index   map[string]int
	weights []float64
	model   *irt.Model
	items   []irt.Item
	at      map[agent.ConfigID]int
	// told holds, for each task of each item, the number of added repeats before the first
	// gap; ahead holds the evaluations that were added and come after the gap.
	told  [][]int32
	ahead map[trialKey]bool
	// learnt is the number of items when the hyperparameters were last learnt.
	learnt int
	// fresh reports whether evaluations have been added since the last fit.
	fresh, fitted bool
}

// NewSurrogate returns a model without data.
func NewSurrogate(space agent.Space, champion agent.Config, tasks []Task) *Surrogate {
	s := &Surrogate{codec: newCodec(space, champion), index: map[string]int{}, at: map[agent.ConfigID]int{}, ahead: map[trialKey]bool{}}
	s.weights = normalizedWeights(tasks)
	for j, t := range tasks {
		s.index[t.ID] = j
	}
	s.model = irt.New(s.codec.dims, len(tasks))
	return s
}

// Add adds an evaluation; it has no effect before the next [Surrogate.Fit]. It ignores
// evaluations without a score, evaluations on other tasks or of configs outside the space,
// and duplicates.
func (s *Surrogate) Add(o Observation) {
	task, ok := s.index[o.Trial.Task]
	if !ok || !o.Scored || !(o.Score >= 0 && o.Score <= 1) {
		return
	}
	i, ok := s.at[o.Trial.Variant]
	if !ok {
		config, problems := s.codec.space.Parse(o.Trial.Config)
		if len(problems) > 0 {
			return
		}
		i = len(s.items)
		s.at[o.Trial.Variant] = i
		s.items = append(s.items, irt.Item{Point: s.codec.encode(config)})
		s.told = append(s.told, make([]int32, len(s.index)))
	}
	if !s.first(trialKey{i, task, o.Trial.Repeat}) {
		return
	}
	it := &s.items[i]
	it.Cells = irt.AddScore(it.Cells, task, o.Score, 1)
	s.fresh = true
}

// first marks an evaluation as added, and reports whether it was new.
func (s *Surrogate) first(k trialKey) bool {
	told := &s.told[k.variant][k.task]
	if k.repeat >= 0 && k.repeat < int(*told) || s.ahead[k] {
		return false
	}
	s.ahead[k] = true
	for next := (trialKey{k.variant, k.task, int(*told)}); s.ahead[next]; next.repeat++ {
		delete(s.ahead, next)
		*told++
	}
	return true
}

// Fit fits the model to the added evaluations. The model's items are the configs, in the
// order in which they were first added.
func (s *Surrogate) Fit() {
	if !s.fresh || len(s.codec.dims) == 0 {
		return
	}
	iterations, learn := 2, 0
	if float64(len(s.items)) > 1.12*float64(s.learnt)+4 {
		s.learnt, learn = len(s.items), 12
		iterations++
	}
	if !s.fitted {
		s.model.Fit(s.items, 5, learn)
	}
	s.model.Fit(s.items, iterations, learn)
	s.fresh, s.fitted = false, true
}

// Contrast is the model's prediction of the differences between one config and others, in
// logits. It consists of their posterior mean and covariance, and their prior covariance;
// the prior mean is 0.
type Contrast struct {
	Mean             []float64
	Posterior, Prior *mat.SymDense
	// Slope is the factor that converts a difference in logits into a difference in the
	// expected score, which is a weighted mean over all tasks. It is the mean of the slopes
	// at the midpoints between the config and each of the others.
	Slope float64
}

// Contrast returns the predicted differences between a config and one or more other
// configs; ok is false before the first fit.
func (s *Surrogate) Contrast(of agent.Config, than []agent.Config) (Contrast, bool) {
	if !s.fitted || len(than) == 0 {
		return Contrast{}, false
	}
	points := []irt.Point{s.codec.encode(of)}
	for _, c := range than {
		points = append(points, s.codec.encode(c))
	}
	mean, posterior := s.model.Joint(points)
	c := Contrast{Posterior: contrasts(posterior), Prior: contrasts(s.model.Prior(points))}
	for _, m := range mean[1:] {
		c.Mean = append(c.Mean, mean[0]-m)
		c.Slope += s.slope((mean[0]+m)/2) / float64(len(than))
	}
	return c, true
}

// contrasts converts the covariance of values into the covariance of the differences
// between the first value and each other value.
func contrasts(cov *mat.SymDense) *mat.SymDense {
	k := cov.SymmetricDim() - 1
	out := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			out.SetSym(i, j, cov.At(0, 0)-cov.At(0, i+1)-cov.At(0, j+1)+cov.At(i+1, j+1))
		}
	}
	return out
}

func (s *Surrogate) slope(ability float64) float64 {
	sum := 0.0
	for j, w := range s.weights {
		p := irt.Sigmoid(ability + s.model.Effects[j])
		sum += w * p * (1 - p)
	}
	return sum
}
