// Package patching owns the way of a code patch: from a foreign diff to a proposal
// with its gates, its review and its evidence, and from a person's word to an
// adoption or a rollback in the target's repository. It puts packages patch, gates
// and archive together and holds no rule of its own.
package patching
