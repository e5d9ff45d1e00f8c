package experience

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestNormalized(t *testing.T) {
	for cause, want := range map[string]string{
		"":                              "",
		"no answer after 5s":            "no answer after #s",
		"no answer after 12.75s":        "no answer after #s",
		`no table "orders 7" in 'shop'`: `no table "…" in "…"`,
		"run: can't divide, it's 0":     "run: can't divide, it's #",
		"row 3fa85f64-5717-4562-b3fc-2c963f66afa6 is gone": "row # is gone",
		"object 0xdeadbeef1 of deadbee1":                   "object # of #",
		"two\nlines":                                       "two lines",
		"a bad decade":                                     "a bad decade",
	} {
		if got := Normalized(cause); got != want {
			t.Errorf("%q: %q, not %q", cause, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := Normalized(rapid.String().Draw(t, "cause"))
		if len(got) > keptMessage || strings.ContainsAny(got, "\n0123456789") {
			t.Fatalf("%q", got)
		}
	})
}

// TestSignatures tests that failures that differ only in numbers and names are counted
// together, with their first and last time. Referrals, calls that succeeded and calls that
// a limit prevented do not count.
func TestSignatures(t *testing.T) {
	day := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	var e Experience
	for i, call := range []Call{
		{Tool: "sql", Method: "read", Outcome: agent.Execution, Cause: `no table "a" (try 1)`},
		{Tool: "sql", Method: "read", Outcome: agent.OK},
		{Tool: "sql", Method: "read", Outcome: agent.Execution, Cause: `no table "b" (try 22)`},
		{Tool: "sql", Method: "write", Outcome: agent.Execution, Cause: `no table "b" (try 22)`},
		{Tool: "sql", Method: "read", Outcome: agent.LowUtility, Cause: `no table "b" (try 22)`},
		{Tool: "sql", Method: "read", Outcome: agent.RateLimited, Cause: "later"},
		{Tool: "sql", Method: "read", Outcome: agent.WrongToolBoundary, Axes: []string{"graph"}},
		{Tool: "web", Outcome: agent.WrongToolBoundary, Cause: "not mine"},
	} {
		e.Learn(Turn{ID: fmt.Sprint("T", i), Domain: "ops", Outcome: agent.OK, Time: day.Add(time.Duration(i) * time.Hour), Calls: []Call{call}})
	}
	e.Learn(Turn{Outcome: agent.OK, Time: day, Calls: []Call{{Tool: "sql", Method: "read", Outcome: agent.Execution, Cause: `no table "c" (try 3)`}}})
	at := func(hours int) time.Time { return day.Add(time.Duration(hours) * time.Hour) }
	message := `no table "…" (try #)`
	want := []Signature{
		{"sql", "read", "ops", agent.Execution, message, 2, at(0), at(2), []string{"T0", "T2"}},
		{"sql", "read", "ops", agent.LowUtility, message, 1, at(4), at(4), []string{"T4"}},
		{"sql", "write", "ops", agent.Execution, message, 1, at(3), at(3), []string{"T3"}},
		{"sql", "read", Global, agent.Execution, message, 1, at(0), at(0), nil},
	}
	if diff := cmp.Diff(want, e.SignaturesOf("sql")); diff != "" {
		t.Error(diff)
	}
	// A referral without evidence is a violation of the contract.
	if got := e.SignaturesOf("web"); len(got) != 1 || got[0].Outcome != agent.ContractViolation {
		t.Errorf("%+v", got)
	}
	if err := e.Valid(); err != nil {
		t.Error(err)
	}
	// A message is removed only when every turn that is known to have had this message is
	// removed.
	e.Forget("", func(turn string) bool { return turn == "T2" || turn == "T4" })
	if got := e.SignaturesOf("sql"); len(got) != 3 || got[0].Count != 2 || len(got[0].Turns) != 1 || got[1].Outcome == agent.LowUtility {
		t.Errorf("%+v", got)
	}
}

// TestSignaturesAreBounded tests that a tool whose messages keep changing displaces
// neither other tools nor its own frequent messages.
func TestSignaturesAreBounded(t *testing.T) {
	var e Experience
	learn := func(tool, cause string, second int) {
		e.Learn(Turn{Outcome: agent.OK, Time: time.Unix(int64(second), 0), Calls: []Call{{Tool: tool, Outcome: agent.Execution, Cause: cause}}})
	}
	learn("quiet", "once", 0)
	learn("noisy", "often", 1)
	learn("noisy", "often", 2)
	word := func(i int) string { return strings.Repeat("x", i%50+1) + strings.Repeat("y", i/50) }
	for i := range 500 {
		learn("noisy", word(i), 3+i)
	}
	if got := e.SignaturesOf("noisy"); len(got) != maxToolSignatures || got[0].Message != "often" || got[1].Message != word(499) {
		t.Errorf("%d, the first %+v", len(got), got[:2])
	}
	if got := e.SignaturesOf("quiet"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	for i := range 2 * maxSignatures { // from fewer tools than may be named
		learn(fmt.Sprint("tool", i%100), word(i), 1000+i)
	}
	if len(e.Signatures) != maxSignatures || e.SignaturesOf("noisy")[0].Count != 2 {
		t.Errorf("%d signatures", len(e.Signatures))
	}
	if err := e.Valid(); err != nil {
		t.Error(err)
	}
	again := e
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &again); err != nil || cmp.Diff(e.Signatures, again.Signatures) != "" {
		t.Errorf("read back: %v", err)
	}
}
