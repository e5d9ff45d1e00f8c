package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestRepeatedMembers tests that arguments that parsers may read differently never
// reach the tool.
func TestRepeatedMembers(t *testing.T) {
	var reached bool
	r, err := NewRegistry(Options{}, answering("query", Read, func() (Result, error) { reached = true; return OK("rows"), nil }))
	if err != nil {
		t.Fatal(err)
	}
	for args, twice := range map[string]bool{
		`{"sql":"delete from t","sql":"select 1"}`:        true,
		`{"sql":"delete from t","s\u0071l":"select 1"}`:   true,
		`{"a":{"b":1,"c":[{"d":1,"d":2}]}}`:               true,
		`{"a":[],"a":{}}`:                                 true,
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}],"A":1}`: false,
		`{"a":"a","b":"a","c":["a","a"],"d":"b"}`:         false,
		`{}`: false,
		`{"a":{"a":{"a":{}}},"b":[[],[]],"c":null,"d":false}`: false,
	} {
		reached = false
		res, err := r.Call(context.Background(), NewEnv(""), Invocation{Name: "query", Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		if reached == twice || (res.Outcome == agent.ContractViolation) != twice || twice && !strings.Contains(res.Output, "twice") {
			t.Errorf("%s: %s %s, reached %v", args, res.Outcome, res.Output, reached)
		}
	}
}
