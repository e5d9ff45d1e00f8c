// Package patching takes a code patch from an untrusted diff to a proposal with its
// gates, its review and its evidence, and from a person's decision to an adoption or a
// rollback in the target's repository. It combines packages patch, gates and archive and
// adds no rule of its own.
//
// It writes proposal and decision records of kind patch, the ledger entries whose kind
// begins with "patch.", proposal.create and proposal.adopted, the refs
// refs/evolve/proposals/<id> of patches that passed, and, on a person's decision, one
// commit on the branch that the target has checked out. All exported files are in the
// desk's scratch folder and are removed again.
//
// Slow work (gates, a reviewer's answer) does not hold the archive, so that others can
// write to it: a desk borrows it to read and to begin, and again to record. Before it
// records, it checks again what may have changed: the state of the proposal, the target's
// head, the limits, and whether the same patch is already waiting. A process that dies in
// between leaves a proposal in the state drafted, and its attempt, which counts from the
// moment it began.
package patching
