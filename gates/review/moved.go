package review

import (
	"fmt"

	"evolve/archive"
)

// Open reports whether a proposal in the given state waits for its gates or for a person.
func Open(s archive.ProposalState) bool { return Undecided(s) && s != archive.GateFailed }

// Moved describes how the code of an open patch's target has changed since the patch was
// made. The text names both commits and states whether the patch still applies. It is
// empty if the code is the same, and for patches that were decided or imported. blocked
// reports whether an approval would be refused because the patch does not apply, or
// because its target or repository cannot be read.
func (rev *Reviewer) Moved(p archive.ProposalRecord) (words string, blocked bool) {
	if p.Patch == nil || p.Imported != "" || !Open(p.State) {
		return "", false
	}
	words, blocked, err := rev.moved(p)
	if err != nil {
		return "it is unknown whether the patch still applies: " + err.Error(), true
	}
	return words, blocked
}

func (rev *Reviewer) moved(p archive.ProposalRecord) (words string, blocked bool, err error) {
	t, err := rev.targetOf(p)
	if err != nil {
		return "", false, err
	}
	repo, err := rev.open(t)
	if err != nil {
		return "", false, err
	}
	_, head, err := repo.Head()
	if err != nil || head == p.Patch.BaseCommit {
		return "", false, err
	}
	now, err := repo.TreeOf(head)
	if err != nil {
		return "", false, err
	}
	if was, err := repo.TreeOf(p.Patch.BaseCommit); err == nil && was == now {
		return "", false, nil
	}
	_, conflicts, err := onto(repo, head, files(p))
	if err != nil {
		return "", false, err
	}
	made := fmt.Sprintf("the patch was made for %.12s, but HEAD is %.12s: ", p.Patch.BaseCommit, head)
	switch {
	case len(conflicts) == 0:
		return made + "it still applies, and its gates run again before an approval", false, nil
	case p.State == archive.Drafted: // the adopted version may be one that this draft replaces
		return made + "its gates will show whether it still applies; other commits changed the same passages: " + join(conflicts), false, nil
	}
	return made + "it no longer applies: " + conflictsWith(conflicts), true, nil
}
