package gobench

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, text string) Run {
	t.Helper()
	run, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestReadPassesOverNoise(t *testing.T) {
	sec := func(v ...float64) Run { return Run{{"BenchmarkX-2", "sec/op"}: v} }
	for _, c := range []struct {
		name, text string
		want       Run
	}{
		{"nothing", "", Run{}},
		{"one line", "BenchmarkX-2  \t 100\t 2e9 ns/op\n", sec(2)},
		{"no final newline", "BenchmarkX-2\t100\t2e9 ns/op", sec(2)},
		{"Windows line ends", "goos: windows\r\nBenchmarkX-2\t100\t2e9 ns/op\r\n", sec(2)},
		{"every unit", "pkg: m/p\nBenchmarkX/a=1,b-2\t100\t2e9 ns/op\t 3.5 MB/s\t16 B/op\t2 allocs/op\t7 ops/op\n", Run{
			{"m/p.BenchmarkX/a=1,b-2", "sec/op"}: {2}, {"m/p.BenchmarkX/a=1,b-2", "B/s"}: {3.5e6},
			{"m/p.BenchmarkX/a=1,b-2", "B/op"}: {16}, {"m/p.BenchmarkX/a=1,b-2", "allocs/op"}: {2}, {"m/p.BenchmarkX/a=1,b-2", "ops/op"}: {7},
		}},
		{"two packages", "pkg: m/p\nBenchmarkX\t1\t1 ops/op\nok  \tm/p\t1.2s\npkg: m/q\nBenchmarkX\t1\t2 ops/op\n", Run{
			{"m/p.BenchmarkX", "ops/op"}: {1}, {"m/q.BenchmarkX", "ops/op"}: {2},
		}},
		{"several of one", "BenchmarkX-2\t1\t3e9 ns/op\nBenchmarkX-2\t1\t1e9 ns/op\n", sec(3, 1)},
		{"other output", "starting…\nBenchmarks are fun\nBenchmark\nBenchmarkX-2\nBenchmarkX-2\t100\t2e9 ns/op\n--- BENCH: BenchmarkX-2\n    x_test.go:3: note\nPASS\nFAIL\npanic: oh\n", sec(2)},
		{"cut in two", "BenchmarkX-2   \tlistening on :80\nwarning 5\n  closing\n     100\t       2e9 ns/op\n", sec(2)},
		{"cut for every round", "BenchmarkX-2   \tround 1\nround 100\nround 1000\n    1000\t 2e9 ns/op\nBenchmarkY-2 \t1\t2 ops/op\n", Run{
			{"BenchmarkX-2", "sec/op"}: {2}, {"BenchmarkY-2", "ops/op"}: {2},
		}},
		{"numbers without a benchmark", "     100\t       2e9 ns/op\n", Run{}},
		{"numbers of another package", "BenchmarkX-2\tcrash\npkg: m/q\n     100\t       2e9 ns/op\n", Run{}},
		{"half a line", "BenchmarkX-2\t100\nBenchmarkX-2\t100\t250\n", Run{}},
		{"no measurements", "BenchmarkX-2\t1\tNaN ns/op\nBenchmarkX-2\t1\t+Inf ns/op\nBenchmarkX-2\t1\t1e200 B/op\nBenchmarkX-2\t1\t1e-200 B/op\nBenchmarkX-2\t1\tfast ns/op\n", Run{}},
		{"nothing and less than nothing", "BenchmarkX-2\t1\t0 ns/op\nBenchmarkX-2\t1\t-1e9 ns/op\t-3 score/op\n", Run{
			{"BenchmarkX-2", "sec/op"}: {0}, {"BenchmarkX-2", "score/op"}: {-3},
		}},
		{"forged on the line of the name", "BenchmarkX-2   \t     100\t1e9 ns/op\n     100\t       2e9 ns/op\n", sec(1, 2)},
		{"forged on a line of its own", "BenchmarkX-2   \t\n     100\t1e9 ns/op\n     100\t       2e9 ns/op\n", sec(1, 2)},
		{"numbers that are no result, after one", "BenchmarkX-2\t100\t2e9 ns/op\n7\tdwarfs\n", sec(2)},
		{"escape sequences", "BenchmarkX\x1b[31m-2\t1\t5 ns/op\nBenchmarkX\u202e-2\t1\t5 ns/op\nBenchmarkX-2\t1\t5 n\u202es/op\npkg: \x1b[2J\nBenchmarkX-2\t1\t5e9 ns/op\n", sec(5)},
		{"no UTF-8", "Benchmark\xff-2\t1\t5 ns/op\n", Run{}},
		{"declarations of units", "Unit sec/op better=higher\nUnit ns/op better=higher assume=exact\nBenchmarkX-2\t1\t5e9 ns/op\n", sec(5)},
		{"a very long line", strings.Repeat("x", 3*mostLine) + "\nBenchmarkX-2\t1\t5e9 ns/op\nBenchmarkY" + strings.Repeat("y", mostLine) + "\t1\t5 ns/op\n", sec(5)},
		{"a long name", "Benchmark" + strings.Repeat("y", mostName+1) + "\t1\t5 ns/op\n", Run{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, read(t, c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("BenchmarkX\t1\t1 ns/op\n"), iotest.DataErrReader(zeros{}))
	if _, err := Read(endless); !errors.Is(err, ErrTooMuch) {
		t.Errorf("an endless line: %v", err)
	}
	if _, err := Read(strings.NewReader(strings.Repeat("BenchmarkX\t1\t1 ns/op\n", mostResults+1))); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many results: %v", err)
	}
	broken := errors.New("pipe gone")
	if _, err := Read(io.MultiReader(strings.NewReader("BenchmarkX\t1\t1 ns/op\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a broken pipe: %v", err)
	}
}

// zeros is an endless file without line breaks.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzRead checks that whatever a process prints, the result can be shown and compared.
func FuzzRead(f *testing.F) {
	f.Add([]byte("pkg: m/p\nBenchmarkX-2\t1\t5 ns/op\t3 MB/s\nBenchmarkY\thello\n  7\t1e-3 ops/op\n"))
	f.Add([]byte("BenchmarkX 1 NaN ns/op\nUnit ns/op better=higher\nBenchmarkX 1 1 ns/op 2 ns/op\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Read(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for k, values := range run {
			if !shows(k.Benchmark, 3*mostName) || !shows(k.Unit, mostUnit) || len(values) == 0 {
				t.Fatalf("%q with %v", k, values)
			}
			for _, v := range values {
				if !plausible(v, k.Unit) {
					t.Fatalf("%q is %v", k, v)
				}
			}
		}
		same := Measured{Base: []Run{run, run, run, run}, Candidate: []Run{run, run, run, run}}
		if r := Compare(same, Rule{}); r.Verdict == Better || r.Verdict == Worse || len(r.Reasons) == 0 {
			t.Fatalf("equal runs: %+v", r)
		}
	})
}
