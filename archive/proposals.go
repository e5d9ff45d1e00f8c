package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

func proposalKey(number uint64) key { return newKey(tableProposal).number(number) }

// NewProposal stores p under the next free id and returns it.
func (a *Archive) NewProposal(ctx context.Context, p ProposalRecord) (ProposalRecord, error) {
	err := a.change(ctx, "store a proposal", func(b *batch) error {
		last, err := a.number(ctx, counterKey(countProposals, ""))
		if err != nil {
			return err
		}
		p.ID = fmt.Sprintf("P%d", last+1)
		return putProposal(b, p, last+1)
	})
	return p, err
}

func putProposal(b *batch, p ProposalRecord, number uint64) error {
	if err := checkFiles(p.Files); err != nil {
		return err
	}
	b.put(counterKey(countProposals, ""), encodeNumber(number))
	return putDocument(b, proposalKey(number), p)
}

// replaceProposal adds p to a batch, replacing the stored proposal with the same id.
func (a *Archive) replaceProposal(ctx context.Context, b *batch, p ProposalRecord) error {
	stored, n, err := numbered[ProposalRecord](ctx, a, "proposal", p.ID, 'P', tableProposal)
	if err != nil {
		return err
	}
	if p.ID != stored.ID {
		return fmt.Errorf("it is stored under the id %s", stored.ID)
	}
	if err := checkFiles(p.Files); err != nil {
		return err
	}
	return putDocument(b, proposalKey(n), p)
}

// PutProposal replaces a stored proposal.
func (a *Archive) PutProposal(ctx context.Context, p ProposalRecord) error {
	return a.change(ctx, "store proposal "+p.ID, func(b *batch) error {
		return a.replaceProposal(ctx, b, p)
	})
}

// SettleProposal replaces a stored proposal and appends its ledger entry and intents in one
// synced transaction. It returns the entry as Append does. The entry's data must be a JSON
// object or empty; the proposal's Binding is added to it.
func (a *Archive) SettleProposal(ctx context.Context, p ProposalRecord, e LedgerEntry, intents ...Intent) (LedgerEntry, error) {
	err := a.change(ctx, "store proposal "+p.ID, func(b *batch) (err error) {
		if err = a.replaceProposal(ctx, b, p); err != nil {
			return err
		}
		if e.Data, err = a.bind(ctx, p, e.Data); err != nil {
			return err
		}
		if e, err = a.chain(ctx, b, e); err != nil {
			return err
		}
		return putIntents(b, intents)
	})
	return e, err
}

// Proposal finds a proposal by its id, whose letter may be upper or lower case.
func (a *Archive) Proposal(ctx context.Context, id string) (ProposalRecord, error) {
	p, _, err := numbered[ProposalRecord](ctx, a, "proposal", id, 'P', tableProposal)
	return p, err
}

// Proposals yields all proposals, ordered by number.
func (a *Archive) Proposals(ctx context.Context) iter.Seq2[ProposalRecord, error] {
	return documents[ProposalRecord](ctx, a, "list the proposals", newKey(tableProposal), nil)
}

// Decide stores a decision, the proposal's new record, a ledger entry (kind
// "proposal.<action>") and intents in one synced transaction.
func (a *Archive) Decide(ctx context.Context, d DecisionRecord, p ProposalRecord, intents ...Intent) error {
	d.Time = normalizeTime(d.Time)
	return a.change(ctx, "decide on proposal "+d.Proposal, func(b *batch) error {
		return a.decide(ctx, b, d, p, intents...)
	})
}

// decide adds a decision with its ledger entry to a batch.
func (a *Archive) decide(ctx context.Context, b *batch, d DecisionRecord, p ProposalRecord, intents ...Intent) error {
	if d.Action == "" || d.By == "" {
		return errors.New("a decision needs an action and the name of the person who decided")
	}
	if d.Proposal != p.ID {
		return fmt.Errorf("the record belongs to proposal %q", p.ID)
	}
	if err := a.replaceProposal(ctx, b, p); err != nil {
		return err
	}
	data, err := appendJSON(nil, d)
	if err != nil {
		return err
	}
	bound, err := a.bind(ctx, p, data)
	if err != nil {
		return err
	}
	entry, err := a.chain(ctx, b, LedgerEntry{
		Time: d.Time, Kind: "proposal." + d.Action, Actor: d.By, Subject: d.Proposal, Data: bound,
	})
	if err != nil {
		return err
	}
	if err := putIntents(b, intents); err != nil {
		return err
	}
	return putDocument(b, decisionKey(entry.Seq), d)
}

func decisionKey(seq int64) key { return newKey(tableDecision).number(uint64(seq)) }

// Decisions yields all decisions in the order in which they were made.
func (a *Archive) Decisions(ctx context.Context) iter.Seq2[DecisionRecord, error] {
	return documents[DecisionRecord](ctx, a, "list the decisions", newKey(tableDecision), nil)
}
