package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// IntentStage names the step of a decision that is next.
type IntentStage string

// The stages of an intent, in their order.
const (
	// IntentCommit: the decision is made; only the repository shows whether its commit is
	// on the branch.
	IntentCommit IntentStage = "commit"
	// IntentAfter: the commit is recorded, and the operator's program has not ended.
	IntentAfter IntentStage = "after"
	// IntentDone: no step is left.
	IntentDone IntentStage = "done"
)

// Intent describes the work outside the archive that a decision on a proposal requires: a
// commit, its record, and the operator's program. It is stored before the first of these
// begins, so that another process can finish after a kill.
type Intent struct {
	Proposal string `json:"proposal"`
	// Action is "approve" or "rollback".
	Action string      `json:"action"`
	Stage  IntentStage `json:"stage"`
	// By, Reason, Evidence and Time are those of the decision.
	By       string    `json:"by"`
	Reason   string    `json:"reason,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
	Time     time.Time `json:"time"`
	// Branch is the ref that moves, Base the commit that it moves from and Commit the one
	// that it moves to. They are empty until that commit is written.
	Branch string `json:"branch,omitempty"`
	Base   string `json:"base,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Attempts counts how often the operator's program was started.
	Attempts int `json:"attempts,omitempty"`
}

func intentKey(proposal uint64) key { return newKey(tableIntent).number(proposal) }

// putIntent adds an intent to a batch, replacing the proposal's last one.
func putIntent(b *batch, in Intent) error {
	n, ok := parseID('P', in.Proposal)
	switch {
	case !ok:
		return fmt.Errorf("an intent of proposal %q: %w", in.Proposal, ErrNotFound)
	case in.Action != "approve" && in.Action != "rollback":
		return fmt.Errorf("an intent to %q", in.Action)
	case in.Stage != IntentCommit && in.Stage != IntentAfter && in.Stage != IntentDone:
		return fmt.Errorf("an intent at the stage %q", in.Stage)
	case in.By == "":
		return errors.New("an intent needs a name")
	}
	in.Time = normalizeTime(in.Time)
	return putDocument(b, intentKey(n), in)
}

func putIntents(b *batch, list []Intent) error {
	for _, in := range list {
		if err := putIntent(b, in); err != nil {
			return err
		}
	}
	return nil
}

// PutIntent stores the progress of a decision, replacing the stored intent of that
// proposal, synced to disk.
func (a *Archive) PutIntent(ctx context.Context, in Intent) error {
	return a.change(ctx, "store what is left to do of proposal "+in.Proposal, func(b *batch) error { return putIntent(b, in) })
}

// AppendWith is [Archive.Append], with intents in the same synced transaction.
func (a *Archive) AppendWith(ctx context.Context, e LedgerEntry, intents ...Intent) (LedgerEntry, error) {
	err := a.change(ctx, "append to the ledger", func(b *batch) (err error) {
		if e, err = a.chain(ctx, b, e); err != nil {
			return err
		}
		return putIntents(b, intents)
	})
	return e, err
}

// Intent returns the latest intent of a proposal, or ErrNotFound.
func (a *Archive) Intent(ctx context.Context, proposal string) (Intent, error) {
	n, ok := parseID('P', proposal)
	if !ok {
		return Intent{}, fmt.Errorf("proposal %q: %w", proposal, ErrNotFound)
	}
	return document[Intent](ctx, a, intentKey(n))
}

// Unfinished yields the intents that are not done, by the number of their proposals. An
// export does not contain them: their work lies outside the archive.
func (a *Archive) Unfinished(ctx context.Context) iter.Seq2[Intent, error] {
	return func(yield func(Intent, error) bool) {
		for in, err := range documents[Intent](ctx, a, "list what is left to do", newKey(tableIntent), nil) {
			if err == nil && in.Stage == IntentDone {
				continue
			}
			if !yield(in, err) {
				return
			}
		}
	}
}
