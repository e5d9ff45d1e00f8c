// Package telemetry provides the spans that the other packages record. A span is a part of
// a trace: a night, an agent, a stage, an evaluation, a turn or a call. The package uses
// the OpenTelemetry interface but no exporter: the process puts a tracer into the context.
// Without a tracer, the cost of a span is one look-up in the context.
//
// Attributes are names, numbers and outcomes. No attribute may contain a prompt, an answer,
// a secret, the text of a task or of an error, or the id of a task.
package telemetry
