package patching

import (
	"encoding/json"
	"testing"

	"evolve/bench/gobench"
)

// TestOwnMeasure: a patch of a file that the command names is found out, however it is
// written.
func TestOwnMeasure(t *testing.T) {
	for _, c := range []struct {
		command []string
		changed string
		own     bool
	}{
		{[]string{"sh", "bench/run.sh"}, "bench/run.sh", true},
		{[]string{"./bench/run.sh", "-n", "3"}, "bench/run.sh", true},
		{[]string{"python3", "./bench//run.py"}, "bench/run.py", true},
		{[]string{"sh", "-c", "cd x; sh bench/run.sh|tail -1"}, "bench/run.sh", true},
		{[]string{"harness", "--script=bench/run.lua"}, "bench/run.lua", true},
		{[]string{"sh", "bench/run.sh"}, "bench/other.sh", false},
		{[]string{"sh", "bench/run.sh"}, "run.sh", false},
		{[]string{"go", "test", "./cache"}, "cache/cache.go", false},
		{nil, "cache/cache.go", false},
	} {
		b := &Benchmark{Command: c.command}
		if got := b.names([]string{"a.go", c.changed}); (got == c.changed) != c.own || (got == "") == c.own {
			t.Errorf("%q and %s: %q", c.command, c.changed, got)
		}
	}
}

// TestMeasured: whoever reads a result sees whose numbers it is of.
func TestMeasured(t *testing.T) {
	for want, command := range map[string][]string{
		"":                                      nil,
		"as the command sh bench/run.sh says: ": {"sh", "bench/run.sh"},
		`as the command sh -c "a; b" "" "\x1b[2J" says: `:        {"sh", "-c", "a; b", "", "\x1b[2J"},
		`as the command harness --size=10 -o out.txt "ü" says: `: {"harness", "--size=10", "-o", "out.txt", "ü"},
	} {
		if got := (&Benchmark{Command: command}).Measured(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTermsOfBenchmarks: what Go benchmarks are kept as does not know of commands, so that
// no patch went stale when these came; a command is part of what a patch is judged by.
func TestTermsOfBenchmarks(t *testing.T) {
	terms := func(b Benchmark) string {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got, want := terms(Benchmark{Packages: []string{"./..."}, Pattern: ".", Count: 10, Metric: "sec/op", Tune: 40}),
		`{"packages":["./..."],"pattern":".","count":10,"metric":"sec/op"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b := Benchmark{Command: []string{"sh", "run.sh"}, Count: 10, Metric: "work/op", Better: "lower"}
	if got, want := terms(b), `{"command":["sh","run.sh"],"count":10,"metric":"work/op","better":"lower"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if b.Rule().Directions["work/op"] != gobench.Lower {
		t.Error("less work is not better")
	}
}
