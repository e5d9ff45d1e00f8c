package authored

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
	"evolve/runtime/tool"
)

func TestTools(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	var h Health
	d := definition(sum)
	tools := p.Tools([]Definition{d}, Options{
		Quarantined: func(d Definition) (string, bool) {
			cause, _ := h.Cause()
			return cause, h.Quarantined(d.Hash())
		},
		Failed: func(d Definition, cause string, o agent.Outcome) { h = h.After(d.Hash(), cause, o) },
	})
	spec := tools[0].Spec()
	if spec.Name != d.Name || spec.Effect != tool.Read || spec.Origin != "authored" || spec.Category != tool.Available || spec.Domains[0] != "research" {
		t.Errorf("%+v", spec)
	}
	if _, err := tool.NewRegistry(tool.Options{}, append(tool.Builtin(), tools...)...); err != nil {
		t.Error(err)
	}
	use := func(ctx context.Context, args string) tool.Result {
		t.Helper()
		r, err := tools[0].Call(ctx, nil, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := use(t.Context(), `{"numbers":[1,2]}`); r.Outcome != agent.OK || r.Output != `{"sum":3}` {
		t.Errorf("%+v", r)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if r := use(stopped, `{"numbers":[]}`); r.Outcome != agent.Cancelled || h.Failures != 0 {
		t.Errorf("%+v, %+v", r, h)
	}
	for range 4 { // one of the tool's tests expects that it refuses a word
		if r := use(t.Context(), `{"numbers":["x"]}`); r.Outcome != agent.Execution || !strings.Contains(r.Output, "not a number: x (line 7)") || h.Failures != 0 {
			t.Errorf("%+v, %+v", r, h)
		}
	}
	for i, args := range []string{`{}`, `{"number":1}`, `{}`} {
		if r := use(t.Context(), args); r.Outcome != agent.Execution || !strings.Contains(r.Output, "not in dict (line 5)") {
			t.Errorf("%+v", r)
		}
		if h.Failures != i+1 {
			t.Errorf("after %d failures: %+v", i+1, h)
		}
	}
	if r := use(t.Context(), `{"numbers":[1]}`); r.Outcome != agent.Denied || !strings.Contains(r.Output, "quarantine after 3 failures with the same cause (error in line 5)") {
		t.Errorf("%+v", r)
	}
	h = h.Released().Withdrawn(h.Source)
	if r := use(t.Context(), `{"numbers":[1]}`); r.Outcome != agent.Denied || !strings.Contains(r.Output, "in quarantine after a person's decision, until a person releases it") {
		t.Errorf("%+v", r)
	}
	h = h.Released()
	if r := use(t.Context(), `{"numbers":[1]}`); r.Outcome != agent.OK {
		t.Errorf("%+v", r)
	}
}

func TestReferral(t *testing.T) {
	for value, want := range map[string]agent.Outcome{
		`{"refer":{"boundary_axes":["Units"],"observed_task_shape":"a conversion","evidence":"5 km"}}`: agent.WrongToolBoundary,
		`{"refer":{"boundary_axes":["units"],"observed_task_shape":"a conversion"}}`:                   agent.ContractViolation,
		`{"refer":"elsewhere"}`: agent.ContractViolation,
		`{"refer":null}`:        agent.ContractViolation,
		`{"refer":{},"sum":3}`:  agent.OK,
		`["refer"]`:             agent.OK,
		`null`:                  agent.OK,
	} {
		r := answer(finalize(Definition{}, reply{Ending: "value", Value: json.RawMessage(value)}))
		if r.Outcome != want || (r.Boundary != nil) != (want == agent.WrongToolBoundary) {
			t.Errorf("%s: %+v", value, r)
		}
	}
}
