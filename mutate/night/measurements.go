package night

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// measurements are the evaluations on search tasks that the ablation compares. A long
// search makes a million of them, so they are packed into about six bytes each.
type measurements struct {
	variants []mutate.Trial // with only id and config set
	tasks    []string
	// variantAt and taskAt hold the indices of the variants and of the tasks.
	variantAt map[agent.ConfigID]int
	taskAt    map[string]int
	// blocks hold the packed evaluations. No block grows, because growing would copy it.
	blocks [][]byte
}

const (
	measurementBlock = 64 << 10
	// longestMeasurement is the maximum number of bytes that an evaluation takes.
	longestMeasurement = 4 * binary.MaxVarintLen64
)

func newMeasurements() *measurements {
	return &measurements{variantAt: map[agent.ConfigID]int{}, taskAt: map[string]int{}}
}

// add adds an evaluation.
func (m *measurements) add(t mutate.Trial, scored bool, score float64) {
	variant, known := m.variantAt[t.Variant]
	if !known {
		variant = len(m.variants)
		m.variantAt[t.Variant] = variant
		m.variants = append(m.variants, mutate.Trial{Variant: t.Variant, Config: t.Config})
	}
	task, known := m.taskAt[t.Task]
	if !known {
		task = len(m.tasks)
		m.taskAt[t.Task] = task
		m.tasks = append(m.tasks, t.Task)
	}
	last := len(m.blocks) - 1
	if last < 0 || cap(m.blocks[last])-len(m.blocks[last]) < longestMeasurement {
		m.blocks = append(m.blocks, make([]byte, 0, measurementBlock))
		last++
	}
	if !scored {
		score = math.NaN()
	}
	b := binary.AppendUvarint(m.blocks[last], uint64(variant))
	b = binary.AppendUvarint(b, uint64(task))
	b = binary.AppendVarint(b, int64(t.Repeat))
	// The last bytes of most scores are 0, so the reversed bits make short varints.
	m.blocks[last] = binary.AppendUvarint(b, bits.ReverseBytes64(math.Float64bits(score)))
}

// all yields the evaluations in the order in which they were added. An evaluation without a
// score is yielded with the score 0.
func (m *measurements) all() iter.Seq[mutate.Observation] {
	return func(yield func(mutate.Observation) bool) {
		for _, b := range m.blocks {
			for len(b) > 0 {
				variant, n := binary.Uvarint(b)
				task, k := binary.Uvarint(b[n:])
				repeat, l := binary.Varint(b[n+k:])
				packed, o := binary.Uvarint(b[n+k+l:])
				b = b[n+k+l+o:]
				t := m.variants[variant]
				t.Task, t.Repeat = m.tasks[task], int(repeat)
				score := math.Float64frombits(bits.ReverseBytes64(packed))
				scored := !math.IsNaN(score)
				if !scored {
					score = 0
				}
				if !yield(mutate.Observation{Trial: t, Scored: scored, Score: score}) {
					return
				}
			}
		}
	}
}
