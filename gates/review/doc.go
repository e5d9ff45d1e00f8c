// Package review carries every proposal through its life cycle: it is proposed, passes
// gates, awaits a person's decision, is approved or rejected, and may be rolled back.
// Proposals for a config, for a tool or skill that an agent wrote, and for a patch to
// source code share one life cycle, which a [Reviewer] implements. A subject holds what
// depends on the kind of proposal: its files, its repository, its gates and what makes it
// stale. The package also answers change requests, which are approved or denied and never
// executed, and compares the ledger with the commits of a repository. It combines packages
// patch, gates and archive; it never makes decisions itself.
//
// It writes the records of proposals and decisions with their ledger entries, refs below
// refs/evolve/proposals, and, when a person decides so, one commit on the branch that is
// checked out in the workspace or in the target of a patch. It exports trees to the
// reviewer's scratch folder and removes them afterwards.
//
// A decision is stored first, then the intent with the name of its commit; then the branch
// moves, and the result is stored. If the process dies before the end, it leaves an intent,
// which [Reviewer.Finish] completes.
//
// Slow work (the gates of a patch, a model's answer) is done without holding the archive,
// so that others can write to it: a reviewer opens the archive to read and to record the
// beginning, and again to record the result. Before it records the result, it checks again
// what may have changed: the state of the proposal, the target's head, the limits, and
// whether the same patch is already waiting. If the process dies in between, the proposal
// remains in the state drafted, and the attempt counts nevertheless, because it counts from
// the moment it began.
package review
