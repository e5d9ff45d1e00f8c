package patch

import (
	"fmt"
	"regexp"
)

var idForm = regexp.MustCompile(`^P[0-9]+$`)

// ProposalRef returns the ref of a proposal.
func ProposalRef(id string) string { return "refs/evolve/proposals/" + id }

// Propose writes a proposal: a commit on top of the checked-out commit, on its own ref; see
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

// Publish points a proposal's ref at its commit, and returns the ref. If the ref is at
// another commit, mine reports whether the other commit is an earlier one of the same
// proposal. If it is, the ref moves. If it is not, another workspace has given the same id
// to its own proposal; the ref of the other workspace's proposal stays, and the commit gets
// a ref whose name ends with the beginning of the commit's name.
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
