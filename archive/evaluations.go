package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"evolve/bench"
	"evolve/runtime/agent"
)

// Record queues an evaluation, which is committed to disk in a group with others. It
// returns without waiting for the commit, but waits while the queue is full. done, if not
// nil, is called once the evaluation is on disk or could not be written. Calls of done are
// sequential and delay the next group, so done must be quick and must not record or flush.
//
// The outcome of a scored evaluation (outcome, score, grades, usage, latency, attempts,
// error, answer, transcript) is stored once for each key, the first time. A later
// evaluation with that key becomes an entry of its own run (run, agent, seq, variant, task,
// split, stage, repeat, seed, time, cached) that refers to the stored outcome. If the
// position of an evaluation (run, agent, seq) is already occupied, the evaluation is
// ignored, unless the position holds missing data and the new evaluation is scored.
func (a *Archive) Record(ctx context.Context, e bench.Evaluation, done func(error)) error {
	if a.writer == nil {
		return fmt.Errorf("record an evaluation: %w", ErrReadOnly)
	}
	normalize(&e)
	if err := checkEvaluation(&e); err != nil {
		return err
	}
	p := pending{evaluation: &e, done: done}
	if e.Transcript != nil {
		var err error
		if p.transcript, err = a.packer.pack(e.Transcript); err != nil {
			return err
		}
		e.Transcript = nil
	}
	p.record = encodeEvaluation(&e, nil)
	return a.writer.add(ctx, p)
}

// Flush waits until everything recorded so far is on disk, and returns the first
// failure since the last flush.
func (a *Archive) Flush(ctx context.Context) error {
	if a.writer == nil {
		return nil
	}
	return a.writer.flush(ctx)
}

// Cached returns the scored evaluation with a content key, as the first run recorded it,
// and reports whether there is one. It does not return evaluations that stand for missing
// data.
func (a *Archive) Cached(ctx context.Context, key bench.Key) (bench.Evaluation, bool, error) {
	place, err := getOne(ctx, a.store, contentKey(tableKey, key))
	if errors.Is(err, ErrNotFound) {
		return bench.Evaluation{}, false, nil
	}
	if err != nil {
		return bench.Evaluation{}, false, fmt.Errorf("find an evaluation: %w", err)
	}
	data, err := getOne(ctx, a.store, place)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: the evaluation with key %s is missing", ErrCorrupt, key)
	}
	if err != nil {
		return bench.Evaluation{}, false, fmt.Errorf("find an evaluation: %w", err)
	}
	s, err := decodeEvaluation(place, data)
	if err != nil {
		return bench.Evaluation{}, false, err
	}
	return s.Evaluation, true, nil
}

// Evaluations yields a run's evaluations of one agent in order of issue, without transcripts.
func (a *Archive) Evaluations(ctx context.Context, run, agentID string) iter.Seq2[bench.Evaluation, error] {
	return a.evaluations(ctx, newKey(tableEvaluation).text(run).text(agentID), nil, "")
}

// EvaluationsFrom yields the evaluations of [Archive.Evaluations] with a seq of at least
// seq.
func (a *Archive) EvaluationsFrom(ctx context.Context, run, agentID string, seq int64) iter.Seq2[bench.Evaluation, error] {
	return a.evaluations(ctx, newKey(tableEvaluation).text(run).text(agentID), evaluationKey(run, agentID, seq), "")
}

// EvaluationsIn yields the evaluations of [Archive.Evaluations] that belong to a stage. For
// the confirmation it does not read the evaluations of the search.
func (a *Archive) EvaluationsIn(ctx context.Context, run, agentID string, stage bench.Stage) iter.Seq2[bench.Evaluation, error] {
	var from key
	if stage == bench.StageConfirm {
		from = evaluationKey(run, agentID, bench.ConfirmSeq)
	}
	return a.evaluations(ctx, newKey(tableEvaluation).text(run).text(agentID), from, stage)
}

// evaluations yields the evaluations whose keys begin with prefix, starting at the key in
// from. Unless stage is empty, it yields only those of that stage. References are looked
// up in chunks, because looking up one record through a socket costs as much as looking
// up hundreds.
func (a *Archive) evaluations(ctx context.Context, prefix, from key, stage bench.Stage) iter.Seq2[bench.Evaluation, error] {
	const chunk = 256
	return func(yield func(bench.Evaluation, error) bool) {
		held, stopped := make([]storedEvaluation, 0, chunk), false
		decoder, firsts := newEvaluationDecoder(newTexts()), newEvaluationDecoder(newTexts())
		emit := func() error {
			if err := a.resolve(ctx, held, firsts); err != nil {
				return err
			}
			for i := range held {
				if !yield(held[i].Evaluation, nil) {
					stopped = true
					return errStop
				}
			}
			held = held[:0]
			return nil
		}
		err := a.store.scan(ctx, prefix, from, func(k, value []byte) error {
			if stage != "" {
				if in, err := decoder.stage(value); err == nil && in != stage {
					return nil
				}
			}
			s, err := decoder.decode(k, value)
			if err != nil {
				return err
			}
			held = append(held, s)
			if len(held) == chunk {
				return emit()
			}
			return nil
		})
		if err == nil && !stopped {
			err = emit()
		}
		if err != nil && !stopped {
			yield(bench.Evaluation{}, fmt.Errorf("list evaluations: %w", err))
		}
	}
}

// resolve completes the evaluations of list that refer to another evaluation: it copies the
// outcome from the evaluation referred to.
func (a *Archive) resolve(ctx context.Context, list []storedEvaluation, decoder *evaluationDecoder) error {
	var places [][]byte
	for i := range list {
		if list[i].first != nil {
			places = append(places, list[i].first)
		}
	}
	if len(places) == 0 {
		return nil
	}
	values, err := a.store.get(ctx, places...)
	if err != nil {
		return err
	}
	n := 0
	for i := range list {
		s := &list[i]
		if s.first == nil {
			continue
		}
		place, data := places[n], values[n]
		n++
		if data == nil {
			return fmt.Errorf("%w: evaluation %d of run %s refers to an evaluation that is missing", ErrCorrupt, s.Seq, s.Run)
		}
		first, err := decoder.decode(place, data)
		if err != nil {
			return err
		}
		if first.first != nil || first.Key != s.Key {
			return fmt.Errorf("%w: evaluation %d of run %s refers to an evaluation that does not match it", ErrCorrupt, s.Seq, s.Run)
		}
		s.copyOutcome(&first.Evaluation)
	}
	return nil
}

// Transcript loads the transcript of an evaluation, or returns ErrNotFound if none was
// stored.
func (a *Archive) Transcript(ctx context.Context, key bench.Key) (agent.Transcript, error) {
	data, err := getOne(ctx, a.store, contentKey(tableTranscript, key))
	if err != nil {
		return agent.Transcript{}, fmt.Errorf("transcript of evaluation %s: %w", key, err)
	}
	return a.packer.unpack(data)
}
