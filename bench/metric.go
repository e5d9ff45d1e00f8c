package bench

import "slices"

// Metric is what an evaluation consumed, of which less is better.
type Metric struct {
	// Name as it stands in settings and reports, and what one unit is.
	Name, Unit string
	// Of is its amount in an evaluation.
	Of func(*Evaluation) float64
	// Floor is the difference that never counts unless the settings name another, in the unit.
	Floor float64
}

// The names of the metrics that every workspace guards.
const (
	MetricCost    = "cost"
	MetricLatency = "latency"
)

// Metrics lists what every evaluation records, in the order in which it is shown.
func Metrics() []Metric {
	return []Metric{
		{MetricCost, "USD", func(e *Evaluation) float64 { return e.Usage.CostUSD }, .05 / 1000},
		{MetricLatency, "seconds", func(e *Evaluation) float64 { return e.Latency.Seconds() }, .05},
		{"input_tokens", "tokens", func(e *Evaluation) float64 { return float64(e.Usage.InputTokens) }, 20},
		{"output_tokens", "tokens", func(e *Evaluation) float64 { return float64(e.Usage.OutputTokens) }, 10},
		{"iterations", "iterations", func(e *Evaluation) float64 { return float64(e.Usage.Iterations) }, .1},
		{"tool_calls", "calls", func(e *Evaluation) float64 { return float64(e.Usage.ToolCalls) }, .1},
	}
}

// MetricOf is the metric of that name.
func MetricOf(name string) (Metric, bool) {
	list := Metrics()
	at := slices.IndexFunc(list, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		return Metric{}, false
	}
	return list[at], true
}
