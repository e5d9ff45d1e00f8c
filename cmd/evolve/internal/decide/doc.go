// Package decide carries out what happens to a proposal of a config, or of a tool or
// skill that an agent wrote: it is made and gated, shown, approved, rejected, rolled
// back. It does the same for a change request, which is approved or denied and never
// executed. It writes proposal and decision records with their ledger entries, proposal
// refs and, on a person's decision, the files of the workspace through a git commit. It
// never decides by itself.
package decide
