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

// The limits on one run's output. [Read] skips lines, names and units that are too long.
// Too long an output or too many results are an error, because a part of the output is not
// a measurement.
const (
	mostBytes   = 64 << 20
	mostLine    = 32 << 10
	mostResults = 20_000
	mostName    = 300 // bytes in a benchmark's name or a package path
	mostUnit    = 60
)

// ErrTooMuch means that an output is too large for a benchmark.
var ErrTooMuch = errors.New("the benchmark's output is too large")

// Key identifies a measurement: a benchmark, with the path of its package when the output
// has it, such as "example.com/m.BenchmarkRead/small-8", and a unit in benchstat's base
// form: "sec/op" for ns/op, "B/s" for MB/s.
type Key struct {
	Benchmark string `json:"benchmark"`
	Unit      string `json:"unit"`
}

// Run is the result of one process: the values of each benchmark in the order of the
// output.
type Run map[Key][]float64

// value returns the median of a key's values. There must be at least one.
func (r Run) value(k Key) float64 { return median(r[k]) }

// Read reads one run's output of go test -bench. It skips other output, incomplete lines,
// implausible values (see plausible), names with unprintable characters, and unit
// declarations, which could turn a candidate's losses into gains. If a benchmark itself
// prints numbers in the form of results, they are added to its true result, so it then has
// more results than in the base.
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
			unit := BaseUnit(v.Unit) // benchfmt does not convert the unit of a zero value
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

// nameOf returns the name of a result, preceded by its package if the output names the
// package.
func nameOf(r *benchfmt.Result) string {
	name := "Benchmark" + string(r.Name)
	if p := r.GetConfig("pkg"); shows(p, mostName) {
		name = p + "." + name
	}
	return name
}

// sift keeps the lines that may be results and the lines that name a package. The testing
// package prints a benchmark's name, runs the benchmark and then prints its numbers, so the
// benchmark's own output may come in between; sift joins the two parts of such a result. If
// several lines of numbers follow a name, it keeps them all, because it cannot identify the
// true one.
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

// numbers reports whether a line starts like a benchmark's results: with a count and a
// tab.
func numbers(line []byte) bool {
	count, _, tab := bytes.Cut(bytes.TrimLeft(line, " \t"), []byte("\t"))
	return tab && len(count) > 0 && !bytes.ContainsFunc(count, func(r rune) bool { return r < '0' || r > '9' })
}

// plausible reports whether a value can be a measurement in a unit. The value must be 0 or
// have a magnitude that keeps the ratio of any two such values finite and nonzero. In a
// unit of go test, it must not be negative.
func plausible(v float64, unit string) bool {
	const most = 1e100
	if v < 0 && Agreed(unit) != 0 {
		return false
	}
	size := math.Abs(v)
	return v == 0 || 1/most <= size && size <= most
}

// shows reports whether a name or unit from the output is printable, is not empty and has
// at most the given number of bytes.
func shows(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// median returns the median of one or more values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 // halve first: the sum could overflow
}
