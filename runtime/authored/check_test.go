package authored

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

func TestCheck(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		good := definition(sum)
		if r := p.Check(t.Context(), good); !r.Passed() || len(r.Tests) != 2 || r.Tests[0].Steps == 0 {
			t.Errorf("%+v", r)
		}
		for name, c := range map[string]struct {
			change func(d *Definition)
			want   string // the message wanted from the first test
		}{
			"wrong value":        {func(d *Definition) { d.Tests[0].Want = json.RawMessage(`{"sum":7}`) }, `it returned {"sum":6}`},
			"value for an error": {func(d *Definition) { d.Tests[1].Args = d.Tests[0].Args; slices.Reverse(d.Tests) }, "instead of failing"},
			"another error":      {func(d *Definition) { slices.Reverse(d.Tests); d.Tests[0].WantError = "no such" }, "failed with a different error"},
			"error for a value":  {func(d *Definition) { d.Tests[0].Args = json.RawMessage(`{}`) }, `key "numbers" not in dict`},
			"no program":         {func(d *Definition) { d.Source = "def run(args)" }, "got end of file, want ':'"},
			"name undefined":     {func(d *Definition) { d.Source = "def run(args): return x" }, "undefined: x"},
			"compile error wanted": {func(d *Definition) {
				d.Source = "def run(args): return x"
				slices.Reverse(d.Tests)
				d.Tests[0].WantError = "undefined"
			}, "failed with a different error"},
			"arguments": {func(d *Definition) { d.Schema = json.RawMessage(`{"type":"object","required":["n"]}`) }, "do not fit the schema"},
		} {
			d := definition(sum)
			c.change(&d)
			r := p.Check(t.Context(), d)
			if r.Passed() || r.Problem != "" && !strings.Contains(r.Problem, c.want) || r.Problem == "" && !strings.Contains(r.Tests[0].Reason, c.want) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		bad := good
		bad.Name = "calculate"
		if r := p.Check(t.Context(), bad); r.Passed() || !strings.Contains(r.Problem, "built-in") {
			t.Errorf("%+v", r)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		if r := p.Check(stopped, good); r.Passed() || r.Problem == "" {
			t.Errorf("%+v", r)
		}
	})
	if (Report{}).Passed() {
		t.Error("no tests, and passed")
	}
}

func TestVerdict(t *testing.T) {
	ok := func(v string, printed string, steps uint64) result {
		return result{reply: reply{Ending: value, Value: json.RawMessage(v), Printed: printed, Steps: steps}, outcome: agent.OK}
	}
	test := Test{Name: "a", Want: json.RawMessage(`1`)}
	for name, c := range map[string]struct {
		second result
		passed bool
	}{
		"same":          {ok("1", "", 5), true},
		"another value": {ok("2", "", 5), false},
		"another print": {ok("1", "x", 5), false},
		"more steps":    {ok("1", "", 6), false},
		"a failure":     {result{reply: reply{Ending: failure}, outcome: agent.Execution}, false},
	} {
		if got := verdict(test, ok("1", "", 5), c.second); (got == "") != c.passed {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2]}`, `{ "b": [2.0], "a": 1 }`, true},
		{`1`, `1.0`, true},
		{`1`, `"1"`, false},
		{`1`, `true`, false},
		{`[1,2]`, `[2,1]`, false},
		{`10000000000000000000001`, `10000000000000000000001`, true},
		{`10000000000000000000001`, `10000000000000000000002`, false},
		{`1e400`, `1e400`, true},
		{`null`, `0`, false},
		{`{}`, `{"a":null}`, false},
	} {
		if got := same([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}
