package tool

import (
	"context"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// Audited is the result of memory_audit.
type Audited struct {
	Memories []memory.Advice `json:"memories"`
	// Retracted lists the memories that this session has retracted, with the reasons and,
	// for a corrected memory, its replacement.
	Retracted []Mark `json:"retracted,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Mark is one retracted memory.
type Mark struct {
	ID         string `json:"id"`
	Reason     string `json:"reason"`
	ReplacedBy string `json:"replaced_by,omitempty"`
}

type memoryAuditArgs struct {
	Topic string `json:"topic"`
}

func memoryAudit() Tool {
	return define("memory_audit",
		"The memories on a topic, as JSON, each with the advice to keep, retract or update it and why, and what this session has retracted. Changes nothing.",
		`{"type":"object","required":["topic"],"additionalProperties":false,"properties":{"topic":{"type":"string","minLength":1,"maxLength":2000}}}`,
		Available, nil,
		func(ctx context.Context, env *Env, a memoryAuditArgs) Result {
			if env.Audit == nil {
				return Failed(agent.Execution, "there is no memory")
			}
			out := Audited{Memories: []memory.Advice{}}
			spent := 0
			for _, id := range sorted(env.Retracted) {
				m := Mark{ID: text.Clip(id, 200), Reason: text.Clip(env.Retracted[id], 4*maxReason)}
				m.ReplacedBy, _ = strings.CutPrefix(m.Reason, "replaced by ")
				if m.ReplacedBy == m.Reason {
					m.ReplacedBy = ""
				}
				if spent += len(m.ID) + len(m.Reason); spent > maxListed {
					out.Truncated = true
					break
				}
				out.Retracted = append(out.Retracted, m)
			}
			advice := env.Audit(ctx, a.Topic)
			return fitting(len(advice), func(n int) any {
				out.Memories, out.Truncated = append([]memory.Advice{}, advice[:n]...), out.Truncated || n < len(advice)
				return out
			})
		})
}
