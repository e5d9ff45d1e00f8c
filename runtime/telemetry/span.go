package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"evolve/runtime/text"
)

// mostText is the maximum length of a text in an attribute or of the name of a span, in
// bytes.
const mostText = 120

type tracerKey struct{}

// WithTracer returns a context whose spans are created by the tracer.
func WithTracer(ctx context.Context, t trace.Tracer) context.Context {
	return context.WithValue(ctx, tracerKey{}, t)
}

// Span is a part of a trace. The zero value records nothing.
type Span struct{ span trace.Span }

// Start begins a span that is a child of the span in the context, and returns a context for
// what happens within the new span. The caller must end the span. Without a tracer in the
// context, the span records nothing.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// StartClient is like [Start], for a request to another service.
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

// Text adds an attribute that is a name or another short text from a fixed set. An empty
// text is left out.
func (s Span) Text(key, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, clean(value)))
	}
}

// Int adds an attribute that is a whole number.
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

// Bool adds a Boolean.
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

// clean makes an untrusted name short and safe to store.
func clean(value string) string { return text.Clip(text.Visible(value), mostText) }

const traceparent = "traceparent"

// Traceparent returns the W3C Trace Context header that identifies the span in the context,
// so that another process can [Join] it, or an empty text if there is no span.
func Traceparent(ctx context.Context) string {
	if t, _ := ctx.Value(tracerKey{}).(trace.Tracer); t == nil {
		return ""
	}
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header[traceparent]
}

// Join returns a context whose spans are children of the span that another process
// described in a traceparent header. An empty or malformed header changes nothing.
func Join(ctx context.Context, header string) context.Context {
	if header == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: header})
}
