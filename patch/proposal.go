package patch

import (
	"fmt"
	"regexp"
)

var idForm = regexp.MustCompile(`^P[0-9]+$`)

// ProposalRef returns the ref of a proposal.
func ProposalRef(id string) string { return "refs/evolve/proposals/" + id }

// Propose writes a proposal: a commit on top of the checked-out one, on a ref of its own; see
// [Repository.Publish]. It changes nothing else.
func (r *Repository) Propose(id string, files []File, message string, by Person, mine func(commit string) bool) (ref, commit string, err error) {
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
	ref, err = r.Publish(id, commit, by, mine)
	return ref, commit, err
}

// Publish points the ref of a proposal at its commit, and returns the ref. Where the ref is at
// another commit, mine reports whether that is an earlier one of the same proposal, so that the
// ref moves. Otherwise another workspace has given the id to a proposal of its own: its ref
// stays, and the one that is written has the commit's name appended.
func (r *Repository) Publish(id, commit string, by Person, mine func(commit string) bool) (ref string, err error) {
	ref = ProposalRef(id)
	old, err := r.Ref(ref)
	if err == nil && old != "" && old != commit && !mine(old) {
		ref += "-" + commit[:12]
		old, err = r.Ref(ref)
	}
	if err != nil {
		return "", err
	}
	return ref, r.Move(Move{Ref: ref, Old: old, New: commit, By: by, Reason: "evolve: propose " + id})
}
