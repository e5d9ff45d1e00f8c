// Package review carries every proposal through its life: it is proposed, gated, awaits a
// person's decision, is approved or rejected, and may be rolled back. The proposal of a
// config, of a tool or skill that an agent wrote, and of a patch of source code share one
// life cycle, that of a [Reviewer]; a subject holds what depends on the kind: its files,
// its repository, its gates and what makes it stale. The package also answers change
// requests, which are approved or denied and never executed, and compares the ledger with
// the commits of a repository. It combines packages patch, gates and archive; it never
// decides by itself.
//
// It writes proposal and decision records with their ledger entries, refs below
// refs/evolve/proposals, and, on a person's decision, one commit on the branch that is
// checked out in the workspace or in the target of a patch. Exported trees are in the
// reviewer's scratch folder and are removed again.
//
// A decision is stored first, then the intent with the name of its commit; then the branch
// moves, and the result is stored. A process that dies in between leaves an intent, which
// [Reviewer.Finish] completes.
//
// Slow work (the gates of a patch, a model's answer) does not hold the archive, so that
// others can write to it: a reviewer opens it to read and to begin, and again to record.
// Before it records, it checks again what may have changed: the state of the proposal, the
// target's head, the limits, and whether the same patch is already waiting. A process that
// dies in between leaves a proposal in the state drafted, and its attempt, which counts
// from the moment it began.
package review
