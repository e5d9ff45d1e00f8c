package archive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/autonomy"
)

// AuditError names the first contradiction found in the archive. It wraps ErrCorrupt.
type AuditError struct{ Subject, Reason string }

func (e *AuditError) Error() string { return e.Subject + ": " + e.Reason }

func (e *AuditError) Unwrap() error { return ErrCorrupt }

// Audited is the result of an audit.
type Audited struct {
	// Entries is the length of the ledger and Head the hash of its last entry.
	Entries int64
	Head    string
	// Proposals counts the proposals that agree with the ledger. Unbound counts those that
	// an older version of evolve stored without digests. Gone counts those that are
	// missing, or whose evaluations are missing, because [GC] removed them or a repair
	// could not recover them.
	Proposals, Unbound, Gone int
	// Accepted counts how often a person accepted a ledger that differed from the witness,
	// or replaced the ledger with another one, for example by a restore.
	Accepted int
}

// Audit checks the ledger's chain and its witness, and checks that the ledger matches the
// decisions, the proposals, and the evaluations on which proposals rest. The first
// mismatch is returned as a *LedgerError, a *WitnessError, a *BoundError or an
// *AuditError.
func (a *Archive) Audit(ctx context.Context) (Audited, error) {
	var out Audited
	var err error
	if out.Entries, out.Head, err = a.VerifyLedger(ctx); err != nil {
		return out, err
	}
	if _, err := a.CheckWitness(ctx); err != nil {
		return out, err
	}
	l := ledgerIndex{bound: map[string]boundAt{}, decided: map[int64]LedgerEntry{}, levels: map[string]autonomy.Level{}}
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return out, err
		}
		if e.Seq <= out.Entries {
			l.add(e)
		}
	}
	out.Accepted = l.accepted
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return out, err
		}
		if err := a.auditProposal(ctx, &out, l, p); err != nil {
			return out, err
		}
		delete(l.bound, p.ID)
	}
	for id := range l.bound {
		if l.repaired {
			out.Gone++
			continue
		}
		return out, &AuditError{id, "the ledger records it, but the archive does not have it"}
	}
	if err := a.auditAutonomy(ctx, l); err != nil {
		return out, err
	}
	return out, a.auditDecisions(ctx, l)
}

// boundAt is a binding with the number of its ledger entry.
type boundAt struct {
	binding Binding
	seq     int64
}

// ledgerIndex collects what the ledger records about proposals.
type ledgerIndex struct {
	// bound holds the last binding of each proposal, and decided holds the decisions,
	// keyed by entry number.
	bound   map[string]boundAt
	decided map[int64]LedgerEntry
	// levels holds the level of autonomy of each agent after its last entry.
	levels   map[string]autonomy.Level
	imported int64
	accepted int
	repaired bool
}

func (l *ledgerIndex) add(e LedgerEntry) {
	if b := BindingOf(e); b != nil {
		l.bound[e.Subject] = boundAt{*b, e.Seq}
	}
	switch e.Kind {
	case LedgerImported:
		l.imported = e.Seq
		clear(l.levels) // levels set before an import no longer count
	case LedgerRaised, LedgerLowered:
		var data levelEntry
		if json.Unmarshal(e.Data, &data) == nil {
			l.levels[e.Subject] = data.To
		}
	case LedgerAccepted, LedgerSucceeds:
		l.accepted++
	case LedgerRepaired:
		l.repaired = true
	}
	if action, ok := strings.CutPrefix(e.Kind, "proposal."); ok && (action == "approve" || action == "reject" || action == "rollback") {
		l.decided[e.Seq] = e
	}
}

func (a *Archive) auditProposal(ctx context.Context, out *Audited, l ledgerIndex, p ProposalRecord) error {
	at, ok := l.bound[p.ID]
	if !ok {
		if p.State != Drafted {
			out.Unbound++
		}
		return nil
	}
	now := Bind(p)
	if at.seq < l.imported { // the entry is from the ledger of another archive
		now.State = p.Imported
		if p.Imported == "" {
			return &AuditError{p.ID, "it was imported, but its record does not mark it as imported"}
		}
	}
	differs := at.binding.differs(now)
	digest, n, err := a.Evidence(ctx, p)
	switch {
	case err != nil:
		return err
	case n < at.binding.Evaluations && (l.repaired || a.removed(ctx, p)):
		out.Gone++
	case digest != at.binding.Evidence:
		differs = append(differs, "body of evidence")
	}
	if len(differs) > 0 {
		return &BoundError{p.ID, differs}
	}
	out.Proposals++
	if p.Decision == nil {
		return nil
	}
	for _, e := range l.decided {
		if e.Subject == p.ID && e.Kind == "proposal."+p.Decision.Action && e.Actor == p.Decision.By && e.Time.Equal(normalizeTime(p.Decision.Time)) {
			return nil
		}
	}
	return &AuditError{p.ID, fmt.Sprintf("the ledger has no entry for its decision: %s by %s", p.Decision.Action, p.Decision.By)}
}

// removed reports whether [GC] has removed evaluations from any of the runs that proposal p
// rests on.
func (a *Archive) removed(ctx context.Context, p ProposalRecord) bool {
	return slices.ContainsFunc(p.Rests.Runs, func(run string) bool {
		r, err := a.Run(ctx, run)
		return err == nil && r.Removed != nil && r.Removed.Evaluations > 0
	})
}

// auditDecisions compares each decision with its ledger entry.
func (a *Archive) auditDecisions(ctx context.Context, l ledgerIndex) error {
	n := 0
	for d, err := range a.decisionLines(ctx) {
		if err != nil {
			return err
		}
		e, ok := l.decided[d.Seq]
		if !ok && l.repaired {
			continue
		}
		var recorded DecisionRecord
		if !ok || json.Unmarshal(e.Data, &recorded) != nil {
			return &AuditError{d.Decision.Proposal, fmt.Sprintf("ledger entry %d records no decision on this proposal", d.Seq)}
		}
		recorded.Time, d.Decision.Time = normalizeTime(recorded.Time), normalizeTime(d.Decision.Time)
		recorded.Withdraws.Time, d.Decision.Withdraws.Time = normalizeTime(recorded.Withdraws.Time), normalizeTime(d.Decision.Withdraws.Time)
		if digestOf(recorded) != digestOf(d.Decision) || e.Subject != recorded.Proposal || e.Actor != recorded.By || e.Kind != "proposal."+recorded.Action {
			return &AuditError{recorded.Proposal, fmt.Sprintf("the decision differs from the one in ledger entry %d", d.Seq)}
		}
		n++
	}
	if n < len(l.decided) && !l.repaired {
		return &AuditError{"decisions", fmt.Sprintf("the ledger records %d decisions, but only %d are stored", len(l.decided), n)}
	}
	return nil
}
