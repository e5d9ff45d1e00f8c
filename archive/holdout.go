package archive

import (
	"context"
	"iter"
)

// Expose records that a holdout was opened.
func (a *Archive) Expose(ctx context.Context, e Exposure) error {
	return a.change(ctx, "record a holdout exposure", func(b *batch) error {
		last, err := a.number(ctx, counterKey(countExposures, e.Agent))
		if err != nil {
			return err
		}
		return putExposure(b, e, last+1)
	})
}

func putExposure(b *batch, e Exposure, number uint64) error {
	e.Time = normalizeTime(e.Time)
	b.put(counterKey(countExposures, e.Agent), encodeNumber(number))
	return putDocument(b, newKey(tableExposure).text(e.Agent).number(number), e)
}

// Exposures yields an agent's exposures in the order in which they were recorded.
func (a *Archive) Exposures(ctx context.Context, agentID string) iter.Seq2[Exposure, error] {
	return documents[Exposure](ctx, a, "list the holdout exposures", newKey(tableExposure).text(agentID), nil)
}

// putMutation records a tried mutation, replacing the record with the same child, parent,
// run and operator.
func putMutation(b *batch, m Mutation) error {
	k := newKey(tableMutation).text(m.Agent).text(string(m.Child)).text(string(m.Parent)).text(m.Run).text(m.Operator)
	return putDocument(b, k, m)
}

// Mutations yields an agent's tried mutations, ordered by child.
func (a *Archive) Mutations(ctx context.Context, agentID string) iter.Seq2[Mutation, error] {
	return documents[Mutation](ctx, a, "list the mutations", newKey(tableMutation).text(agentID), nil)
}
