package population

import (
	"encoding/binary"
	"math"

	"evolve/runtime/agent"
)

// member is a variant of the population.
type member struct {
	index      int
	id         agent.ConfigID
	config     agent.Config
	parents    []agent.ConfigID
	operator   string
	scale      float64
	generation int
	rationale  string
	children   int
	// modelled reports whether a language model wrote the variant or one of its ancestors.
	// since is the number of evaluations that variants of the same kind, modelled or not,
	// had used when this variant was made.
	modelled bool
	since    int
	size     int
	// scores holds the score of each task, or NaN if there is none; weights holds the
	// weights of the scores, in [0,1].
	scores, weights []float64
	// stages is the number of stages begun, issued is the number of cases queued in the
	// common order, pending is the number of queued cases without a result, and results is
	// the number of all results received.
	stages, issued, pending, results int
	// timed counts the results with a known time; seconds is the sum of these times.
	timed int
	// judged is the number of cases that the variant had completed when the probe last
	// decided whether to drop it.
	judged int
	// probed reports whether the probe was begun, and left reports whether the variant was
	// dropped after the probe. audited reports whether the variant got the first stage
	// although it scored like another variant on the probe. grouped reports whether the
	// variant is included among the variants that behave alike on the first stage.
	probed, left, rewarded, audited, grouped bool
	cost, seconds                            float64
	// gain is the posterior mean of the difference to the champion, and deviation is its
	// standard deviation. common is the weight of the cases that both the variant and the
	// champion ran, and squares is the sum of the squared deviations of the differences on
	// these cases from their mean.
	gain, deviation, common, squares float64
}

// set stores the score on a task, unless a score of greater weight is known.
func (m *member) set(task int, score, weight float64) {
	if weight >= m.weights[task] {
		m.scores[task], m.weights[task] = score, weight
	}
}

// scored returns a key that identifies the variant's scores on all cases.
func (m *member) scored() string {
	var key []byte
	for _, v := range m.scores {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
	}
	return string(key)
}

// sums returns the number of tasks on which the variant has a score, and the sum of these
// scores.
func (m *member) sums() (n int, sum float64) {
	for _, v := range m.scores {
		if !math.IsNaN(v) {
			n++
			sum += v
		}
	}
	return n, sum
}

// camp returns 1 if a language model wrote the variant or one of its ancestors, and 0
// otherwise.
func (m *member) camp() int {
	if m.modelled {
		return 1
	}
	return 0
}

// descend sets the parents of a variant and its fields modelled and since, which depend
// on the parents.
func (s *search) descend(m *member, parents ...agent.ConfigID) {
	m.parents, m.modelled = parents, m.operator == reflectOperator
	for _, id := range parents {
		if p := s.byID[id]; p != nil && p.modelled {
			m.modelled = true
		}
	}
	m.since = s.spent[m.camp()]
}
