package night

import (
	"iter"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// measurements are the evaluations on search tasks that the ablation compares. A long search
// makes a million of them, so each takes 24 bytes.
type measurements struct {
	variants []mutate.Trial // with id and config alone
	tasks    []string
	// The indices of variants and tasks.
	variantAt map[agent.ConfigID]uint32
	taskAt    map[string]uint32
	list      []measurement
}

type measurement struct {
	variant, task uint32
	repeat        int32
	scored        bool
	score         float64
}

func newMeasurements() *measurements {
	return &measurements{variantAt: map[agent.ConfigID]uint32{}, taskAt: map[string]uint32{}}
}

// add adds an evaluation.
func (m *measurements) add(t mutate.Trial, scored bool, score float64) {
	variant, known := m.variantAt[t.Variant]
	if !known {
		variant = uint32(len(m.variants))
		m.variantAt[t.Variant] = variant
		m.variants = append(m.variants, mutate.Trial{Variant: t.Variant, Config: t.Config})
	}
	task, known := m.taskAt[t.Task]
	if !known {
		task = uint32(len(m.tasks))
		m.taskAt[t.Task] = task
		m.tasks = append(m.tasks, t.Task)
	}
	m.list = append(m.list, measurement{variant, task, int32(t.Repeat), scored, score})
}

// all yields the evaluations in the order in which they were added.
func (m *measurements) all() iter.Seq[mutate.Observation] {
	return func(yield func(mutate.Observation) bool) {
		for _, one := range m.list {
			t := m.variants[one.variant]
			t.Task, t.Repeat = m.tasks[one.task], int(one.repeat)
			if !yield(mutate.Observation{Trial: t, Scored: one.scored, Score: one.score}) {
				return
			}
		}
	}
}
