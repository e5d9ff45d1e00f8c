package tracing

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// requestOf returns the message for a batch of spans, which all belong to one resource and
// one tracer.
func requestOf(spans []sdktrace.ReadOnlySpan) *collector.ExportTraceServiceRequest {
	if len(spans) == 0 {
		return &collector.ExportTraceServiceRequest{}
	}
	scope := &traces.ScopeSpans{Scope: &common.InstrumentationScope{
		Name: spans[0].InstrumentationScope().Name, Version: spans[0].InstrumentationScope().Version,
	}}
	for _, s := range spans {
		scope.Spans = append(scope.Spans, spanOf(s))
	}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*traces.ResourceSpans{{
		Resource: &resource.Resource{Attributes: valuesOf(spans[0].Resource().Attributes())}, ScopeSpans: []*traces.ScopeSpans{scope},
	}}}
}

func spanOf(s sdktrace.ReadOnlySpan) *traces.Span {
	ids := s.SpanContext()
	traceID, spanID := ids.TraceID(), ids.SpanID()
	out := &traces.Span{
		TraceId: traceID[:], SpanId: spanID[:], TraceState: ids.TraceState().String(), Name: s.Name(), Kind: kindOf(s.SpanKind()),
		StartTimeUnixNano: uint64(max(0, s.StartTime().UnixNano())), EndTimeUnixNano: uint64(max(0, s.EndTime().UnixNano())),
		Attributes: valuesOf(s.Attributes()), DroppedAttributesCount: uint32(max(0, s.DroppedAttributes())), Flags: uint32(ids.TraceFlags()),
	}
	if parent := s.Parent(); parent.SpanID().IsValid() {
		id := parent.SpanID()
		out.ParentSpanId = id[:]
		out.Flags |= uint32(traces.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
		if parent.IsRemote() {
			out.Flags |= uint32(traces.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
		}
	}
	if s.Status().Code == codes.Error {
		out.Status = &traces.Status{Code: traces.Status_STATUS_CODE_ERROR}
	}
	return out
}

func kindOf(k trace.SpanKind) traces.Span_SpanKind {
	if k == trace.SpanKindClient {
		return traces.Span_SPAN_KIND_CLIENT
	}
	return traces.Span_SPAN_KIND_INTERNAL
}

// valuesOf returns attributes as values of the types that evolve uses; attributes of other
// types become texts.
func valuesOf(list []attribute.KeyValue) []*common.KeyValue {
	out := make([]*common.KeyValue, 0, len(list))
	for _, a := range list {
		v := &common.AnyValue{}
		switch a.Value.Type() {
		case attribute.BOOL:
			v.Value = &common.AnyValue_BoolValue{BoolValue: a.Value.AsBool()}
		case attribute.INT64:
			v.Value = &common.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		case attribute.FLOAT64:
			v.Value = &common.AnyValue_DoubleValue{DoubleValue: a.Value.AsFloat64()}
		default:
			v.Value = &common.AnyValue_StringValue{StringValue: a.Value.String()}
		}
		out = append(out, &common.KeyValue{Key: string(a.Key), Value: v})
	}
	return out
}
