package review

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/gobench"
	"evolve/gates"
	"evolve/patch/scope"
)

// TestBenchmarkCommand checks the verdict on the output of a command. A patch does not pass
// if the output no longer measures the same things as before.
func TestBenchmarkCommand(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	const size = `size=$(sed -n 's/^const Size = //p' cache/cache.go); `
	for _, c := range []struct {
		name, script, to string
		verdict          gates.Verdict
		says             string
	}{
		{"better", size + `echo BenchmarkFull 1 $size work/op`, "32", gates.Passed, "according to the command sh bench.sh: BenchmarkFull: work/op better by 50 %"},
		{"worse", size + `echo BenchmarkFull 1 $size work/op`, "128", gates.Failed, "according to the command sh bench.sh: BenchmarkFull: work/op worse by 100 %"},
		{"under another name", size + `echo BenchmarkFull$size 1 20 work/op`, "32", gates.Failed, "run 1 of the candidate reports BenchmarkFull64 in work/op never; the base's first run reports it once"},
		{"without one of two", size + `echo BenchmarkFull 1 $size work/op; [ $size = 32 ] || echo BenchmarkGet 1 5 work/op`, "32", gates.Failed, "candidate reports BenchmarkGet in work/op never"},
		{"in another unit", size + `[ $size = 64 ] && unit=work; echo BenchmarkFull 1 20 ${unit:-rest}/op`, "32", gates.NotRun, "candidate: sh: none of its results is in work/op; they are in rest/op"},
		{"no number", size + `[ $size = 64 ] || n=NaN; echo BenchmarkFull 1 ${n:-20} work/op`, "32", gates.NotRun, `candidate: sh: line 1: "BenchmarkFull" has NaN work/op`},
		{"a line too many", size + `[ $size = 64 ] || echo BenchmarkFull 1 1 work/op; echo BenchmarkFull 1 20 work/op`, "32", gates.NotRun, `candidate: sh: line 2: "BenchmarkFull" has two values`},
		{"a flood", size + `[ $size = 64 ] || yes | head -c 5000000; echo BenchmarkFull 1 20 work/op`, "32", gates.NotRun, "candidate: sh printed too much"},
		{"it fails", size + `echo BenchmarkFull 1 20 work/op; [ $size = 64 ]`, "32", gates.NotRun, "candidate: sh ended with exit code 1"},
		{"it never worked", "exit 7", "32", gates.NotRun, "sh ended with exit code 7"},
		{"it is never the same", `echo BenchmarkFull$$ 1 20 work/op`, "32", gates.Flagged, "the measurement gives no verdict"},
		{"another program", "", "32", gates.Failed, "the patch changes cache/measure, which measures the patch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBureau(t)
			own := &Benchmark{Command: []string{"sh", "bench.sh"}, Count: 6, Metric: "work/op", Better: "lower"}
			b.Unsandboxed, b.Targets[0].Benchmark, b.Targets[0].Policy = true, own, scope.Policy{Allow: []string{"cache"}}
			b.write("bench.sh", c.script+"\n")
			text := turned("64", c.to)
			if c.script == "" {
				own.Command[1] = "cache/measure"
				b.write("cache/measure", "echo BenchmarkFull 1 20 work/op\n")
				text += "--- a/cache/measure\n+++ b/cache/measure\n@@ -1 +1 @@\n-echo BenchmarkFull 1 20 work/op\n+echo BenchmarkFull 1 1 work/op\n"
			}
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=a benchmark")
			p := b.must(b.submit(OriginPerson, "Robin", text))
			at := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Gate == gateBenchmark })
			if at < 0 || p.Gates[at].Verdict != string(c.verdict) || !strings.Contains(p.Gates[at].Evidence, c.says) {
				t.Fatalf("%+v, want %s because %q", p.Gates, c.verdict, c.says)
			}
			if c.verdict == gates.Passed && !strings.Contains(p.Gates[at].Evidence, "WITHOUT a sandbox") {
				t.Errorf("it says nothing of the walls: %s", p.Gates[at].Evidence)
			}
			want := map[gates.Verdict]archive.ProposalState{gates.Passed: archive.Awaiting, gates.Flagged: archive.HumanLane}[c.verdict]
			if want == "" {
				want = archive.GateFailed
			}
			if p.State != want {
				t.Errorf("it is %s", p.State)
			}
		})
	}
}

// TestOwnMeasure checks that a patch to a file that the command names is found, however the
// path is written.
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
		if got := b.Names("", []string{"a.go", c.changed}); (got == c.changed) != c.own || (got == "") == c.own {
			t.Errorf("%q and %s: %q", c.command, c.changed, got)
		}
	}
}

// TestMeasured checks that a result names the command that produced its figures.
func TestMeasured(t *testing.T) {
	for want, command := range map[string][]string{
		"": nil,
		"according to the command sh bench/run.sh: ":                  {"sh", "bench/run.sh"},
		`according to the command sh -c "a; b" "" "\x1b[2J": `:        {"sh", "-c", "a; b", "", "\x1b[2J"},
		`according to the command harness --size=10 -o out.txt "ü": `: {"harness", "--size=10", "-o", "out.txt", "ü"},
	} {
		if got := (&Benchmark{Command: command}).Measured(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTermsOfBenchmarks checks that the stored terms of Go benchmarks have no fields for
// commands, so that older patches do not become stale, and that a command is part of the
// terms.
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

// TestBlindBenchmark checks that a measurement that could have missed a large loss does
// not pass.
func TestBlindBenchmark(t *testing.T) {
	unseen := []string{"BenchmarkX in sec/op: a loss of 557 % could have gone undetected; at most 10 % may"}
	for _, c := range []struct {
		r    gobench.Result
		want gates.Verdict
	}{
		{gobench.Result{Verdict: gobench.NotShown, Reasons: []string{"no change"}}, gates.Passed},
		{gobench.Result{Verdict: gobench.NotShown, Reasons: []string{"no change"}, Blind: unseen}, gates.Flagged},
		{gobench.Result{Verdict: gobench.Better, Reasons: []string{"better"}, Blind: unseen}, gates.Flagged},
		{gobench.Result{Verdict: gobench.Worse, Reasons: []string{"worse"}, Blind: unseen}, gates.Failed},
	} {
		got, said := ofBenchmark(c.r, "")
		if got != c.want || got == gates.Flagged && !strings.Contains(said, "the measurement cannot rule out a loss") {
			t.Errorf("%+v: %s, %s", c.r, got, said)
		}
	}
}
