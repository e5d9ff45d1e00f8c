package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/patch"
	"evolve/runtime/text"
)

// The trailers with which commits attest the state of the archive.
const (
	trailerAudit   = "Evolve-Audit"
	trailerArchive = "Evolve-Archive"
	trailerBound   = "Evolve-Bound"
)

// attested adds the archive's id and the digest of the proposal's binding in the ledger to
// the message of a commit. If the archive has no id, its commits attest only the ledger's
// head.
func (s *session) attested(ctx context.Context, proposal, message string) (string, error) {
	id, err := s.store.ID(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the archive's id: %w", err)
	}
	b, _, err := s.store.Bound(ctx, proposal)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	bound := ""
	if b != nil {
		bound = b.Digest()
	}
	return message + trailers{{trailerBound, bound}, {trailerArchive, id}}.String(), nil
}

// attestedProposal returns the message of a commit that contains a proposal. Its trailers
// attest the state of the archive before any decision.
func (s *session) attestedProposal(ctx context.Context, p archive.ProposalRecord) (string, error) {
	id, err := s.store.ID(ctx)
	if err != nil || id == "" {
		return proposalMessage(p), err
	}
	b := archive.Bind(p)
	if b.Evidence, b.Evaluations, err = s.store.Evidence(ctx, p); err != nil {
		return "", fmt.Errorf("reading the evidence: %w", err)
	}
	_, head, err := s.store.LedgerHead(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	return proposalMessage(p) + trailers{{trailerAudit, head}, {trailerBound, b.Digest()}, {trailerArchive, id}}.String(), nil
}

// Commits is the result of comparing the ledger with the commits of a repository.
type Commits struct {
	// Compared is the number of commits whose trailers agree with the ledger. Missing lists
	// the adopted proposals whose commits are not in the repository.
	Compared int
	Missing  []string
	// Lost lists the commits that refer to records that the ledger lacks, if a person
	// accepted the ledger despite its gaps.
	Lost []string
	// Later lists the commits about proposals or decisions that the ledger does not
	// contain because the ledger is an older copy.
	Later []Later
	// Others counts the commits that name an archive that is neither this archive nor an
	// imported one, keyed by the id of that archive.
	Others map[string]int
	// Unproven lists the imported proposals with a decision that no commit confirms.
	Unproven []string
	// Confirmed holds the imported proposals whose decisions are confirmed by a commit.
	Confirmed map[string]bool
}

// Later is a commit that is about a proposal and was made after the ledger's last entry.
type Later struct {
	Commit, Proposal string
	// Action is approve or rollback, and By is the person who decided. Both are empty if
	// the commit only contains a proposal.
	Action, By string
	// Imported reports whether the commit names an archive that was imported.
	Imported bool
}

// Audit configures how a repository's commits are compared with a ledger.
type Audit struct {
	// Mine reports whether the commit that adopted a proposal belongs to this repository.
	// If Mine is nil, every such commit is taken to belong to it.
	Mine func(archive.ProposalRecord) bool
	// Older reports whether the archive may have made commits after the last entry of the
	// ledger, as may be the case for a ledger in a backup.
	Older bool
}

// AuditCommits compares the trailers of a repository's commits with the ledger: each commit
// names a head that must be in the ledger, and the decision that the ledger must record.
// Commits that name an imported archive are compared with the imported part of the ledger,
// which may be older than the commits. AuditCommits returns the first difference as an
// *archive.AuditError.
func AuditCommits(ctx context.Context, a *archive.Archive, repo *patch.Repository, how Audit) (Commits, error) {
	c := comparison{ctx: ctx, archive: a, seen: map[string]bool{}, confirmed: map[string]bool{}, out: Commits{Others: map[string]int{}, Confirmed: map[string]bool{}}}
	id, err := a.ID(ctx)
	if err != nil {
		return c.out, fmt.Errorf("reading the archive's id: %w", err)
	}
	origins, err := c.read()
	if err != nil {
		return c.out, err
	}
	delete(origins, id)
	c.own.older = how.Older
	adopted, err := c.adoptions(repo, id, origins, how.Mine)
	if err != nil {
		return c.out, err
	}
	found, err := repo.Saying(ctx, trailerArchive+": ")
	if err != nil {
		return c.out, err
	}
	for _, m := range found {
		t := m.Trailers()
		switch of := t[trailerArchive]; {
		case of == "" || c.seen[m.Commit]:
		case of == id:
			err = c.compare(&c.own, m, t)
		case origins[of]:
			err = c.compare(&c.imported, m, t)
		default:
			c.out.Others[of]++
		}
		if err != nil {
			return c.out, err
		}
	}
	return c.out, c.adopted(repo, adopted)
}

// adoption is an adopted proposal and the message of its commit.
type adoption struct {
	proposal archive.ProposalRecord
	message  patch.Message
	there    bool
}

// adoptions reads the commits named in the records of adopted proposals. If the commit of
// an imported proposal names an archive, adoptions adds that archive to origins, because
// older exports do not name the archive from which they come.
func (c *comparison) adoptions(repo *patch.Repository, id string, origins map[string]bool, mine func(archive.ProposalRecord) bool) ([]adoption, error) {
	var out []adoption
	for p, err := range c.archive.Proposals(c.ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Imported != "" && p.Decision != nil {
			c.decided = append(c.decided, p)
		}
		if p.AdoptedCommit == "" || mine != nil && !mine(p) {
			continue
		}
		if p.State == archive.RolledBack && p.Decision != nil && commitName.MatchString(p.Decision.Commit) {
			c.rolledBack = append(c.rolledBack, p)
		}
		m, there := repo.MessageOf(p.AdoptedCommit)
		if of := m.Trailers()[trailerArchive]; there && p.Imported != "" && of != "" && of != id {
			origins[of] = true
		}
		out = append(out, adoption{p, m, there})
	}
	return out, nil
}

// adopted checks the commits of rollbacks, and the commits of adoptions, except those
// that AuditCommits found by the name of the archive in the commit message. It also
// collects the imported decisions that a commit confirms and those that no commit
// confirms.
func (c *comparison) adopted(repo *patch.Repository, list []adoption) error {
	for _, a := range list {
		view := &c.own
		if a.proposal.Imported != "" {
			view = &c.imported
		}
		t := a.message.Trailers()
		merge := view.mergeOf(a.proposal.ID, "proposal.approve")
		switch {
		case merge != nil && a.there:
			does := func(repo *patch.Repository, commit string, p archive.ProposalRecord, id string) (bool, error) {
				return confirms(repo, commit, p, id, merge)
			}
			if err := c.merged(repo, a.proposal, a.proposal.AdoptedCommit, merge, does); err != nil {
				return err
			}
			c.confirmed["approve "+a.proposal.ID] = true
		case c.seen[a.proposal.AdoptedCommit]:
		case !a.there && a.proposal.Imported != "": // the decision is unproven
		case !a.there:
			c.out.Missing = append(c.out.Missing, a.proposal.ID)
		case t["Evolve-Proposal"] != a.proposal.ID:
			return &archive.AuditError{Subject: a.proposal.ID, Reason: fmt.Sprintf("commit %.12s is recorded as its adoption, but does not name this proposal", a.proposal.AdoptedCommit)}
		default:
			if err := c.compare(view, a.message, t); err != nil {
				return err
			}
		}
	}
	for _, p := range c.rolledBack {
		m, there := repo.MessageOf(p.Decision.Commit)
		if merge := c.own.mergeOf(p.ID, "proposal.rollback"); merge != nil && there {
			if err := c.merged(repo, p, p.Decision.Commit, merge, isRevert); err != nil {
				return err
			}
			c.confirmed["rollback "+p.ID] = true
			continue
		}
		if there && m.Trailers()["Evolve-Rollback"] != p.ID {
			return &archive.AuditError{Subject: p.ID, Reason: fmt.Sprintf("commit %.12s is recorded as its rollback, but does not name this proposal", p.Decision.Commit)}
		}
	}
	for _, p := range c.decided {
		if c.confirmed[p.Decision.Action+" "+p.ID] {
			c.out.Confirmed[p.ID] = true
		} else {
			c.out.Unproven = append(c.out.Unproven, p.ID)
		}
	}
	return nil
}

// merged checks that the commit of a decision made at a remote is the commit recorded in
// the ledger and implements the decision.
func (c *comparison) merged(repo *patch.Repository, p archive.ProposalRecord, commit string, m *archive.MergeBrief, does func(*patch.Repository, string, archive.ProposalRecord, string) (bool, error)) error {
	id, err := c.archive.ID(c.ctx)
	if err != nil {
		return fmt.Errorf("reading the archive's id: %w", err)
	}
	ok, err := does(repo, commit, p, id)
	if err != nil {
		return err
	}
	if !ok || m.Commit != commit {
		return &archive.AuditError{Subject: p.ID, Reason: fmt.Sprintf("commit %.12s does not carry out the decision on this proposal", commit)}
	}
	if !c.seen[commit] {
		c.seen[commit] = true
		c.out.Compared++
	}
	return nil
}

// comparison holds the state of one AuditCommits call.
type comparison struct {
	ctx           context.Context
	archive       *archive.Archive
	own, imported ledgerPart
	seen          map[string]bool
	// decided holds the imported proposals with a decision. confirmed holds the decisions
	// on them that a commit confirms, each identified by the action and the proposal.
	decided   []archive.ProposalRecord
	confirmed map[string]bool
	// rolledBack holds the proposals for this repository that were rolled back.
	rolledBack []archive.ProposalRecord
	out        Commits
}

// ledgerPart is the part of the ledger that commits are compared with.
type ledgerPart struct {
	entries map[string][]archive.LedgerEntry // by subject
	heads   map[string]int64
	end     int64
	// accepted reports whether a person accepted a ledger that differs from the witnessed
	// ledger. older reports whether there may be commits after the ledger's end. imported
	// reports whether the ledger belongs to another archive.
	accepted, older, imported bool
}

func (l *ledgerPart) add(e archive.LedgerEntry) {
	l.entries[e.Subject] = append(l.entries[e.Subject], e)
	l.heads[e.Hash], l.end = e.Seq, e.Seq
	l.accepted = l.accepted || e.Kind == archive.LedgerAccepted || e.Kind == archive.LedgerSucceeds
}

// read reads the ledger, with the imported entries as a separate part, and returns the ids
// of the archives that were imported.
func (c *comparison) read() (map[string]bool, error) {
	newPart := func() ledgerPart {
		return ledgerPart{entries: map[string][]archive.LedgerEntry{}, heads: map[string]int64{}}
	}
	origins := map[string]bool{}
	c.own, c.imported = newPart(), newPart()
	var all []archive.LedgerEntry
	imported := 0
	for e, err := range c.archive.Ledger(c.ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the ledger: %w", err)
		}
		all = append(all, e)
		c.own.add(e)
		var told archive.Imported
		if e.Kind == archive.LedgerImported && json.Unmarshal(e.Data, &told) == nil {
			imported = len(all) - 1
			if told.Origin != "" {
				origins[told.Origin] = true
			}
		}
	}
	for _, e := range all[:imported] {
		c.imported.add(e)
	}
	c.imported.older, c.imported.imported = true, true
	return origins, nil
}

// actionOf returns the decision that a commit records and the person who made it. Both are
// "" if the commit only contains a proposal.
func actionOf(t map[string]string) (action, by string) {
	if by := t["Evolve-Approved-By"]; by != "" {
		return "approve", by
	}
	if by := t["Evolve-Rolled-Back-By"]; by != "" {
		return "rollback", by
	}
	return "", ""
}

// compare compares one commit with its part of the ledger.
func (c *comparison) compare(l *ledgerPart, m patch.Message, t map[string]string) error {
	c.seen[m.Commit] = true
	id := cmp.Or(t["Evolve-Proposal"], t["Evolve-Rollback"])
	action, by := actionOf(t)
	differs := func(format string, args ...any) error {
		return &archive.AuditError{Subject: id, Reason: fmt.Sprintf("commit %.12s ", m.Commit) + fmt.Sprintf(format, args...)}
	}
	audit := t[trailerAudit]
	head, known := l.heads[audit]
	p, err := c.archive.Proposal(c.ctx, id)
	missing := errors.Is(err, archive.ErrNotFound) || l.imported && len(l.entries[id]) == 0
	if missing || !known && audit != "" {
		switch {
		case l.older && (missing || action == "" || l.last(id, "proposal."+action, l.end) == nil):
			c.out.Later = append(c.out.Later, Later{m.Commit, id, action, by, l.imported})
			return nil
		case l.accepted:
			c.out.Lost = append(c.out.Lost, m.Commit)
			return nil
		case missing:
			return differs("names this proposal, which is not in the archive")
		default:
			return differs("names the ledger's head %.12s, which is not in the ledger", audit)
		}
	}
	if err != nil {
		return fmt.Errorf("reading proposal %s: %w", id, err)
	}
	if !known {
		head = l.end
	}
	if v := t["Evolve-Variant"]; v != "" && t["Evolve-Proposal"] != "" && v != string(p.Variant) {
		return differs("names the variant %.12s, but the archive names %.12s", v, p.Variant)
	}
	switch action {
	case "approve":
		if reason := l.contradicts(id, by, head, t); reason != "" {
			return differs("%s", reason)
		}
		c.confirmed[action+" "+id] = true
	case "rollback":
		e := l.last(id, "proposal.rollback", l.end)
		if e != nil && text.OneLine(e.Actor) != by {
			return differs("names %s as the person who rolled back the proposal, but the ledger names %s", by, e.Actor)
		}
		c.confirmed[action+" "+id] = e != nil
	default:
		if want := t[trailerBound]; want != "" && !l.binds(id, want) {
			if l.older {
				c.out.Later = append(c.out.Later, Later{Commit: m.Commit, Proposal: id, Imported: l.imported})
				return nil
			}
			return differs("proposes files, verdicts or evidence that differ from those in the ledger")
		}
	}
	c.out.Compared++
	return nil
}

// contradicts describes how the ledger up to the entry head contradicts the commit of an
// approval. It returns "" if the two agree.
func (l *ledgerPart) contradicts(id, by string, head int64, t map[string]string) string {
	e := l.last(id, "proposal.approve", head)
	var d archive.DecisionRecord
	switch {
	case e == nil || json.Unmarshal(e.Data, &d) != nil:
		return "is an adoption, but the ledger records no approval up to the head that the commit names"
	case text.OneLine(e.Actor) != by:
		return fmt.Sprintf("names %s as the person who approved the proposal, but the ledger names %s", by, e.Actor)
	case text.OneLine(d.Reason) != t["Evolve-Reason"]:
		return "gives a reason for the approval that differs from the one in the ledger"
	}
	if b := archive.BindingOf(*e); t[trailerBound] != "" && (b == nil || b.Digest() != t[trailerBound]) {
		return "names a digest of files, verdicts and evidence that does not match the ledger"
	}
	if done := l.first(id, "proposal.adopted", e.Seq); done != nil && done.Seq <= head && t[trailerAudit] != "" {
		return "names a head of the ledger that is later than the adoption"
	}
	return ""
}

// mergeOf returns the merge that made the last decision of a kind on a proposal, or nil if
// that decision was not made by a merge.
func (l *ledgerPart) mergeOf(id, kind string) *archive.MergeBrief {
	e := l.last(id, kind, l.end)
	var d archive.DecisionRecord
	if e == nil || json.Unmarshal(e.Data, &d) != nil {
		return nil
	}
	return d.Merge
}

// last returns the last entry of a kind about a proposal, up to a position in the ledger,
// or nil.
func (l *ledgerPart) last(id, kind string, upTo int64) *archive.LedgerEntry {
	var out *archive.LedgerEntry
	for _, e := range l.entries[id] {
		if e.Kind == kind && e.Seq <= upTo {
			out = &e
		}
	}
	return out
}

// first returns the first entry of a kind about a proposal, from a position in the ledger
// onwards, or nil.
func (l *ledgerPart) first(id, kind string, from int64) *archive.LedgerEntry {
	for _, e := range l.entries[id] {
		if e.Kind == kind && e.Seq >= from {
			return &e
		}
	}
	return nil
}

// binds reports whether an entry about a proposal binds a record that has the given digest.
func (l *ledgerPart) binds(id, digest string) bool {
	for _, e := range l.entries[id] {
		if b := archive.BindingOf(e); b != nil && b.Digest() == digest {
			return true
		}
	}
	return false
}
