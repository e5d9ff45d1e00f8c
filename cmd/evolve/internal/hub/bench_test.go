//go:build linux

package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// aimServerMB is the target for the maximum memory of a server during a run, in MB.
const aimServerMB = 100

// taking returns an agent that takes the time d for each task.
func taking(d time.Duration) doing {
	return func(ctx context.Context, req agent.Request) agent.Result {
		pause(ctx, d)
		return echo(ctx, req)
	}
}

// feed runs the tasks with the numbers that next returns, and passes each result to
// recorded. It runs up to ahead tasks at once, until next has no more numbers. It returns
// when all tasks have ended.
func feed(ctx context.Context, r *Remote, ahead int, next func() (int64, bool), recorded func(seq int64, res agent.Result)) {
	var wg sync.WaitGroup
	for range ahead {
		wg.Go(func() {
			for seq, ok := next(); ok; seq, ok = next() {
				res := r.Run(evaluating(ctx, seq), request(int(seq)))
				recorded(seq, res)
				r.Recorded(seq)
			}
		})
	}
	wg.Wait()
}

// upTo numbers n tasks.
func upTo(n int) func() (int64, bool) {
	var last atomic.Int64
	return func() (int64, bool) {
		seq := last.Add(1) - 1
		return seq, seq < int64(n)
	}
}

// wellEnded returns a function that reports tasks that ended with an outcome other than
// ok.
func wellEnded(b *testing.B) func(int64, agent.Result) {
	return func(seq int64, res agent.Result) {
		if res.Outcome != agent.OK {
			b.Errorf("task %d ended with %s: %s", seq, res.Outcome, res.Error)
		}
	}
}

// untilServed waits until the given number of workers serve the agent.
func (r *Remote) untilServed(b *testing.B, workers int) {
	b.Helper()
	for serving := 0; serving < workers; pause(b.Context(), time.Millisecond) {
		r.mu.Lock()
		serving = r.served()
		r.mu.Unlock()
	}
}

// processor returns the processor time that the server and this process have used.
func (w *apart) processor() time.Duration {
	return processorTime(w.t, os.Getpid()) + processorTime(w.t, w.server.cmd.Process.Pid)
}

// BenchmarkTasks measures how many tasks a second four workers with eight slots each
// complete, compared with the rate that the slots allow. It also measures the peak memory
// of the server, which is a separate process, and the processor time that the server, the
// run and the workers use. At 5 ms a task the aim is 1,500 a second on two cores.
func BenchmarkTasks(b *testing.B) {
	for _, task := range []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond} {
		b.Run(task.String(), func(b *testing.B) {
			tasks(b, task, b.N)
		})
	}
}

// BenchmarkSteadyTasks measures 60,000 tasks of 5 ms. Together they take longer than the
// time for which the server remembers messages, so its memory use does not grow afterwards.
func BenchmarkSteadyTasks(b *testing.B) {
	for range b.N {
		tasks(b, 5*time.Millisecond, 60_000)
	}
}

// tasks measures n tasks, each of which takes the given time (task).
func tasks(b *testing.B, task time.Duration, n int) {
	w := newApart(b)
	r := w.coordinate(offer())
	const workers, slots = 4, 8
	for n := range workers {
		w.work(fmt.Sprint("w", n), slots, taking(task))
	}
	r.untilServed(b, workers)
	used, begun := w.processor(), time.Now()
	b.ResetTimer()
	feed(b.Context(), r, 2*workers*slots, upTo(n), wellEnded(b))
	b.StopTimer()
	b.ReportMetric(float64(n)/time.Since(begun).Seconds(), "tasks/s")
	b.ReportMetric(float64((w.processor()-used).Microseconds())/1000/float64(n), "processor-ms/task")
	if task > 0 {
		b.ReportMetric(workers*slots/task.Seconds(), "bound-tasks/s")
	}
	if task == 5*time.Millisecond {
		b.ReportMetric(1500, "aim-tasks/s")
	}
	b.ReportMetric(w.server.peakMB(), "server-MB")
	b.ReportMetric(aimServerMB, "aim-server-MB")
}

// BenchmarkIdeal measures the time that 1,000 one-second tasks take on four workers with
// 32 slots each, compared with the time that they would take if only the slots limited
// them.
func BenchmarkIdeal(b *testing.B) {
	w := newApart(b)
	r := w.coordinate(offer())
	const workers, slots, tasks = 4, 32, 1000
	const took = time.Second
	for n := range workers {
		w.work(fmt.Sprint("w", n), slots, taking(took))
	}
	r.untilServed(b, workers)
	b.ResetTimer()
	for range b.N {
		feed(b.Context(), r, workers*slots*11/10, upTo(tasks), wellEnded(b))
	}
	ideal := float64((tasks+workers*slots-1)/(workers*slots)) * took.Seconds()
	b.ReportMetric(ideal*float64(b.N)/b.Elapsed().Seconds(), "ideal-ratio")
	b.ReportMetric(.93, "aim-ratio")
	b.ReportMetric(1, "bound-ratio")
	b.ReportMetric(w.server.peakMB(), "server-MB")
	b.ReportMetric(aimServerMB, "aim-server-MB")
}

// BenchmarkKills cuts the connections of 1,000 workers in the middle of their tasks, one
// after another, and replaces each with a new worker. It counts the evaluations that were
// lost or recorded twice, and compares the number of tasks that ran again with the number
// of slots of the killed workers. The tests in internal/e2e kill processes; this
// benchmark cuts connections, because 1,000 processes take half an hour.
func BenchmarkKills(b *testing.B) {
	const workers, slots, kills = 8, 4, 1000
	for range b.N {
		w := newApart(b)
		o := offer()
		o.MaxAttempts = kills
		r := w.coordinate(o)
		var began atomic.Int64
		do := func(ctx context.Context, req agent.Request) agent.Result {
			began.Add(1)
			pause(ctx, time.Duration(10+req.Seed%40)*time.Millisecond)
			if ctx.Err() != nil {
				return agent.Result{Outcome: agent.Cancelled}
			}
			return echo(ctx, req)
		}
		var crew []*crew
		for n := range workers {
			crew = append(crew, w.work(fmt.Sprint("w", n), slots, do))
		}
		var over atomic.Bool
		var asked atomic.Int64
		var mu sync.Mutex
		records := map[int64]int{}
		next := func() (int64, bool) {
			if over.Load() {
				return 0, false
			}
			return asked.Add(1), true
		}
		recorded := func(seq int64, res agent.Result) {
			if res.Outcome != agent.OK || *res.Answer != fmt.Sprint("goal ", seq, " ", seq) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			records[seq]++
		}
		var fed sync.WaitGroup
		fed.Go(func() { feed(b.Context(), r, 4*workers*slots, next, recorded) }) // the tasks of a killed worker wait for ack_wait
		random := rand.New(rand.NewPCG(1, 1))
		for n := range kills {
			for enough := began.Load() + slots; began.Load() < enough; {
				pause(b.Context(), time.Millisecond)
			}
			at := random.IntN(workers)
			crew[at].kill()
			crew[at] = w.work(fmt.Sprint("k", n), slots, do)
		}
		over.Store(true)
		fed.Wait()
		lost, twice := asked.Load()-int64(len(records)), int64(r.Stats().Answered-len(records))
		for _, n := range records {
			twice += int64(n - 1)
		}
		r.untilEmpty(b)
		b.ReportMetric(kills, "kills")
		b.ReportMetric(float64(asked.Load()), "tasks")
		b.ReportMetric(float64(lost), "lost")
		b.ReportMetric(float64(twice), "twice")
		b.ReportMetric(0, "aim-lost")
		b.ReportMetric(0, "aim-twice")
		b.ReportMetric(float64(began.Load()-asked.Load())/kills, "repeats/kill")
		b.ReportMetric(slots, "bound-repeats/kill")
	}
}

// BenchmarkServerReturns kills the server with signal 9 while tasks are under way and
// starts it again two seconds later on the same port and folder. It measures the time from
// the server's return to the next record, and reports the longest of five.
func BenchmarkServerReturns(b *testing.B) {
	const workers, slots, rounds, away = 4, 8, 5, 2 * time.Second
	var longest time.Duration
	for range b.N {
		w := newApart(b)
		r := w.coordinate(offer())
		for n := range workers {
			w.work(fmt.Sprint("w", n), slots, taking(20*time.Millisecond))
		}
		var over atomic.Bool
		var asked, done atomic.Int64
		next := func() (int64, bool) { return asked.Add(1), !over.Load() }
		recorded := func(seq int64, res agent.Result) {
			wellEnded(b)(seq, res)
			done.Add(1)
		}
		var fed sync.WaitGroup
		fed.Go(func() { feed(b.Context(), r, 2*workers*slots, next, recorded) })
		progress := func() {
			for from := done.Load(); done.Load() == from; {
				pause(b.Context(), time.Millisecond)
			}
		}
		for range rounds {
			for range 10 {
				progress()
			}
			w.server.kill()
			pause(b.Context(), away)
			w.start()
			back := time.Now()
			progress()
			longest = max(longest, time.Since(back))
		}
		over.Store(true)
		fed.Wait()
		if twice := r.Stats().Answered - int(done.Load()); twice > 0 {
			b.Errorf("%d evaluations were recorded twice", twice)
		}
	}
	b.ReportMetric(longest.Seconds(), "resumed-s")
	b.ReportMetric(5, "aim-resumed-s")
}
