package telemetry

import (
	"context"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestOff tests that a span without a tracer allocates no memory and records nothing.
func TestOff(t *testing.T) {
	ctx := t.Context()
	allocs := testing.AllocsPerRun(100, func() {
		inner, s := Start(ctx, "evaluation")
		s.Text(Outcome, "ok")
		s.Int(Seq, 7)
		s.Fail("timeout")
		s.End()
		if s.On() || inner != ctx || Traceparent(inner) != "" {
			t.Fatal("a span records without a tracer")
		}
	})
	if allocs != 0 {
		t.Errorf("it takes %v allocations", allocs)
	}
}

// TestSpans tests names, attributes and propagation to another process.
func TestSpans(t *testing.T) {
	kept := tracetest.NewSpanRecorder()
	here, there := provider(t, kept), provider(t, kept)
	ctx, outer := Start(here, "evaluation")
	outer.Text(ToolName, "a\x1b[2Jb"+strings.Repeat("x", 500))
	outer.Text(Provider, "")
	outer.Fail("timeout")
	header := Traceparent(ctx)
	_, inner := Start(Join(there, header), "task")
	inner.End()
	outer.End()
	_, alone := Start(Join(there, "00-nonsense"), "task")
	alone.End()
	spans := kept.Ended()
	if len(spans) != 3 {
		t.Fatalf("there are %d spans", len(spans))
	}
	if spans[0].SpanContext().TraceID() != spans[1].SpanContext().TraceID() || spans[0].Parent().SpanID() != spans[1].SpanContext().SpanID() {
		t.Errorf("%q does not join %q", spans[0].Name(), spans[1].Name())
	}
	if spans[2].Parent().IsValid() {
		t.Error("a malformed header has a parent")
	}
	got := map[string]string{}
	for _, a := range spans[1].Attributes() {
		got[string(a.Key)] = a.Value.String()
	}
	if got[ErrorType] != "timeout" || len(got) != 2 || len(got[ToolName]) > mostText || strings.ContainsRune(got[ToolName], 0x1b) {
		t.Errorf("the attributes are %v", got)
	}
	if d := spans[1].Status().Description; d != "" {
		t.Errorf("the status has the text %q", d)
	}
}

func provider(t *testing.T, to sdktrace.SpanProcessor) context.Context {
	t.Helper()
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(to))
	return WithTracer(t.Context(), p.Tracer("test"))
}

func BenchmarkOff(b *testing.B) {
	type key int
	ctx := b.Context()
	for i := range 16 { // as deeply nested as in an evaluation
		ctx = context.WithValue(ctx, key(i), i)
	}
	for b.Loop() {
		_, s := Start(ctx, "evaluation")
		s.End()
	}
}
