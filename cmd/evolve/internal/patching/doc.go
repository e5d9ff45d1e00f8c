// Package patching owns the way of a code patch: from a foreign diff to a proposal
// with its gates, its review and its evidence, and from a person's word to an
// adoption or a rollback in the target's repository. It puts packages patch, gates
// and archive together and holds no rule of its own.
//
// It writes proposal and decision records of kind patch, the ledger entries whose kind
// begins with "patch.", proposal.create and proposal.adopted, the refs
// refs/evolve/proposals/<id> of what passed, and, when a person says so, one commit on
// the branch that the target has checked out. Whatever it exports lies in the desk's
// scratch folder and is removed again.
//
// What takes minutes (gates, a reviewer's answer) is done without holding the archive,
// so that others may write to it meanwhile: a desk borrows it to read and to begin, and
// again to record. What may have changed by then is looked at again: the state of the
// proposal, the tip of its target, the limits, and whether the same patch waits already.
// A process that dies in between leaves a proposal in the state drafted, and its
// attempt, which counts from the moment it began.
package patching
