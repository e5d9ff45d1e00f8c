package clitest

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/metrics/metricstest"
)

// scriptMetric requires that a metric in a file has a matching value or, with !, that it
// has no value.
func scriptMetric(ts *testscript.TestScript, neg bool, args []string) {
	if neg && len(args) != 2 || !neg && len(args) != 3 {
		ts.Fatalf("usage: metric FILE NAME{LABEL=VALUE} REGEXP, or ! metric FILE NAME")
	}
	families, err := metricstest.Parse([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	got := metricstest.Values(families, args[1])
	switch {
	case neg && len(got) > 0:
		ts.Fatalf("%s has %s: %v", args[0], args[1], got)
	case !neg && (len(got) != 1 || !regexp.MustCompile(args[2]).MatchString(got[0])):
		ts.Fatalf("%s of %s is %v", args[1], args[0], got)
	}
}
