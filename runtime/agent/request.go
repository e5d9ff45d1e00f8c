package agent

import "encoding/json"

// ChangeRequest records a change that an agent requested but may not make itself. Nothing
// in it was executed; a person reads it and decides whether to apply it.
type ChangeRequest struct {
	// ID is the first 64 bits, in hexadecimal, of a hash over type, target, tool and
	// arguments, so repeated requests have the same id.
	ID string `json:"id"`
	// Type is the kind of thing that would be changed: source, config, policy, settings,
	// benchmark, grader, archive, tool, autonomy or other.
	Type   string `json:"type"`
	Reason string `json:"reason"`
	// Target is the thing that would be changed, as the agent named it. It is data, and
	// must never be used as a path to follow.
	Target    string          `json:"target"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// RequiresHumanApproval is always true; it is for readers of the JSON.
	RequiresHumanApproval bool `json:"requires_human_approval"`
}

// Session is the state that one turn of a conversation passes to the next.
type Session struct {
	// Messages are the messages of the conversation that distillation has not removed,
	// oldest first.
	Messages []Message `json:"messages,omitempty"`
	// Notes are the agent's own notes, oldest first: at most 50, each of at most 500
	// characters.
	Notes []string `json:"notes,omitempty"`
	// Working is the state that was extracted after the last turn, of at most 512 tokens.
	Working string `json:"working,omitempty"`
	// Summary replaces the messages that distillation has removed.
	Summary string `json:"summary,omitempty"`
	// Facts are memories that distillation or the agent added; they are recalled in
	// addition to the memories in the snapshot.
	Facts []Memory `json:"facts,omitempty"`
	// Retracted contains the memories that must not be recalled: it maps their ids to the
	// reasons for their retraction.
	Retracted map[string]string `json:"retracted,omitempty"`
}
