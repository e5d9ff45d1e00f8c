package tracing

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"evolve/runtime/telemetry"
)

// Tracing creates and sends the spans of a process. A nil Tracing creates none.
type Tracing struct {
	provider *sdktrace.TracerProvider
	exporter *exporter
	counter  *counter
	tracer   trace.Tracer
	target   string
}

// endTime limits how long the end of a process waits for the collector.
const endTime = 3 * time.Second

// mostWaiting is the default maximum number of spans that wait to be sent.
const mostWaiting = 1 << 14

// Start begins to trace; it returns nil if set is nil. Sampling, the batch size and the
// resource attributes are taken from the standard variables, which the SDK reads itself.
func Start(ctx context.Context, set *Settings, lookup func(string) (string, bool), version string, sleep func(context.Context, time.Duration) error) (*Tracing, error) {
	if set == nil {
		return nil, nil
	}
	of, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "evolve"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv(),
	)
	if err != nil && of == nil {
		return nil, fmt.Errorf("detecting the OpenTelemetry resource: %w", err)
	}
	e := newExporter(set, sleep)
	var options []sdktrace.BatchSpanProcessorOption
	if _, given := lookup("OTEL_BSP_MAX_QUEUE_SIZE"); !given {
		options = append(options, sdktrace.WithMaxQueueSize(mostWaiting))
	}
	count := &counter{SpanProcessor: sdktrace.NewBatchSpanProcessor(e, options...)}
	p := sdktrace.NewTracerProvider(sdktrace.WithResource(of), sdktrace.WithSpanProcessor(count))
	return &Tracing{provider: p, exporter: e, counter: count, tracer: p.Tracer("evolve", trace.WithInstrumentationVersion(version)), target: set.Target()}, nil
}

// Context returns a context in which spans are created and sent.
func (t *Tracing) Context(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return telemetry.WithTracer(ctx, t.tracer)
}

// Close sends the waiting spans, for at most three seconds. Its error states the number of
// spans that did not reach the collector.
func (t *Tracing) Close() error {
	if t == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	t.exporter.end()
	late := t.provider.Shutdown(ctx)
	sent, fault := t.exporter.close()
	ended := int(t.counter.ended.Load())
	if sent >= ended {
		return nil
	}
	if fault == nil {
		if fault = late; fault == nil {
			fault = fmt.Errorf("spans ended faster than they could be sent")
		}
	}
	return fmt.Errorf("traces: %d of %d spans did not reach %s: %w", ended-sent, ended, t.target, fault)
}

// counter counts the spans that are to be sent.
type counter struct {
	sdktrace.SpanProcessor
	ended atomic.Int64
}

// OnEnd implements [sdktrace.SpanProcessor].
func (c *counter) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.ended.Add(1)
	}
	c.SpanProcessor.OnEnd(s)
}
