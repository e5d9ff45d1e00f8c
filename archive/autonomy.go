package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"evolve/runtime/autonomy"
)

// The kinds of ledger entries about levels of autonomy. The subject of these entries is the
// agent.
const (
	LedgerRaised  = "autonomy.raise"
	LedgerLowered = "autonomy.lower"
)

// maxLevelChanges limits the number of changes that an AutonomyRecord retains. The ledger
// retains all of them.
const maxLevelChanges = 100

// AutonomyRecord is the level of autonomy of an agent, with its history.
type AutonomyRecord struct {
	Agent string         `json:"agent"`
	Level autonomy.Level `json:"level"`
	// Changes are the last changes of the level, oldest first.
	Changes []LevelChange `json:"changes,omitempty"`
	// Unproven is the reason why the lowest level applies instead of the stored one, or
	// empty if the stored level applies. It is set when the record is read and is not
	// stored.
	Unproven string `json:"unproven,omitempty"`
}

// LevelChange is one change that a person made to an agent's level of autonomy.
type LevelChange struct {
	From   autonomy.Level `json:"from"`
	To     autonomy.Level `json:"to"`
	By     string         `json:"by"`
	Reason string         `json:"reason"`
	Time   time.Time      `json:"time,omitzero"`
	// Proposal is the approved request for a higher level; it is empty if the level was
	// lowered.
	Proposal string `json:"proposal,omitempty"`
	// Entry is the number of the ledger entry about the change.
	Entry int64 `json:"entry"`
	// Imported reports whether the change was made in another archive and therefore has no
	// effect here.
	Imported bool `json:"imported,omitempty"`
}

// levelEntry is the data of a ledger entry about a level.
type levelEntry struct {
	From     autonomy.Level `json:"from"`
	To       autonomy.Level `json:"to"`
	Reason   string         `json:"reason"`
	Proposal string         `json:"proposal,omitempty"`
}

// AutonomyBrief holds the fields that only proposals of kind autonomy have: the levels, and
// the figures that the archive had about the agent when the level was requested.
type AutonomyBrief struct {
	From autonomy.Level `json:"from"`
	To   autonomy.Level `json:"to"`
	// By is the person who asked for the level, and Request is the agent's own change
	// request. Either may be empty.
	By      string                 `json:"by,omitempty"`
	Request string                 `json:"request,omitempty"`
	Figures autonomy.Figures       `json:"figures"`
	Needs   []autonomy.Requirement `json:"requirements"`
	Risks   []string               `json:"risks,omitempty"`
}

func autonomyKey(agentID string) key { return newKey(tableAutonomy).text(agentID) }

// Autonomy returns the level of an agent, or the lowest level if none is stored. A stored
// level above the lowest applies only if the ledger entry that recorded it confirms it.
func (a *Archive) Autonomy(ctx context.Context, agentID string) (AutonomyRecord, error) {
	r, err := named[AutonomyRecord](ctx, a, autonomyKey(agentID), "autonomy of agent %q", agentID)
	if errors.Is(err, ErrNotFound) {
		return AutonomyRecord{Agent: agentID, Level: autonomy.Lowest}, nil
	}
	if err != nil {
		return r, err
	}
	return a.proven(ctx, r)
}

// proven returns r as it is if the ledger confirms its level. Otherwise it returns r with
// the lowest level and with Unproven set.
func (a *Archive) proven(ctx context.Context, r AutonomyRecord) (AutonomyRecord, error) {
	if r.Level == autonomy.Lowest {
		return r, nil
	}
	var last LevelChange
	if len(r.Changes) > 0 {
		last = r.Changes[len(r.Changes)-1]
	}
	e, err := document[LedgerEntry](ctx, a, ledgerKey(last.Entry))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return r, err
	}
	var data levelEntry
	sound := err == nil && (e.Kind == LedgerRaised || e.Kind == LedgerLowered) && e.Subject == r.Agent && json.Unmarshal(e.Data, &data) == nil
	if !sound || last.Imported || !r.Level.Valid() || data.To != r.Level || last.To != r.Level {
		r.Unproven = fmt.Sprintf("level %d is stored, but no ledger entry records it", r.Level)
		r.Level = autonomy.Lowest
	}
	return r, nil
}

// Autonomies yields the record of each agent that has one, as [Archive.Autonomy] returns
// it, ordered by agent.
func (a *Archive) Autonomies(ctx context.Context) iter.Seq2[AutonomyRecord, error] {
	return func(yield func(AutonomyRecord, error) bool) {
		for r, err := range a.storedAutonomies(ctx) {
			if err == nil {
				r, err = a.proven(ctx, r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// storedAutonomies yields the records as they are stored, without comparing them with the
// ledger.
func (a *Archive) storedAutonomies(ctx context.Context) iter.Seq2[AutonomyRecord, error] {
	return documents[AutonomyRecord](ctx, a, "list the levels of autonomy", newKey(tableAutonomy), nil)
}

func putAutonomy(b *batch, r AutonomyRecord) error {
	r.Unproven = ""
	if r.Agent == "" || !r.Level.Valid() {
		return errors.New("an autonomy record needs an agent and a valid level")
	}
	r.Changes = r.Changes[max(0, len(r.Changes)-maxLevelChanges):]
	return putDocument(b, autonomyKey(r.Agent), r)
}

// LowerAutonomy records a lower level for an agent together with its ledger entry, in one
// synced transaction.
func (a *Archive) LowerAutonomy(ctx context.Context, agentID string, c LevelChange) (AutonomyRecord, error) {
	var r AutonomyRecord
	err := a.change(ctx, "lower the autonomy of agent "+agentID, func(b *batch) (err error) {
		if r, err = a.Autonomy(ctx, agentID); err != nil {
			return err
		}
		if c.From, c.Proposal = r.Level, ""; c.To >= c.From || !c.To.Valid() {
			return fmt.Errorf("level %d is not below %d", c.To, c.From)
		}
		return a.changeLevel(ctx, b, LedgerLowered, &r, c)
	})
	return r, err
}

// changeLevel adds a change of level and its ledger entry to a batch. The entry follows the
// ledger entries that the batch already contains.
func (a *Archive) changeLevel(ctx context.Context, b *batch, kind string, r *AutonomyRecord, c LevelChange) error {
	c.Time, c.Imported = normalizeTime(c.Time), false
	c.By, c.Reason = validText(c.By), truncate(c.Reason, maxCallReason)
	if c.By == "" || c.Reason == "" {
		return errors.New("a change to an autonomy level must name who made it and give a reason")
	}
	data, err := appendJSON(nil, levelEntry{c.From, c.To, c.Reason, c.Proposal})
	if err != nil {
		return err
	}
	head := b.head
	if head == nil {
		stored, err := a.ledgerHead(ctx)
		if err != nil {
			return err
		}
		head = &stored
	}
	e, err := chainTo(b, *head, LedgerEntry{Time: c.Time, Kind: kind, Actor: c.By, Subject: r.Agent, Data: data})
	if err != nil {
		return err
	}
	c.Entry = e.Seq
	r.Level, r.Changes = c.To, append(r.Changes, c)
	return putAutonomy(b, *r)
}

// RaiseAutonomy stores the approval of a proposal of kind autonomy, as [Archive.Decide]
// does. In the same transaction it raises the level of the proposal's agent by one, with a
// separate ledger entry.
func (a *Archive) RaiseAutonomy(ctx context.Context, d DecisionRecord, p ProposalRecord) (AutonomyRecord, error) {
	var r AutonomyRecord
	d.Time = normalizeTime(d.Time)
	err := a.change(ctx, "decide on proposal "+d.Proposal, func(b *batch) (err error) {
		if p.Kind != KindAutonomy || p.Autonomy == nil || p.Imported != "" || d.Action != "approve" {
			return errors.New("the decision is not an approval of an autonomy level")
		}
		if r, err = a.Autonomy(ctx, p.Agent); err != nil {
			return err
		}
		if p.Autonomy.From != r.Level || p.Autonomy.To != r.Level+1 || !p.Autonomy.To.Valid() {
			return fmt.Errorf("the decision does not apply to agent %q, which has level %d", p.Agent, r.Level)
		}
		if err := a.decide(ctx, b, d, p); err != nil {
			return err
		}
		return a.changeLevel(ctx, b, LedgerRaised, &r, LevelChange{
			From: r.Level, To: p.Autonomy.To, By: d.By, Reason: d.Reason, Time: d.Time, Proposal: p.ID,
		})
	})
	return r, err
}

// foreignAutonomy returns the form in which a record is imported: at the lowest level, with
// its history marked as imported.
func foreignAutonomy(r AutonomyRecord) AutonomyRecord {
	r.Level = autonomy.Lowest
	for i := range r.Changes {
		r.Changes[i].Imported = true
	}
	return r
}

// auditAutonomy compares the stored levels with those that follow from the ledger's
// entries.
func (a *Archive) auditAutonomy(ctx context.Context, l ledgerIndex) error {
	for r, err := range a.storedAutonomies(ctx) {
		if err != nil {
			return err
		}
		want, ok := l.levels[r.Agent]
		if !ok {
			want = autonomy.Lowest
		}
		if r.Level != want && (r.Level > want || !l.repaired) {
			return &AuditError{"autonomy of " + r.Agent, fmt.Sprintf("level %d is stored, but the ledger records level %d", r.Level, want)}
		}
		delete(l.levels, r.Agent)
	}
	for id, level := range l.levels {
		if level > autonomy.Lowest && !l.repaired {
			return &AuditError{"autonomy of " + id, fmt.Sprintf("the ledger records level %d, but no level is stored", level)}
		}
	}
	return nil
}
