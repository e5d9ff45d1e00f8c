package workspace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"evolve/bench"
	"evolve/bench/stats"
)

// Guard is one guard as given in agent.yaml or evolve.yaml. A nil field takes its value
// from evolve.yaml or, if it is not given there, from the default.
type Guard struct {
	Off           bool
	AtMost, Floor *float64
}

// Guards holds the limits on a winner's consumption, keyed by metric.
type Guards map[string]Guard

// Prefer contains the price of a point of score for each metric: the share by which the
// ratio of the metric's guard is raised for each point gained.
type Prefer map[string]float64

// The upper limits on two settings: the ratio of a guard, and the cost of a point of score.
const (
	maxRatio = 1000
	maxShare = 10
)

// Bounds returns the guards of an agent: the defaults, overridden by evolve.yaml and then
// by agent.yaml, key by key. It leaves out the guard on the latency of a deterministic
// agent, because such an agent's runs repeat byte for byte, whereas a measured time does
// not.
func (w *Workspace) Bounds(a *Agent) []stats.Bound {
	var out []stats.Bound
	for _, m := range bench.Metrics() {
		b := stats.Bound{Name: m.Name, Of: stats.Mean, AtMost: stats.AtMost, Floor: m.Floor}
		if m.Name == bench.MetricLatency {
			b.Of = stats.P95
		}
		on := m.Name == bench.MetricCost || m.Name == bench.MetricLatency
		for _, said := range w.written(a, m.Name) {
			on = !said.Off
			if said.AtMost != nil {
				b.AtMost = *said.AtMost
			}
			if said.Floor != nil {
				b.Floor = *said.Floor
			}
		}
		for _, p := range []Prefer{w.Settings.Prefer, a.Prefer} {
			if share, ok := p[m.Name]; ok {
				b.PerPoint = share
			}
		}
		if on && !unjudged(a, m.Name) {
			out = append(out, b)
		}
	}
	return out
}

// guardsKeys describes the guards object, which has a key for each metric. An agent has no
// defaults of its own.
func guardsKeys(to *Guards) object {
	var o object
	for _, m := range bench.Metrics() {
		what := "mean " + strings.ReplaceAll(m.Name, "_", " ") + " of an evaluation, in " + m.Unit + ": {at_most, floor}, or off"
		if m.Name == bench.MetricLatency {
			what = "95th percentile of the latency: {at_most, floor}, or off; not judged for a deterministic agent"
		}
		k := key{name: m.Name, doc: what, field: guardField(to, m.Name)}
		switch m.Name {
		case bench.MetricCost:
			k.def = "{at_most: " + plain(stats.AtMost) + ", floor: " + strconv.FormatFloat(m.Floor, 'f', -1, 64) + "}"
		case bench.MetricLatency:
			k.def = "{at_most: " + plain(stats.AtMost) + ", floor: " + time.Duration(m.Floor*float64(time.Second)).String() + "}"
		default:
			k.example = "{at_most: +50%, floor: " + plain(m.Floor) + "}"
		}
		o.keys = append(o.keys, k)
	}
	return o
}

func preferKeys(to *Prefer) object {
	var o object
	for _, m := range bench.Metrics() {
		o.keys = append(o.keys, key{name: m.Name, doc: "the extra " + strings.ReplaceAll(m.Name, "_", " ") + " a point of score is worth, such as 2%", field: shareField(to, m.Name), example: "2%"})
	}
	return o
}

// guardField is the field for a guard, or for the word off.
func guardField(to *Guards, metric string) custom {
	keys := func(g *Guard) object {
		return object{keys: []key{
			{name: "at_most", doc: "highest allowed ratio to the champion's value: 1.1, or +10%", field: ratioField(&g.AtMost)},
			{name: "floor", doc: "a difference of up to this amount never breaks the guard", field: floorField(&g.Floor, metric)},
		}}
	}
	return custom{func(s *source, n *yaml.Node, name string) {
		var g Guard
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			if g.Off = strings.EqualFold(n.Value, "off") || strings.EqualFold(n.Value, "false"); !g.Off {
				s.bad(n, "write "+yamlWord(metric)+": {at_most: 1.1}", "%s must be off, or a mapping with at_most, floor or both", name)
				return
			}
		} else {
			keys(&g).read(s, n, name)
		}
		put(to, metric, g)
	}, schema{"anyOf": []any{keys(new(Guard)).schema(), schema{"enum": []any{"off", false}}}}}
}

// percentPattern matches a percentage.
var percentPattern = regexp.MustCompile(`^\+?[0-9]{1,6}(\.[0-9]{1,6})? ?%$`)

// percentOf returns the share that a text such as +10% stands for.
func percentOf(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || !percentPattern.MatchString(n.Value) {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.Trim(n.Value, "+ %"), 64)
	return v / 100, err == nil
}

// ratioField is a field for a ratio of at least 1, or for an increase in per cent.
func ratioField(to **float64) custom {
	return custom{func(s *source, n *yaml.Node, name string) {
		var v float64
		if share, ok := percentOf(n); ok {
			if !strings.HasPrefix(n.Value, "+") {
				s.bad(n, fmt.Sprintf("write +%s for an increase, or a ratio such as 1.1", n.Value), "%s must be a ratio or an increase", name)
				return
			}
			if v = 1 + share; v > maxRatio {
				s.bad(n, "", "%s is %s, above %d", name, n.Value, maxRatio)
				return
			}
			*to = &v
			return
		}
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
			s.bad(n, "write a ratio such as 1.1, or +10%", "%s must be a ratio, not text", name)
			return
		}
		number{to: &v, min: 1, max: maxRatio}.read(s, n, name)
		*to = &v
	}, schema{"anyOf": []any{number{min: 1, max: maxRatio}.schema(), schema{"type": "string", "pattern": `^\+[0-9]{1,6}(\.[0-9]{1,6})? ?%$`}}}}
}

// shareField is a field for the price of a point of score: a share, given as a number or
// in per cent.
func shareField(to *Prefer, metric string) custom {
	return custom{func(s *source, n *yaml.Node, name string) {
		v, percent := percentOf(n)
		switch {
		case percent && !(v > 0 && v <= maxShare):
			s.bad(n, "", "%s is %s, but must be above 0%% and at most %d%%", name, n.Value, 100*maxShare)
		case percent:
		case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
			s.bad(n, "write it like 2%", "%s must be a percentage or a ratio, not text", name)
		default:
			if said, ok := numberOf(n); ok && said > 1 && said <= 100*maxShare {
				s.bad(n, fmt.Sprintf("write %g%% or %g%%", said, 100*said), "%s is %s, which could be a percentage or a ratio", name, n.Value)
				return
			}
			number{to: &v, max: 1, above: true}.read(s, n, name)
		}
		put(to, metric, v)
	}, schema{"anyOf": []any{number{max: 1, above: true}.schema(), schema{"type": "string", "pattern": percentPattern.String()}}}}
}

// floorField is a field for an optional number of at least 0. For the latency it is a
// duration, which needs no unit if it is 0.
func floorField(to **float64, metric string) field {
	v := new(float64)
	if metric != bench.MetricLatency {
		return then{number{to: v, max: maxCount}, func() { *to = v }}
	}
	return custom{func(s *source, n *yaml.Node, name string) {
		*to = v
		if zero, ok := numberOf(n); ok && zero == 0 {
			return
		}
		var d time.Duration
		duration{&d, 0, 24 * time.Hour}.read(s, n, name)
		*v = d.Seconds()
	}, schema{"anyOf": []any{duration{}.schema(), schema{"const": 0}}}}
}
