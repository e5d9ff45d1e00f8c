package stats

import (
	"fmt"
	"slices"

	"evolve/runtime/text"
)

// Refused is the verdict of a night whose proven candidates are all refused by the gates of
// their proposals: the gates contradict the measurement of the confirmation.
const Refused Verdict = "refused"

// CauseRefused is the outcome of a proven candidate whose proposal the gates refused.
const CauseRefused CauseKind = "refused"

// Refusal describes a confirmed candidate's proposal that was refused by its gates.
type Refusal struct {
	// Variant is the candidate.
	Variant string `json:"variant"`
	// Proposal is the id of the refused proposal; it is empty if none was made.
	Proposal string `json:"proposal"`
	// Gate is the first gate that failed, or that did not run if NotRun is set. Reason is
	// its evidence, which is untrusted text.
	Gate   string `json:"gate"`
	Reason string `json:"reason"`
	// NotRun reports whether Gate did not run although no gate failed. Gate may run on
	// another night, but tonight it would not run for another candidate either.
	NotRun bool `json:"not_run,omitempty"`
}

// refusal returns the refusal of a ruling's candidate, or nil if there is none.
func (c Circumstances) refusal(r *Ruling) *Refusal {
	at := slices.IndexFunc(c.Refused, func(f Refusal) bool { return f.Variant == r.Variant })
	if at < 0 {
		return nil
	}
	return &c.Refused[at]
}

// refused reports whether a ruling's candidate may not be proposed, because its gates
// refused it or because the gates of some candidate could not run.
func (c Circumstances) refused(r *Ruling) bool {
	return c.refusal(r) != nil || slices.ContainsFunc(c.Refused, func(f Refusal) bool { return f.NotRun })
}

// cause returns the cause of a ruling. A refusal overrides the ruling's own cause.
func (c Circumstances) cause(r *Ruling) Cause {
	out, f := r.cause(c.Design), c.refusal(r)
	if f == nil {
		return out
	}
	out.Kind = CauseRefused
	measured := fmt.Sprintf("variant %s scored %s points more than %s on tasks it was never tuned on", short(r.Variant), text.Size(r.Difference), r.Reference.Words())
	if f.Proposal == "" {
		out.Sentence = fmt.Sprintf("%s, but no gate has judged it, so nothing is recommended: %s", measured, text.OneLine(f.Reason))
		return out
	}
	if f.NotRun {
		out.Sentence = fmt.Sprintf("%s, but the gate %q of its proposal %s did not run, so nothing is recommended: %s", measured, f.Gate, f.Proposal, text.OneLine(f.Reason))
		return out
	}
	out.Sentence = fmt.Sprintf("%s, but the gate %q refused its proposal %s: %s", measured, f.Gate, f.Proposal, text.OneLine(f.Reason))
	return out
}
