package doctor

import "evolve/cmd/evolve/internal/tracing"

// checkTraces names the collector that receives the traces of nights, if the environment
// specifies a collector. It does not try the collector.
func checkTraces(p Probes) []Check {
	const name = "traces"
	set, err := tracing.Read(p.LookupEnv)
	switch {
	case err != nil:
		return []Check{warn(name, "`evolve help metrics` lists the environment variables; a run continues without traces", "no traces are sent: %s", err)}
	case set != nil:
		return []Check{ok(name, "nights send traces to %s", set.Target())}
	}
	return nil
}
