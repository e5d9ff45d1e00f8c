package bench

import (
	"context"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"evolve/runtime/agent"
	"evolve/runtime/telemetry"
)

// discarding is a [Recorder] that stores nothing.
type discarding struct{}

func (discarding) Cached(context.Context, Key) (Evaluation, bool, error) {
	return Evaluation{}, false, nil
}
func (discarding) Record(context.Context, Evaluation, func(error)) error { return nil }

// dropping is an exporter that stores nothing.
type dropping struct{}

func (dropping) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (dropping) Shutdown(context.Context) error                             { return nil }

// BenchmarkTracing measures an evaluation of an agent that takes no time, with and
// without a tracer. The tracer may add at most 20 µs.
func BenchmarkTracing(b *testing.B) {
	solver := scripted(func(context.Context, agent.Request) agent.Result { return answer("4") })
	noWait := func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	four := "4"
	job := Job{Variant: "champion", Config: agent.Config{"a": 1.}, Task: &Task{ID: "t", Goal: "2+2", Answer: &four, Split: Search}, Stage: StageSearch}
	for _, c := range []struct {
		name string
		ctx  func(context.Context) context.Context
	}{
		{"off", func(ctx context.Context) context.Context { return ctx }},
		{"on", func(ctx context.Context) context.Context {
			p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(dropping{}))
			b.Cleanup(func() { _ = p.Shutdown(context.WithoutCancel(ctx)) })
			return telemetry.WithTracer(ctx, p.Tracer("bench"))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := NewHarness(Settings{Run: "1-a", Agent: "solver", Scratch: b.TempDir()}, solver, exactly, discarding{}, NewBudget(0, time.Time{}, time.Now), NewBreaker(Patience{}, "champion", noWait), time.Now)
			ctx := c.ctx(b.Context())
			for b.Loop() {
				if _, err := h.Evaluate(ctx, job); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
