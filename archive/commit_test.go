package archive

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"evolve/bench"
)

// gate is a memory engine in which each write waits for an error from pass. Unless the
// error is nil, the write fails with it.
type gate struct {
	*memory
	pass chan error
	mu   sync.Mutex
	size []int // pairs in each batch written
}

func (g *gate) write(b *batch) error {
	if err := <-g.pass; err != nil {
		return err
	}
	g.mu.Lock()
	g.size = append(g.size, len(b.pairs))
	g.mu.Unlock()
	return g.memory.write(b)
}

func gated(t *testing.T) (*Archive, *gate) {
	t.Helper()
	g := &gate{memory: newMemory(), pass: make(chan error, 1)}
	g.pass <- nil
	a, err := newArchive(g, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return a, g
}

// TestGroupCommit checks that the next group gathers while a group is being written, and
// that done is called once for each evaluation, after the evaluation is written.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		a, g := gated(t)
		told := map[int64]int{}
		for seq := range int64(100) {
			err := a.Record(ctx, evaluation("1-a", seq), func(err error) {
				if err != nil {
					t.Error(err)
				}
				told[seq]++
			})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // the first group has one evaluation
		}
		if len(told) != 0 {
			t.Errorf("%d were acknowledged before they were written", len(told))
		}
		close(g.pass)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		// The first batch is the schema. Each evaluation then adds two pairs. The tally is
		// opened with the first evaluation and closed at the end.
		if !slices.Equal(g.size, []int{1, 3, 198, 1}) {
			t.Errorf("batches of %v", g.size)
		}
		for seq := range int64(100) {
			if told[seq] != 1 {
				t.Errorf("%d was acknowledged %d times", seq, told[seq])
			}
		}
	})
}

// TestFullQueue checks that the queue's memory use is bounded, and that waiting for
// capacity ends with the context.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, g := gated(t)
		ctx, cancel := context.WithCancel(context.Background())
		recorded, ended := int64(0), make(chan error)
		go func() {
			for {
				if err := a.Record(ctx, evaluation("1-a", recorded), nil); err != nil {
					ended <- err
					return
				}
				recorded++
			}
		}()
		synctest.Wait()
		if most := int64(queueBytes / 512); recorded == 0 || recorded > most {
			t.Errorf("%d evaluations are waiting", recorded)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v", err)
		}
		close(g.pass)
		if err := a.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := int64(len(collect(t, a.Evaluations(context.Background(), "1-a", "solver")))); got != recorded {
			t.Errorf("%d of %d are there", got, recorded)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFailedCommit checks that a failure is passed to every done function of its group and
// to the next Flush, and to no others.
func TestFailedCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		a, g := gated(t)
		var told []error
		record := func(seq int64) {
			if err := a.Record(ctx, evaluation("1-a", seq), func(err error) { told = append(told, err) }); err != nil {
				t.Fatal(err)
			}
		}
		record(0)
		g.pass <- syscall.ENOSPC
		if err := a.Flush(ctx); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("flush: %v", err)
		}
		record(0)
		g.pass <- nil
		if err := a.Flush(ctx); err != nil {
			t.Errorf("flush after that: %v", err)
		}
		if len(told) != 2 || !errors.Is(told[0], syscall.ENOSPC) || told[1] != nil {
			t.Errorf("told %v", told)
		}
		record(1)
		g.pass <- syscall.EIO
		if err := a.Close(); !errors.Is(err, syscall.EIO) {
			t.Errorf("close hides that something was lost: %v", err)
		}
		if err := a.Record(ctx, evaluation("1-a", 2), nil); !errors.Is(err, errClosed) {
			t.Errorf("recording into a closed archive: %v", err)
		}
	})
}

func TestRecordRefuses(t *testing.T) {
	a := OpenMemory()
	closing(t, a)
	zero := 0.0
	for name, change := range map[string]func(*bench.Evaluation){
		"no key":           func(e *bench.Evaluation) { e.Key = "" },
		"a negative place": func(e *bench.Evaluation) { e.Seq = -1 },
		"no number":        func(e *bench.Evaluation) { e.Score = zero / zero },
		"an endless cost":  func(e *bench.Evaluation) { e.Usage.CostUSD = 1 / zero },
		"a grade of none":  func(e *bench.Evaluation) { e.Grades[0].Score = zero / zero },
	} {
		e := evaluation("1-a", 0)
		change(&e)
		if err := a.Record(context.Background(), e, nil); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
