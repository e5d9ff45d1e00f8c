package archive

import (
	"context"
	"errors"
	"iter"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/authored"
)

// maxHealthName limits the length, in bytes, of the name of an agent, a tool or a source;
// longer names are refused.
const maxHealthName = 256

// maxHealthCauses limits the number of causes recorded for the failures of one tool, and
// maxShared limits the number of agents with which a tool is shared.
const (
	maxHealthCauses = 100
	maxShared       = 1000
)

// ToolHealth records the failures of a tool that an agent wrote, and the agents with which
// the tool is shared.
type ToolHealth struct {
	Agent  string          `json:"agent"`
	Tool   string          `json:"tool"`
	Health authored.Health `json:"health"`
	// Shared names the agents that a person has shared the tool with, sorted.
	Shared []string `json:"shared,omitempty"`
	// Updated is the time of the last change, by a failure or by a person's decision.
	Updated time.Time `json:"updated,omitzero"`
}

func toolHealthKey(agentID, tool string) key {
	return newKey(tableToolHealth).text(agentID).text(tool)
}

// PutToolHealth replaces the stored health of a tool. When entry is not nil, it adds that
// ledger entry in the same synced transaction, with the subject "agent/tool".
func (a *Archive) PutToolHealth(ctx context.Context, h ToolHealth, entry *LedgerEntry) error {
	return a.change(ctx, "store the health of tool "+h.Tool, func(b *batch) error {
		if entry != nil {
			e := *entry
			e.Subject = h.Agent + "/" + h.Tool
			if _, err := a.chain(ctx, b, e); err != nil {
				return err
			}
		}
		return putToolHealth(b, h)
	})
}

func putToolHealth(b *batch, h ToolHealth) error {
	h.Updated = normalizeTime(h.Updated)
	for _, name := range []string{h.Agent, h.Tool} {
		if name == "" || len(name) > maxHealthName || name != validText(name) {
			return errors.New("a tool health record needs valid names for its agent and its tool")
		}
	}
	if len(h.Health.Source) > maxHealthName || h.Health.Failures < 0 {
		return errors.New("its count of failures is not valid")
	}
	if len(h.Shared) > maxShared {
		return errors.New("it is shared with too many agents")
	}
	for _, id := range h.Shared {
		if id == "" || len(id) > maxHealthName || id != validText(id) {
			return errors.New("it is shared with an agent whose name is not valid")
		}
	}
	if len(h.Health.Causes) > maxHealthCauses {
		return errors.New("it has too many causes of failure")
	}
	for cause, n := range h.Health.Causes {
		if len(cause) > maxHealthName || cause != validText(cause) || n < 0 {
			return errors.New("its count of failures is not valid")
		}
	}
	h.Health.Last = agent.Outcome(truncate(string(h.Health.Last), maxHealthName))
	return putDocument(b, toolHealthKey(h.Agent, h.Tool), h)
}

// ToolHealth returns the health of an agent's tool, or ErrNotFound when none is stored.
func (a *Archive) ToolHealth(ctx context.Context, agentID, tool string) (ToolHealth, error) {
	return named[ToolHealth](ctx, a, toolHealthKey(agentID, tool), "health of tool %q of agent %q", tool, agentID)
}

// ToolHealths yields the stored health of every tool, ordered by agent and tool.
func (a *Archive) ToolHealths(ctx context.Context) iter.Seq2[ToolHealth, error] {
	return documents[ToolHealth](ctx, a, "list the health of the tools", newKey(tableToolHealth), nil)
}
