package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/runtime/agent"
)

// TestCodeValues pairs the values of two versions. Cases that one of them lacks must be
// left out, failures must be named, and a lower value must count as better if the metric
// defines it so.
func TestCodeValues(t *testing.T) {
	r := codeRecord{noun: "case", value: new(coding.Prospect).Value, of: map[agent.ConfigID]map[string]measurement{"a": {}, "b": {}}}
	add := func(v agent.ConfigID, of string, split bench.Split, value float64) {
		r.add(&bench.Evaluation{
			Variant: v, Task: of, Split: split, Scored: true, Outcome: agent.OK,
			Answer: fmt.Sprintf(`{"case":%q,"metric":"cost\u001b[31m","value":%v,"unit":"s","better":"lower"}`, of, value),
		})
	}
	for i, of := range []string{"x", "y", "z", "z\u202e"} {
		add("a", of, bench.Search, 10)
		add("b", of, bench.Search, float64(9+i))
	}
	add("a", "alone", bench.Search, 1)
	add("a", "h", bench.Holdout, 4)
	add("b", "h", bench.Holdout, 3)
	add("b", "h", bench.Holdout, 99) // a later value does not replace the first
	r.add(&bench.Evaluation{Variant: "a", Task: "bad", Split: bench.Search, Scored: true, Outcome: agent.OK, Answer: `{"value":1}`})
	r.add(&bench.Evaluation{Variant: "b", Task: "bad", Split: bench.Search, Scored: true, Outcome: agent.Execution, Error: "it\x1b[2J does not build"})
	r.add(&bench.Evaluation{Variant: "c", Task: "x", Split: bench.Search, Scored: true, Outcome: agent.OK, Answer: `{"value":1}`})
	r.kind.Metric, r.kind.Better, r.kind.Unit = "cost", "lower", "s"

	v := r.values("a", "b")
	var got []string
	for _, c := range v.Cases {
		got = append(got, c.Case)
	}
	if want := "bad x y z z\u202e h"; strings.Join(got, " ") != want {
		t.Errorf("the cases are %q, want %q", got, want)
	}
	if m := v.Search; m == nil || m.Cases != 4 || m.A != 10 || m.B != 10.5 || m.Better != 1 || m.Worse != 2 || m.Equal != 1 {
		t.Errorf("the search cases compare as %+v", m)
	}
	if m := v.Holdout; m == nil || m.Cases != 1 || m.Difference != -1 || m.Better != 1 {
		t.Errorf("the held-out cases compare as %+v", m)
	}
	var out bytes.Buffer
	con := &console{stdout: &out}
	printMeans(con, "search", v, v.Search)
	printValues(con, v, "v1", "v2")
	for _, want := range []string{"search case", "held-out case", "failed: it\\x1b[2J does not build", "+0.5 s on average over 4 cases", "cost by case, in s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("foreign text reaches the terminal:\n%q", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 75 {
			t.Errorf("a line of %d cells: %s", len([]rune(line)), line)
		}
	}
}

// TestCodeValuesInPercent checks that changes of a metric in % are shown in percentage
// points, that each mean is shown with its unit, and that the title of the columns has the
// unit.
func TestCodeValuesInPercent(t *testing.T) {
	a, b := 6.5, 4.9
	v := codeValues{
		Metric: "excess", Unit: "%", Better: "lower", noun: "case", Cases: []codeCase{{Case: "x", Split: bench.Search, A: &a, B: &b}},
		Search: &codeMeans{Cases: 1, A: a, B: b, Difference: b - a, Better: 1},
	}
	var out bytes.Buffer
	con := &console{stdout: &out}
	printMeans(con, "search", v, v.Search)
	printValues(con, v, "v1", "v2")
	for _, want := range []string{"excess  6.5 → 4.9 %\n", "−1.6 percentage points on average over 1 case\n", "excess by case, in %; changes in percentage points\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
