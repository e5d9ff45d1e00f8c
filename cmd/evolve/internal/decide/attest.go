package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/patch"
)

// The trailers by which commits attest the state of the archive.
const (
	trailerAudit   = "Evolve-Audit"
	trailerArchive = "Evolve-Archive"
	trailerBound   = "Evolve-Bound"
)

// Attested adds to a commit's message the archive's id and the digest of what the ledger
// binds the proposal to. If the archive has no id, its commits attest only the ledger's
// head.
func Attested(ctx context.Context, a *archive.Archive, proposal, message string) (string, error) {
	id, err := a.ID(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the archive's id: %w", err)
	}
	b, _, err := a.Bound(ctx, proposal)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	if b != nil {
		message += trailerBound + ": " + b.Digest() + "\n"
	}
	if id != "" {
		message += trailerArchive + ": " + id + "\n"
	}
	return message, nil
}

// Commits is the result of comparing the ledger with commits.
type Commits struct {
	// Compared counts the commits whose trailers agree with the ledger; Missing names the
	// adoptions whose commit the repository does not have.
	Compared int
	Missing  []string
	// Lost are commits that refer to records missing from a ledger that a person accepted
	// with gaps.
	Lost []string
}

// AuditCommits compares the trailers of a repository's commits with the ledger, whose
// audit is told. Each commit must name a head that the ledger has, and agree with the
// ledger's entry on its decision. mine reports whether the adoption of a proposal is a
// commit of this repository. The error for the first difference is an
// *archive.AuditError.
func AuditCommits(ctx context.Context, a *archive.Archive, told archive.Audited, repo *patch.Repository, mine func(archive.ProposalRecord) bool) (Commits, error) {
	c := comparison{ctx: ctx, archive: a, told: told, entries: map[string][]archive.LedgerEntry{}, seen: map[string]bool{}}
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return c.out, fmt.Errorf("reading the ledger: %w", err)
		}
		c.entries[e.Subject] = append(c.entries[e.Subject], e)
	}
	id, err := a.ID(ctx)
	if err != nil {
		return c.out, fmt.Errorf("reading the archive's id: %w", err)
	}
	if id != "" {
		found, err := repo.Saying(ctx, trailerArchive+": "+id)
		if err != nil {
			return c.out, err
		}
		for _, m := range found {
			if t := m.Trailers(); t[trailerArchive] == id {
				if err := c.compare(m, t); err != nil {
					return c.out, err
				}
			}
		}
	}
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return c.out, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.AdoptedCommit == "" || p.Imported != "" || c.seen[p.AdoptedCommit] || !mine(p) {
			continue
		}
		m, there, err := repo.MessageOf(ctx, p.AdoptedCommit)
		if err != nil {
			return c.out, err
		}
		t := m.Trailers()
		switch {
		case !there:
			c.out.Missing = append(c.out.Missing, p.ID)
		case t["Evolve-Proposal"] != p.ID:
			return c.out, &archive.AuditError{Subject: p.ID, Reason: fmt.Sprintf("commit %.12s is not of its adoption", p.AdoptedCommit)}
		default:
			if err := c.compare(m, t); err != nil {
				return c.out, err
			}
		}
	}
	return c.out, nil
}

// comparison is the state of one AuditCommits call.
type comparison struct {
	ctx     context.Context
	archive *archive.Archive
	told    archive.Audited
	entries map[string][]archive.LedgerEntry // by subject
	seen    map[string]bool
	out     Commits
}

// compare checks one commit against the ledger.
func (c *comparison) compare(m patch.Message, t map[string]string) error {
	c.seen[m.Commit] = true
	id := t["Evolve-Proposal"]
	if id == "" {
		id = t["Evolve-Rollback"]
	}
	differs := func(format string, args ...any) error {
		return &archive.AuditError{Subject: id, Reason: fmt.Sprintf("commit %.12s ", m.Commit) + fmt.Sprintf(format, args...)}
	}
	_, known := c.told.Heads[t[trailerAudit]]
	p, err := c.archive.Proposal(c.ctx, id)
	if c.told.Accepted > 0 && (!known && t[trailerAudit] != "" || errors.Is(err, archive.ErrNotFound)) {
		c.out.Lost = append(c.out.Lost, m.Commit)
		return nil
	}
	if errors.Is(err, archive.ErrNotFound) {
		return differs("is of it, and the archive has no such proposal")
	}
	if err != nil {
		return fmt.Errorf("reading proposal %s: %w", id, err)
	}
	head := c.told.Entries
	if audit := t[trailerAudit]; audit != "" {
		seq, ok := c.told.Heads[audit]
		if !ok {
			return differs("names the ledger's head %.12s, which the ledger does not have", audit)
		}
		head = seq
	}
	if v := t["Evolve-Variant"]; v != "" && t["Evolve-Proposal"] != "" && v != string(p.Variant) {
		return differs("is of the variant %.12s, the archive's of %.12s", v, p.Variant)
	}
	if by := t["Evolve-Approved-By"]; by != "" {
		e := c.last(id, "proposal.approve", head)
		var d archive.DecisionRecord
		switch {
		case e == nil || json.Unmarshal(e.Data, &d) != nil:
			return differs("is an adoption, and up to its head the ledger tells of no approval")
		case oneLine(e.Actor) != by:
			return differs("is approved by %s, in the ledger by %s", by, e.Actor)
		case oneLine(d.Reason) != t["Evolve-Reason"]:
			return differs("is approved for another reason than in the ledger")
		}
		if b := archive.BindingOf(*e); t[trailerBound] != "" && (b == nil || b.Digest() != t[trailerBound]) {
			return differs("binds other files, verdicts or evidence than the ledger")
		}
		if done := c.first(id, "proposal.adopted", e.Seq); done != nil && done.Seq <= head && t[trailerAudit] != "" {
			return differs("names a head that came after its adoption")
		}
	} else if by := t["Evolve-Rolled-Back-By"]; by != "" {
		if e := c.last(id, "proposal.rollback", c.told.Entries); e != nil && oneLine(e.Actor) != by {
			return differs("is rolled back by %s, in the ledger by %s", by, e.Actor)
		}
	} else if want := t[trailerBound]; want != "" && !c.binds(id, want) {
		return differs("proposes other files, verdicts or evidence than the ledger tells of")
	}
	c.out.Compared++
	return nil
}

// last returns the last entry of a kind about a proposal, up to a sequence number, or
// nil.
func (c *comparison) last(id, kind string, upTo int64) *archive.LedgerEntry {
	var out *archive.LedgerEntry
	for _, e := range c.entries[id] {
		if e.Kind == kind && e.Seq <= upTo {
			out = &e
		}
	}
	return out
}

// first returns the first entry of a kind about a proposal, from a sequence number on, or
// nil.
func (c *comparison) first(id, kind string, from int64) *archive.LedgerEntry {
	for _, e := range c.entries[id] {
		if e.Kind == kind && e.Seq >= from {
			return &e
		}
	}
	return nil
}

// binds reports whether an entry about a proposal has a binding with this digest.
func (c *comparison) binds(id, digest string) bool {
	for _, e := range c.entries[id] {
		if b := archive.BindingOf(e); b != nil && b.Digest() == digest {
			return true
		}
	}
	return false
}
