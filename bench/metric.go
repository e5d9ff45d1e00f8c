package bench

import "slices"

// Metric is a quantity that an evaluation consumes; less is better.
type Metric struct {
	// Name is the metric's name in settings and reports, and Unit is its unit.
	Name, Unit string
	// Of returns the amount that an evaluation consumed; NaN means unknown.
	Of func(*Evaluation) float64
	// Floor is the difference, in the metric's unit, that is always tolerated; the
	// settings can replace it with another value.
	Floor float64
}

// The names of the metrics that are guarded in every workspace.
const (
	MetricCost    = "cost"
	MetricLatency = "latency"
)

// Metrics returns the metrics that every evaluation records, in display order.
func Metrics() []Metric {
	return []Metric{
		{MetricCost, "USD", func(e *Evaluation) float64 { return e.Usage.CostUSD }, .05 / 1000},
		{MetricLatency, "seconds", func(e *Evaluation) float64 { return e.AnswerSeconds() }, .05},
		{"input_tokens", "tokens", func(e *Evaluation) float64 { return float64(e.Usage.InputTokens) }, 20},
		{"output_tokens", "tokens", func(e *Evaluation) float64 { return float64(e.Usage.OutputTokens) }, 10},
		{"iterations", "iterations", func(e *Evaluation) float64 { return float64(e.Usage.Iterations) }, .1},
		{"tool_calls", "calls", func(e *Evaluation) float64 { return float64(e.Usage.ToolCalls) }, .1},
	}
}

// MetricOf returns the metric with the given name.
func MetricOf(name string) (Metric, bool) {
	list := Metrics()
	at := slices.IndexFunc(list, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		return Metric{}, false
	}
	return list[at], true
}
