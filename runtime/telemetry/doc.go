// Package telemetry provides the spans of the other packages, which are the parts of a trace: a
// night, an agent, a stage, an evaluation, a turn, a call. It uses the interface of
// OpenTelemetry and no exporter: the process puts a tracer into the context. Without a tracer,
// the cost of a span is one look-up in the context.
//
// Attributes are names, numbers and outcomes. No prompt, answer, text of a task or of an error,
// secret or id of a task belongs into one.
package telemetry
