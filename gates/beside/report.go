package beside

import (
	"bytes"
	"encoding/json"

	"evolve/gates/beside/harness"
)

// outcome is the result for one input on one side.
type outcome struct {
	text string
	// kind is the kind of the record: Result, Late or Skipped, or Called or Begun if the
	// call ended the process.
	kind  string
	names []string
	parts []string
	// reached holds the numbers of the changed statements that the call reached.
	reached []int
}

// report is the parsed report of one side.
type report struct {
	functions map[int]*functionReport
	// broken reports whether a line was changed after it was written.
	broken bool
}

// functionReport is the part of a report that concerns one function.
type functionReport struct {
	inputs map[int]outcome
	// unmade is the reason why no input can be made.
	unmade string
}

// readReport parses the lines of a report, up to the first line with a wrong seal.
func readReport(key string, data []byte) report {
	r := report{functions: map[int]*functionReport{}}
	for n := 0; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		text, seal, ok := bytes.Cut(line, []byte("\t"))
		var rec harness.Record
		if !ok || string(seal) != harness.Seal(key, n, text) || json.Unmarshal(text, &rec) != nil {
			r.broken = whole || len(data) > 0 // an incomplete last line only means that the time was up
			return r
		}
		r.take(rec)
	}
	return r
}

func (r *report) take(rec harness.Record) {
	f := r.functions[rec.Function]
	if f == nil {
		f = &functionReport{inputs: map[int]outcome{}}
		r.functions[rec.Function] = f
	}
	o := f.inputs[rec.Input]
	switch rec.Kind {
	case harness.Unmade:
		f.unmade = rec.Text
		return
	case harness.Done, harness.Budget:
		return
	case harness.Called:
		o.text = rec.Text
	case harness.Result:
		o.names, o.parts, o.reached = rec.Names, rec.Parts, rec.Reached
	}
	o.kind = rec.Kind
	f.inputs[rec.Input] = o
}

// part returns the part of an outcome that has the given name.
func (o outcome) part(name string) (string, bool) {
	for i, n := range o.names {
		if n == name && i < len(o.parts) {
			return o.parts[i], true
		}
	}
	return "", false
}
