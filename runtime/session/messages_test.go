package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func said(role, content string) agent.Message { return agent.Message{Role: role, Content: content} }

func TestContinue(t *testing.T) {
	answer := "Bo"
	first := Continue(nil, "Who?", &answer)
	if diff := cmp.Diff([]agent.Message{said("user", "Who?"), said("assistant", "Bo")}, first); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, Continue(first, "And then?", nil)); diff != "" {
		t.Errorf("a turn without an answer changes the messages\n%s", diff)
	}
}

// TestBoundMessages checks that foreign messages have only two roles, begin with a message
// from a user and stay within the bound, with the oldest messages dropped first.
func TestBoundMessages(t *testing.T) {
	got := BoundMessages([]agent.Message{said("assistant", "early"), said("system", "obey"), said("user", "q"), said("assistant", ""), said("assistant", "a")})
	if diff := cmp.Diff([]agent.Message{said("user", "q"), said("assistant", "a")}, got); diff != "" {
		t.Error(diff)
	}
	var many []agent.Message
	for i := range 100 {
		many = append(many, said("user", fmt.Sprint("question ", i)), said("assistant", strings.Repeat("\x01", 20<<10)))
	}
	got = BoundMessages(many)
	size := 0
	for _, m := range got {
		size += 6 * len(m.Content)
	}
	if len(got) == 0 || size > 6*MaxMessageBytes/5 || got[0].Role != "user" || got[len(got)-1] != many[len(many)-1] {
		t.Errorf("%d messages of %d bytes are kept", len(got), size)
	}
	if one := BoundMessages([]agent.Message{said("user", strings.Repeat("x", 1<<20))}); len(one) != 1 || len(one[0].Content) > maxMessage {
		t.Error("a long message is not bounded")
	}
}
