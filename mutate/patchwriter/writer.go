package patchwriter

import (
	"context"
	"fmt"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// Writer requests patches from the model of one route.
type Writer struct {
	Model model.Model
	// Route is the route hint for the model.
	Route string
}

// Reply is the result of a request.
type Reply struct {
	// Draft is nil if the model had no patch or its answer was refused. Reason then gives
	// the reason, in one line of bounded length that may quote the answer.
	Draft  *Draft
	Reason string
	// Malformed reports whether a retry that includes the reason may help.
	Malformed bool
	Usage     agent.Usage
}

// maxReason is the maximum length of a reason, in bytes.
const maxReason = 500

// Write requests one patch. An error is the context's error or an infrastructure failure;
// it does not depend on the material.
func (w Writer) Write(ctx context.Context, m Material, seed int64) (Reply, error) {
	answer, none, err := model.Ask(ctx, w.Model, m.request(w.Route, seed))
	out := Reply{Usage: answer.Usage, Reason: none}
	if err != nil {
		return out, fmt.Errorf("asking for a patch: %w", err)
	}
	if none != "" {
		return out, nil
	}
	if draft, wrong := m.read(answer.Answer); wrong != nil {
		out.Reason, out.Malformed = memory.Cut("the answer "+wrong.Error(), maxReason), true
	} else {
		out.Draft = &draft
	}
	return out, nil
}
