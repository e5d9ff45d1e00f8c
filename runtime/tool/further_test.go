package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/memory"
)

func further(t testing.TB) *Registry {
	t.Helper()
	return registry(t, Further()...)
}

func TestFurtherToolsAreNeverEssential(t *testing.T) {
	if n := len(Builtin()); n != 11 {
		t.Errorf("the heuristic's tools are %d: its search space changed", n)
	}
	for _, tool := range Further() {
		s := tool.Spec()
		want, own := map[string]Effect{"propose_patch": Write, "memory_add": Remember, "memory_retract": Remember, "share": Share, "tool_create": Draft, "tool_delete": Draft}[s.Name]
		if !own {
			want = Read
		}
		if s.Category != Available || s.Origin != "local" || s.Effect != want {
			t.Errorf("%+v", s)
		}
	}
}

// TestAllowedByName tests that a tool whose text outlasts the turn is denied unless it
// is allowed by name.
func TestAllowedByName(t *testing.T) {
	calls := map[string]string{
		"memory_add": `{"text":"the port is 8080"}`, "memory_retract": `{"id":"m1","reason":"moved"}`,
		"share":       `{"key":"broadcast.port","value":"8080","minutes":5}`,
		"tool_delete": `{"name":"x","reason":"y"}`,
		"tool_create": `{"name":"x","description":"x","schema":{},"source":"x","tests":[{"name":"a","args":{}},{"name":"b","args":{}}]}`,
	}
	if got := Allowable(); len(got) != len(calls) {
		t.Errorf("%v can be allowed", got)
	}
	for _, allowed := range append(Allowable(), "") {
		r, err := NewRegistry(Options{Allowed: []string{allowed, "propose_patch"}}, Further()...)
		if err != nil {
			t.Fatal(err)
		}
		for name, args := range calls {
			e, reached := NewEnv(""), false
			e.Share = func(string, string, time.Duration, []string) error { reached = true; return nil }
			e.Author = func(context.Context, json.RawMessage) Result { reached = true; return OK("") }
			e.Delete = func(string, string) Result { reached = true; return OK("") }
			res := do(t, r, e, name, args)
			reached = reached || len(e.Facts) > 0 || len(e.Retracted) > 0
			if reached != (name == allowed) || (res.Outcome == agent.OK) != reached {
				t.Errorf("%s with allow: [%s]: %s %s", name, allowed, res.Outcome, res.Output)
			}
			if !reached && (res.Outcome != agent.Denied || !strings.Contains(res.Output, "allow: ["+name+"]") || res.Request != nil) {
				t.Errorf("%s: %s %s", name, res.Outcome, res.Output)
			}
		}
		if res := do(t, r, NewEnv(""), "propose_patch", `{"target":"a","reason":"b","patch":"c"}`); res.Outcome != agent.Denied {
			t.Errorf("a write was allowed: %+v", res)
		}
	}
	foreign := builtin{spec: Spec{Name: "share", Schema: json.RawMessage(`{}`), Effect: Share, Origin: "mcp:x"}, run: func(context.Context, *Env, json.RawMessage) (Result, error) { return OK(""), nil }}
	r, err := NewRegistry(Options{Allowed: []string{"share"}}, foreign)
	if err != nil {
		t.Fatal(err)
	}
	if res := do(t, r, NewEnv(""), "share", `{}`); res.Outcome != agent.Denied {
		t.Errorf("a foreign tool of that name: %+v", res)
	}
}

func TestPipelineConfig(t *testing.T) {
	r, e := further(t), NewEnv("")
	e.Space = agent.Space{Params: []agent.Param{
		{Name: "cutoff", Kind: agent.Float, Min: 0, Max: 1, Default: .5, Description: "least score"},
		{Name: "tools", Kind: agent.Subset, Of: []string{"a", "b"}, Default: []string{"a"}},
	}}
	e.Config = e.Space.Default()
	for _, c := range []struct {
		args, output string
		outcome      agent.Outcome
	}{
		{`{"action":"get"}`, `{"cutoff":0.5,"tools":["a"]}`, agent.OK},
		{`{"action":"get","param":"cutoff"}`, `{"name":"cutoff","value":0.5,"default":0.5,"kind":"float","min":0,"max":1,"description":"least score"}`, agent.OK},
		{`{"action":"get","param":"no"}`, `there is no parameter "no"`, agent.Execution},
		{`{"action":"set","param":"cutoff","value":2}`, `parameter "cutoff" is 2, but must be between 0 and 1`, agent.ContractViolation},
		{`{"action":"set","param":"cutoff"}`, "the value for the parameter cutoff is missing or invalid", agent.ContractViolation},
		{`{"action":"set","param":"tools","value":{}}`, "the value for the parameter tools is missing or invalid", agent.ContractViolation},
		{`{"action":"set","param":"tools","value":["b"]}`, "only a person may do this", agent.Denied},
	} {
		res := do(t, r, e, "pipeline_config", c.args)
		if res.Outcome != c.outcome || res.Output != c.output || res.Request != nil {
			t.Errorf("%s: %s %q", c.args, res.Outcome, res.Output)
		}
	}
	e.Request = func(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest {
		return &agent.ChangeRequest{ID: "1", Type: kind, Target: target, Reason: reason, Arguments: args, RequiresHumanApproval: true}
	}
	before := e.Config.Clone()
	res := do(t, r, e, "pipeline_config", `{"action":"set","param":"cutoff","value":0.2,"reason":"too strict"}`)
	q := res.Request
	if res.Outcome != agent.Denied || q == nil || q.Type != "config" || q.Target != "cutoff" || q.Reason != "too strict" || !strings.Contains(string(q.Arguments), "0.2") {
		t.Errorf("%+v", res)
	}
	if !e.Config.Equal(before) {
		t.Error("the config was changed")
	}
	for param, kind := range map[string]string{"graders": "grader", "policies.deadline": "policy", "benchmark": "benchmark"} {
		res := do(t, r, e, "pipeline_config", `{"action":"set","param":"`+param+`","value":1}`)
		if q := res.Request; res.Outcome != agent.Denied || q == nil || q.Type != kind || q.Target != param {
			t.Errorf("%s: %+v", param, res)
		}
		if why := r.beyond(Spec{Name: "pipeline_config"}, json.RawMessage(`{"action":"set","param":"`+param+`"}`), autonomy.Lowest); why != "" {
			t.Errorf("%s leaves no request at the lowest level: %s", param, why)
		}
	}
}

func TestMemoryChangesTheSessionAlone(t *testing.T) {
	r, e := further(t), NewEnv("")
	e.Domain, e.Now = "ops", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	res := do(t, r, e, "memory_add", `{"text":" The port is 8080. ","confidence":0.9}`)
	if res.Outcome != agent.OK || len(e.Facts) != 1 {
		t.Fatalf("%+v", res)
	}
	old := e.Facts[0]
	if old.Text != "The port is 8080." || old.Domain != "ops" || old.Confidence != .9 || !old.Time.Equal(e.Now) {
		t.Errorf("%+v", old)
	}
	do(t, r, e, "memory_add", `{"text":"The port is 8080."}`)
	do(t, r, e, "memory_add", `{"text":"The port is 9090.","replaces":"`+old.ID+`"}`)
	if len(e.Facts) != 2 || e.Retracted[old.ID] != "replaced by "+e.Facts[1].ID {
		t.Errorf("%+v %v", e.Facts, e.Retracted)
	}
	e.Audit = func(context.Context, string) []memory.Advice {
		return []memory.Advice{{ID: "m", Text: "x", Advice: memory.Keep, Why: "y"}}
	}
	audit := decode[Audited](t, do(t, r, e, "memory_audit", `{"topic":"port"}`))
	if len(audit.Memories) != 1 || audit.Retracted[0].ReplacedBy != e.Facts[1].ID {
		t.Errorf("%+v", audit)
	}
	if res := do(t, r, e, "memory_retract", `{"id":"`+old.ID+`","reason":"was right","undo":true}`); res.Outcome != agent.OK || len(e.Retracted) != 0 {
		t.Errorf("%+v %v", res, e.Retracted)
	}
	for args, want := range map[string]agent.Outcome{
		`{"id":"a","reason":"` + strings.Repeat("x", maxReason+1) + `"}`: agent.ContractViolation,
		`{"id":"a","reason":"  "}`:                                       agent.ContractViolation,
		`{"id":"never","reason":"x","undo":true}`:                        agent.Execution,
	} {
		if res := do(t, r, e, "memory_retract", args); res.Outcome != want {
			t.Errorf("%s: %+v", args, res)
		}
	}
	if res := do(t, r, e, "memory_add", `{"text":"`+strings.Repeat("ä", maxFact+1)+`"}`); res.Outcome != agent.ContractViolation {
		t.Error(res)
	}
	for i := range maxFacts + 5 {
		res = do(t, r, e, "memory_add", fmt.Sprintf(`{"text":"fact %d"}`, i))
	}
	if res.Outcome != agent.BudgetExceeded || len(e.Facts) != maxFacts {
		t.Errorf("%d facts, %s", len(e.Facts), res.Outcome)
	}
	for i := range maxRetracted + 5 {
		res = do(t, r, e, "memory_retract", fmt.Sprintf(`{"id":"m%d","reason":"x"}`, i))
	}
	if res.Outcome != agent.BudgetExceeded || len(e.Retracted) != maxRetracted {
		t.Errorf("%d retracted, %s", len(e.Retracted), res.Outcome)
	}
}

func steps() []Step {
	call := func(tool, args string, o agent.Outcome, out string) Step {
		return Step{tool, json.RawMessage(args), o, out}
	}
	return []Step{
		call("grep", `{"pattern":"port"}`, agent.OK, "conf/server.yaml:3: port 8080"),
		call("read_file", `{"path":"conf/server.yaml"}`, agent.OK, "listen: zebra"),
		call("read_file", `{"path":"gone"}`, agent.Execution, "no such file"),
		call("read_file", `{"path":"gone"}`, agent.Execution, "no such file\nor folder"),
		call("calculate", `{"expression":"usd"}`, agent.WrongToolBoundary, "not a task"),
	}
}

func TestReflect(t *testing.T) {
	r, e := further(t), NewEnv("")
	e.Steps = steps()
	want := Reflection{
		Calls:    5,
		Failures: []Repeated{{"read_file", agent.Execution, 2, "no such file or folder"}},
		Repeats:  []Repeated{{"read_file", agent.Execution, 2, "no such file or folder"}},
		Unused:   []Unused{{2, "read_file", "listen: zebra"}}, // the path in the first call's output was read
	}
	if diff := cmp.Diff(want, decode[Reflection](t, do(t, r, e, "reflect", `{}`))); diff != "" {
		t.Error(diff)
	}
	e.Notes = []string{"it is the zebra"}
	if got := decode[Reflection](t, do(t, r, e, "reflect", `{}`)); len(got.Unused) != 0 {
		t.Errorf("%+v", got.Unused)
	}
}

func TestSelfEvaluate(t *testing.T) {
	r, e := further(t), NewEnv("")
	e.Steps = steps()
	got := decode[SelfEvaluation](t, do(t, r, e, "self_evaluate", `{}`))
	var yes []int
	for _, q := range got.Questions {
		yes = append(yes, q.Yes, q.Of)
	}
	if diff := cmp.Diff([]int{2, 5, 1, 2, 1, 5}, yes); diff != "" {
		t.Error(diff)
	}
	if len(got.Weaknesses) != 2 || got.Weaknesses[0].Evidence != "no such file or folder" || got.History != noHistory {
		t.Errorf("%+v", got)
	}
}

func TestStatusAndContext(t *testing.T) {
	r, e := further(t), NewEnv("")
	e.Steps, e.Goal, e.Remaining = steps(), "find the port", 3
	e.Budget = Budget{Tokens: 70, MaxTokens: 100, CostUSD: .5}
	s := decode[StatusReport](t, do(t, r, e, "status_report", `{}`))
	if s.Goal != e.Goal || s.Remaining != 3 || s.Calls != 5 || *s.Budget.TokensLeft != 30 || s.Budget.USDLeft != nil ||
		s.Tools[2].Tool != "read_file" || s.Tools[2].Outcomes[agent.Execution] != 2 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		Context
		near bool
	}{
		{Context{}, false},
		{Context{Tokens: 79, DistillTokens: 100}, false},
		{Context{Tokens: 80, DistillTokens: 100}, true},
		{Context{Messages: 120, DistillMessages: 150}, true},
		{Context{Tokens: 71, Window: 100, DistillTokens: 1000}, false},
		{Context{Tokens: 72, Window: 100, DistillTokens: 1000}, true},
	} {
		e.Context = c.Context
		if got := decode[ContextCheck](t, do(t, r, e, "context_check", `{}`)); got.DistillNear != c.near || got.Tokens != c.Tokens {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestNoHistoryIsSaid(t *testing.T) {
	r, e := further(t), NewEnv("")
	for _, name := range []string{"check_calibration", "what_do_i_know", "recent_corrections"} {
		if res := do(t, r, e, name, `{}`); res.Outcome != agent.OK || res.Output != noHistory {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if res := do(t, r, e, "delegate", `{}`); !strings.Contains(res.Output, "no other agent") {
		t.Error(res)
	}
	e.Domain = "ops"
	tell := func(_ context.Context, domain string) (string, bool) { return "of " + domain, true }
	e.Calibration, e.Delegates = tell, func(_ context.Context, domain string) (string, bool) { return "ask the other in " + domain, true }
	if res := do(t, r, e, "check_calibration", `{}`); res.Output != "of ops" {
		t.Error(res)
	}
	if res := do(t, r, e, "delegate", `{"domain":"research"}`); res.Output != "ask the other in research" {
		t.Error(res)
	}
}

// TestWishesAndDrafts tests that a patch is denied at the first level, that a direct call
// of the patch tool only leaves a request, and that a draft goes to the author if there
// is one.
func TestWishesAndDrafts(t *testing.T) {
	r, e := further(t), NewEnv("")
	patch := `{"target":"agents/a/GOALS.md","reason":"unclear","patch":"-a\n+b"}`
	if res := do(t, r, e, "propose_patch", patch); res.Outcome != agent.Denied {
		t.Errorf("%+v", res)
	}
	if res, err := proposePatch().Call(t.Context(), e, json.RawMessage(patch)); err != nil || res.Outcome != agent.Denied {
		t.Errorf("%+v %v", res, err)
	}
	create := `{"name":"add_up","description":"adds","source":"def run(args): return 1","schema":{"type":"object"},"tests":[{"name":"a","args":{},"want":1},{"name":"b","args":{},"want":1}]}`
	if res := do(t, r, e, "tool_create", create); res.Outcome != agent.Denied {
		t.Errorf("%+v", res)
	}
	var drafts []string
	e.Author = func(_ context.Context, draft json.RawMessage) Result {
		drafts = append(drafts, string(draft))
		return OK("proposed")
	}
	if res := do(t, r, e, "tool_create", create); res.Outcome != agent.OK || len(drafts) != 1 || drafts[0] != create {
		t.Errorf("%+v %q", res, drafts)
	}
	for _, bad := range []string{`{"name":"Add-Up"`, `{"name":"` + strings.Repeat("a", 60) + `"`} {
		if res := do(t, r, e, "tool_create", strings.Replace(create, `{"name":"add_up"`, bad, 1)); res.Outcome != agent.ContractViolation {
			t.Errorf("%s: %+v", bad, res)
		}
	}
	if res := do(t, r, e, "add_up", `{}`); res.Outcome != agent.Denied || len(drafts) != 1 {
		t.Errorf("the draft can be called: %+v", res)
	}
}

// FuzzEveryTool tests that every tool ends with exactly one outcome and an output of
// bounded length, for any arguments.
func FuzzEveryTool(f *testing.F) {
	tools := append(Builtin(), Further()...)
	seeds := []string{
		`{}`, `{"path":"a.txt"}`, `{"path":"../x"}`, `{"expression":"1/0"}`, `{"zone":"UTC+99"}`, `{"pattern":"((("}`,
		`{"action":"set","param":"p","value":[1e999]}`, `{"text":"a","replaces":"b","confidence":0.1}`, `{"id":"a","reason":"b","undo":true}`,
		`{"topic":"a"}`, `{"domain":"b"}`, `{"package":"a"}`, `[]`, `null`, `{"path":{"a":1}}`, "{\"text\":\"\xff\"}", `{"name":"a","description":"b","source":"c","tests":[{}]}`,
	}
	for i := range tools {
		for _, s := range seeds {
			f.Add(i, s)
		}
	}
	e, r := hostile(f), further(f)
	f.Fuzz(func(t *testing.T, which int, args string) {
		tool := tools[((which%len(tools))+len(tools))%len(tools)]
		e.Space = agent.Space{Params: []agent.Param{{Name: "p", Kind: agent.Int, Min: 1, Max: 2, Default: int64(1)}}}
		e.Config, e.Steps = e.Space.Default(), append(steps(), Step{Tool: args, Arguments: json.RawMessage(args), Outcome: agent.OK, Output: args})
		e.Audit = func(context.Context, string) []memory.Advice { return []memory.Advice{{Text: args}} }
		e.Notes, e.Facts, e.added, e.Retracted = nil, nil, 0, nil
		res := do(t, r, e, tool.Spec().Name, args) // checks the outcome
		if len(res.Output) > MaxOutput+20 || strings.Contains(res.Output, secret) {
			t.Errorf("%s: %d bytes: %.100s", tool.Spec().Name, len(res.Output), res.Output)
		}
		// The same call without validation against the schema.
		direct, err := call(t.Context(), e, tool, json.RawMessage(args))
		if err != nil || !slices.Contains(agent.Outcomes(), direct.Outcome) || direct.Output == "the tool crashed" {
			t.Errorf("%s: %+v %v", tool.Spec().Name, direct, err)
		}
	})
}
