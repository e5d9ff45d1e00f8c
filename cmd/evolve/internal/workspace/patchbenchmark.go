package workspace

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"

	"evolve/bench/gobench"
	"evolve/gates/review"
)

// The bounds and defaults of the settings for a target's benchmark.
const (
	minBenchRuns    = 6 // with fewer runs, no difference can be significant at the level used
	maxBenchRuns    = 100
	maxTune         = 10_000
	maxLoss         = 1000
	defaultBench    = "."
	defaultPackages = "./..."
	defaultRuns     = 10
	defaultMetric   = "sec/op"
	defaultTune     = 40
)

var (
	goPackages    = regexp.MustCompile(`^\.(/[A-Za-z0-9_.-]+)*$`)
	metricPattern = regexp.MustCompile(`^[A-Za-z0-9%_./-]{1,64}$`)
)

const packagesRule = "a package in the repository, such as ./cache or ./..."

// goKeys are the keys that select Go benchmarks; they do not apply to a command.
var goKeys = []string{"packages", "pattern"}

// benchmarkKeys describes the keys of a target's benchmark. It first sets b to the
// defaults.
func benchmarkKeys(b *review.Benchmark) object {
	b.Pattern, b.Count, b.Metric, b.Tune = defaultBench, defaultRuns, defaultMetric, defaultTune
	with := []any{}
	for _, other := range goKeys {
		with = append(with, schema{"required": []any{other}})
	}
	return object{
		limits: schema{"not": schema{"required": []any{"command"}, "anyOf": with}},
		check:  func(s *source, n *yaml.Node, _ string) { checkBenchmark(s, n, b) },
		keys: []key{
			{name: "packages", doc: "packages whose benchmarks are run", field: words(&b.Packages, 0, goPackages, packagesRule), def: `["` + defaultPackages + `"]`},
			{name: "pattern", doc: "pattern of the benchmarks to run, in the form that go test -bench takes", field: text{to: &b.Pattern, pattern: nonEmpty, rule: "text that is not empty", check: expressionProblem, form: schema{"type": "string", "minLength": 1}}, def: quote(defaultBench)},
			{name: "command", doc: "program with its arguments; it measures the code instead of Go benchmarks, is started in the sandbox, in the target's folder, and prints a line such as BenchmarkName 100 123 ns/op for each measurement", field: argv(&b.Command), example: "[sh, bench/run.sh]"},
			{name: "count", doc: "number of times that the base and the patch are each run; their runs alternate", field: whole[int]{&b.Count, minBenchRuns, maxBenchRuns}, def: show(defaultRuns)},
			{name: "metric", doc: "unit, as named by benchstat, of the values on which the verdict is based", field: text{to: &b.Metric, pattern: metricPattern, rule: "a unit such as sec/op, B/op or allocs/op"}, def: defaultMetric},
			{name: "better", doc: "whether lower or higher values of the metric are better; needed only for a unit that the target defines itself", field: oneOf(&b.Better, "lower", "higher"), example: "lower"},
			{name: "loss", doc: "largest loss, in per cent of the base, that measurements may fail to detect; a patch whose runs cannot rule out a larger loss is left for a person to decide", field: whole[int]{&b.Loss, 1, maxLoss}, def: "10"},
			{name: "tune", doc: "number of benchmark runs in a night that are spent looking for better values of constants marked //evolve:param; 0 for none", field: whole[int]{&b.Tune, 0, maxTune}, def: show(defaultTune)},
		},
	}
}

// checkBenchmark checks that the given keys can be combined, and sets the packages.
func checkBenchmark(s *source, n *yaml.Node, b *review.Benchmark) {
	if command := child(n, "command"); command != nil {
		for _, other := range goKeys {
			if at := child(n, other); at != nil {
				s.bad(at, "the command replaces Go benchmarks: leave one of the two keys out", `%q cannot be used with "command"`, other)
			}
		}
		if !nonEmpty.MatchString(b.Command[0]) {
			s.bad(command, "", `"command" names no program`)
		}
		b.Packages, b.Pattern = nil, ""
	} else if len(b.Packages) == 0 {
		b.Packages = []string{defaultPackages}
	}
	metric := child(n, "metric")
	if base := gobench.BaseUnit(b.Metric); base != b.Metric {
		s.bad(metric, "write "+base, "results in %s are recorded in %s", b.Metric, base)
	} else if b.Better == "" && gobench.Agreed(b.Metric) == 0 {
		s.bad(metric, "add better: lower, or better: higher", "no setting specifies whether lower or higher values of %s are better", b.Metric)
	}
}

func expressionProblem(v string) (problem, hint string) {
	if _, err := regexp.Compile(v); err != nil {
		problem = fmt.Sprintf("is not a valid pattern: %v", err)
	}
	return problem, ""
}
