package safety

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// one returns a reply with one call.
func one(tool, args string) []Made { return []Made{{Tool: tool, Arguments: json.RawMessage(args)}} }

// failed returns a reply with one failed call.
func failed(tool string, outcome agent.Outcome, detail string) []Made {
	return []Made{{Tool: tool, Outcome: outcome, Detail: detail}}
}

// TestLoopCountsReplies tests that parallel calls in one reply count only once, both as
// calls and as failures.
func TestLoopCountsReplies(t *testing.T) {
	l := NewLoop(2)
	same := slices.Repeat(one("grep", `{"a":1}`), 5)
	for i := range 2 {
		if why := l.Reply(same); why != "" {
			t.Errorf("reply %d: %s", i+1, why)
		}
		if last := l.Last(same); (last != "") != (i == 1) {
			t.Errorf("reply %d: %q is told to be the last", i+1, last)
		}
	}
	if why := l.Reply(same); !strings.Contains(why, "after 2 such calls") {
		t.Errorf("the third reply with the same call: %q", why)
	}
	l = NewLoop(100)
	ab, cd := append(one("a", ""), one("b", "")...), append(one("c", ""), one("d", "")...)
	ba := []Made{ab[1], ab[0]}
	for i, reply := range [][]Made{ab, cd, ba, cd, ab, cd} {
		if why := l.Reply(reply); (why != "") != (i == 5) {
			t.Errorf("reply %d: %q", i+1, why)
		}
	}
	l = NewLoop(2)
	for i := range maxFailures {
		down := slices.Repeat(failed("fetch", agent.Timeout, "no answer"), 6)
		if why := l.Results(down); (why != "") != (i == maxFailures-1) {
			t.Errorf("reply %d of failures: %q", i+1, why)
		}
	}
	l = NewLoop(2)
	for range 2 * maxFailures {
		if why := l.Results(append(failed("fetch", agent.Timeout, "no answer"), failed("grep", agent.OK, "")...)); why != "" {
			t.Errorf("one call of the reply succeeded: %s", why)
		}
	}
}

func TestLoopSameCall(t *testing.T) {
	same := []string{`{"a":1,"b":"x"}`, `{ "b" : "x", "a" : 1.0 }`, "{\"b\":\"x  \\n\",\"a\":1e0}\n"}
	l := NewLoop(3)
	for i, args := range same {
		if reason := l.Reply(one("grep", args)); reason != "" {
			t.Errorf("call %d: %s", i+1, reason)
		}
		l.Reply(one("other", fmt.Sprint(i)))
	}
	if reason := l.Reply(one("grep", same[0])); !strings.Contains(reason, "after 3 such calls") {
		t.Errorf("the fourth call: %q", reason)
	}
	for _, args := range []string{`{"a":2,"b":"x"}`, `{"a":1,"b":" x"}`, `{"a":"1","b":"x"}`} {
		if reason := l.Reply(one("grep", args)); reason != "" {
			t.Errorf("%s is another call: %s", args, reason)
		}
	}
	if reason := l.Reply(one("read", same[0])); reason != "" {
		t.Errorf("another tool: %s", reason)
	}
}

func TestLoopCycles(t *testing.T) {
	for name, c := range map[string]struct {
		calls string
		want  int // the number of the call that is refused, counted from 1; 0 if none is
	}{
		"two":           {"ABABAB", 6},
		"three":         {"ABCABCABC", 9},
		"after others":  {"XYABABAB", 8},
		"no cycle":      {"ABACADAEAF", 0},
		"twice is none": {"ABABCABAB", 0},
		"progress":      {"ABCDEFGHIJ", 0},
		"one call":      {"AAAAAAAA", 0},
		"four":          {"ABCDABCDABCD", 0}, // longer than the cycles that are detected, so only the limit applies
	} {
		l := NewLoop(100)
		got := 0
		for i, call := range c.calls {
			if l.Reply(one(string(call), "")) != "" {
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
		if reason := l.Results(failed("fetch", agent.Timeout, fmt.Sprintf("after %d ms", i*117))); reason != "" {
			t.Errorf("failure %d: %s", i+1, reason)
		}
	}
	if reason := l.Results(failed("fetch", agent.Timeout, "after 3 ms")); !strings.Contains(reason, "4 times") {
		t.Errorf("the fourth: %q", reason)
	}
	l.Results(failed("fetch", agent.OK, ""))
	for range 2 {
		for _, outcome := range []agent.Outcome{agent.Timeout, agent.Execution, agent.Denied} {
			if reason := l.Results(failed("fetch", outcome, "")); reason != "" {
				t.Errorf("different failures: %s", reason)
			}
		}
	}
}

func TestLoopIsBounded(t *testing.T) {
	l := NewLoop(2)
	for i := range 10 * maxRemembered {
		if reason := l.Reply(one("t", fmt.Sprint(i))); reason != "" {
			t.Fatal(reason)
		}
	}
	if len(l.seen) != maxRemembered || len(l.order) != maxRemembered || len(l.last) > maxCycle*cycleRounds {
		t.Errorf("%d, %d and %d remembered", len(l.seen), len(l.order), len(l.last))
	}
	var zero Loop
	if zero.Reply(one("t", "")) != "" || zero.Reply(one("t", "")) == "" {
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
		if l.Reply(one(tool, args)) != "" || l.Reply(one(tool, args+" ")) != "" || l.Reply(one(tool, " "+args)) == "" {
			t.Errorf("%q %q: the same call three times", tool, args)
		}
		for i := range maxFailures {
			if got := l.Results(failed(tool, agent.Execution, detail)) != ""; got != (i == maxFailures-1) {
				t.Errorf("failure %d: %v", i+1, got)
			}
		}
	})
}
