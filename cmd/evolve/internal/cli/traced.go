package cli

import (
	"context"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/tracing"
	"evolve/runtime/telemetry"
	"evolve/runtime/text"
)

// startTracing begins to send spans if the environment requests it. An unsupported setting
// leads only to a warning, because no result depends on traces.
func startTracing(sh *shell) *tracing.Tracing {
	set, err := tracing.Read(sh.Env.Lookup)
	var t *tracing.Tracing
	if err == nil {
		t, err = tracing.Start(sh.Ctx, set, sh.Env.Lookup, ownBuild().Version, sh.Sleep)
	}
	if err != nil {
		sh.eprintf("warning: no traces are sent: %s\n", text.Visible(err.Error()))
	}
	return t
}

// endTracing sends the spans that are still waiting.
func endTracing(sh *shell, t *tracing.Tracing) {
	if err := t.Close(); err != nil {
		sh.eprintf("warning: %s\n", text.Visible(err.Error()))
	}
}

// runBatch runs the nightly batch within a span.
func runBatch(ctx context.Context, opts batch.Options) (batch.Summary, error) {
	ctx, span := telemetry.Start(ctx, "night")
	defer span.End()
	s, err := batch.Run(ctx, opts)
	span.Text(telemetry.Run, s.Run.ID)
	span.Int(telemetry.Exit, int64(s.Run.Exit))
	switch {
	case err != nil:
		span.Fail("ended")
	case s.Run.State != archive.RunDone || s.Run.Exit != 0:
		span.Fail(string(s.Run.State))
	}
	return s, err
}
