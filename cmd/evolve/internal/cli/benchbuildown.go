package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/sessions"
	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/agent"
)

// own reads the agent's turns. The turns of a session form one conversation; a turn without
// a session is a conversation by itself.
func (b *suiteBuilder) own(sh *shell, c *cli.Context) error {
	if c.IsSet("format") {
		return exit.Misuse(errors.New("--format applies only to a FILE, but none is named"))
	}
	var list []sessions.Conversation
	of := map[string]int{} // by session
	err := readingIfThere(sh, c, func(_ string, a *archive.Archive) error {
		for t, err := range a.Turns(c.Context) {
			if err != nil {
				return err
			}
			if t.Agent != b.agent.ID || strings.TrimSpace(t.Goal) == "" { // of a deleted session
				continue
			}
			full, err := a.Turn(c.Context, t.ID)
			if err != nil {
				return err
			}
			at, ok := of[t.Session]
			if !ok || t.Session == "" {
				at = len(list)
				list = append(list, sessions.Conversation{ID: orElse(t.Session, t.ID, t.Session != ""), Format: sessions.Own})
				of[t.Session] = at
			}
			list[at].Messages = append(list[at].Messages, turnMessages(full)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, conversation := range list {
		b.Add(conversation)
	}
	b.logs = append(b.logs, sessions.Log{File: "the turns of " + b.agent.ID, Formats: []sessions.Format{sessions.Own}, Conversations: len(list), Named: []string{}})
	return nil
}

// turnMessages returns the messages of a turn. A failed turn has no answer.
func turnMessages(t archive.TurnRecord) []sessions.Message {
	out := []sessions.Message{{Role: sessions.User, Text: t.Goal}}
	if tools := slices.Compact(slices.Sorted(slices.Values(t.Transcript.Tools()))); len(tools) > 0 {
		out = append(out, sessions.Message{Role: sessions.Assistant, Tools: tools})
	}
	if t.Outcome == agent.OK && t.Answer != "" {
		out = append(out, sessions.Message{Role: sessions.Assistant, Text: t.Answer})
	}
	return out
}
