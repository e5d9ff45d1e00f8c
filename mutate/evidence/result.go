package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Checked counts rulings by the outcome of recomputing them.
type Checked struct {
	// Recomputed counts the rulings that were confirmed from the stored evaluations.
	Recomputed int `json:"recomputed"`
	// Unstored counts the rulings whose inputs are not stored, and Gone counts the
	// rulings whose evaluations were removed. Neither kind can be recomputed.
	Unstored int `json:"unstored,omitempty"`
	Gone     int `json:"gone,omitempty"`
}

// Add adds other counts.
func (c *Checked) Add(o Checked) {
	c.Recomputed, c.Unstored, c.Gone = c.Recomputed+o.Recomputed, c.Unstored+o.Unstored, c.Gone+o.Gone
}

// Check recomputes every ruling in a result, and the parts of the verdict that follow from
// the rulings: whether a variant is proposed, which variant, and the sentence about it. It
// does not compare the sentence if another version of evolve worded it. The first
// contradiction is returned as an *archive.AuditError.
func Check(ctx context.Context, a *archive.Archive, r archive.AgentResult) (Checked, error) {
	var out Checked
	var rulings []stats.Ruling
	for _, f := range r.Finalist {
		now, err := Recompute(ctx, a, r, f)
		switch {
		case errors.Is(err, ErrUnstored):
			out.Unstored++
		case errors.Is(err, ErrGone):
			out.Gone++
		case err != nil:
			return out, err
		default:
			out.Recomputed++
			rulings = append(rulings, now)
		}
	}
	if len(rulings) < len(r.Finalist) {
		return out, nil
	}
	told := func(format string, args ...any) error {
		return &archive.AuditError{Subject: fmt.Sprintf("run %s, agent %s", r.Run, r.Agent), Reason: fmt.Sprintf(format, args...)}
	}
	if len(rulings) == 0 {
		if r.Verdict.Proposes() {
			return out, told("the verdict is %q, although nothing was confirmed", r.Verdict)
		}
		return out, nil
	}
	// The design affects only the text about the effects that a run could have detected,
	// never which variant is proposed.
	design := stats.Design{Alpha: r.Finalist[0].Judged.Alpha, Fixed: r.Grounds.Fixed}
	verdict := stats.Conclude(rulings, stats.Circumstances{Searched: r.SearchDone, Refused: r.Refused, Reference: r.Reference, Design: design})
	winner := agent.ConfigID("")
	if verdict.Winner >= 0 {
		winner = r.Finalist[verdict.Winner].Variant
	}
	switch {
	case r.Verdict.Proposes() != verdict.Verdict.Proposes() || r.Verdict.Proposes() && r.Verdict != verdict.Verdict:
		return out, told("the verdict %q does not follow from the rulings, which give %q", r.Verdict, verdict.Verdict)
	case r.Winner != winner:
		return out, told("the winner does not follow from the rulings")
	case verdict.Verdict.Proposes() && r.Grounds.Wording == stats.Wording && r.Reason != verdict.Sentence:
		return out, told("the sentence of the verdict differs from the one that follows from the rulings")
	}
	return out, nil
}

// CheckAll runs [Check] on every result in the archive.
func CheckAll(ctx context.Context, a *archive.Archive) (Checked, error) {
	var out Checked
	for r, err := range a.Results(ctx) {
		if err != nil {
			return out, fmt.Errorf("reading the results: %w", err)
		}
		c, err := Check(ctx, a, r)
		if err != nil {
			return out, err
		}
		out.Add(c)
	}
	return out, nil
}

// Digest returns the digest of the evidence for a variant: the ruling on the variant, the
// inputs of the ruling, and the hashes of everything on which the variant was measured.
func Digest(p archive.AgentPlan, g *archive.Grounds, f archive.Finalist) (string, error) {
	raw, err := json.Marshal(struct {
		Agent, Suite, Split, Space string
		Champion                   agent.ConfigID
		Finalist                   archive.Finalist
		Grounds                    *archive.Grounds `json:",omitempty"`
	}{p.AgentHash, p.SuiteHash, p.SplitHash, p.SpaceHash, p.Champion, f, g})
	if err != nil {
		return "", fmt.Errorf("hashing the evidence: %w", err)
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
