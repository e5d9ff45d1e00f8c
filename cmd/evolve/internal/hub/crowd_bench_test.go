//go:build linux

package hub

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// crowdVar is the environment variable with the number of workers of BenchmarkCrowd.
const crowdVar = "EVOLVE_CROWD"

// BenchmarkCrowd distributes tasks of 30 s to many workers with eight slots each. The
// workers run in a process beside the server and the run. EVOLVE_CROWD is the number of
// workers; without it the benchmark does not run. It measures the processor time that the
// server and the run use, first for the heartbeats of workers without tasks and then for
// a task, over a minute in which all slots are taken. The number of workers that fill one
// core follows from these figures.
func BenchmarkCrowd(b *testing.B) {
	workers := 0
	if text := os.Getenv(crowdVar); text == "" {
		b.Skip("long: set " + crowdVar + " to a number of workers, such as 1000")
	} else if _, err := fmt.Sscan(text, &workers); err != nil {
		b.Fatal(err)
	}
	const slots, took, idle, busy = 8, 30 * time.Second, 20 * time.Second, time.Minute
	w := newApart(b)
	o := offer()
	o.AckWait = 30 * time.Second
	r := w.coordinate(o)
	begin(b, crowdRole, w.url, b.TempDir(), fmt.Sprint(workers), fmt.Sprint(slots), took.String())
	r.untilServed(b, workers)
	// measure returns the load over the duration d.
	var done atomic.Int64
	measure := func(d time.Duration) (m load) {
		from := w.load(&done)
		pause(b.Context(), d)
		to := w.load(&done)
		return load{
			server: (to.server - from.server) / d.Seconds(), run: (to.run - from.run) / d.Seconds(),
			messages: (to.messages - from.messages) / d.Seconds(), tasks: (to.tasks - from.tasks) / d.Seconds(),
		}
	}
	pause(b.Context(), heartbeat)
	without := measure(idle)
	var over atomic.Bool
	var asked atomic.Int64
	next := func() (int64, bool) { return asked.Add(1), !over.Load() }
	recorded := func(seq int64, res agent.Result) {
		wellEnded(b)(seq, res)
		done.Add(1)
	}
	var fed sync.WaitGroup
	fed.Go(func() { feed(b.Context(), r, workers*slots*11/10, next, recorded) })
	pause(b.Context(), took)
	with := measure(busy)
	over.Store(true)
	fed.Wait()
	b.ReportMetric(with.tasks, "tasks/s")
	b.ReportMetric(float64(workers*slots)/took.Seconds(), "bound-tasks/s")
	b.ReportMetric(without.messages, "idle-messages/s")
	b.ReportMetric(with.messages, "messages/s")
	b.ReportMetric(without.server*100, "idle-server-%core")
	b.ReportMetric(with.server*100, "server-%core")
	b.ReportMetric(without.run*100, "idle-run-%core")
	b.ReportMetric(with.run*100, "run-%core")
	b.ReportMetric(1000*(with.server-without.server)/with.tasks, "server-ms/task")
	b.ReportMetric(1000*(with.run-without.run)/with.tasks, "run-ms/task")
	b.ReportMetric(w.server.peakMB(), "server-MB")
}

// load is the work that a server and a run have done, in seconds of processor time,
// messages and tasks.
type load struct{ server, run, messages, tasks float64 }

func (w *apart) load(done *atomic.Int64) (l load) {
	w.t.Helper()
	w.server.tell()
	if _, err := fmt.Sscan(w.server.line(), &l.messages); err != nil {
		w.t.Fatal(err)
	}
	l.server = processorTime(w.t, w.server.cmd.Process.Pid).Seconds()
	l.run, l.tasks = processorTime(w.t, os.Getpid()).Seconds(), float64(done.Load())
	return l
}
