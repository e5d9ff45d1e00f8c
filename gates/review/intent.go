package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// The steps of a decision. A process may die after any of them. The next command that opens
// the archive for writing completes a decision that was begun.
const (
	StepDecided  = "decided"  // the approval is recorded, or the rollback is intended
	StepWritten  = "written"  // the commit is written, but not yet on any branch
	StepIntended = "intended" // its name is recorded
	StepMoved    = "moved"    // the branch has been moved to the commit
	StepSettled  = "settled"  // the adoption or rollback is recorded
	StepStarting = "starting" // the start of the operator's program is recorded
	StepRan      = "ran"      // the program has ended
	StepNoted    = "noted"    // its result is recorded
)

// StepProposed follows the creation of a proposal from a change request.
const StepProposed = "proposed"

// Steps lists the steps of a decision in order.
var Steps = []string{StepDecided, StepWritten, StepIntended, StepMoved, StepSettled, StepStarting, StepRan, StepNoted}

// Unfinished lists the intents of decisions that are not complete.
func Unfinished(ctx context.Context, a *archive.Archive) ([]archive.Intent, error) {
	var out []archive.Intent
	for in, err := range a.Unfinished(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the unfinished decisions: %w", err)
		}
		out = append(out, in)
	}
	return out, nil
}

// IntentOf returns the initial intent of a decision, of which nothing has been carried out
// yet.
func IntentOf(d archive.DecisionRecord) archive.Intent {
	return archive.Intent{Proposal: d.Proposal, Action: d.Action, Stage: archive.IntentCommit, By: d.By, Reason: d.Reason, Evidence: d.Evidence, Time: d.Time}
}

// committed returns the commit that carries out an intent if it is in the history of HEAD
// or of the intent's branch, and "" otherwise. If the history was rewritten, the result
// is a commit whose trailer names the proposal and which contains the change.
func committed(repo *patch.Repository, in archive.Intent, change []patch.File) (string, error) {
	if in.Commit == "" {
		return "", nil // the commit's name is stored before the branch moves
	}
	_, head, err := repo.Head()
	if err != nil {
		return "", err
	}
	tips := []string{head}
	if in.Branch != "" {
		tip, err := repo.Ref(in.Branch)
		if err != nil {
			return "", err
		}
		if tip != "" && tip != head {
			tips = append(tips, tip)
		}
	}
	trailer := "Evolve-Proposal: " + in.Proposal
	if in.Action == "rollback" {
		trailer = "Evolve-Rollback: " + in.Proposal
	}
	for _, tip := range tips {
		found, err := repo.Find(tip, in.Base, func(commit, message string) (bool, error) {
			if commit == in.Commit {
				return true, nil
			}
			body := strings.Split(strings.TrimSpace(message), "\n\n") // the trailers are the last paragraph
			if !slices.Contains(strings.Split(body[len(body)-1], "\n"), trailer) {
				return false, nil
			}
			return holds(repo, commit, change)
		})
		if err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// Finish completes the record of a decision that is already committed, if the process
// that made the decision was killed before the record was complete. It returns the
// updated intent. If the commit is missing, an approval remains valid, but a person must
// repeat a rollback.
func (rev *Reviewer) Finish(ctx context.Context, in archive.Intent) (archive.Intent, error) {
	return inSession(ctx, rev, func(s *session) (archive.Intent, error) { return s.finish(ctx, in) })
}

func (s *session) finish(ctx context.Context, in archive.Intent) (archive.Intent, error) {
	if in.Stage != archive.IntentCommit {
		return in, nil
	}
	p, err := s.find(ctx, in.Proposal)
	if err != nil {
		return in, err
	}
	change := files(p)
	if in.Action == "rollback" {
		change = patch.Reverse(change)
	}
	repo, err := s.subjectOf(p).repository()
	if err != nil {
		return in, err
	}
	commit := ""
	if repo != nil {
		if commit, err = committed(repo, in, change); err != nil {
			return in, err
		}
	}
	switch {
	case commit == "":
		return s.leave(ctx, in, p.State)
	case in.Action == "approve" && p.State == archive.Approved:
		_, next, err := s.adopted(ctx, p, in, commit)
		return next, err
	case in.Action == "rollback" && p.State == archive.Adopted:
		_, next, err := s.recordRollback(ctx, p, in, commit, nil)
		return next, err
	}
	in.Stage = archive.IntentDone
	return in, s.store.PutIntent(ctx, in)
}

// Carried reports whether the state of a proposal is the result of carrying out an action.
func Carried(action string, state archive.ProposalState) bool {
	return action == "approve" && state == archive.Adopted || action == "rollback" && state == archive.RolledBack
}

// UnfinishedKind is the kind of the ledger entry for a rollback that was interrupted before
// its commit was on the branch. The entry's subject is the proposal.
const UnfinishedKind = "rollback.unfinished"

// leave handles an intent whose commit is missing. The intent of an approval that is
// still valid stays open; any other intent is closed. If a closed intent was for a
// rollback, the rollback has changed nothing, and the ledger gets an entry that records
// this. A closed intent names no commit, because no branch contains it.
func (s *session) leave(ctx context.Context, in archive.Intent, state archive.ProposalState) (archive.Intent, error) {
	if in.Action == "approve" && state == archive.Approved {
		return in, nil
	}
	in.Stage, in.Commit = archive.IntentDone, ""
	if in.Action == "approve" || state != archive.Adopted {
		return in, s.store.PutIntent(ctx, in)
	}
	if _, err := s.store.AppendWith(ctx, archive.LedgerEntry{Time: s.Now(), Actor: robot, Kind: UnfinishedKind, Subject: in.Proposal}, in); err != nil {
		return in, fmt.Errorf("writing the ledger: %w", err)
	}
	return in, nil
}

// AlteredKind is the kind of the ledger entry that records that files in a working tree
// differ from the commit of a decision. The entry's subject is the proposal.
const AlteredKind = "adoption.altered"

// altered records a *[patch.AlteredError] and returns it as a refusal for the user; it
// returns any other error unchanged.
func (s *session) altered(ctx context.Context, cause error, id string) error {
	var found *patch.AlteredError
	if !errors.As(cause, &found) {
		return cause
	}
	_, err := s.note(ctx, AlteredKind, robot, id, map[string]any{"commit": found.Commit, "paths": found.Paths})
	return errors.Join(err, &RefusedError{Text: found.Error(), Hint: found.Hint() + "; `evolve rollback " + id + "` reverts the commit", err: found})
}
