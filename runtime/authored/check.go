package authored

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"evolve/runtime/agent"
)

// Report holds the results of a definition's tests.
type Report struct {
	Tests []TestReport `json:"tests"`
	// Problem is the reason why there is no verdict: the machine could not run the tool.
	Problem string `json:"problem,omitempty"`
}

// TestReport is the result of one test.
type TestReport struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	// Reason is the reason why the test did not pass, and Expected describes the result
	// that the test expects. Both are for the author.
	Reason   string `json:"reason,omitempty"`
	Expected string `json:"expected,omitempty"`
	// Printed is the beginning of the tool's printed output.
	Printed string `json:"printed,omitempty"`
	// Steps is the number of steps that the interpreter took.
	Steps uint64 `json:"steps,omitempty"`
}

// maxFailures is the maximum number of failed tests that Failures lists.
const maxFailures = 10

// Failures lists the tests that did not pass, for the author: what each expects, what
// happened, and the beginning of the printed output.
func (r Report) Failures() string {
	if r.Problem != "" {
		return r.Problem
	}
	var list []string
	failed := 0
	for _, t := range r.Tests {
		if t.Passed {
			continue
		}
		if failed++; failed > maxFailures {
			continue
		}
		line := fmt.Sprintf("%s: %s, but %s", t.Name, t.Expected, t.Reason)
		if printed := strings.TrimSpace(t.Printed); printed != "" {
			line += fmt.Sprintf("; it printed %q", head(printed, maxWantError))
		}
		list = append(list, line)
	}
	if failed > maxFailures {
		list = append(list, fmt.Sprintf("and %d more", failed-maxFailures))
	}
	return fmt.Sprintf("%d of %d tests failed\n", failed, len(r.Tests)) + strings.Join(list, "\n")
}

// Passed reports whether all tests passed.
func (r Report) Passed() bool {
	for _, t := range r.Tests {
		if !t.Passed {
			return false
		}
	}
	return r.Problem == "" && len(r.Tests) > 0
}

// Check runs every test of a tool twice, each run as a separate call, and compares the
// result with the expected one. A tool passes if every test passes and both runs of each
// test agree. Check verifies that the tool meets its author's expectations, not that they
// are right.
func (p *Pool) Check(ctx context.Context, d Definition) Report {
	if err := d.validate(); err != nil {
		return Report{Problem: "the definition is not valid: " + head(err.Error(), maxText)}
	}
	schema, err := compileSchema(d.Schema)
	if err != nil {
		return Report{Problem: err.Error()}
	}
	var report Report
	for _, t := range d.Tests {
		var out TestReport
		if reason := misfit(schema, t.Args); reason != "" {
			out.Reason = reason
		} else {
			first, second := p.run(ctx, d, t.Args), p.run(ctx, d, t.Args)
			for _, r := range []result{first, second} {
				if r.outcome == agent.Infrastructure || r.outcome == agent.Cancelled || ctx.Err() != nil {
					report.Problem = r.Text
					return report
				}
			}
			out.Printed, out.Steps = first.Printed, first.Steps
			out.Reason = verdict(t, first, second)
		}
		out.Name, out.Passed = t.Name, out.Reason == ""
		if !out.Passed {
			out.Expected = expected(t)
		}
		report.Tests = append(report.Tests, out)
	}
	return report
}

// expected returns a description of the call that a test makes and of the result that it
// expects.
func expected(t Test) string {
	want := "the value " + head(string(t.Want), maxWantError)
	if t.WantError != "" {
		want = fmt.Sprintf("an error that contains %q", t.WantError)
	}
	return fmt.Sprintf("run(%s) should give %s", head(string(t.Args), maxWantError), want)
}

// misfit returns the reason why arguments do not fit the schema, or "" if they do.
func misfit(schema *jsonschema.Schema, args []byte) string {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		return "its arguments do not fit the schema"
	}
	return ""
}

// verdict returns the reason why a test does not pass, given the results of its two runs,
// or "" if it passes.
func verdict(t Test, first, second result) string {
	if first.outcome != second.outcome || first.Text != second.Text || first.Printed != second.Printed || first.Steps != second.Steps || !bytes.Equal(first.Value, second.Value) {
		return "two runs of the test gave different results"
	}
	ok := first.Ending == value
	switch {
	case ok && t.WantError != "":
		return fmt.Sprintf("it returned %s instead of failing", head(string(first.Value), maxWantError))
	case !ok && t.WantError == "":
		return first.Text
	case !ok && (first.Ending != failure || !strings.Contains(first.Text, t.WantError)):
		return fmt.Sprintf("it failed with a different error: %s", first.Text)
	case ok && !same(first.Value, t.Want):
		return fmt.Sprintf("it returned %s", head(string(first.Value), maxWantError))
	}
	return ""
}

// same reports whether two JSON texts have the same value. Neither the order of keys nor
// whether a whole number is written as an integer matters.
func same(a, b []byte) bool {
	var values [2]any
	for i, text := range [][]byte{a, b} {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if dec.Decode(&values[i]) != nil {
			return false
		}
		values[i] = plain(values[i])
	}
	return reflect.DeepEqual(values[0], values[1])
}

// plain converts a decoded JSON value so that equal numbers have the same form. Whole
// numbers too large for a float64 remain text, so they are compared to the last digit.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && (f > -1<<53 && f < 1<<53 || strings.ContainsAny(string(v), ".eE")) {
			return f
		}
		return string(v)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
