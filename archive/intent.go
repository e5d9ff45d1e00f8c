package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// IntentStage names the next step of a decision.
type IntentStage string

// The stages of an intent, in their order.
const (
	// IntentCommit means that the decision has been made. Only the repository shows whether
	// the decision's commit is on the branch.
	IntentCommit IntentStage = "commit"
	// IntentAfter means that the commit has been recorded and the operator's program has
	// not finished yet.
	IntentAfter IntentStage = "after"
	// IntentDone: no step remains.
	IntentDone IntentStage = "done"
)

// Intent describes the work outside the archive that a decision on a proposal requires:
// making a commit, recording it, and running the operator's program. The intent is stored
// before that work begins, so that another process can finish the work if this one is
// killed.
type Intent struct {
	Proposal string `json:"proposal"`
	// Action is "approve" or "rollback".
	Action string      `json:"action"`
	Stage  IntentStage `json:"stage"`
	// By, Reason, Evidence and Time have the same values as in the decision.
	By       string    `json:"by"`
	Reason   string    `json:"reason,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
	Time     time.Time `json:"time"`
	// Branch is the ref that moves, Base the commit from which it moves, and Commit the
	// commit to which it moves. All three are empty until Commit is written.
	Branch string `json:"branch,omitempty"`
	Base   string `json:"base,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Attempts counts how often the operator's program was started.
	Attempts int `json:"attempts,omitempty"`
}

func intentKey(proposal uint64) key { return newKey(tableIntent).number(proposal) }

// putIntent adds an intent to a batch, replacing the previous intent of its proposal.
func putIntent(b *batch, in Intent) error {
	n, ok := parseID('P', in.Proposal)
	switch {
	case !ok:
		return fmt.Errorf("an intent for proposal %q: %w", in.Proposal, ErrNotFound)
	case in.Action != "approve" && in.Action != "rollback":
		return fmt.Errorf("an intent cannot have the action %q", in.Action)
	case in.Stage != IntentCommit && in.Stage != IntentAfter && in.Stage != IntentDone:
		return fmt.Errorf("an intent cannot have the stage %q", in.Stage)
	case in.By == "":
		return errors.New("an intent needs the name of the person who decided")
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

// PutIntent stores the progress of a decision, replacing the stored intent of its proposal,
// and syncs it to disk.
func (a *Archive) PutIntent(ctx context.Context, in Intent) error {
	return a.change(ctx, "store the remaining steps of proposal "+in.Proposal, func(b *batch) error { return putIntent(b, in) })
}

// AppendWith does what [Archive.Append] does, and stores intents in the same synced
// transaction.
func (a *Archive) AppendWith(ctx context.Context, e LedgerEntry, intents ...Intent) (LedgerEntry, error) {
	err := a.change(ctx, "append to the ledger", func(b *batch) (err error) {
		if e, err = a.chain(ctx, b, e); err != nil {
			return err
		}
		return putIntents(b, intents)
	})
	return e, err
}

// Intent returns the stored intent of a proposal, or ErrNotFound if there is none.
func (a *Archive) Intent(ctx context.Context, proposal string) (Intent, error) {
	n, ok := parseID('P', proposal)
	if !ok {
		return Intent{}, fmt.Errorf("proposal %q: %w", proposal, ErrNotFound)
	}
	return document[Intent](ctx, a, intentKey(n))
}

// Unfinished yields the intents that are not done, ordered by the number of their
// proposals. An export does not contain them, because their work lies outside the archive.
func (a *Archive) Unfinished(ctx context.Context) iter.Seq2[Intent, error] {
	return func(yield func(Intent, error) bool) {
		for in, err := range documents[Intent](ctx, a, "list the remaining steps", newKey(tableIntent), nil) {
			if err == nil && in.Stage == IntentDone {
				continue
			}
			if !yield(in, err) {
				return
			}
		}
	}
}
