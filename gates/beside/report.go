package beside

import (
	"bytes"
	"encoding/json"

	"evolve/gates/beside/harness"
)

// outcome is what came of one input on one side.
type outcome struct {
	text string
	// kind is a kind of record: Result, Late, Skipped, or Called and Begun where the
	// process did not survive the call.
	kind  string
	names []string
	parts []string
	// reached are the changed statements that the call reached.
	reached []int
}

// report is what one side tells of all functions.
type report struct {
	functions map[int]*functionReport
	// broken says that a line is not as it was written.
	broken bool
}

// functionReport is what a report tells of one function.
type functionReport struct {
	inputs map[int]outcome
	// unmade says why no input can be made; ended that every input was tried or the time
	// was used up.
	unmade string
	ended  bool
}

// readReport reads the lines of a report. Behind a line that is not sealed nothing
// counts.
func readReport(key string, data []byte) report {
	r := report{functions: map[int]*functionReport{}}
	for n := 0; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		text, seal, ok := bytes.Cut(line, []byte("\t"))
		var rec harness.Record
		if !ok || string(seal) != harness.Seal(key, n, text) || json.Unmarshal(text, &rec) != nil {
			r.broken = whole || len(data) > 0 // the last line may be torn where time was up
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
		f.unmade, f.ended = rec.Text, true
		return
	case harness.Done, harness.Budget:
		f.ended = true
		return
	case harness.Called:
		o.text = rec.Text
	case harness.Result:
		o.names, o.parts, o.reached = rec.Names, rec.Parts, rec.Reached
	}
	o.kind = rec.Kind
	f.inputs[rec.Input] = o
}

// part is one of an outcome's parts by name.
func (o outcome) part(name string) (string, bool) {
	for i, n := range o.names {
		if n == name && i < len(o.parts) {
			return o.parts[i], true
		}
	}
	return "", false
}
