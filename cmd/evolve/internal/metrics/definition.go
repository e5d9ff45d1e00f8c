package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"evolve/runtime/text"
)

// Definition is one metric.
type Definition struct {
	Name, Help string
	Labels     []string
	// Histogram reports whether the metric is a distribution; all other metrics of nights
	// are gauges.
	Histogram bool
}

const buildHelp = "Always 1; the labels give the versions of the program and of Go."

func buildLabels() []string { return []string{"version", "goversion"} }

// mostLabel limits the value of a label, in bytes.
const mostLabel = 80

// clean turns an untrusted text into the value of a label.
func clean(s string) string { return text.Clip(text.Visible(s), mostLabel) }

// sheet collects the values of metrics. It leaves out a second value for the same metric
// and labels, because a registry would then refuse all values.
type sheet struct {
	fixed prometheus.Labels
	known []Definition
	descs map[string]*prometheus.Desc
	seen  map[string]bool
	out   []prometheus.Metric
}

// newSheet returns an empty sheet whose metrics all have these labels.
func newSheet(known []Definition, fixed map[string]string) *sheet {
	s := &sheet{fixed: prometheus.Labels{}, known: known, descs: map[string]*prometheus.Desc{}, seen: map[string]bool{}}
	for name, value := range fixed {
		s.fixed[name] = clean(value)
	}
	for _, d := range known {
		s.descs[d.Name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, s.fixed)
	}
	return s
}

// admit returns the description of a metric and the safe values of its labels; it returns
// nil if the metric already has a value with these labels.
func (s *sheet) admit(name string, labels []string) (*prometheus.Desc, []string) {
	values, key := slices.Clone(labels), name
	for i, v := range values {
		values[i] = clean(v)
		key += "\x00" + values[i]
	}
	if s.seen[key] {
		return nil, nil
	}
	s.seen[key] = true
	return s.descs[name], values
}

// set sets the value of a metric. The labels are in the order of the metric's definition.
func (s *sheet) set(name string, value float64, labels ...string) {
	if desc, values := s.admit(name, labels); desc != nil {
		s.out = append(s.out, prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, values...))
	}
}

// count sets the value of a counter.
func (s *sheet) count(name string, value float64, labels ...string) {
	if desc, values := s.admit(name, labels); desc != nil {
		s.out = append(s.out, prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, values...))
	}
}

// flag sets a metric to 1 or 0.
func (s *sheet) flag(name string, value bool, labels ...string) {
	v := 0.
	if value {
		v = 1
	}
	s.set(name, v, labels...)
}

// distribution sets a histogram.
func (s *sheet) distribution(name string, d *Distribution, labels ...string) {
	if desc, values := s.admit(name, labels); desc != nil {
		s.out = append(s.out, prometheus.MustNewConstHistogram(desc, d.count, d.sum, d.buckets(), values...))
	}
}

// Describe implements [prometheus.Collector].
func (s *sheet) Describe(to chan<- *prometheus.Desc) {
	for _, d := range s.descs {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (s *sheet) Collect(to chan<- prometheus.Metric) {
	for _, m := range s.out {
		to <- m
	}
}

// seconds returns the upper bounds of the buckets for durations.
func seconds() []float64 {
	return []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300, 1000, 3000}
}

// Distribution counts durations by range, using a constant amount of memory. The zero value
// is empty.
type Distribution struct {
	count uint64
	sum   float64
	upTo  []uint64 // by bucket, not cumulative
}

// Add adds a duration in seconds.
func (d *Distribution) Add(s float64) {
	bounds := seconds()
	if d.upTo == nil {
		d.upTo = make([]uint64, len(bounds))
	}
	d.count++
	d.sum += s
	if i, _ := slices.BinarySearch(bounds, s); i < len(bounds) {
		d.upTo[i]++
	}
}

// buckets returns the cumulative counts by the buckets' upper bounds.
func (d *Distribution) buckets() map[float64]uint64 {
	out, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range seconds() {
		if d.upTo != nil {
			sum += d.upTo[i]
		}
		out[bound] = sum
	}
	return out
}
