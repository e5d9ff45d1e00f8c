package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// early returns the state of a run that failed or was interrupted before its work on the
// agent was completed; it returns "" for any other run.
func (b *builder) early() archive.RunState {
	if s := b.run.State; (s == archive.RunFailed || s == archive.RunInterrupted) && !b.result.Finished {
		return s
	}
	return ""
}

// spent reports whether a budget ended the run before there was a finalist for the agent.
func (b *builder) spent() bool {
	return b.run.State == archive.RunDone && b.run.Exit != 0 && b.result.Verdict == archive.Undecided && b.result.Incomplete != "" && len(b.result.Finalist) == 0
}

// cause returns the reason why the run ended early, in words that follow the sentence for a
// verdict; it returns "" if the sentence already gives the reason.
func (b *builder) cause() string {
	if b.early() == "" || b.run.Reason == "" {
		return ""
	}
	reason := clip(text.OneLine(b.run.Reason), MaxReason)
	if !b.finished {
		return ": " + reason
	}
	if len(b.result.Causes) != 1 || b.result.Causes[0].Kind != stats.CauseEnded {
		return "; the run ended early: " + reason
	}
	if strings.HasSuffix(b.result.Reason, b.result.Causes[0].Sentence) {
		return ": " + reason
	}
	return "" // the night recorded the error itself as its reason
}

// afterEarly returns the commands that help after a run that ended early, including one
// that a budget ended. Only the latest run can be resumed.
func (b *builder) afterEarly() []string {
	switch s := b.early(); {
	case b.spent() && b.run.Spent != "":
		return []string{"evolve agent show"}
	case b.spent():
		return []string{"evolve run --dry-run"}
	case s == "":
		return nil
	case b.run.Try != "":
		return []string{b.run.Try, "evolve run"}
	case s == archive.RunInterrupted && b.latest:
		return []string{"evolve run --resume"}
	case s == archive.RunInterrupted:
		return []string{"evolve run"}
	case b.latest:
		return []string{"evolve doctor", "evolve run --resume"}
	}
	return []string{"evolve doctor"}
}

// await reads the present state of the proposals that were waiting when the run was
// planned.
func (b *builder) await() error {
	var err error
	b.waited, err = Waited(b.ctx, b.src, b.plan.Waits)
	return err
}

// Waited returns the proposals that were waiting when a run was planned, in their present
// state. It leaves out proposals that are no longer in the archive.
func Waited(ctx context.Context, src interface {
	Proposal(ctx context.Context, id string) (archive.ProposalRecord, error)
}, list []archive.Waiting,
) ([]archive.ProposalRecord, error) {
	var out []archive.ProposalRecord
	for _, w := range list {
		p, err := src.Proposal(ctx, w.Proposal)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the waiting proposals: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// SinceDecided updates the sentence of a night whose verdict was that a proposal waits.
// It returns the sentence with what has happened to the proposal since.
func SinceDecided(sentence string, waited []archive.ProposalRecord) string {
	for _, p := range waited {
		was := p.ID + " waits for "
		if !strings.HasPrefix(sentence, was) || undecided(p.State) {
			continue
		}
		return p.ID + " waited for " + strings.TrimPrefix(sentence, was) + "; " + p.ID + " is " + p.State.Name() + " now"
	}
	return sentence
}

// WithdrawnWords returns a phrase that follows the night's sentence and names those of the
// night's proposals that were rejected or rolled back; it returns "" if there are none.
func WithdrawnWords(proposals []archive.ProposalRecord) string {
	words := ""
	for _, p := range proposals {
		if p.State == archive.Rejected || p.State == archive.RolledBack {
			words += "; " + p.ID + " is " + p.State.Name() + " now"
		}
	}
	return words
}

// undecided reports whether a proposal in this state still waits for its gates or a person.
func undecided(s archive.ProposalState) bool {
	return s == archive.Drafted || s == archive.Gated || Proposal{State: s}.Awaits()
}

// afterWaiting returns the commands for the proposals from earlier nights that were waiting
// when the run was planned: the commands that decide on them, or a command that shows the
// decision.
func (b *builder) afterWaiting() []string {
	if b.out.Decision.Verdict != archive.Waits || len(b.waited) == 0 {
		return nil
	}
	open := slices.DeleteFunc(slices.Clone(b.waited), func(p archive.ProposalRecord) bool { return !undecided(p.State) })
	if len(open) == 0 {
		return []string{"evolve show " + b.waited[0].ID}
	}
	p := open[0]
	first := approveCommand(p.ID, p.State)
	stale := slices.ContainsFunc(b.plan.Waits, func(w archive.Waiting) bool { return w.Proposal == p.ID && len(w.Stale) > 0 })
	switch {
	case len(open) > 1:
		first = "evolve review"
	case p.State == archive.Drafted, BranchOf(p) != nil, stale:
		return []string{"evolve show " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	}
	return []string{first, "evolve show " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
}
