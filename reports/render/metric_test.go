package render

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// measured returns a report whose comparisons concern a metric and differ from what its
// scores show.
func measured(r model.Report) model.Report {
	excess := metrics.Kind{Name: "excess", Unit: "%", Better: metrics.Lower, Size: 6}
	for i := range r.Agents {
		a := &r.Agents[i]
		gain := stats.Gain{Kind: excess, A: 6.4963, B: 6.1605, Difference: -.3358, Interval: &stats.Interval{Lo: -.5, Hi: -.1716}, Level: .95, Cases: 28, Missing: 2, Gains: 20, Losses: 5, Ties: 3}
		if a.Headline != nil {
			a.Headline.Metric, a.Headline.Discord = &gain, "the mean of excess does not show an improvement: a reason"
			a.Headline.Further = []stats.Further{
				{Gain: stats.Gain{Kind: metrics.Kind{Name: "mem\x1bory", Unit: "MB", Better: metrics.Lower, Size: 100}, A: 100, B: 114.5, Difference: 14.5, Interval: &stats.Interval{Lo: 11.4, Hi: 17.6}, Level: .975, Cases: 30}, Finding: stats.FurtherWorse},
				{Gain: stats.Gain{Kind: metrics.Kind{Name: "hits", Better: metrics.Higher, Size: 5}, A: 5, B: 5, Level: .975, Cases: 30, Ties: 30}, Finding: stats.FurtherEqual},
			}
		}
		for j := range a.Finalists {
			a.Finalists[j].Metric = &gain
		}
		a.Health.ValueNoise = &model.ValueNoise{Kind: excess, Noise: metrics.Noise{Cases: 30, Differ: 29, Mean: .031, Most: .2, Share: .0051}}
	}
	return r
}

// TestMetricFirst checks that every rendering shows the metric of searched code in its
// unit before the score, with the interval, the disagreement with the score, and the
// noise of the values.
func TestMetricFirst(t *testing.T) {
	t.Parallel()
	r := measured(adoptWorld(t, 0).report())
	for name, render := range map[string]func(io.Writer, model.Report) error{
		"text": func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 100}) },
		"page": HTML, "markdown": Markdown,
	} {
		got := rendered(t, render, r)
		at := -1
		for _, want := range []string{"6.50 → 6.16 %", "−0.34", "percentage points", "at most 0.20 percentage", "[−0.50, −0.17]", "does not show an improvement", "values of the same code differ by 0.031"} {
			if next := strings.Index(got, want); next < 0 {
				t.Errorf("%s: %q is not there", name, want)
			} else if want == "6.50 → 6.16 %" {
				at = next
			}
		}
		if points := strings.Index(got, "points"); name != "page" && points < at {
			t.Errorf("%s: the points are before the metric, at %d and %d", name, points, at)
		}
		if !strings.Contains(got, "excess") || !strings.Contains(got, "lower is better") || !strings.Contains(got, "28 of 30 cases") {
			t.Errorf("%s: the name, the direction or the cases of the metric are missing\n%.3000s", name, got)
		}
	}
	if got := rendered(t, HTML, r); !strings.Contains(got, `<span class="unit">percentage points</span>`) {
		t.Error("the large figure of the page is not in percentage points")
	}
	var page bytes.Buffer
	if err := Index(&page, []model.Summary{{Run: "1-a", Agents: []model.AgentSummary{{
		Agent: "curve", Verdict: model.Adopt, Variant: &r.Agents[0].Headline.Variant, Metric: r.Agents[0].Headline.Metric, Effect: &r.Agents[0].Headline.Effect,
	}}}}); err != nil {
		t.Fatal(err)
	}
	if got := page.String(); !strings.Contains(got, `<th scope="col" class="fig">metric</th>`) || !strings.Contains(got, "−0.34 percentage points") {
		t.Errorf("the index has no metric\n%s", got)
	}
	var back model.Report
	if err := json.Unmarshal([]byte(rendered(t, JSON, r)), &back); err != nil {
		t.Fatal(err)
	}
	if m := back.Agents[0].Headline.Metric; m == nil || m.Name != "excess" || m.Difference != -.3358 || m.Interval.Lo != -.5 {
		t.Errorf("the JSON has %+v", m)
	}
}

// TestFurtherMetrics checks that every rendering shows the further metrics and, next to
// the decision, points out the metric that is worse.
func TestFurtherMetrics(t *testing.T) {
	t.Parallel()
	r := measured(adoptWorld(t, 0).report())
	for name, render := range map[string]func(io.Writer, model.Report) error{
		"text": func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 100}) },
		"page": HTML, "markdown": Markdown,
	} {
		got := rendered(t, render, r)
		for _, want := range []string{"worse", "100.0 → 114.5 MB", "+14.5 MB", "[+11.4, +17.6]", `mem\x1bory`, "metrics: 1 equal", "95 % intervals for all 2 together (Bonferroni)", "significantly worse", "equal on every case"} {
			if plain := strings.NewReplacer(`\\`, `\`, `\[`, "[", `\]`, "]", "&#43;", "+").Replace(got); !strings.Contains(plain, want) {
				t.Errorf("%s: %q is not there", name, want)
			}
		}
	}
	var back model.Report
	if err := json.Unmarshal([]byte(rendered(t, JSON, r)), &back); err != nil {
		t.Fatal(err)
	}
	if f := back.Agents[0].Headline.Further; len(f) != 2 || f[0].Finding != stats.FurtherWorse || f[0].Interval.Hi != 17.6 {
		t.Errorf("the JSON has %+v", f)
	}
}

// TestMetricWithoutInterval checks that a gain that shows nothing about new cases has no
// interval, no colour and no picture.
func TestMetricWithoutInterval(t *testing.T) {
	t.Parallel()
	r := measured(adoptWorld(t, 0).report())
	g := r.Agents[0].Headline.Metric
	g.Interval = nil
	if row := metricRows(*r.Agents[0].Headline)[0]; row.Figures[1][0].Style != plainStyle || row.Figures[2].raw() != "no interval" {
		t.Errorf("the row is %+v", row)
	}
	if _, drawn := leadOf(*r.Agents[0].Headline, "holdout"); drawn != nil {
		t.Errorf("%+v is drawn", drawn)
	}
}

// TestCasesOfCode checks that a report on searched code gives values in the unit of its
// metric and calls the items cases, whereas a report on an agent speaks of passes and
// tasks.
func TestCasesOfCode(t *testing.T) {
	t.Parallel()
	r := measured(adoptWorld(t, 0).report())
	for i := range r.Agents[0].Tasks {
		r.Agents[0].Tasks[i].Values = &model.TaskValues{Champion: 122.6, Variant: 2.34}
	}
	got := rendered(t, func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 200}) }, r)
	for _, want := range []string{"for new cases", "base → version", "123 → 2 %", "−120 percentage points"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if strings.Contains(got, "exact: equal") {
		t.Error("a case has what a grader wrote of its score")
	}
	for line := range strings.Lines(got) {
		if strings.Contains(line, "4/4") || strings.Contains(line, "new tasks") && !strings.Contains(line, "better than") {
			t.Errorf("the report has %q", line)
		}
	}
}
