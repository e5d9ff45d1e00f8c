package archive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"evolve/bench"
)

// Tally sums up the evaluations of one agent in one run.
type Tally struct {
	Evaluations int `json:"evaluations"`
	// Missing is the number of evaluations that have no score because of the
	// infrastructure; tallies that an older evolve stored do not count them.
	Missing int `json:"missing,omitempty"`
	// USD is the cost of the evaluations that were not answered from the archive.
	USD float64 `json:"usd,omitempty"`
	// Last is the time of the latest evaluation; it is zero if there is none.
	Last time.Time `json:"last,omitzero"`
}

// Used returns the number of evaluations that count as used: those with a score.
func (t Tally) Used() int { return t.Evaluations - t.Missing }

func (t *Tally) add(e *bench.Evaluation) {
	t.Evaluations++
	if !e.Scored {
		t.Missing++
	}
	t.USD += paid(e)
	if e.Time.After(t.Last) {
		t.Last = normalizeTime(e.Time)
	}
}

func paid(e *bench.Evaluation) float64 {
	if e.Cached {
		return 0
	}
	return e.Paid()
}

// storedTally is the stored form of a Tally, which lets a reader avoid scanning a whole
// night. The writer keeps its tallies in memory: before the first evaluation of an agent
// and run, it marks the stored tally as open, and when the writer closes, it stores the
// sum. An open tally was left by a killed writer, and is ignored.
type storedTally struct {
	Tally
	Open bool `json:"open,omitempty"`
}

func tallyKey(p part) key { return partKey(tableTally, p.run, p.agent) }

// Tally returns the sum over the evaluations of an agent in a run. It reads one record, or
// all evaluations when no closed tally is stored.
func (a *Archive) Tally(ctx context.Context, run, agentID string) (Tally, error) {
	p := part{run, agentID}
	if a.writer != nil {
		if t, ok := a.writer.tallies.of(p); ok {
			return t, nil
		}
	}
	s, err := document[storedTally](ctx, a, tallyKey(p))
	if err == nil && !s.Open {
		return s.Tally, nil
	}
	if err == nil || errors.Is(err, ErrNotFound) {
		s.Tally, err = a.count(ctx, p)
	}
	if err != nil {
		return Tally{}, fmt.Errorf("sum up the evaluations of %q in run %s: %w", agentID, run, err)
	}
	return s.Tally, nil
}

// count computes a tally from all evaluations of a part.
func (a *Archive) count(ctx context.Context, p part) (Tally, error) {
	var t Tally
	for e, err := range a.Evaluations(ctx, p.run, p.agent) {
		if err != nil {
			return t, err
		}
		t.add(&e)
	}
	return t, nil
}

// closeTallies closes the tallies that a killed writer has left open.
func (a *Archive) closeTallies(ctx context.Context) error {
	var open []part
	err := a.store.scan(ctx, newKey(tableTally), nil, func(k, value []byte) error {
		var s storedTally
		if err := decodeDocument(value, &s); err != nil || !s.Open {
			return err
		}
		r := readKey(tableTally, k)
		p := part{r.text(), r.text()}
		if err := r.done(); err != nil {
			return fmt.Errorf("%w: a tally: %w", ErrCorrupt, err)
		}
		open = append(open, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for open tallies: %w", err)
	}
	counted := map[part]Tally{}
	for _, p := range open {
		if counted[p], err = a.count(ctx, p); err != nil {
			return fmt.Errorf("sum up the evaluations of %q in run %s: %w", p.agent, p.run, err)
		}
	}
	return storeTallies(a.store, counted)
}

// storeTallies stores tallies as closed, in batches of a bounded size.
func storeTallies(store engine, counted map[part]Tally) error {
	var b batch
	for p, t := range counted {
		if err := putDocument(&b, tallyKey(p), storedTally{Tally: t}); err != nil {
			return err
		}
		if b.full() {
			if err := b.flush(store); err != nil {
				return err
			}
		}
	}
	return b.flush(store)
}

// tallies holds a writer's tallies, one for every agent and run for which it has recorded
// an evaluation.
type tallies struct {
	mu    sync.Mutex
	parts map[part]Tally
}

func (t *tallies) of(p part) (Tally, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.parts[p]
	return found, ok
}

func (t *tallies) take(changed map[part]Tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p, tally := range changed {
		t.parts[p] = tally
	}
}

// talliedStore is the store that a writer serves to readers: its tallies in memory replace
// those on disk.
type talliedStore struct {
	engine
	tallies *tallies
}

func (s talliedStore) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	values, err := s.engine.get(ctx, keys...)
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		if len(k) == 0 || k[0] != tableTally {
			continue
		}
		r := readKey(tableTally, k)
		p := part{r.text(), r.text()}
		if t, ok := s.tallies.of(p); ok && r.done() == nil {
			if values[i], err = encodeDocument(storedTally{Tally: t}); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// tallying updates the tallies for a group of queued evaluations.
type tallying struct {
	c *committer
	// found are the pairs that were looked up or written for the group.
	found map[string][]byte
	// changed holds the tallies that the group changes, with the values that they have
	// after the group.
	changed map[part]Tally
}

func newTallying(c *committer, found map[string][]byte) *tallying {
	return &tallying{c, found, map[part]Tally{}}
}

// record adds an evaluation to the tally of its agent and run. old is the record that was
// at the evaluation's position before, or nil if there was none. If the evaluation refers
// to another evaluation, first is the position of the evaluation that has the outcome.
func (t *tallying) record(ctx context.Context, b *batch, e *bench.Evaluation, place, old, first []byte) error {
	p := part{e.Run, e.Agent}
	sum, ok := t.changed[p]
	if !ok {
		if sum, ok = t.c.tallies.of(p); !ok {
			var err error
			if sum, err = t.begin(ctx, b, p); err != nil {
				return err
			}
		}
	}
	counted := *e
	if first != nil && !e.Cached {
		value, ok := t.found[string(first)]
		if !ok {
			var err error
			if value, err = getOne(ctx, t.c.store, first); err != nil {
				return fmt.Errorf("find what an evaluation refers to: %w", err)
			}
		}
		s, err := decodeEvaluation(first, value)
		if err != nil {
			return err
		}
		counted.Usage = s.Usage
	}
	if old != nil {
		s, err := decodeEvaluation(place, old)
		if err != nil {
			return err
		}
		sum.Evaluations--
		if !s.Scored {
			sum.Missing = max(0, sum.Missing-1) // an older evolve counted none
		}
		sum.USD -= paid(&s.Evaluation)
	}
	sum.add(&counted)
	t.changed[p] = sum
	return nil
}

// begin counts the evaluations recorded by earlier processes, and marks the tally as open.
func (t *tallying) begin(ctx context.Context, b *batch, p part) (Tally, error) {
	sum, err := (&Archive{store: t.c.store}).count(ctx, p)
	if err != nil {
		return sum, err
	}
	return sum, putDocument(b, tallyKey(p), storedTally{Open: true})
}
