package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

func lay(t testing.TB, files map[string]string) *Env {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := NewEnv(dir)
	t.Cleanup(func() { e.Close() })
	return e
}

func registry(t testing.TB, extra ...Tool) *Registry {
	t.Helper()
	r, err := NewRegistry(Options{Allowed: Allowable()}, append(Builtin(), extra...)...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func do(t testing.TB, r *Registry, e *Env, name, args string) Result {
	t.Helper()
	res, err := r.Call(context.Background(), e, Invocation{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Outcome.Valid() || (res.Boundary != nil) != (res.Outcome == agent.WrongToolBoundary) {
		t.Fatalf("%s %s: %+v", name, args, res)
	}
	return res
}

// custom is a tool whose result is chosen by a test.
type custom struct {
	spec Spec
	call func() (Result, error)
}

func (c custom) Spec() Spec { return c.spec }
func (c custom) Call(context.Context, *Env, json.RawMessage) (Result, error) {
	return c.call()
}

func answering(name string, effect Effect, call func() (Result, error)) Tool {
	return custom{Spec{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Effect: effect}, call}
}

func TestEveryCallEndsInOneOutcome(t *testing.T) {
	r := registry(
		t,
		answering("crash", Read, func() (Result, error) { panic("boom") }),
		answering("writer", Write, func() (Result, error) { return OK("written"), nil }),
		answering("bare", Read, func() (Result, error) { return Result{Outcome: agent.WrongToolBoundary}, nil }),
		answering("vague", Read, func() (Result, error) {
			return Result{Outcome: agent.WrongToolBoundary, Boundary: &Boundary{Axes: []string{"x"}, Shape: "y"}}, nil
		}),
		answering("refers", Read, func() (Result, error) {
			return Result{Outcome: agent.WrongToolBoundary, Boundary: &Boundary{Axes: []string{" B ", "a", "b", ""}, Shape: "s", Evidence: "e"}}, nil
		}),
		answering("silent", Read, func() (Result, error) { return Result{}, nil }),
		answering("flood", Read, func() (Result, error) { return OK(strings.Repeat("x", 10*MaxOutput)), nil }),
	)
	for _, c := range []struct {
		name, args string
		want       agent.Outcome
	}{
		{"crash", `{}`, agent.Execution},
		{"writer", `{}`, agent.Denied},
		{"bare", `{}`, agent.ContractViolation},
		{"vague", `{}`, agent.ContractViolation},
		{"refers", `{}`, agent.WrongToolBoundary},
		{"silent", `{}`, agent.ContractViolation},
		{"flood", `{}`, agent.OK},
		{"nobody", `{}`, agent.Denied},
		{"calculate", `{}`, agent.ContractViolation},
		{"calculate", `{"expression":7}`, agent.ContractViolation},
		{"calculate", `{"expression":"1","more":1}`, agent.ContractViolation},
		{"calculate", `nonsense`, agent.ContractViolation},
		{"calculate", `{"expression":"1+"}`, agent.ContractViolation},
		{"calculate", `{"expression":"1/0"}`, agent.ContractViolation},
		{"calculate", `{"expression":"100 usd"}`, agent.WrongToolBoundary},
		{"read_file", `{"path":"https://example.org"}`, agent.WrongToolBoundary},
		{"get_time", `{"zone":"Lisbon"}`, agent.WrongToolBoundary},
		{"get_time", `{}`, agent.Execution},
		{"memory_search", `{"query":"x"}`, agent.Execution},
		{"enable_tool", `{"name":"grep"}`, agent.Denied},
		{"read_file", `{"path":"x"}`, agent.Execution},
	} {
		res := do(t, r, NewEnv(""), c.name, c.args)
		if res.Outcome != c.want {
			t.Errorf("%s %s: %s (%s), want %s", c.name, c.args, res.Outcome, res.Output, c.want)
		}
		if len(res.Output) > MaxOutput+20 {
			t.Errorf("%s returned %d bytes", c.name, len(res.Output))
		}
		if c.name == "refers" {
			if diff := cmp.Diff([]string{"a", "b"}, res.Boundary.Axes); diff != "" {
				t.Error(diff)
			}
		}
	}
	broken := registry(t, answering("broken", Read, func() (Result, error) { return Result{}, errors.New("disk gone") }))
	if _, err := broken.Call(context.Background(), NewEnv(""), Invocation{Name: "broken", Arguments: json.RawMessage(`{}`)}); err == nil {
		t.Error("a Go error does not end the run")
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if res, err := r.Call(ctx, NewEnv(""), Invocation{Name: "calculate", Arguments: json.RawMessage(`{"expression":"1"}`)}); err != nil || res.Outcome != agent.Timeout {
		t.Errorf("after the deadline: %v %v", res, err)
	}
}

func TestOutputIsScrubbed(t *testing.T) {
	r, err := NewRegistry(Options{Scrub: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }}, Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	e := lay(t, map[string]string{"a.txt": "password hunter2"})
	if res := do(t, r, e, "read_file", `{"path":"a.txt"}`); strings.Contains(res.Output, "hunter2") {
		t.Error(res.Output)
	}
	if res := do(t, r, e, "get_time", `{"zone":"hunter2"}`); strings.Contains(res.Output+res.Boundary.Evidence, "hunter2") {
		t.Error(res.Output)
	}
}

func TestRegistryRefuses(t *testing.T) {
	for name, tools := range map[string][]Tool{
		"twice":  {calculate(), calculate()},
		"schema": {custom{Spec{Name: "x", Schema: json.RawMessage(`{"type":7}`)}, nil}},
		"json":   {custom{Spec{Name: "x", Schema: json.RawMessage(`{`)}, nil}},
		"name":   {custom{Spec{Schema: json.RawMessage(`{}`)}, nil}},
	} {
		if _, err := NewRegistry(Options{}, tools...); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestBuiltinsAreReadOnlyAndDescribed(t *testing.T) {
	for _, b := range Builtin() {
		s := b.Spec()
		if s.Effect != Read || s.Origin != "local" || s.Description == "" || (s.Category != Essential && s.Category != Available) {
			t.Errorf("%+v", s)
		}
	}
}

func TestClockMemoryAndNotes(t *testing.T) {
	r := registry(t)
	e := NewEnv("")
	e.Now = time.Date(2026, 4, 20, 8, 0, 0, 0, time.UTC)
	for args, want := range map[string]string{
		`{}`: "2026-04-20T08:00:00Z Monday", `{"zone":"UTC+2"}`: "2026-04-20T10:00:00+02:00 Monday",
		`{"zone":"gmt -9:30"}`: "2026-04-19T22:30:00-09:30 Sunday",
	} {
		if got := do(t, r, e, "get_time", args).Output; got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
	e.Recall = func(_ context.Context, text string, wide bool) []memory.Hit {
		if !wide {
			t.Error("memory_search is not wide")
		}
		return []memory.Hit{{Memory: agent.Memory{ID: "m", Text: text}, Score: .5}}
	}
	if got := do(t, r, e, "memory_search", `{"query":"q"}`).Output; got != `[{"id":"m","text":"q","score":0.5}]` {
		t.Error(got)
	}
	for i := range maxNotes + 1 {
		want := agent.OK
		if i == maxNotes {
			want = agent.BudgetExceeded
		}
		if res := do(t, r, e, "note", `{"text":"n"}`); res.Outcome != want {
			t.Errorf("note %d: %s", i, res.Outcome)
		}
	}
	if res := do(t, r, NewEnv(""), "note", `{"text":"`+strings.Repeat("ä", 501)+`"}`); res.Outcome != agent.ContractViolation {
		t.Error(res)
	}
}

// TestArgumentsNeverPanic calls every tool with arbitrary JSON.
func TestArgumentsNeverPanic(t *testing.T) {
	r := registry(t)
	e := lay(t, map[string]string{"a.go": "package a\n", "b.md": "# B\n"})
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(r.Names()).Draw(rt, "tool")
		key := rapid.SampledFrom([]string{"path", "pattern", "expression", "query", "text", "name", "zone", "package", "max", "literal"}).Draw(rt, "key")
		value := rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Just[any](nil), rapid.Just[any]([]string{"a"}), rapid.Just[any]("a.go"), rapid.Just[any]("../a"),
		).Draw(rt, "value")
		raw, err := json.Marshal(map[string]any{key: value})
		if err != nil {
			rt.Fatal(err)
		}
		do(t, r, e, name, string(raw))
	})
}

func FuzzArguments(f *testing.F) {
	r := registry(f)
	e := lay(f, map[string]string{"a.go": "package a\nfunc F() {}\n", "b.md": "# B\n"})
	f.Add("grep", `{"pattern":"(("}`)
	f.Add("grep", `{"pattern":"a{1000}{1000}"}`)
	f.Add("read_file", `{"path":"\u0000"}`)
	f.Fuzz(func(t *testing.T, name, args string) { do(t, r, e, name, args) })
}
