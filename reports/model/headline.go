package model

import (
	"evolve/bench/stats"
	"evolve/reports/number"
)

// Headline is the comparison on the holdout on which the verdict rests. If there is
// Evidence, its interval is valid at any stopping time; otherwise it is valid for a single
// look.
type Headline struct {
	Variant Ref `json:"variant"`
	// Metric is the difference in the metric that the scores measure, if a command scores
	// searched code; it is nil in all other cases. Discord describes a contradiction
	// between the metric and the scores on which the verdict rests; it is empty if there is
	// none.
	Metric  *stats.Gain `json:"metric,omitempty"`
	Discord string      `json:"discord,omitempty"`
	// Further are the differences in the command's other metrics, with the findings on
	// these metrics.
	Further []stats.Further `json:"further,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Tasks, Repeats, Wins, Losses and Ties are counted over the evaluations from all
	// nights that contributed to the evidence; Repeats is the minimum over the tasks.
	Tasks   int `json:"tasks"`
	Repeats int `json:"repeats"`
	Wins    int `json:"wins"`
	Losses  int `json:"losses"`
	Ties    int `json:"ties"`
	// Planned and Detectable are the smallest differences detectable at 80 % power,
	// according to the plan and to the measurement, respectively; a value of 0 or 1 means
	// that none was detectable.
	Planned    float64 `json:"planned_detectable"`
	Detectable float64 `json:"detectable"`
	// Search is the gain that the search estimated, and Curse the part of that gain that
	// the holdout did not show.
	Search float64 `json:"search_difference"`
	Curse  float64 `json:"curse"`
}

// Effect is a paired difference with its interval.
type Effect struct {
	Champion   float64 `json:"champion"`
	Score      float64 `json:"score"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Level is the confidence level of the interval, such as .95.
	Level float64 `json:"level"`
	// Of names the tasks to which the interval applies: new tasks like these, or only these
	// tasks; it is empty if there is no ruling.
	Of stats.Claim `json:"of,omitempty"`
}

// About returns a description of the interval's level and of the tasks to which it applies.
func (e Effect) About() string {
	if e.exact() {
		return "exact for these tasks, because a repeat would give the same score"
	}
	words := number.Percent(e.Level) + " interval"
	if e.Of != stats.NoClaim {
		words += " for " + e.Of.Words()
	}
	return words
}

// exact reports whether the difference is known without error, as it is for a fixed agent
// on these tasks.
func (e Effect) exact() bool { return e.Of == stats.TheseTasks && e.Lo == e.Hi }

// Bounds formats the interval.
func (e Effect) Bounds() string {
	if e.exact() {
		return "exact"
	}
	return number.Interval(e.Lo, e.Hi)
}

// Finalist is one variant that entered the confirmation on the holdout.
type Finalist struct {
	Variant Ref `json:"variant"`
	// Metric has the same meaning as in [Headline].
	Metric *stats.Gain `json:"metric,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Adjusted is the Holm-adjusted p-value of a finalist that has no Evidence.
	Adjusted float64 `json:"adjusted_p,omitempty"`
	Accepted bool    `json:"accepted"`
	// Finding is a summary of the judgement, and Reason is the reason that the run itself
	// recorded.
	Finding string `json:"finding"`
	Reason  string `json:"reason"`
}
