package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestChangeRequestIdentity(t *testing.T) {
	id := func(kind, target, tool, reason, args string) string {
		return NewChangeRequest(kind, target, tool, reason, json.RawMessage(args)).ID
	}
	first := id("config", "x", "set", "because", `{"a":1,"b":"c"}`)
	if again := id("config", "x", "set", "for another reason", `{ "b":"c", "a": 1 }`); again != first {
		t.Error("the same wish has two identities")
	}
	for _, other := range []string{
		id("tool", "x", "set", "because", `{"a":1,"b":"c"}`), id("config", "xs", "et", "because", `{"a":1,"b":"c"}`),
		id("config", "x", "set", "because", `{"a":2,"b":"c"}`), id("config", "x", "set", "because", `"{}"`),
	} {
		if other == first {
			t.Error("two wishes have one identity")
		}
	}
}

func FuzzChangeRequest(f *testing.F) {
	f.Add("config", "x", `{"a":1}`)
	f.Add("", "\xff", `{"a":`)
	f.Add("t", strings.Repeat("x", 5000), strings.Repeat("[", 20000))
	f.Fuzz(func(t *testing.T, kind, target, args string) {
		q := NewChangeRequest(kind, target, "tool", "why", json.RawMessage(args))
		raw, err := json.Marshal(q)
		if err != nil || len(raw) > 200_000 {
			t.Fatalf("%d bytes, %v", len(raw), err)
		}
		var back ChangeRequest
		if err := json.Unmarshal(raw, &back); err != nil || back.ID != q.ID || !back.RequiresHumanApproval {
			t.Fatalf("%s came back as %+v (%v)", raw, back, err)
		}
	})
}
