package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"evolve/runtime/text"
)

// mostText bounds a text in an attribute or a name of a span, in bytes.
const mostText = 120

type tracerKey struct{}

// WithTracer returns a context whose spans the tracer makes.
func WithTracer(ctx context.Context, t trace.Tracer) context.Context {
	return context.WithValue(ctx, tracerKey{}, t)
}

// Span is a part of a trace. The zero value records nothing.
type Span struct{ span trace.Span }

// Start begins a span below that of the context, and returns a context for what happens within
// it. The span must be ended. Without a tracer in the context it records nothing.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// StartClient is [Start] for a request to another service.
func StartClient(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindClient)
}

func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	t, _ := ctx.Value(tracerKey{}).(trace.Tracer)
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.Start(ctx, clean(name), trace.WithSpanKind(kind))
	if !s.IsRecording() {
		return ctx, Span{}
	}
	return ctx, Span{s}
}

// On reports whether the span records anything.
func (s Span) On() bool { return s.span != nil }

// Name replaces the name of the span.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(clean(name))
	}
}

// Text adds a name or another short text of a fixed set. An empty one is left out.
func (s Span) Text(key, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, clean(value)))
	}
}

// Int adds a whole number.
func (s Span) Int(key string, value int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// Float adds a number.
func (s Span) Float(key string, value float64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Float64(key, value))
	}
}

// Bool adds a truth value.
func (s Span) Bool(key string, value bool) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Bool(key, value))
	}
}

// Usage adds the tokens and the cost, in USD, of a turn or of a model's reply.
func (s Span) Usage(input, output, cached int64, usd float64) {
	if s.span == nil {
		return
	}
	s.span.SetAttributes(attribute.Int64(InputTokens, input), attribute.Int64(OutputTokens, output), attribute.Int64(CachedTokens, cached), attribute.Float64(Cost, usd))
}

// Fail marks the span as failed. The kind is one of a fixed set, never the text of an error.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(attribute.String(ErrorType, clean(kind)))
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// clean makes a foreign name safe to store and short.
func clean(value string) string { return text.Clip(text.Visible(value), mostText) }

const traceparent = "traceparent"

// Traceparent returns the header of W3C Trace Context that joins the span of the context; empty
// without one.
func Traceparent(ctx context.Context) string {
	if t, _ := ctx.Value(tracerKey{}).(trace.Tracer); t == nil {
		return ""
	}
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header[traceparent]
}

// Join returns a context whose spans are below the one that another process wrote as a
// traceparent. One that is empty or malformed changes nothing.
func Join(ctx context.Context, header string) context.Context {
	if header == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: header})
}
