package metrics

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// hostile is a name that would end its line and forge another.
const hostile = "t\"} 1\nevolve_run_exit_code 0\n\\\x1b[2J\u202e\xff"

// full returns a night with a value for each metric.
func full() Night {
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	guards := []policy.Stat{{
		Saturation: policy.Saturation{
			Kind: policy.Tool, Name: hostile, Origin: "mcp:" + strings.Repeat("x", 5000), Calls: 1000, Attempts: 1001, Retries: 1,
			Outcomes: map[agent.Outcome]int64{agent.OK: 990, agent.RateLimited: 10, "forged\n": 1},
			RateWait: time.Minute, RateBound: 30 * time.Second, Over: time.Minute, Opened: 2, Open: time.Second,
		},
		Cap: 4, P50: time.Second,
		Budgets: []policy.BudgetStat{{Scope: "run", Used: policy.Usage{USD: 4.5}, Limit: policy.Budget{USD: 5}}},
	}}
	for i := range 150 {
		guards = append(guards, policy.Stat{Saturation: policy.Saturation{Kind: policy.Tool, Name: fmt.Sprint("tool", i), Calls: 5, Over: time.Minute}})
	}
	a := Agent{
		ID: hostile, Run: 7, Ended: at, Evaluations: map[string]int{Scored: 5, Missing: 1}, USD: 1.5, Input: 10,
		Result: archive.AgentResult{Verdict: archive.Keep, Watch: &archive.Watch{Fall: &archive.Fall{}}, Search: archive.SearchResult{Champion: archive.ScoredVariant{Score: .75, Evaluations: 9}}},
		Limit:  archive.AgentLimit{Bound: "evaluations", Evaluations: 100, Used: 40, Made: 6, Seconds: .5, Alone: .25},
	}
	for _, s := range []float64{.0005, .02, 5000} {
		a.Latency.Add(s)
	}
	return Night{
		Workspace: "/srv/" + hostile, Version: "1.0", Go: "go1.26", Ended: at, Exit: 7,
		Run: &archive.Run{
			Number: 7, Exit: 7, Started: at.Add(-time.Hour), Since: at.Add(-time.Hour), Ended: at, Reached: 8, Guards: guards,
			Phases: map[string]time.Duration{"search": time.Minute},
		},
		Succeeded: at.Add(-24 * time.Hour), PaidUSD: 2, Limits: []Limit{{"money", 4, 5}}, Agents: []Agent{a},
		Waiting: []Waiting{{Kind: "config", Agent: "clerk", Count: 2, Oldest: at}},
		Live:    []policy.Saturation{{Kind: policy.Provider, Name: "lm", Calls: 3, Over: time.Second}},
		Hub:     &Hub{Tasks: map[string]int{"published": 5}, RepeatedUSD: .1, Workers: 3},
	}
}

// written writes the file of a night and reads it back.
func written(t *testing.T, n Night) (map[string]*dto.MetricFamily, []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "evolve.prom")
	if err := n.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return families, data
}

// value returns the value of a metric with the given labels.
func value(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	var found []float64
	for _, m := range families[name].GetMetric() {
		if slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool {
			i := slices.Index(labels, l.GetName())
			return i >= 0 && i%2 == 0 && labels[i+1] != l.GetValue()
		}) {
			continue
		}
		found = append(found, m.GetGauge().GetValue())
	}
	if len(found) != 1 {
		t.Fatalf("%s%v has %d values", name, labels, len(found))
	}
	return found[0]
}

// TestNight tests the metrics file of a night with a value for each metric.
func TestNight(t *testing.T) {
	families, data := written(t, full())
	for _, d := range NightDefinitions() {
		f := families[d.Name]
		if f == nil || f.GetHelp() != d.Help {
			t.Errorf("%s is not in the file, or has another help", d.Name)
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if v := l.GetValue(); len(v) > mostLabel || strings.ContainsAny(v, "\n\x1b\u202e") {
					t.Errorf("%s has the label %s=%q", d.Name, l.GetName(), v)
				}
			}
		}
	}
	if len(families) != len(NightDefinitions()) {
		t.Errorf("the file has %d metrics", len(families))
	}
	problems, err := promlint.New(bytes.NewReader(data)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("by the conventions of Prometheus: %v, %v", problems, err)
	}
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"evolve_command_exit_code", nil, 7},
		{"evolve_run_exit_code", nil, 7},
		{"evolve_run_duration_seconds", nil, 3600},
		{"evolve_run_limit_used_ratio", []string{"limit", "money"}, .8},
		{"evolve_agent_verdict", []string{"verdict", "keep"}, 1},
		{"evolve_agent_verdict", []string{"verdict", "adopt"}, 0},
		{"evolve_agent_evaluations", []string{"result", "missing"}, 1},
		{"evolve_agent_search_seconds_per_evaluation", nil, .25},
		{"evolve_agent_budget_left_evaluations", nil, 60},
		{"evolve_policy_saturation_ratio", []string{"use", "run", "limit", "rate", "origin", clean("mcp:" + strings.Repeat("x", 5000))}, .5},
		{"evolve_policy_budget_used_ratio", []string{"resource", "usd"}, .9},
		{"evolve_policy_targets_left_out", []string{"use", "run"}, 51},
		{"evolve_policy_targets_left_out", []string{"use", "live"}, 0},
		{"evolve_decisions_oldest_timestamp_seconds", nil, float64(time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC).Unix())},
	} {
		if got := value(t, families, c.name, c.labels...); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
	h := families["evolve_agent_evaluation_duration_seconds"].GetMetric()[0].GetHistogram()
	if h.GetSampleCount() != 3 || h.GetBucket()[0].GetCumulativeCount() != 1 || h.GetBucket()[3].GetCumulativeCount() != 2 || h.GetBucket()[13].GetCumulativeCount() != 2 {
		t.Errorf("the histogram is %v", h)
	}
	if n := len(families["evolve_policy_retries"].GetMetric()); n != mostTargets+1 {
		t.Errorf("there are %d tools", n)
	}
}

// TestSparseNight tests the metrics file of a command that failed before its first run,
// and a metrics file with names that become equal when they are shortened.
func TestSparseNight(t *testing.T) {
	families, _ := written(t, Night{Workspace: "/srv/w", Exit: 2, Ended: time.Unix(100, 0)})
	if value(t, families, "evolve_command_exit_code") != 2 || families["evolve_run_number"] != nil || families["evolve_run_success_timestamp_seconds"] != nil {
		t.Errorf("it has %v", families)
	}
	long := strings.Repeat("x", 200)
	families, _ = written(t, Night{Live: []policy.Saturation{{Kind: policy.Tool, Name: long + "1", Calls: 2}, {Kind: policy.Tool, Name: long + "2", Calls: 1}}})
	if n := len(families["evolve_policy_retries"].GetMetric()); n != 1 {
		t.Errorf("there are %d", n)
	}
	if err := (Night{}).WriteFile(filepath.Join(t.TempDir(), "none", "evolve.prom")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
