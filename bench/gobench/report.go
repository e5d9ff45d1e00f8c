package gobench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"evolve/runtime/text"
)

// ReadReport reads the output of a benchmark command: a line for each benchmark in the Go
// benchmark format, which any language can write,
//
//	BenchmarkName 100 123.4 ns/op 17 steps/op
//
// with a name, the number of iterations, and values with their units, separated by white
// space. A line that begins with "pkg: " names the package of the following lines; other
// lines and declarations of units are skipped. A line that begins with "Benchmark" must
// be a result, since a command has no other reason to print one; otherwise ReadReport
// returns an error with the line and the reason. Further errors are an implausible value
// (NaN, infinite, below 0 in a unit of go test), a benchmark with two values of one unit,
// and a report without a value of the metric.
func ReadReport(from io.Reader, metric string) (Run, error) {
	text, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the report: %w", err)
	case len(text) > mostBytes:
		return nil, fmt.Errorf("more than %d bytes: %w", mostBytes, ErrTooMuch)
	}
	lines, err := results(text)
	if err != nil {
		return nil, err
	}
	run := Run{}
	for reader := benchfmt.NewReader(bytes.NewReader(lines), ""); reader.Scan(); {
		_, line := reader.Result().Pos()
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("line %d is not the result of a benchmark: %s", line, r.Msg)
		case *benchfmt.Result:
			if err := run.report(r); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
		if len(run) > mostResults {
			return nil, fmt.Errorf("more than %d results: %w", mostResults, ErrTooMuch)
		}
	}
	return run, run.holds(metric)
}

// results empties those lines of a report that are not results and do not name a package.
// The line numbers stay the same.
func results(text []byte) ([]byte, error) {
	var out bytes.Buffer
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if bytes.HasPrefix(line, []byte("Benchmark")) {
			if len(line) > mostLine {
				return nil, fmt.Errorf("line %d has %d bytes: %w", number, len(line), ErrTooMuch)
			}
			if len(bytes.Fields(line)) == 1 { // a name alone, which the reader would skip
				return nil, fmt.Errorf("line %d is not the result of a benchmark: %s has no values", number, foreign(string(line)))
			}
			out.Write(line)
		} else if bytes.HasPrefix(line, []byte("pkg: ")) && len(line) <= mostLine {
			out.Write(line)
		}
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// report adds the values of one line of a report to r. It returns an error if the line is
// not a valid result.
func (r Run) report(line *benchfmt.Result) error {
	name := nameOf(line)
	switch {
	case !shows(string(line.Name), mostName):
		return fmt.Errorf("%s cannot be the name of a benchmark", foreign(name))
	case line.Iters < 1:
		return fmt.Errorf("%s has an iteration count of %d", foreign(name), line.Iters)
	}
	for _, v := range line.Values {
		k := Key{name, BaseUnit(v.Unit)}
		switch {
		case !shows(k.Unit, mostUnit):
			return fmt.Errorf("%s has %s, which cannot be a unit", foreign(name), foreign(k.Unit))
		case !plausible(v.Value, k.Unit):
			return fmt.Errorf("%s has %v %s, which cannot be a measurement", foreign(name), v.Value, k.Unit)
		case len(r[k]) > 0:
			return fmt.Errorf("%s has two values in %s", foreign(name), k.Unit)
		}
		r[k] = []float64{v.Value}
	}
	return nil
}

// holds checks that the report has a value of the metric, and returns an error if it has
// none.
func (r Run) holds(metric string) error {
	units := map[string]bool{}
	for k := range r {
		units[k.Unit] = true
	}
	switch {
	case len(r) == 0:
		return errors.New("none of its lines is a result such as: BenchmarkName 100 123 " + metric)
	case !units[metric]:
		return fmt.Errorf("none of its results is in %s; they are in %s", metric, strings.Join(few(slices.Sorted(maps.Keys(units))), ", "))
	}
	return nil
}

// foreign quotes foreign text, shortened, with unprintable characters escaped.
func foreign(s string) string {
	return strconv.QuoteToGraphic(text.Clip(s, 80, text.Mark))
}
