// Package tracing sends the spans of a process to a collector by OTLP over http, with
// binary protobuf. It does so only if the standard environment variables of OpenTelemetry
// request it.
//
// Spans wait in a bounded queue and are sent in batches alongside the work. Spans that do
// not fit or cannot be sent are dropped and counted: a collector that is slow or gone costs
// a warning at the end of the process and at most three seconds. OpenTelemetry's own
// exporter is not used, because it brings in gRPC, which would add a quarter to the size of
// the program.
package tracing
