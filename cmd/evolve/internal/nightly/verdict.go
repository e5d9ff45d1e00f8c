package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/decide"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// report adds a candidate's ruling to the result.
func (s *confirmation) report(r stats.Ruling, c *archive.Candidate) {
	s.rulings = append(s.rulings, r)
	s.result.Finalist = append(s.result.Finalist, archive.Finalist{
		Variant: c.Variant, Comparison: r.Comparison, SearchDifference: c.Gain, Accepted: r.State == stats.Proven,
		Reason: r.Reason, Ruling: &r, Runs: c.Runs,
	})
}

// judgedBefore says what became of a variant that is ahead in the search and had its
// turn against this champion in an earlier run; empty when there is none.
func (s *confirmation) judgedBefore(rec *mutate.Recommendation) string {
	for _, f := range rec.Finalists {
		for _, c := range s.entries {
			if f.Gain > 0 && c.Variant == f.Variant && c.Champion == s.plan.Champion && c.Holds == s.holds && c.State.Ended() {
				return fmt.Sprintf("; variant %s, which does, was confirmed in run %s: %s", c.Variant.Short(), c.Runs[len(c.Runs)-1], c.Reason)
			}
		}
	}
	return ""
}

// conclude draws the verdict from the rulings of this run.
func (s *confirmation) conclude(rec *mutate.Recommendation) {
	d := stats.Conclude(s.rulings, stats.Circumstances{Searched: s.result.SearchDone, Blocked: s.blocked, Behind: s.behind, Design: s.design()})
	s.result.Verdict, s.result.Reason, s.result.Detectable = d.Verdict, d.Sentence, finite(d.Detectable)
	if d.Winner >= 0 {
		s.result.Winner = s.result.Finalist[d.Winner].Variant
	}
	if d.Verdict == stats.Keep && len(s.rulings) == 0 {
		s.result.Reason += s.judgedBefore(rec)
	}
	ledger := entryLedger(s.control, s.entries, s.o.Now())
	s.result.Entries = &ledger
}

// design is what this confirmation has to spend.
func (n *night) design() stats.Design {
	return n.o.Workspace.Settings.Confirm.Design(n.plan.Repeats, len(n.sides.holdout), units(n.sides.holdout), n.fixed())
}

// propose drafts the proposal of the winner and hands it on.
func (n *night) propose(ctx context.Context) error {
	for _, f := range n.result.Finalist {
		if f.Variant != n.result.Winner {
			continue
		}
		v, err := n.o.Archive.Variant(ctx, n.agent.ID, f.Variant)
		if err != nil {
			return fmt.Errorf("reading the winner: %w", err)
		}
		digest, err := digest(n.plan, f)
		if err != nil {
			return err
		}
		p, err := n.o.Propose(ctx, n.agent, decide.Draft{Run: n.run.ID, Variant: v, Evidence: digest, Rationale: n.result.Reason})
		if err != nil {
			return fmt.Errorf("making the proposal: %w", err)
		}
		n.result.Proposals = append(n.result.Proposals, p.ID)
	}
	return nil
}

// digest identifies what speaks for a variant: the ruling on it and the hashes of
// everything it was measured on.
func digest(p *archive.AgentPlan, f archive.Finalist) (string, error) {
	raw, err := json.Marshal(struct {
		Agent, Suite, Split, Space string
		Champion                   agent.ConfigID
		Finalist                   archive.Finalist
	}{p.AgentHash, p.SuiteHash, p.SplitHash, p.SpaceHash, p.Champion, f})
	if err != nil {
		return "", fmt.Errorf("hashing the evidence: %w", err)
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
