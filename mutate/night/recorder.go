package night

import (
	"context"

	"evolve/bench"
)

// recorder returns rec, with a call of told for each evaluation that is on disk. A nil told
// leaves rec as it is.
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
