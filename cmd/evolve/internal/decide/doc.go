// Package decide owns what happens to a proposal, of a config or of a tool or skill
// that an agent wrote: it is drawn up and gated, shown, approved, rejected, rolled
// back; and to a change request, which is approved or denied and never executed. It
// writes proposal and decision records with their ledger entries, proposal refs, and,
// when a person says so, the files of the workspace through a git commit. It never
// decides by itself.
package decide
