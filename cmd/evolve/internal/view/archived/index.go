package archived

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/view"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// piece is the number of evaluations that are read each time the archive is opened.
// Reading them takes much less than a second, so a run that begins can open the archive
// in time: it waits five seconds for readers.
const piece = 100_000

// pause is the minimum time between two looks for changes. ease is the minimum time before
// the next reading, as a multiple of the duration of the last reading.
const (
	pause = 2 * time.Second
	ease  = 10
)

// index holds the scores of an agent.
type index struct {
	agent string

	mu sync.Mutex
	// tasks holds the tasks, which are the columns, in the order of their first evaluation.
	tasks  []view.Task
	taskAt map[string]int32
	// weightOf holds the weights of tasks by id ([Words.Weights]), and weights holds the
	// weights of the columns. unweighted reports whether the weights are not known.
	weightOf   map[string]float64
	weights    []float64
	unweighted bool
	// variants holds the variants in the order of their numbers, except for variants that
	// were recorded during the reading.
	variants  []known
	variantAt map[agent.ConfigID]int32
	parts     []*part
	total     int
	// generation is incremented by each change; summed is the generation for which sums was
	// computed.
	generation int
	sums       []sum
	summed     int

	reading bool
	begun   bool
	next    time.Time
	failed  error
	// done is closed when the reading that is under way ends.
	done chan struct{}
}

// known holds the properties of a variant that the index retains.
type known struct {
	number   int
	id       agent.ConfigID
	operator string
	// words holds the variant's name, id, operator and rationale in lower case, for
	// searching.
	words string
}

// part is one run's evaluations of the agent.
type part struct {
	run string
	// version is the state that was read; it is zero until that state has been read
	// completely. wanted is the state to be read.
	version, wanted version
	rows            []row
	read            int
}

// version distinguishes the states of a run's evaluations.
type version struct {
	evaluations int
	last        time.Time
}

// sum sums up the cells of a row. search and holdout are the means over the tasks of either
// split, weighted as in a comparison ([stats.Compare]).
type sum struct {
	search, holdout           float64
	searchTasks, holdoutTasks int
	evaluations               int
}

func newIndex(agentID string) *index {
	return &index{agent: agentID, taskAt: map[string]int32{}, variantAt: map[agent.ConfigID]int32{}}
}

// indexOf returns the index of an agent, and begins to read in the background whatever has
// changed. It waits for this reading to end, but not longer than patience.
func (s *Source) indexOf(ctx context.Context, agentID string) (*index, error) {
	s.mu.Lock()
	x := s.indexes[agentID]
	s.mu.Unlock()
	if x == nil {
		names, err := s.Agents(ctx)
		if err != nil {
			return nil, err
		}
		found := false
		for _, name := range names {
			found = found || name == agentID
		}
		if !found {
			return nil, fmt.Errorf("agent %s: %w", text.Quote(agentID), view.ErrNotFound)
		}
		s.mu.Lock()
		if x = s.indexes[agentID]; x == nil {
			x = newIndex(agentID)
			s.indexes[agentID] = x
		}
		s.mu.Unlock()
	}
	done := s.refresh(x)
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(patience):
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x, x.failed
}

// patience is how long a page waits for figures that are being read.
const patience = 400 * time.Millisecond

// refresh starts a reading unless one is under way or has just ended. It returns a channel
// that is closed when the reading ends, or that is already closed if no reading is under
// way.
func (s *Source) refresh(x *index) <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.reading {
		return x.done
	}
	now := s.Now()
	if x.begun && now.Before(x.next) || s.ctx.Err() != nil {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	x.reading, x.begun, x.done = true, true, make(chan struct{})
	done := x.done
	s.wait.Add(1)
	go func() {
		defer s.wait.Done()
		err := s.read(s.ctx, x)
		x.mu.Lock()
		defer x.mu.Unlock()
		took := s.Now().Sub(now)
		x.reading, x.failed, x.next = false, err, s.Now().Add(max(pause, ease*took))
		close(done)
	}()
	return done
}

// read brings the index up to date with the suites and the archive.
func (s *Source) read(ctx context.Context, x *index) error {
	x.weigh(s.Words.Weights(x.agent))
	stale, err := s.changed(ctx, x)
	if err != nil {
		return err
	}
	for _, p := range stale {
		if err := s.readPart(ctx, x, p); err != nil {
			return err
		}
	}
	return nil
}

// weigh sets the weights of the tasks.
func (x *index) weigh(weightOf map[string]float64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unweighted = weightOf == nil
	if maps.Equal(weightOf, x.weightOf) {
		return
	}
	x.weightOf = weightOf
	for i := range x.tasks {
		x.weights[i] = x.weight(x.tasks[i].ID)
	}
	x.generation++
}

// weight returns the weight of a task.
func (x *index) weight(task string) float64 {
	if w := x.weightOf[task]; w > 0 {
		return w
	}
	return 1
}

// changed reads the new variants. It returns an empty part for each run whose evaluations
// have changed.
func (s *Source) changed(ctx context.Context, x *index) (stale []*part, err error) {
	err = s.look(func(a *archive.Archive) error {
		if err := x.readVariants(ctx, a); err != nil {
			return err
		}
		total := 0
		for r, err := range a.Runs(ctx) {
			if err != nil {
				return err
			}
			t, err := a.Tally(ctx, r.ID, x.agent)
			if err != nil {
				return err
			}
			total += t.Evaluations
			v := version{t.Evaluations, t.Last}
			if v.evaluations > 0 && x.versionOf(r.ID) != v {
				stale = append(stale, &part{run: r.ID, wanted: v})
			}
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.total = total
		return nil
	})
	return stale, err
}

func (x *index) versionOf(run string) version {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.parts {
		if p.run == run {
			return p.version
		}
	}
	return version{}
}

// readVariants adds the variants that the index lacks: on the first call all variants,
// and on later calls those with the next numbers.
func (x *index) readVariants(ctx context.Context, a *archive.Archive) error {
	x.mu.Lock()
	n := len(x.variants)
	x.mu.Unlock()
	if n == 0 {
		for v, err := range a.Variants(ctx, x.agent) {
			if err != nil {
				return err
			}
			x.addVariant(v)
		}
		return nil
	}
	for {
		n++
		v, err := a.FindVariant(ctx, x.agent, fmt.Sprintf("v%d", n))
		if errors.Is(err, archive.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		x.addVariant(v)
	}
}

// longestReason limits the part of a variant's rationale that can be searched, in bytes.
const longestReason = 400

func (x *index) addVariant(v archive.Variant) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.variantAt[v.ID]; ok {
		return
	}
	x.variantAt[v.ID] = int32(len(x.variants))
	x.variants = append(x.variants, known{
		number: v.Number, id: v.ID, operator: v.Operator,
		words: strings.ToLower(fmt.Sprintf("v%d %s %s %s", v.Number, v.ID, v.Operator, text.Clip(v.Rationale, longestReason))),
	})
	x.generation++
}

// readPart reads the evaluations of a run, which replace any that were read before. If the
// run was not read before, its evaluations are visible while they are being read.
func (s *Source) readPart(ctx context.Context, x *index, p *part) error {
	if x.versionOf(p.run) == (version{}) {
		x.put(p)
	}
	for next, more := int64(0), true; more; {
		err := s.look(func(a *archive.Archive) (err error) {
			next, more, err = x.readPiece(ctx, a, p, next)
			return err
		})
		if err != nil {
			return err
		}
	}
	x.put(p)
	x.mu.Lock()
	defer x.mu.Unlock()
	p.version = p.wanted
	return nil
}

// put adds a part, or replaces the part for the same run.
func (x *index) put(p *part) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.generation++
	for i := range x.parts {
		if x.parts[i].run == p.run {
			x.parts[i] = p
			return
		}
	}
	x.parts = append(x.parts, p)
}

// block is the number of evaluations that are added while the lock is held once.
const block = 2048

// readPiece reads evaluations, starting at a sequence number. It returns the sequence
// number at which to continue, and whether there are more.
func (x *index) readPiece(ctx context.Context, a *archive.Archive, p *part, from int64) (next int64, more bool, err error) {
	held := make([]bench.Evaluation, 0, block)
	next = from
	n := 0
	for e, err := range a.EvaluationsFrom(ctx, p.run, x.agent, from) {
		if err != nil {
			return next, false, err
		}
		if held, next, n = append(held, e), e.Seq+1, n+1; len(held) == block {
			if err := x.add(ctx, a, p, held); err != nil {
				return next, false, err
			}
			held = held[:0]
		}
		if n == piece {
			more = true
			break
		}
	}
	return next, more, x.add(ctx, a, p, held)
}

// add adds evaluations to a part. Like a comparison, it leaves out the champion's reruns
// that measure the noise, and evaluations made by an earlier run, which are in that run's
// part.
func (x *index) add(ctx context.Context, a *archive.Archive, p *part, list []bench.Evaluation) error {
	for i := range list { // the variants may have been recorded since the last look
		x.mu.Lock()
		_, ok := x.variantAt[list[i].Variant]
		x.mu.Unlock()
		if ok {
			continue
		}
		v, err := a.Variant(ctx, x.agent, list[i].Variant)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		x.addVariant(v)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range list {
		e := &list[i]
		at, ok := x.variantAt[e.Variant]
		if !ok || e.Cached || e.Stage == bench.StageAA {
			continue
		}
		for len(p.rows) <= int(at) {
			p.rows = append(p.rows, row{})
		}
		p.rows[at].add(cellOf(x.taskOf(e), e))
	}
	p.read += len(list)
	x.generation++
	return nil
}

func (x *index) taskOf(e *bench.Evaluation) int32 {
	if i, ok := x.taskAt[e.Task]; ok {
		return i
	}
	i := int32(len(x.tasks))
	x.taskAt[e.Task] = i
	x.tasks = append(x.tasks, view.Task{ID: e.Task, Domain: e.Domain, Split: string(e.Split)})
	x.weights = append(x.weights, x.weight(e.Task))
	return i
}

// cells returns the cells of a variant over all runs, by task. The caller must hold the
// lock and must not change the cells.
func (x *index) cells(variant int32) []cell {
	var found []cell
	several := false
	for _, p := range x.parts {
		if int(variant) >= len(p.rows) {
			continue
		}
		more := p.rows[variant].sorted()
		switch {
		case len(more) == 0:
		case found == nil:
			found = more
		case !several:
			found, several = append(append(make([]cell, 0, len(found)+len(more)), found...), more...), true
		default:
			found = append(found, more...)
		}
	}
	if several {
		return joined(found)
	}
	return found
}

// summary returns the sums of all variants. The caller holds the lock.
func (x *index) summary() []sum {
	if x.summed == x.generation && x.sums != nil {
		return x.sums
	}
	x.sums = make([]sum, len(x.variants))
	for i := range x.variants {
		x.sums[i] = x.sumOf(x.cells(int32(i)))
	}
	x.summed = x.generation
	return x.sums
}

func (x *index) sumOf(cells []cell) (s sum) {
	var search, holdout float64 // the sums of the weights
	for _, c := range cells {
		w := x.weights[c.task]
		s.evaluations += int(c.runs) + int(c.missing)
		switch {
		case c.runs == 0:
		case x.tasks[c.task].Split == string(bench.Holdout):
			s.holdout += w * c.mean()
			holdout += w
			s.holdoutTasks++
		default:
			s.search += w * c.mean()
			search += w
			s.searchTasks++
		}
	}
	if s.searchTasks > 0 {
		s.search /= search
	}
	if s.holdoutTasks > 0 {
		s.holdout /= holdout
	}
	return s
}
