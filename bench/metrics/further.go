package metrics

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// mostFurther limits the number of further metrics that are recorded for a command.
const mostFurther = 12

// mostAnswer limits the length of an answer returned by [Scale.Answer], in bytes. A record
// of an evaluation keeps answers up to this length.
const mostAnswer = 2000

// furtherKinds returns the kinds of the metrics other than the named one, in the order of
// the base's output. Their Size is the mean size of the base's values, or 1 if all are 0.
func furtherKinds(base []Value, metric string) []Kind {
	var out []Kind
	counts := map[string]float64{}
	for _, v := range base {
		if v.Metric == metric {
			continue
		}
		at := slices.IndexFunc(out, func(k Kind) bool { return k.Name == v.Metric })
		if at < 0 {
			if len(out) == mostFurther {
				continue
			}
			at, out = len(out), append(out, Kind{Name: v.Metric, Unit: v.Unit, Better: v.Better, Form: Form, Points: Percentage(v.Unit)})
		}
		counts[v.Metric]++
		out[at].Size += math.Abs(v.Value)
	}
	for i := range out {
		if out[i].Size /= counts[out[i].Name]; out[i].Size == 0 {
			out[i].Size = 1
		}
	}
	return out
}

// Answer returns the text that an evaluation of a case records. Its first line has the value of
// the metric. A second line has the values of further metrics as an object, if the program
// printed any with the unit and direction of the base. Answer returns the errors of [Scale.Find].
func (s *Scale) Answer(values []Value, of string) (value float64, answer string, err error) {
	if value, err = s.Find(values, of); err != nil {
		return 0, "", err
	}
	first, err := json.Marshal(Value{Case: of, Metric: s.metric, Value: value, Unit: s.unit, Better: s.better})
	if err != nil {
		return 0, "", err
	}
	beside, answer := map[string]float64{}, string(first)
	for _, k := range s.further {
		at := slices.IndexFunc(values, func(v Value) bool {
			return v.Case == of && v.Metric == k.Name && v.Unit == k.Unit && v.Better == k.Better
		})
		if at < 0 {
			continue
		}
		beside[k.Name] = values[at].Value
		second, err := json.Marshal(beside)
		if err != nil {
			return 0, "", err
		}
		if len(first)+1+len(second) > mostAnswer {
			break
		}
		answer = string(first) + "\n" + string(second)
	}
	return value, answer, nil
}

// ParseAnswer returns the value of the metric in a stored answer, and the values of further
// metrics by their names; ok is false if the answer has no value of the metric.
func ParseAnswer(answer string) (v Value, further map[string]float64, ok bool) {
	first, second, _ := strings.Cut(answer, "\n")
	if v, ok = Parse(first); ok && json.Unmarshal([]byte(second), &further) != nil {
		further = nil // an older version of evolve stored none
	}
	return v, further, ok
}

// FindFurther returns the values of k's further metrics in a stored answer, in the order of
// Further, with NaN for those that the answer lacks.
func (k Kind) FindFurther(answer string) []float64 {
	out := make([]float64, len(k.Further))
	_, found, _ := ParseAnswer(answer)
	for i, f := range k.Further {
		v, ok := found[f.Name]
		if !ok {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}
