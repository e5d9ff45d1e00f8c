package wire

import (
	"context"
	"encoding/json"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// paidNote is a ledger entry about a paid request to a model that is not part of an
// evaluation.
type paidNote struct {
	// run is empty if no run made the request.
	run, agent string
	at         time.Time
	used       consumption
}

// notesOf returns the ledger entries about drafts of texts and patches, calibrations of
// judges, and reviews.
func notesOf(ctx context.Context, store *archive.Archive) []paidNote {
	var out []paidNote
	for e, err := range store.Ledger(ctx, 1) {
		if err != nil {
			break
		}
		var asked struct {
			Agent string
			Usage agent.Usage
		}
		var cost review.Cost
		n := paidNote{run: e.Subject, at: e.Time}
		switch e.Kind {
		case night.DraftKind, batch.PatchNoteKind:
			if json.Unmarshal(e.Data, &asked) != nil || asked.Usage == (agent.Usage{}) {
				continue
			}
			asked.Usage.Iterations = 1
		case archive.CalibrationKind:
			if json.Unmarshal(e.Data, &asked) != nil {
				continue
			}
			n.run = ""
		case review.CostKind:
			if json.Unmarshal(e.Data, &cost) != nil || cost.For != "review" {
				continue
			}
			n.run, asked.Usage = cost.Run, agent.Usage{Iterations: 1, CostUSD: cost.USD}
		default:
			continue
		}
		n.agent, n.used = asked.Agent, used(asked.Usage, agent.Transcript{}, 0)
		out = append(out, n)
	}
	return out
}
