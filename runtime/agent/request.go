package agent

import "encoding/json"

// ChangeRequest records what an agent asked for but may not do itself. Nothing of it
// was executed; a person reads it, and applies it or not.
type ChangeRequest struct {
	// ID is the first 64 bits, in hexadecimal, of a hash over type, target, tool and
	// arguments: repeated requests have the same id.
	ID string `json:"id"`
	// Type is what would be changed: source, config, policy, settings, benchmark,
	// grader, archive, tool, autonomy or other.
	Type   string `json:"type"`
	Reason string `json:"reason"`
	// Target is what would be changed, as the agent named it; data, never a path to
	// follow.
	Target    string          `json:"target"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// RequiresHumanApproval is always true; it is for readers of the JSON.
	RequiresHumanApproval bool `json:"requires_human_approval"`
}

// Session is the state that passes from one turn of a conversation to the next.
type Session struct {
	// Messages are those of the conversation that distillation has not removed, oldest
	// first.
	Messages []Message `json:"messages,omitempty"`
	// Notes are the agent's own, oldest first; at most 50 of 500 characters.
	Notes []string `json:"notes,omitempty"`
	// Working is the state extracted after the last turn; at most 512 tokens.
	Working string `json:"working,omitempty"`
	// Summary replaces the messages that distillation has removed.
	Summary string `json:"summary,omitempty"`
	// Facts are memories that distillation or the agent added; they are recalled
	// beside the snapshot's.
	Facts []Memory `json:"facts,omitempty"`
	// Retracted maps the id of a memory that must not be recalled to the reason.
	Retracted map[string]string `json:"retracted,omitempty"`
}
