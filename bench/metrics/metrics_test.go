package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := Read(strings.NewReader(`warming up
{"case": "a", "metric": "excess", "value": 5.5, "unit": "%", "better": "lower"}
 {"case":"a","metric":"speed","value":-3,"better":"higher"}

{"case":"b","metric":"excess","value":0,"unit":"%","better":"lower"}
done in 3 s`))
	want := []Value{{"a", "excess", 5.5, "%", Lower}, {"a", "speed", -3, "", Higher}, {"b", "excess", 0, "%", Lower}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Read: %v\n%s", err, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const good = `{"case":"a","metric":"m","value":1,"better":"lower"}` + "\n"
	for name, c := range map[string]struct{ output, want string }{
		"nothing":        {"", `"better": "lower"}`},
		"its own words":  {"fast\n\nfaster\n", `"better": "lower"}; it printed fast`},
		"nearly a value": {"fast\n[{\"case\": \"a\", \"value\": 1}]\n", `; it printed [{"case": "a", "value": 1}]`},
		"a cut line":     {good + `{"case":"b","metric":"m","val`, `line 2: it is not a value: unexpected EOF: {"case":"b","metric":"m","val`},
		"hostile":        {"{\x1b[2J\u202e", `line 1: it is not a value: invalid character '\x1b' looking for beginning of object key string: { [2J\u202e`},
		"a name twice":   {good + good, `line 2: case "a" has two values of "m"`},
		"two directions": {good + `{"case":"b","metric":"m","value":1,"better":"higher"}`, "line 2: \"m\" is in"},
		"a quoted value": {`{"case":"b","metric":"m","value":"5","better":"lower"}`, "line 1: it is not a value: value must be a finite number"},
		"too large":      {`{"case":"b","metric":"m","value":1e400,"better":"lower"}`, "line 1: it is not a value: value must be a finite number"},
		"a number":       {`{"case":5,"metric":"m","value":1,"better":"lower"}`, "line 1: it is not a value: case must be text"},
		"no unit":        {`{"case":"a","metric":"m","value":1,"better":"lower"}` + "\n" + `{"case":"b","metric":"m","value":1,"unit":"s","better":"lower"}`, "on an earlier line it is in no unit and lower is better"},
		"two units":      {good + `{"case":"b","metric":"m","value":1,"unit":"s","better":"lower"}`, "line 2: \"m\" is in \"s\""},
		"no value":       {`{"case":"a","metric":"m","better":"lower"}`, "line 1: it has no value"},
		"a null":         {`{"case":"a","metric":"m","value":null,"better":"lower"}`, "it has no value"},
		"a huge value":   {`{"case":"a","metric":"m","value":1e308,"better":"lower"}`, "its value 1e+308 is outside ±1e+300"},
		"a text":         {`{"case":"a","metric":"m","value":"1","better":"lower"}`, "it is not a value"},
		"no direction":   {`{"case":"a","metric":"m","value":1}`, "better must be"},
		"no case":        {`{"case":"","metric":"m","value":1,"better":"lower"}`, "need names"},
		"a bell":         {"{\"case\":\"a\\u0007\",\"metric\":\"m\",\"value\":1,\"better\":\"lower\"}", "need names"},
		"a typo":         {`{"cases":"a","metric":"m","value":1,"better":"lower"}`, "unknown field"},
		"two objects":    {strings.TrimSpace(good) + strings.TrimSpace(good), "more than one object"},
		"a long line":    {"{" + strings.Repeat(" ", mostLine), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if v, err := Read(strings.NewReader(c.output)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Read = %v, %v; want the error %q", v, err, c.want)
			}
		})
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	base := []Value{{"a", "cost", 10, "s", Lower}, {"a", "hits", 1, "", Higher}, {"b", "cost", 30, "s", Lower}, {"b", "hits", 3, "", Higher}, {"c", "cost", 20, "s", Lower}, {"c", "hits", 0, "", Higher}}
	s, err := NewScale(base, "")
	if err != nil {
		t.Fatal(err)
	}
	if name, unit, better := s.Metric(); name != "cost" || unit != "s" || better != Lower || len(s.Cases()) != 3 {
		t.Errorf("the first metric is %s in %s, %s is better, of cases %v", name, unit, better, s.Cases())
	}
	for value, want := range map[float64]float64{10: .5, 8: .643, 12: .357, 0: .833, -10: .9, -1e9: 1, 1e9: 0} {
		if got := s.Score("a", value); math.Abs(got-want) > .001 {
			t.Errorf("%v seconds score %.3f, want %.3f", value, got, want)
		}
	}
	hits, err := NewScale(base, "hits")
	if err != nil {
		t.Fatal(err)
	}
	if up, down := hits.Score("c", 1), hits.Score("b", 2); up <= .8 || math.Abs(up+down-1) > 1e-9 {
		t.Errorf("one hit more scores %v, one less %v", up, down)
	}
	if v, err := s.Find(base, "b"); v != 30 || err != nil {
		t.Errorf("Find = %v, %v", v, err)
	}
	for name, values := range map[string][]Value{
		"no such case":      {{"a", "cost", 1, "s", Lower}},
		"no such metric":    {{"b", "hits", 1, "", Higher}},
		"another direction": {{"b", "cost", 1, "s", Higher}},
		"another unit":      {{"b", "cost", 1, "ms", Lower}},
	} {
		if v, err := s.Find(values, "b"); err == nil {
			t.Errorf("%s: Find = %v, want an error", name, v)
		}
	}
	for name, metric := range map[string]string{"unknown": "time"} {
		if _, err := NewScale(base, metric); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewScale(base[:3], "hits"); err == nil || !strings.Contains(err.Error(), "1 of 2 cases") {
		t.Errorf("a case without the metric: %v", err)
	}
	zero, err := NewScale([]Value{{"a", "m", 0, "", Lower}}, "m")
	if got := zero.Score("a", 0); err != nil || got != .5 {
		t.Errorf("a base of zeros scores %v, %v", got, err)
	}
	if words := zero.Unsized(); !strings.Contains(words, `the value of "m" is 0 on every case`) || s.Unsized() != "" {
		t.Errorf("Unsized of zeros: %q, of others: %q", words, s.Unsized())
	}
}

// TestScaleTellsLargeImprovementsApart checks that scores preserve the order of
// improvements even if these are large. They must also preserve the order of versions by
// the mean of the metric if a few cases improve most: for example, 10 s becomes 1 s on each
// case, or .1 s on one half and 1.7 s on the other.
func TestScaleTellsLargeImprovementsApart(t *testing.T) {
	t.Parallel()
	s, err := NewScale([]Value{{"a", "time", 10, "s", Lower}, {"b", "time", 10, "s", Lower}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for last, value := .5, 9.9; value > 1e-3; value *= .9 {
		score := s.Score("a", value)
		if score <= last {
			t.Errorf("%.4f s score %.17g, a larger value %.17g", value, score, last)
		}
		last = score
	}
	if fast, slow := s.Score("a", -1e6), s.Score("a", -1e5); fast <= slow || fast > 1 {
		t.Errorf("ten times the improvement scores %.17g, after %.17g", fast, slow)
	}
	if apart, alike := s.Score("a", .1)+s.Score("b", 1.7), s.Score("a", 1)+s.Score("b", 1); apart <= alike {
		t.Errorf("a mean of .9 s scores %.5f, one of 1 s %.5f", apart/2, alike/2)
	}
	if huge, err := NewScale([]Value{{"a", "m", 1e300, "", Lower}}, ""); err != nil || huge.Score("a", -1e300) != .5+.5/1.125 {
		t.Errorf("an improvement by 2e300 scores %v, %v", huge.Score("a", -1e300), err)
	}
}

// TestScaleRefusesAHugeValue checks that a value so large that the others do not count
// beside it is refused, and that the error names its case. Scores relative to a mean that
// includes the value would show no change in any other case.
func TestScaleRefusesAHugeValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []float64
		want   string
	}{
		"one":            {[]float64{3, 5, -1e300, 4}, `case "c" has a value of -1e+300 for "m"`},
		"two":            {[]float64{3, 1e9, 4, 1e12, 5}, `case "d" has a value of 1e+12 for "m"`},
		"the mean is +∞": {[]float64{1e308, 1e308, 1, 1, 1}, `case "a" has a value of 1e+308 for "m"`},
		"one of two":     {[]float64{1, 1e9}, `case "b" has a value of 1e+09 for "m"`},
		"zeros":          {[]float64{0, 0, 0, 5}, ""},
		"all are huge":   {[]float64{1e300, 2e300, 3e300}, ""},
		"wide":           {[]float64{1, 10, 100, 1000, 10_000}, ""},
	} {
		var base []Value
		for i, v := range c.values {
			base = append(base, Value{string(rune('a' + i)), "m", v, "", Higher})
		}
		_, err := NewScale(base, "")
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"case":"a","metric":"m","value":1,"better":"lower"}`)
	f.Fuzz(func(t *testing.T, output string) {
		values, err := Read(strings.NewReader(output))
		if err != nil {
			return
		}
		if _, err := NewScale(values, values[0].Metric); err != nil && !strings.Contains(err.Error(), "cases have no value") && !strings.Contains(err.Error(), "does not count") {
			t.Fatal(err)
		}
	})
}

func TestNoise(t *testing.T) {
	t.Parallel()
	s, err := NewScale([]Value{{"a", "time", 10, "ms", Lower}, {"b", "time", 30, "ms", Lower}, {"c", "time", 20, "ms", Lower}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		again []Value
		want  Noise
	}{
		"nothing":  {nil, Noise{}},
		"the same": {[]Value{{"a", "time", 10, "ms", Lower}, {"b", "time", 30, "ms", Lower}}, Noise{Cases: 2}},
		// Adding in another order changes the last digit of a sum, which is not noise.
		"rounding": {[]Value{{"a", "time", 10 + 1e-12, "ms", Lower}}, Noise{Cases: 1, Mean: 1.0e-12, Most: 1.0e-12, Share: 5e-14}},
		"noise": {
			[]Value{{"a", "time", 12, "ms", Lower}, {"a", "time", 8, "ms", Lower}, {"b", "time", 30, "ms", Lower}, {"b", "hits", 9, "", Higher}, {"d", "time", 9, "ms", Lower}},
			Noise{Cases: 2, Differ: 1, Mean: 1, Most: 2, Share: .05},
		},
	} {
		got := s.Noise(c.again)
		if got.Cases != c.want.Cases || got.Differ != c.want.Differ || math.Abs(got.Mean-c.want.Mean) > 1e-13 || math.Abs(got.Most-c.want.Most) > 1e-13 || math.Abs(got.Share-c.want.Share) > 1e-13 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if got.Any() != (name == "noise") {
			t.Errorf("%s: Any = %t", name, got.Any())
		}
	}
	n := Noise{Cases: 60, Differ: 58, Mean: .0314, Most: 1.2, Share: .0123}
	if got, want := n.Words("ms"), "repeated values of the same code differ by 0.031 ms on average (1.2 % of their mean absolute value) and by at most 1.2 ms; they differ on 58 of 60 cases"; got != want {
		t.Errorf("Words = %q, want %q", got, want)
	}
}

func TestFigure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, size float64
		want        string
	}{{6.4963, .3358, "6.50"}, {-.3358, .3358, "−0.34"}, {1234567, 33333, "1234567"}, {5, 0, "5"}, {1.25e-12, 2e-12, "1.25e−12"}, {99.96, 9.9, "100.0"}} {
		if got := Figure(c.value, Decimals(c.size)); got != c.want {
			t.Errorf("Figure(%v) beside %v = %q, want %q", c.value, c.size, got, c.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	base := []Value{
		{"a", "cost", 10, "s", Lower},
		{"a", "memory", 4, "MB", Lower},
		{"a", "hits", 0, "", Higher},
		{"b", "cost", 30, "s", Lower},
		{"b", "memory", 8, "MB", Lower},
		{"b", "hits", 0, "", Higher},
	}
	s, err := NewScale(base, "")
	if err != nil {
		t.Fatal(err)
	}
	k := s.Kind()
	if diff := cmp.Diff([]Kind{{Name: "memory", Unit: "MB", Better: Lower, Size: 6, Form: Form}, {Name: "hits", Better: Higher, Size: 1, Form: Form}}, k.Further); diff != "" {
		t.Error(diff)
	}
	// A value in a unit other than the base's does not count, and neither does a value of
	// another case.
	value, answer, err := s.Answer([]Value{{"b", "cost", 20, "s", Lower}, {"b", "memory", 7, "GB", Lower}, {"b", "hits", 3, "", Higher}, {"b", "size", 3, "", Higher}, {"a", "memory", 3, "MB", Lower}}, "b")
	if want := "{\"case\":\"b\",\"metric\":\"cost\",\"value\":20,\"unit\":\"s\",\"better\":\"lower\"}\n{\"hits\":3}"; value != 20 || answer != want || err != nil {
		t.Errorf("Answer = %v, %q, %v", value, answer, err)
	}
	if got := k.FindFurther(answer); k.Find(answer) != 20 || len(got) != 2 || !math.IsNaN(got[0]) || got[1] != 3 {
		t.Errorf("%q has %v and %v", answer, k.Find(answer), got)
	}
	old, _, _ := strings.Cut(answer, "\n")
	if got := k.FindFurther(old); k.Find(old) != 20 || !math.IsNaN(got[0]+got[1]) {
		t.Errorf("an answer of an older evolve has %v and %v", k.Find(old), got)
	}
	if _, _, err := s.Answer(base[:1], "b"); err == nil {
		t.Error("a case without a value has an answer")
	}
	long := []Value{{"a", "m", 1, "", Lower}}
	for i := range 40 {
		long = append(long, Value{"a", strings.Repeat("é", 190) + string(rune('a'+i)), 1, "", Lower})
	}
	many, err := NewScale(long, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, answer, err := many.Answer(long, "a"); err != nil || len(answer) > mostAnswer || len(many.Kind().Further) != mostFurther || math.IsNaN(many.Kind().FindFurther(answer)[3]) {
		t.Errorf("many metrics: %d bytes, %v", len(answer), err)
	}
}
