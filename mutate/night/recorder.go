package night

import (
	"context"

	"evolve/bench"
)

// recorder returns a recorder that does what rec does and also calls told for each
// evaluation once it is on disk. If told is nil, recorder returns rec itself.
func recorder(rec bench.Recorder, told func(seq int64)) bench.Recorder {
	if told == nil {
		return rec
	}
	return telling{rec, told}
}

type telling struct {
	bench.Recorder
	told func(seq int64)
}

// Record implements [bench.Recorder].
func (t telling) Record(ctx context.Context, e bench.Evaluation, done func(error)) error {
	return t.Recorder.Record(ctx, e, func(err error) {
		if err == nil {
			t.told(e.Seq)
		}
		if done != nil {
			done(err)
		}
	})
}
