// Package metricstest reads metrics in the format of Prometheus for tests.
package metricstest

import (
	"bytes"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Parse reads metrics as Prometheus does, and returns the families by name.
func Parse(data []byte) (map[string]*dto.MetricFamily, error) {
	p := expfmt.NewTextParser(model.LegacyValidation)
	return p.TextToMetricFamilies(bytes.NewReader(data))
}

// Values returns the values of a metric; for a histogram, it returns the number of
// observations. The argument (what) is the metric's name, or name{label=value,…} to
// select the values with these labels.
func Values(families map[string]*dto.MetricFamily, what string) []string {
	name, rest, _ := strings.Cut(strings.TrimSuffix(what, "}"), "{")
	wanted := map[string]string{}
	for pair := range strings.SplitSeq(rest, ",") {
		if label, v, ok := strings.Cut(pair, "="); ok {
			wanted[label] = v
		}
	}
	var out []string
	for _, m := range families[name].GetMetric() {
		matches := 0
		for _, l := range m.GetLabel() {
			if wanted[l.GetName()] == l.GetValue() && l.GetValue() != "" {
				matches++
			}
		}
		if matches != len(wanted) {
			continue
		}
		v := m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return out
}
