package hub

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// BenchmarkTasks measures the tasks a second of four workers with eight slots each, beside what
// the slots allow. At 5 ms a task the aim is 1,500 a second on two cores.
func BenchmarkTasks(b *testing.B) {
	for _, task := range []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond} {
		b.Run(task.String(), func(b *testing.B) {
			w := newWorld(b)
			r := w.coordinate(offer())
			const workers, slots = 4, 8
			for n := range workers {
				w.work(fmt.Sprint("w", n), slots, func(ctx context.Context, req agent.Request) agent.Result {
					time.Sleep(task)
					return echo(ctx, req)
				})
			}
			jobs := make(chan int64)
			var wg sync.WaitGroup
			for range 2 * workers * slots {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for seq := range jobs {
						if res := r.Run(evaluating(b.Context(), seq), request(int(seq))); res.Outcome != agent.OK {
							b.Errorf("ended with %+v", res)
						}
						r.Recorded(seq)
					}
				}()
			}
			b.ResetTimer()
			for seq := range b.N {
				jobs <- int64(seq)
			}
			close(jobs)
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			if task > 0 {
				b.ReportMetric(workers*slots/task.Seconds(), "bound-tasks/s")
			}
		})
	}
}
