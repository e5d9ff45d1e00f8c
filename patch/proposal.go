package patch

import (
	"fmt"
	"regexp"
)

var idForm = regexp.MustCompile(`^P[0-9]+$`)

// ProposalRef returns the ref of a proposal.
func ProposalRef(id string) string { return "refs/evolve/proposals/" + id }

// Propose writes a proposal: a commit on top of the checked-out one, on a ref of its own.
// It changes nothing else. If the id's ref exists, it moves to the new commit: the
// proposal is redrawn.
func (r *Repository) Propose(id string, files []File, message string, by Person) (ref, commit string, err error) {
	_, base, err := r.Head()
	if err != nil {
		return "", "", err
	}
	if !idForm.MatchString(id) {
		return "", "", fmt.Errorf("%q is not a proposal ID", id)
	}
	commit, err = r.Commit(base, files, message, by)
	if err != nil {
		return "", "", err
	}
	ref = ProposalRef(id)
	old, err := r.Ref(ref)
	if err != nil {
		return "", "", err
	}
	return ref, commit, r.Move(Move{Ref: ref, Old: old, New: commit, By: by, Reason: "evolve: propose " + id})
}
