// Package gates runs the automatic checks that a proposal must pass before a person may
// approve it (base unchanged, config valid, rollback rehearsed), and derives its state
// from their verdicts. A gate that was never run has not passed.
package gates
