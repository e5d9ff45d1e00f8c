package gobench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
)

// Bounds on one run's output. A line beyond its bound is passed over; an output
// beyond any other is an error, because a part of it would be no measurement.
const (
	mostBytes   = 64 << 20
	mostLine    = 32 << 10
	mostResults = 20_000
	mostName    = 300 // bytes of a name or package
	mostUnit    = 60
)

// ErrTooMuch says that an output is larger than any honest benchmark's.
var ErrTooMuch = errors.New("the benchmark's output is too large")

// Key names what is measured: a benchmark, with the path of its package when the
// output tells it, such as "example.com/m.BenchmarkRead/small-8", and a unit in
// benchstat's base form: "sec/op" for ns/op, "B/s" for MB/s.
type Key struct {
	Benchmark string `json:"benchmark"`
	Unit      string `json:"unit"`
}

// Run is what one process measured: the values of each benchmark in the order in
// which it printed them.
type Run map[Key][]float64

// value is what a run says of a key: the median of its values. The run has some.
func (r Run) value(k Key) float64 { return median(r[k]) }

// Read reads one run's output of go test -bench. Whatever is no result is passed over:
// other output of the tests, half lines, values that no measurement gives (see
// plausible), names that would not show in a terminal as they are, and unit
// declarations, which would let a candidate turn its own losses into gains. Numbers that
// the benchmark prints itself, as if they were its result, count beside the result, so
// that it is there more often than by the base.
func Read(from io.Reader) (Run, error) {
	clean, err := sift(from)
	if err != nil {
		return nil, err
	}
	run := Run{}
	results := 0
	for reader := benchfmt.NewReader(bytes.NewReader(clean), ""); reader.Scan(); {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok || !shows(string(r.Name), mostName) {
			continue
		}
		name := nameOf(r)
		for _, v := range r.Values {
			unit := BaseUnit(v.Unit) // the reader leaves the unit of a 0 as it is
			if !plausible(v.Value, unit) || !shows(unit, mostUnit) {
				continue
			}
			if results++; results > mostResults {
				return nil, fmt.Errorf("more than %d results: %w", mostResults, ErrTooMuch)
			}
			k := Key{name, unit}
			run[k] = append(run[k], v.Value)
		}
	}
	return run, nil
}

// nameOf is the name of a result, with its package when the output tells it.
func nameOf(r *benchfmt.Result) string {
	name := "Benchmark" + string(r.Name)
	if p := r.GetConfig("pkg"); shows(p, mostName) {
		name = p + "." + name
	}
	return name
}

// sift keeps the lines that can be results or name a package. The testing package
// prints a benchmark's name, runs it and then prints its numbers, so that whatever
// the benchmark prints stands in between: such a result is put together again. Which of
// several lines of numbers is the true one cannot be told, so all are kept.
func sift(from io.Reader) ([]byte, error) {
	var out bytes.Buffer
	var name []byte // of the last benchmark
	in := bufio.NewReaderSize(&io.LimitedReader{R: from, N: mostBytes + 1}, mostLine)
	for read := 0; ; {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for read += len(line); errors.Is(err, bufio.ErrBufferFull); read += len(line) {
			line, err = in.ReadSlice('\n')
		}
		if read > mostBytes {
			return nil, fmt.Errorf("more than %d bytes: %w", mostBytes, ErrTooMuch)
		}
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return nil, fmt.Errorf("reading a benchmark's output: %w", err)
		}
		switch {
		case long || !utf8.Valid(line):
		case bytes.HasPrefix(line, []byte("pkg: ")):
			out.Write(line)
			name = nil
		case bytes.HasPrefix(line, []byte("Benchmark")):
			first, rest, _ := bytes.Cut(line, []byte("\t"))
			if numbers(rest) {
				out.Write(line)
			}
			name = slices.Clone(bytes.TrimSpace(first))
		case name != nil && numbers(line):
			out.Write(name)
			out.WriteByte('\t')
			out.Write(line)
		}
		if last {
			return out.Bytes(), nil
		}
	}
}

// numbers reports whether a line begins as a benchmark's results do: a count and a tab.
func numbers(line []byte) bool {
	count, _, tab := bytes.Cut(bytes.TrimLeft(line, " \t"), []byte("\t"))
	return tab && len(count) > 0 && !bytes.ContainsFunc(count, func(r rune) bool { return r < '0' || r > '9' })
}

// plausible reports whether a value can be a measurement in a unit: 0, or a number whose
// ratio to any other such number is one too, and not below 0 where it is known that
// the unit counts something.
func plausible(v float64, unit string) bool {
	const most = 1e100
	if v < 0 && Agreed(unit) != 0 {
		return false
	}
	size := math.Abs(v)
	return v == 0 || 1/most <= size && size <= most
}

// shows reports whether a foreign name is there, short, and looks like what it is.
func shows(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// median of values, at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 // halves: a sum may overflow
}
