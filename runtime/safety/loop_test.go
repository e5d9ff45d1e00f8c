package safety

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

func TestLoopSameCall(t *testing.T) {
	same := []string{`{"a":1,"b":"x"}`, `{ "b" : "x", "a" : 1.0 }`, "{\"b\":\"x  \\n\",\"a\":1e0}\n"}
	l := NewLoop(3)
	for i, args := range same {
		if reason := l.Call("grep", json.RawMessage(args)); reason != "" {
			t.Errorf("call %d: %s", i+1, reason)
		}
		l.Call("other", json.RawMessage(fmt.Sprint(i)))
	}
	if reason := l.Call("grep", json.RawMessage(same[0])); !strings.Contains(reason, "3 times") {
		t.Errorf("the fourth call: %q", reason)
	}
	for _, args := range []string{`{"a":2,"b":"x"}`, `{"a":1,"b":" x"}`, `{"a":"1","b":"x"}`} {
		if reason := l.Call("grep", json.RawMessage(args)); reason != "" {
			t.Errorf("%s is another call: %s", args, reason)
		}
	}
	if reason := l.Call("read", json.RawMessage(same[0])); reason != "" {
		t.Errorf("another tool: %s", reason)
	}
}

func TestLoopCycles(t *testing.T) {
	for name, c := range map[string]struct {
		calls string
		want  int // the call that is refused, from 1 on; 0 if none is
	}{
		"two":           {"ABABAB", 6},
		"three":         {"ABCABCABC", 9},
		"after others":  {"XYABABAB", 8},
		"no cycle":      {"ABACADAEAF", 0},
		"twice is none": {"ABABCABAB", 0},
		"progress":      {"ABCDEFGHIJ", 0},
		"one call":      {"AAAAAAAA", 0},
		"four":          {"ABCDABCDABCD", 0}, // longer than the detected cycles: only the limit applies
	} {
		l := NewLoop(100)
		got := 0
		for i, call := range c.calls {
			if l.Call(string(call), nil) != "" {
				got = i + 1
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: call %d is refused, want %d", name, got, c.want)
		}
	}
}

func TestLoopFailures(t *testing.T) {
	l := NewLoop(2)
	for i := range 3 {
		if reason := l.Result("fetch", agent.Timeout, fmt.Sprintf("after %d ms", i*117)); reason != "" {
			t.Errorf("failure %d: %s", i+1, reason)
		}
	}
	if reason := l.Result("fetch", agent.Timeout, "after 3 ms"); !strings.Contains(reason, "4 times") {
		t.Errorf("the fourth: %q", reason)
	}
	l.Result("fetch", agent.OK, "")
	for range 2 {
		for _, outcome := range []agent.Outcome{agent.Timeout, agent.Execution, agent.Denied} {
			if reason := l.Result("fetch", outcome, ""); reason != "" {
				t.Errorf("different failures: %s", reason)
			}
		}
	}
}

func TestLoopIsBounded(t *testing.T) {
	l := NewLoop(2)
	for i := range 10 * maxRemembered {
		if reason := l.Call("t", json.RawMessage(fmt.Sprint(i))); reason != "" {
			t.Fatal(reason)
		}
	}
	if len(l.seen) != maxRemembered || len(l.order) != maxRemembered || len(l.last) > maxCycle*cycleRounds {
		t.Errorf("%d, %d and %d remembered", len(l.seen), len(l.order), len(l.last))
	}
	var zero Loop
	if zero.Call("t", nil) != "" || zero.Call("t", nil) == "" {
		t.Error("the zero value lets a call pass twice, or never")
	}
}

func TestCanonical(t *testing.T) {
	for args, want := range map[string]string{
		`{"b":1,"a":[1.0, 2e0, 1e20, -0, 0.10]}`: `{"a":[1,2,1e+20,0,0.1],"b":1}`,
		`12345678901234567890`:                   `12345678901234567890`,
		`" a "`:                                  `" a"`,
		"  x y ":                                 `x y`,
		`{"a":1} {"b":2}`:                        `{"a":1} {"b":2}`,
		`{"a":"<&>"}`:                            `{"a":"<&>"}`,
		``:                                       ``,
		`1e400`:                                  `1e400`,
	} {
		if got := string(Canonical(json.RawMessage(args))); got != want {
			t.Errorf("%s is %s, want %s", args, got, want)
		}
	}
}

func FuzzLoop(f *testing.F) {
	f.Add("grep", `{"a":1}`, "no such file")
	f.Add("", "\xff", "\x00")
	f.Fuzz(func(t *testing.T, tool, args, detail string) {
		l := NewLoop(2)
		if l.Call(tool, json.RawMessage(args)) != "" || l.Call(tool, json.RawMessage(args+" ")) != "" || l.Call(tool, json.RawMessage(" "+args)) == "" {
			t.Errorf("%q %q: the same call three times", tool, args)
		}
		for i := range maxFailures {
			if got := l.Result(tool, agent.Execution, detail) != ""; got != (i == maxFailures-1) {
				t.Errorf("failure %d: %v", i+1, got)
			}
		}
	})
}
