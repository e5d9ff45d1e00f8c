package policy

import (
	"context"
	"testing"
	"time"
)

// everything returns settings in which every policy is on and none makes a call wait.
func everything() Settings {
	rich := Budget{Calls: 1 << 60, Tokens: 1 << 60, USD: maxUSD, Elapsed: 1 << 60}
	return Settings{
		Deadline: time.Hour, Attempts: 4, Backoff: time.Second, MaxBackoff: time.Minute,
		BreakerCalls: 100, BreakerFailures: .5, BreakerSlow: time.Minute, BreakerSlowShare: .5, BreakerOpen: time.Minute, BreakerProbes: 3,
		RateCalls: 1_000_000_000, RatePer: time.Second, RateWait: time.Minute, Concurrency: 1000, QueueWait: time.Minute,
		PerRun: rich, PerAgent: rich, PerDay: rich,
	}
}

func BenchmarkDo(b *testing.B) {
	bare := func(context.Context, int) (Spent, error) { return Spent{Tokens: 10}, nil }
	c := call("1")
	c.Estimate = Spent{Tokens: 10, USD: 1e-6}
	narrow := everything()
	narrow.Concurrency = 2 // for 32 callers, so most of them queue
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if _, err := bare(b.Context(), 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, bench := range []struct {
		name     string
		settings Settings
		call     Call
	}{{"built in", Settings{}, c}, {"everything", everything(), c}, {"queued", narrow, c}} {
		e := engine(b, remote(bench.settings))
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Do(b.Context(), bench.call, bare); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(bench.name+" side by side", func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := e.Do(b.Context(), bench.call, bare); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
