package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

func variantKey(agentID string, number uint64) key {
	return newKey(tableVariant).text(agentID).number(number)
}

func variantIDKey(agentID string, id agent.ConfigID) key {
	return newKey(tableVariantID).text(agentID).text(string(id))
}

func counterKey(counter, agentID string) key {
	return newKey(tableCounter).text(counter).text(agentID)
}

// The counters.
const (
	countVariants   = "variants"
	countProposals  = "proposals"
	countExposures  = "exposures"
	countCandidates = "candidates"
	countRequests   = "requests"
	countTurns      = "turns"
	countLedger     = "ledger"
)

// queuedVariants is the maximum number of queued variants. When it is reached, a new
// variant waits for a flush.
const queuedVariants = 512

// naming assigns variants their numbers before the variants are on disk.
type naming struct {
	// queued holds the variants that may still be in the queue, keyed by agent and id.
	queued map[string]bool
	// last is the last number that was assigned, by agent.
	last map[string]int
}

// PutVariant stores v unless its agent already has that config, and returns the stored
// variant with its number. An empty ID is filled in; an ID that does not belong to the
// config is refused.
func (a *Archive) PutVariant(ctx context.Context, v Variant) (Variant, error) {
	v, err := a.RecordVariant(ctx, v, nil)
	if err != nil {
		return v, err
	}
	return v, a.Flush(ctx)
}

// RecordVariant does what PutVariant does, without waiting for the disk. The variant, and
// the mutation that made it if there is one, are queued in order with the other records, so
// an evaluation is never on disk without its variant.
func (a *Archive) RecordVariant(ctx context.Context, v Variant, m *Mutation) (Variant, error) {
	if a.writer == nil {
		return v, fmt.Errorf("store a variant: %w", ErrReadOnly)
	}
	id := v.Config.ID()
	if v.ID == "" {
		v.ID = id
	}
	if v.ID != id {
		return v, fmt.Errorf("store a variant: the config's id is %s, not %s", id.Short(), v.ID.Short())
	}
	a.write.Lock()
	defer a.write.Unlock()
	var b batch
	if m != nil {
		if err := putMutation(&b, *m); err != nil {
			return v, fmt.Errorf("store a variant: %w", err)
		}
	}
	v, err := a.name(ctx, v, &b)
	if err != nil {
		return v, fmt.Errorf("store a variant: %w", err)
	}
	if len(b.pairs) == 0 {
		return v, nil
	}
	return v, a.writer.add(ctx, pending{pairs: b.pairs})
}

// name returns the variant as it is stored or queued. If it is neither, name gives v the
// next number and adds it to the batch.
func (a *Archive) name(ctx context.Context, v Variant, b *batch) (Variant, error) {
	place := v.Agent + "\x00" + string(v.ID)
	if a.naming.queued[place] || len(a.naming.queued) >= queuedVariants {
		if err := a.writer.flush(ctx); err != nil {
			return v, err
		}
		clear(a.naming.queued)
	}
	stored, err := a.Variant(ctx, v.Agent, v.ID)
	if err == nil {
		return stored, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return v, err
	}
	last, ok := a.naming.last[v.Agent]
	if !ok {
		n, err := a.number(ctx, counterKey(countVariants, v.Agent))
		if err != nil {
			return v, err
		}
		last = int(n)
	}
	v.Number = last + 1
	if err := putVariant(b, v); err != nil {
		return v, err
	}
	a.naming.queued[place], a.naming.last[v.Agent] = true, v.Number
	return v, nil
}

// putVariant stores a numbered variant with its index entry and updates the counter.
func putVariant(b *batch, v Variant) error {
	v.Time = normalizeTime(v.Time)
	n := uint64(v.Number)
	b.put(variantIDKey(v.Agent, v.ID), encodeNumber(n))
	b.put(counterKey(countVariants, v.Agent), encodeNumber(n))
	return putDocument(b, variantKey(v.Agent, n), v)
}

// Variant finds a variant of an agent by id.
func (a *Archive) Variant(ctx context.Context, agentID string, id agent.ConfigID) (Variant, error) {
	n, err := a.number(ctx, variantIDKey(agentID, id))
	if err != nil {
		return Variant{}, fmt.Errorf("find variant %s: %w", id.Short(), err)
	}
	if n == 0 {
		return Variant{}, fmt.Errorf("variant %s of agent %q: %w", id.Short(), agentID, ErrNotFound)
	}
	return named[Variant](ctx, a, variantKey(agentID, n), "variant %s of agent %q", id.Short(), agentID)
}

// FindVariant finds a variant by a name that a person types: "v37", an id, or a unique
// prefix of an id.
func (a *Archive) FindVariant(ctx context.Context, agentID, name string) (Variant, error) {
	if digits, ok := strings.CutPrefix(name, "v"); ok {
		if n, err := strconv.ParseUint(digits, 10, 63); err == nil {
			return named[Variant](ctx, a, variantKey(agentID, n), "variant %s of agent %q", name, agentID)
		}
	}
	if name == "" {
		return Variant{}, fmt.Errorf("the variant's name is empty: %w", ErrNotFound)
	}
	var found []agent.ConfigID
	prefix := newKey(tableVariantID).text(agentID).open(name)
	err := a.store.scan(ctx, prefix, nil, func(k, _ []byte) error {
		r := readKey(tableVariantID, k)
		r.text()
		found = append(found, agent.ConfigID(r.text()))
		if len(found) > 1 {
			return errStop
		}
		return r.done()
	})
	switch {
	case err != nil:
		return Variant{}, fmt.Errorf("find variant %q: %w", name, err)
	case len(found) == 0:
		return Variant{}, fmt.Errorf("variant %q of agent %q: %w", name, agentID, ErrNotFound)
	case len(found) > 1 && string(found[0]) != name:
		return Variant{}, fmt.Errorf("variant %q of agent %q matches several variants, such as %s and %s: %w",
			name, agentID, found[0].Short(), found[1].Short(), ErrAmbiguous)
	}
	return a.Variant(ctx, agentID, found[0])
}

// Variants yields an agent's variants, ordered by number.
func (a *Archive) Variants(ctx context.Context, agentID string) iter.Seq2[Variant, error] {
	return documents[Variant](ctx, a, "list the variants", newKey(tableVariant).text(agentID), nil)
}
