// Package patching owns the way of a code patch: from a foreign diff to a proposal
// with its gates, its review and its evidence, and from a person's word to an
// adoption or a rollback in the target's repository. It puts packages patch, gates
// and archive together and holds no rule of its own.
//
// It writes proposal and decision records of kind patch, the ledger entries
// patch.attempt, patch.refused, proposal.create, patch.regate, patch.review and
// proposal.adopted, the refs refs/evolve/proposals/<id> of what passed, and, when a
// person says so, one commit on the branch that the target has checked out. Whatever
// it exports lies in the desk's scratch folder and is removed again.
package patching
