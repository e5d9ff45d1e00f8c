package archive

import (
	"context"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"

	"evolve/bench"
)

// queueBytes limits the queue of evaluations, and groupBytes and groupCount limit one group
// of evaluations that is written together.
const (
	queueBytes = 4 << 20
	groupBytes = 256 << 10
	groupCount = 1024
)

// pending is an entry in the queue: an evaluation, pairs that are ready to be written, or,
// if it has neither, a marker for flush.
type pending struct {
	evaluation *bench.Evaluation
	pairs      []pair
	record     []byte
	transcript []byte
	cost       int64
	done       func(error)
}

// committer writes evaluations in groups: while one group is being synced, the next is
// gathered. Its goroutine runs only while there is something to write.
type committer struct {
	store    engine
	capacity *semaphore.Weighted
	tallies  *tallies

	mu      sync.Mutex
	queue   []pending
	running bool
	closed  bool
	failed  error // the first failure since the last flush
	broken  bool  // a write has failed
	idle    sync.WaitGroup
}

func newCommitter(store engine) *committer {
	return &committer{store: store, capacity: semaphore.NewWeighted(queueBytes), tallies: &tallies{parts: map[part]Tally{}}}
}

// add appends p to the queue. It waits until the queue has room for p or ctx is done.
func (c *committer) add(ctx context.Context, p pending) error {
	p.cost = int64(len(p.record) + len(p.transcript) + 512)
	for _, kv := range p.pairs {
		p.cost += int64(len(kv.key) + len(kv.value))
	}
	p.cost = min(p.cost, queueBytes)
	if err := c.capacity.Acquire(ctx, p.cost); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		c.capacity.Release(p.cost)
		return errClosed
	}
	c.queue = append(c.queue, p)
	if !c.running {
		c.running = true
		c.idle.Add(1)
		go c.run()
	}
	return nil
}

// flush waits until everything queued so far is written, and returns the first failure
// since the last flush.
func (c *committer) flush(ctx context.Context) error {
	written := make(chan struct{})
	if err := c.add(ctx, pending{done: func(error) { close(written) }}); err != nil {
		return err
	}
	select {
	case <-written:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.failed
	c.failed = nil
	return err
}

// close refuses new evaluations, waits until the queued ones are written, and stores the
// tallies.
func (c *committer) close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.idle.Wait()
	if !c.broken {
		_ = storeTallies(c.store, c.tallies.parts) // a tally that cannot be stored stays open
	}
	return c.failed
}

func (c *committer) run() {
	defer c.idle.Done()
	for {
		group := c.next()
		if group == nil {
			return
		}
		err := c.commit(group)
		if err != nil {
			err = fmt.Errorf("record evaluations: %w", err)
		}
		c.mu.Lock()
		if c.failed == nil {
			c.failed = err
		}
		c.broken = c.broken || err != nil
		c.mu.Unlock()
		for _, p := range group {
			if p.done != nil {
				p.done(err)
			}
			c.capacity.Release(p.cost)
		}
	}
}

// next removes a group from the queue and returns it. If the queue is empty, it returns nil
// and records that the goroutine no longer runs.
func (c *committer) next() []pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, size := 0, 0
	for n < len(c.queue) && n < groupCount && size < groupBytes {
		size += int(c.queue[n].cost)
		n++
	}
	if n == 0 {
		c.queue, c.running = nil, false
		return nil
	}
	group := c.queue[:n:n]
	c.queue = c.queue[n:]
	return group
}

// commit writes a group in one batch. For each evaluation it looks up the record at its
// position in the run and the record with its content key.
func (c *committer) commit(group []pending) error {
	ctx := context.Background()
	keys, found, err := c.lookUp(ctx, group)
	if err != nil {
		return err
	}
	var b batch
	put := func(k, v []byte) {
		b.put(k, v)
		found[string(k)] = v
	}
	sums := newTallying(c, found)
	i := 0
	for _, p := range group {
		for _, kv := range p.pairs {
			b.put(kv.key, kv.value)
		}
		e := p.evaluation
		if e == nil {
			continue
		}
		place, content := keys[i], keys[i+1]
		i += 2
		old, taken := found[string(place)]
		if taken && !replaceable(place, old, e) {
			continue
		}
		first, known := found[string(content)]
		refers := known && e.Scored
		if !refers {
			first = nil
		}
		if err := sums.record(ctx, &b, e, place, old, first); err != nil {
			return err
		}
		if refers {
			put(place, encodeEvaluation(e, first))
			continue
		}
		put(place, p.record)
		if e.Scored {
			put(content, place)
		}
		if p.transcript != nil && !known {
			b.put(contentKey(tableTranscript, e.Key), p.transcript)
		}
	}
	if len(b.pairs) == 0 {
		return nil
	}
	if err := c.store.write(&b); err != nil {
		return err
	}
	c.tallies.take(sums.changed)
	return nil
}

// lookUp returns the two keys of each evaluation of a group, in order, and the stored pairs
// with these keys.
func (c *committer) lookUp(ctx context.Context, group []pending) (keys [][]byte, found map[string][]byte, err error) {
	for _, p := range group {
		if e := p.evaluation; e != nil {
			keys = append(keys, evaluationKey(e.Run, e.Agent, e.Seq), contentKey(tableKey, e.Key))
		}
	}
	found = make(map[string][]byte, len(keys))
	if len(keys) == 0 {
		return keys, found, nil
	}
	stored, err := c.store.get(ctx, keys...)
	for i, v := range stored {
		if v != nil {
			found[string(keys[i])] = v
		}
	}
	return keys, found, err
}

// replaceable reports whether e may replace the record stored at a position. It may do so
// only if the record stands for missing data and e is scored.
func replaceable(place, old []byte, e *bench.Evaluation) bool {
	if !e.Scored {
		return false
	}
	s, err := decodeEvaluation(place, old)
	return err == nil && s.first == nil && !s.Scored
}

// checkEvaluation returns an error for an evaluation that cannot be stored or could not be
// exported.
func checkEvaluation(e *bench.Evaluation) error {
	numbers := []float64{e.Score, e.Usage.CostUSD, e.Judge.CostUSD}
	for _, g := range e.Grades {
		numbers = append(numbers, g.Score, g.Weight, g.SD)
	}
	for _, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("evaluation %d of run %q has a number that is not finite", e.Seq, e.Run)
		}
	}
	switch {
	case e.Key == "":
		return fmt.Errorf("evaluation %d of run %q has no key", e.Seq, e.Run)
	case e.Seq < 0:
		return fmt.Errorf("an evaluation of run %q has the negative position %d", e.Run, e.Seq)
	case e.Stage == bench.StageConfirm && e.Seq < bench.ConfirmSeq:
		return fmt.Errorf("an evaluation in the confirmation of run %q has the position %d, which belongs to a different stage", e.Run, e.Seq)
	}
	return nil
}
