package doctor

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/constants"
)

func TestDoctorMarks(t *testing.T) {
	tuned := &review.Benchmark{Tune: 40}
	many := make([]constants.Problem, 12)
	for i := range many {
		many[i] = constants.Problem{File: "a.go", Line: i + 1, Text: "the range is empty"}
	}
	for name, c := range map[string]struct {
		benchmark *review.Benchmark
		found     int
		problems  []constants.Problem
		err       error
		want      string
	}{
		"no benchmark":         {nil, 0, many, nil, ""},
		"no tuning":            {&review.Benchmark{}, 0, many, nil, ""},
		"cannot be read":       {tuned, 0, nil, errors.New("no repository"), ""},
		"nothing marked":       {tuned, 0, nil, nil, "ok patches code: nothing is tuned at night: no constant is marked in a committed Go file that patches may change | mark a constant, such as const size = 64 //evolve:param min=8 max=4096, or set benchmark.tune: 0\n"},
		"in order":             {tuned, 2, nil, nil, "ok patches code: 2 marked constants tuned at night\n"},
		"malformed, with hint": {tuned, 1, []constants.Problem{{File: "cache/lru.go", Line: 7, Text: "min is above max", Hint: "swap them"}}, nil, "warn patches code: cache/lru.go:7: min is above max | swap them\n"},
		"and without":          {tuned, 0, []constants.Problem{{File: "cache/lru.go", Line: 7, Text: "the constant is marked twice"}}, nil, "warn patches code: cache/lru.go:7: the constant is marked twice | correct or remove the mark, and commit: until then, nothing in the target is tuned\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Probes{Marks: func(string) (int, []constants.Problem, error) { return c.found, c.problems, c.err }}
			if got := linesOf(checkMarks(p, workspace.PatchTarget{Name: "code", Benchmark: c.benchmark})); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	p := Probes{Marks: func(string) (int, []constants.Problem, error) { return 0, many, nil }}
	if got := linesOf(checkMarks(p, workspace.PatchTarget{Name: "code", Benchmark: tuned})); strings.Count(got, "\n") != mostMarks+1 || !strings.Contains(got, "2 further marks cannot be used") {
		t.Error(got)
	}
}

func linesOf(checks []Check) string {
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "%s %s: %s", c.Status, c.Name, c.Text)
		if c.Hint != "" {
			b.WriteString(" | " + c.Hint)
		}
		b.WriteString("\n")
	}
	return b.String()
}
