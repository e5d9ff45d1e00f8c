package wire

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/bench/sessions"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// TestUseAndSuitesAgree checks that a message means the same in a live conversation and for
// the tasks that are built from its log.
func TestUseAndSuitesAgree(t *testing.T) {
	host, _ := spoolHost(t, &strings.Builder{})
	u := inService(t)
	f, err := host.Agents(u.w)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../../../runtime/experience/testdata/approvals.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var m struct{ User, Before, Message string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		turn := Turn{Task: &bench.Task{Goal: m.Message}, Earlier: agent.Session{Messages: []agent.Message{{Role: "user", Content: m.User}, {Role: "assistant", Content: m.Before}}}}
		live, _ := f.signalOf(turn)
		b, err := sessions.NewBuilder(sessions.Options{Scrub: f.Sandbox.Scrubber.String, Domain: func(string) string { return "" }, PerDomain: 1})
		if err != nil {
			t.Fatal(err)
		}
		b.Add(sessions.Conversation{Format: sessions.Plain, Messages: []sessions.Message{{Role: sessions.User, Text: m.User}, {Role: sessions.Assistant, Text: m.Before}, {Role: sessions.User, Text: m.Message}}})
		_, s := b.Tasks()
		approved, corrected := live == experience.Approves, live == experience.Corrects || live == experience.Complains
		if (s.Approved == 1) != approved || (s.Corrected == 1) != corrected {
			t.Errorf("%s: %q in use, %d approved and %d corrected of the log", m.Message, live, s.Approved, s.Corrected)
		}
		n++
	}
	if n < 100 {
		t.Errorf("%d messages", n)
	}
}
