package patchwriter

import (
	"context"
	"fmt"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// Writer asks one route's model for patches.
type Writer struct {
	Model model.Model
	// Route is the hint of the model.
	Route string
}

// Reply is what came of asking.
type Reply struct {
	// Draft is nil when the model had nothing to offer or its answer was refused; then
	// Reason says why, in a line of bounded length that may quote the answer.
	Draft  *Draft
	Reason string
	// Malformed says that another try, told the reason, could be worth it.
	Malformed bool
	Usage     agent.Usage
}

// maxReason bounds a reason, in bytes.
const maxReason = 500

// Write asks for one patch. An error is the context's, or infrastructure's: then nothing
// is known of the material.
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
