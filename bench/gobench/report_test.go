package gobench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReadReport(t *testing.T) {
	const metric = "work/op"
	for _, c := range []struct {
		name, text string
		want       Run
		says       string
	}{
		{"one line of a shell", "BenchmarkCopy 1 20 work/op\n", Run{{"BenchmarkCopy", metric}: {20}}, ""},
		{"without an end", "BenchmarkCopy 1 20 work/op", Run{{"BenchmarkCopy", metric}: {20}}, ""},
		{"Windows line ends", "BenchmarkCopy 1 20 work/op\r\n", Run{{"BenchmarkCopy", metric}: {20}}, ""},
		{
			"what go test prints", "goos: linux\npkg: m/p\nBenchmarkCopy-2   \t     100\t  5e9 ns/op\t 20 work/op\nPASS\nok  \tm/p\t1.2s\n",
			Run{{"m/p.BenchmarkCopy-2", "sec/op"}: {5}, {"m/p.BenchmarkCopy-2", metric}: {20}},
			"",
		},
		{"a log beside it", "building…\nUnit tests passed\nUnit work/op better=higher\n  100\t1 work/op\nBenchmarkCopy 1 20 work/op\n", Run{{"BenchmarkCopy", metric}: {20}}, ""},
		{"losses of its own unit", "BenchmarkCopy 1 -20 work/op\n", Run{{"BenchmarkCopy", metric}: {-20}}, ""},
		{"nothing", "", nil, "none of its lines is a result such as: BenchmarkName 100 123 work/op"},
		{"another unit", "BenchmarkCopy 1 20 ns/op 3 steps/op\n", nil, "none of its results is in work/op; they are in sec/op, steps/op"},
		{"no number", "\nBenchmarkCopy 1 NaN work/op\n", nil, `line 2: "BenchmarkCopy" has NaN work/op, which cannot be a measurement`},
		{"endless", "BenchmarkCopy 1 +Inf work/op\n", nil, "+Inf work/op"},
		{"far too large", "BenchmarkCopy 1 1e300 work/op\n", nil, "1e+300 work/op"},
		{"time that runs backwards", "BenchmarkCopy 1 20 work/op -5 ns/op\n", nil, "-5e-09 sec/op"},
		{"less than nothing", "BenchmarkCopy 1 20 work/op -5 B/op\n", nil, "-5 B/op"},
		{"a word", "BenchmarkCopy 1 fast work/op\n", nil, "line 1 is not the result of a benchmark: parsing measurement"},
		{"no unit", "BenchmarkCopy 1 20\n", nil, "missing units"},
		{"no count", "BenchmarkCopy work/op\n", nil, "parsing iteration count"},
		{"never done", "BenchmarkCopy 0 20 work/op\n", nil, `"BenchmarkCopy" has an iteration count of 0`},
		{"a name alone", "BenchmarkCopy\nBenchmarkCopy 1 20 work/op\n", nil, `line 1 is not the result of a benchmark: "BenchmarkCopy" has no values`},
		{"prose", "Benchmarking is fun\nBenchmarkCopy 1 20 work/op\n", nil, "line 1 is not the result"},
		{"a second line, forged or not", "BenchmarkCopy 1 1 work/op\nBenchmarkCopy 1 20 work/op\n", nil, `line 2: "BenchmarkCopy" has two values in work/op`},
		{"two values in a line", "BenchmarkCopy 1 1 work/op 20 work/op\n", nil, "two values"},
		{"two values of one unit in disguise", "BenchmarkCopy 1 20 work/op 1 ns/op 2 sec/op\n", nil, "two values in sec/op"},
		{"escape sequences", "BenchmarkCopy\x1b[31m 1 20 work/op\n", nil, `line 1: "BenchmarkCopy\x1b[31m" cannot be the name`},
		{"no UTF-8", "Benchmark\xff 1 20 work/op\n", nil, `"Benchmark\xff"`},
		{"a unit that does not show", "BenchmarkCopy 1 20 work\u202e/op\n", nil, `"BenchmarkCopy" has "work\u202e/op", which cannot be a unit`},
		{"a very long name", "Benchmark" + strings.Repeat("y", mostName+1) + " 1 20 work/op\n", nil, "cannot be the name"},
		{"a very long line", "BenchmarkCopy 1 20 work/op" + strings.Repeat(" ", mostLine) + "\n", nil, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadReport(strings.NewReader(c.text), metric)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.ContainsAny(err.Error(), "\x1b\u202e") {
					t.Errorf("%v and %v, want %q", got, err, c.says)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestReportIsBounded(t *testing.T) {
	if _, err := ReadReport(zeros{}, sec); !errors.Is(err, ErrTooMuch) {
		t.Errorf("without an end: %v", err)
	}
	var many bytes.Buffer
	for i := range mostResults + 1 {
		fmt.Fprintf(&many, "BenchmarkX%d 1 1 ns/op\n", i)
	}
	if _, err := ReadReport(&many, sec); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many results: %v", err)
	}
	broken := errors.New("pipe gone")
	if _, err := ReadReport(io.MultiReader(strings.NewReader("BenchmarkX 1 1 ns/op\n"), iotest.ErrReader(broken)), sec); !errors.Is(err, broken) {
		t.Errorf("a broken pipe: %v", err)
	}
}

// FuzzReadReport checks that results can be shown and compared, that each result occurs
// once, and that the results do not depend on surrounding lines that are not results.
func FuzzReadReport(f *testing.F) {
	f.Add([]byte("pkg: m/p\nBenchmarkX-2\t1\t5 ns/op\t3 MB/s\n"))
	f.Add([]byte("BenchmarkX 1 1 ns/op\nUnit ns/op better=higher\nhello\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := ReadReport(bytes.NewReader(text), sec)
		if err != nil {
			return
		}
		for k, values := range run {
			if !shows(k.Benchmark, 3*mostName) || !shows(k.Unit, mostUnit) || len(values) != 1 || !plausible(values[0], k.Unit) {
				t.Fatalf("%q with %v", k, values)
			}
		}
		again, err := ReadReport(io.MultiReader(strings.NewReader("a log\nUnit sec/op better=higher\n"), bytes.NewReader(text)), sec)
		if diff := cmp.Diff(run, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
