package gates

import (
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/panics"

	"evolve/archive"
	"evolve/runtime/telemetry"
)

// Verdict is the outcome of one gate.
type Verdict string

// Failed stops a proposal. Flagged requires a person to look at it. NotRun also stops it,
// because a gate that was never run has not passed.
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	Flagged Verdict = "flagged"
	NotRun  Verdict = "not_run"
)

// Gate is one automatic check. Check returns the gate's verdict and the evidence for it, in
// words that a person can judge.
type Gate struct {
	Name string
	// Needs names the earlier gates without which this gate's verdict would be meaningless.
	// If the verdict of any of them is neither passed nor flagged, this gate is not run.
	Needs []string
	Check func(ctx context.Context) (Verdict, string)
}

// Run runs all gates in order, even after one has failed, so that a person gets all
// verdicts at once. A gate that panics counts as failed. A gate counts as not run if the
// context ended before its turn, or if a gate on which it depends did not pass and was
// not flagged.
func Run(ctx context.Context, gates []Gate) []archive.GateVerdict {
	out := make([]archive.GateVerdict, 0, len(gates))
	said := map[string]Verdict{}
	for _, g := range gates {
		verdict, evidence := NotRun, "the gates were stopped before this one was run"
		missing := slices.IndexFunc(g.Needs, func(n string) bool { return said[n] != Passed && said[n] != Flagged })
		switch {
		case missing >= 0:
			evidence = fmt.Sprintf("needs the gate %q to pass", g.Needs[missing])
		case ctx.Err() == nil:
			inner, span := telemetry.Start(ctx, "gate")
			span.Text(telemetry.Gate, g.Name)
			if p := panics.Try(func() { verdict, evidence = g.Check(inner) }); p != nil {
				verdict, evidence = Failed, fmt.Sprintf("the gate itself failed: %v", p.Value)
			}
			span.Text(telemetry.Outcome, string(verdict))
			span.End()
		}
		said[g.Name] = verdict
		out = append(out, archive.GateVerdict{Gate: g.Name, Verdict: string(verdict), Evidence: evidence})
	}
	return out
}

// Lane returns the proposal state that follows from the verdicts: failed if there are no
// verdicts or any verdict is neither passed nor flagged, the human lane if a gate was
// flagged, and awaiting if every gate passed.
func Lane(verdicts []archive.GateVerdict) archive.ProposalState {
	lane := archive.Awaiting
	if len(verdicts) == 0 {
		return archive.GateFailed
	}
	for _, v := range verdicts {
		switch Verdict(v.Verdict) {
		case Passed:
		case Flagged:
			lane = archive.HumanLane
		default:
			return archive.GateFailed
		}
	}
	return lane
}
